"""Teaching from rendered pictures: what is kept, recognised, asked, refused, taken back and read."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from calibration.frames import Frame
from device.eyes import EyeFactory
from device.sources import read_picture
from device.teaching.corrections import learn_corrections
from device.teaching.features import FEATURES
from device.teaching.folder import (
    BEFORE,
    DECK,
    INDEX,
    VIEWS,
    TeachingError,
    load_index,
    load_taught,
    read_view,
    taught_decks,
)
from device.teaching.lessons import DoubtfulNameError
from device.teaching.school import School, taught_school
from models.cards import load_deck
from models.codes import BACK, FREE
from models.crops import Image
from models.taught import TaughtDeck, TaughtError, View
from tests.device.teaching.laid import CODES, Lying, one, spread, table
from vision.table import FOREIGN
from vision.unknown.teaching import DoubtKind


@pytest.fixture(scope="module")
def eye_factory() -> EyeFactory:
    return EyeFactory(threads=1)


@pytest.fixture
def school(eye_factory: EyeFactory, tmp_path: Path) -> Iterator[School]:
    rig = one("7-blue")[1]
    with taught_school(tmp_path, "mine", eye_factory.sight, rig, FREE) as made:
        yield made


def code_at(view: View) -> str:
    """Which card of `spread` this is, by where it was: two rows of four."""
    x, y = np.mean(view.corners_px, axis=0)
    return CODES[int(x // 320) + (4 if y > 448 else 0)]


@pytest.fixture(scope="module")
def whole(eye_factory: EyeFactory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a deck that was taught from one picture."""
    data = tmp_path_factory.mktemp("data")
    frame, rig = spread()
    with taught_school(data, "mine", eye_factory.sight, rig, FREE) as made:
        lesson = made.show("spread.jpg", frame)
        assert (len(lesson.waiting), lesson.named, lesson.refused) == (8, (), ())
        for question in made.questions():
            made.label_group(question, code_at(made.deck.view(question.views[0])))
        made.finish()
    return data


def test_a_deck_is_measured_and_listed(whole: Path) -> None:
    deck = load_deck(whole / "decks" / "mine" / DECK)
    assert sorted(card.code for card in deck.cards) == sorted(CODES)
    assert deck.game == FREE
    assert deck.card_mm == pytest.approx((59, 92), abs=1.2)
    entry = taught_decks(whole)[0]
    assert (entry.name, entry.game, entry.views, entry.codes, entry.waiting, entry.fault) == ("mine", FREE, 8, 8, 0, "")


def test_one_view_of_each_card_does(whole: Path, eye_factory: EyeFactory) -> None:
    """Read in other light, turned, overlapping, and one card that nobody has taught."""
    deck, faces = load_taught(whole, "mine")
    assert deck.name == "mine"
    assert faces.learnt is not None
    right = 0
    for seed, turn in ((6, 180.0), (7, 0.0)):
        frame, rig = spread(CODES[::-1], seed, turn)
        look = eye_factory.open_eye(rig, None, faces).look(frame)
        found = {(round(card.centre_mm[0] / 150 - 0.5), card.centre_mm[1] > 0): card.code for card in look.cards}
        right += sum(found.get((number % 4 - 2, number > 3)) == code for number, code in enumerate(CODES[::-1]))
    assert right >= 15


def test_what_the_reader_made_of_it_is_kept_and_made_anew(whole: Path, eye_factory: EyeFactory) -> None:
    _, faces = load_taught(whole, "mine")
    assert faces.learnt is not None
    reader = eye_factory.sight.reader
    assert faces.learnt.key == reader.key(faces)
    assert reader.learn(faces).features is faces.learnt.features
    home = whole / "decks" / "mine"
    kept = (home / FEATURES).read_bytes()
    try:
        (home / FEATURES).write_bytes(kept[: len(kept) // 2])
        _, broken = load_taught(whole, "mine")
        assert broken.learnt is None
        eye_factory.open_eye(None, None, broken)
        assert load_taught(whole, "mine")[1].learnt is not None, "the eye_factory keeps what had to be learnt anew"
    finally:
        (home / FEATURES).write_bytes(kept)


def test_known_cards_are_recognised_and_counted(whole: Path, eye_factory: EyeFactory, tmp_path: Path) -> None:
    codes = ("7-blue", "7-blue", "4-green", "7-blue")
    frame, rig = spread(codes, seed=9, turn_deg=180.0)
    with taught_school(whole, "mine", eye_factory.sight, rig) as school:
        before = school.deck
        lesson = school.show("again.jpg", frame)
        named = [view.code for view in lesson.named] + list(lesson.again)
        assert not lesson.refused
        assert sorted(named) == sorted(codes), "upside down and in other light"
        assert school.deck.count("7-blue") == 3
        assert school.deck.count("4-green") == 1
        shown = school.show("again.jpg", frame)
        assert (shown.named, shown.waiting, shown.refused) == ((), (), ()), "the same picture again adds nothing"
        school.undo()
        assert school.deck == before


def test_a_picture_of_one_card_is_called_by_its_name(school: School) -> None:
    frame, _ = one("7-blue")
    lesson = school.show("7.jpg", frame, hint="7")
    assert [(view.code, view.by) for view in lesson.named] == [("7", "file")]
    frame, _ = one("back", seed=3)
    assert [view.code for view in school.show("b.jpg", frame, back=True).named] == [BACK]
    assert school.deck.codes == ("7",)
    school.finish()
    _, faces = load_taught(school.home.parent.parent, "mine")
    assert (len(faces.pictures), len(faces.backs)) == (1, 1)


def test_one_label_for_two_faces_is_refused_until_somebody_insists(school: School) -> None:
    school.show("7.jpg", one("7-blue")[0], code="seven")
    before = (school.home / INDEX).read_bytes()
    lesson = school.show("other.jpg", one("2-red", seed=2)[0], code="seven")
    assert lesson.named == ()
    assert "differs from what is called seven" in str(lesson.refused[0])
    assert (school.home / INDEX).read_bytes() == before, "nothing that was taught is lost"
    waiting = school.show("third.jpg", one("2-red", seed=2)[0]).waiting[0]
    with pytest.raises(DoubtfulNameError, match="differs from what is called seven") as raised:
        school.label(waiting.name, "seven")
    assert raised.value.doubtful.picture.is_file(), "both are shown side by side"
    assert school.deck.view(waiting.name).code == ""
    named = school.label(waiting.name, "seven", insist=True)
    assert (named.view.code, len(school.deck.of("seven"))) == ("seven", 2)
    assert school.show("fourth.jpg", one("4-green", seed=4)[0], code="seven", insist=True).named
    assert school.deck.told_apart == (), "they are one card"


def test_a_person_tells_two_faces_apart(school: School) -> None:
    school.show("7.jpg", one("7-blue")[0], code="seven")
    lesson = school.show("other.jpg", one("7-blue", seed=3)[0], code="eight")
    assert ([view.code for view in lesson.named], lesson.refused) == (["eight"], ())
    (warning,) = lesson.warnings
    assert (warning.code, warning.doubt.code, warning.doubt.kind) == ("eight", "seven", DoubtKind.LOOKS_LIKE)
    assert read_picture(warning.picture).image.shape[1] > read_picture(warning.picture).image.shape[0]
    assert [pair.codes for pair in load_index(school.home).told_apart] == [("eight", "seven")]
    lesson = school.show("third.jpg", one("7-blue", seed=4)[0])
    assert (lesson.named, len(lesson.waiting)) == ((), 1), "nobody but a person says which of the two it is"
    (question,) = school.questions()
    assert {"seven", "eight"} <= set(question.guesses)
    assert school.label(lesson.waiting[0].name, "eight").warning is None, "told apart once is enough"
    school.forget("eight")
    assert school.deck.told_apart == ()


def test_a_look_alike_is_asked_about_before_it_is_named_by_hand(school: School) -> None:
    school.show("7.jpg", one("7-blue")[0], code="seven")
    school.show("2.jpg", one("2-red", seed=2)[0], code="two")
    view = school.deck.of("two")[0]
    school.label(view.name, "deux")
    lesson = school.show("again.jpg", one("7-blue", seed=3)[0], code="eight")
    with pytest.raises(DoubtfulNameError, match="nine looks like"):
        school.label(lesson.named[0].name, "nine", asking=True)
    assert school.deck.codes == ("seven", "deux", "eight")
    assert school.label(lesson.named[0].name, "nine").warning is not None, "without asking, the word is taken"
    assert [pair.codes for pair in school.deck.told_apart] == [("nine", "seven")]


def glaring(frame: Frame) -> Frame:
    """The frame with a reflection on its only card."""
    rows, columns = np.indices(frame.image.shape[:2])
    away = (columns - 660.0) ** 2 + (rows - 400.0) ** 2
    image = np.clip(frame.image + 240 * np.exp(-away / (2 * 16.0**2))[:, :, None], 0, 255).astype(np.uint8)
    return Frame(frame.index, frame.at_s, image)


def test_a_poor_view_is_taken_until_a_better_one_comes(school: School) -> None:
    lesson = school.show("glare.jpg", glaring(one("7-blue")[0]), code="seven")
    (poor,) = lesson.named
    assert (poor.quality, poor.flaws[0][0], poor.is_poor) == ("poor", "glare", True)
    assert load_index(school.home).views == (poor,), "the verdict is kept"
    lesson = school.show("good.jpg", one("7-blue", seed=3)[0], code="seven")
    assert lesson.replaced == (poor,)
    (good,) = school.deck.views
    assert (good.code, good.quality, lesson.named) == ("seven", "good", (good,))
    lesson = school.show("glare2.jpg", glaring(one("7-blue", seed=4)[0]), code="seven")
    assert (lesson.named, lesson.again, school.deck.views) == ((), ("seven",), (good,))
    school.show("glare3.jpg", glaring(one("2-red", seed=4)[0]))
    school.show("good2.jpg", one("2-red", seed=3)[0])
    first, second = school.deck.waiting
    school.label(first.name, "two")
    school.label(second.name, "two")
    assert [view.quality for view in school.deck.of("two")] == ["good"]


def test_insisting_takes_a_named_card_that_is_badly_seen(school: School) -> None:
    blurred = one("2-red", blur_px=4.0)[0]
    assert school.show("2.jpg", blurred, code="two").refused
    assert school.show("2.jpg", blurred, insist=True).refused, "nobody said which card it is"
    assert [view.code for view in school.show("2.jpg", blurred, code="two", insist=True).named] == ["two"]


def test_pictures_that_cannot_be_taught_from(school: School) -> None:
    school.show("7.jpg", one("7-blue")[0], code="seven")
    before = school.deck
    cut_off, _ = one("2-red", x_mm=330.0)
    covered, _ = table([Lying("2-red", 0, 0), Lying("9-green", 25, 20, 30)])
    empty = Frame(0, 0.0, np.full((896, 1280, 3), 90, np.uint8))
    for frame, why in (
        (one("2-red", blur_px=4.0)[0], "it is blurred: edges are smeared by"),
        (cut_off, "over the edge of the picture"),
        (empty, "no card found in it"),
        (spread(CODES[:2])[0], "shows 2 cards; wanted one"),
    ):
        lesson = school.show("bad.jpg", frame, code="two")
        assert why in str(lesson.refused[0]), why
        assert school.deck == before
    lesson = school.show("covered.jpg", Frame(0, 0.0, covered))
    assert "wanted a card that nothing covers" in str(lesson.refused[0])
    assert len(lesson.waiting) == 1, "the one on top can be used"


def test_questions_group_equal_cards_and_know_what_they_may_be(school: School) -> None:
    school.show("spread.jpg", spread(("7-blue", "2-red", "7-blue"))[0])
    questions = school.questions()
    assert sorted(len(question.views) for question in questions) == [1, 2]
    assert all(question.picture.is_file() for question in questions)
    pair = next(question for question in questions if len(question.views) == 2)
    school.label_group(pair, "seven")
    assert school.deck.count("seven") == 2
    assert len(school.questions()) == 1


def test_correcting_what_was_taught(school: School) -> None:
    school.show("7.jpg", one("7-blue")[0], code="eight")
    name = school.deck.views[0].name
    assert school.label(name, "seven").view.code == "seven"
    assert school.deck.codes == ("seven",)
    school.count("seven", 4)
    assert load_index(school.home).count("seven") == 4
    school.measure((56.0, 87.0))
    assert load_deck(school.home / DECK).card_mm == (56.0, 87.0)
    upright = load_taught(school.home.parent.parent, "mine")[1].pictures[0][1]
    school.turn(name)
    turned = load_taught(school.home.parent.parent, "mine")[1].pictures[0][1]
    assert np.array_equal(turned, upright[::-1, ::-1])
    assert [view.name for view in school.forget("seven")] == [name]
    assert not (school.home / DECK).exists()
    with pytest.raises(TaughtError, match="nothing was forgotten"):
        school.forget("seven")
    school.undo()
    assert school.deck.codes == ("seven",)
    assert (school.home / DECK).is_file()


def test_a_cut_off_loses_nothing(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pictures are written, then the power goes: what was before is there, and the next run goes on."""
    school.show("7.jpg", one("7-blue")[0], code="seven")

    def cut_off(_home: Path, _taught: TaughtDeck) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("device.teaching.school.save", cut_off)
        with pytest.raises(KeyboardInterrupt):
            school.show("2.jpg", one("2-red", seed=2)[0], code="two")
    assert len(list((school.home / VIEWS).iterdir())) == 2
    assert load_index(school.home).codes == ("seven",)
    again = School(school.home, school._sight)
    assert again.deck.codes == ("seven",)
    school.show("2.jpg", one("2-red", seed=2)[0], code="two")
    assert set(load_index(school.home).codes) == {"seven", "two"}
    files = {path.name for path in (school.home / VIEWS).iterdir()}
    assert files == {view.file for view in school.deck.views}, "what nobody speaks of is swept away"
    assert (school.home / BEFORE).is_file()


def test_nobody_else_teaches_the_same_deck(school: School, eye_factory: EyeFactory) -> None:
    with (
        pytest.raises(TeachingError, match="somebody else is teaching it"),
        taught_school(school.home.parent.parent, "mine", eye_factory.sight),
    ):
        raise AssertionError("it is held")


def test_corrections_become_views(school: School, tmp_path: Path) -> None:
    import cv2

    school.show("7.jpg", one("7-blue")[0], code="7-blue")
    folder = tmp_path / "labels" / "mine"
    folder.mkdir(parents=True)
    picture: Image = np.ascontiguousarray(cv2.resize(load_taught(tmp_path, "mine")[1].pictures[0][1], (192, 264)))
    dark = np.asarray(picture * 0.6, np.uint8)
    cv2.imwrite(str(folder / "a.png"), dark)
    cv2.imwrite(str(folder / "b.png"), dark)
    rows = [
        '{"file": "a.png", "code": "7-blue", "visible": 1.0}',
        '{"file": "b.png", "code": "7-blue", "visible": 0.4}',
        '{"file": "../../etc/passwd.png", "code": "7-blue", "visible": 1.0}',
        '{"file": "gone.png", "code": "7-blue", "visible": 1.0}',
        '{"file": "a.p',
    ]
    (folder / "labels.jsonl").write_text("\n".join(rows))
    lessons = learn_corrections(school, tmp_path)
    assert [view.by for lesson in lessons for view in lesson.named] == ["correction"]
    refused = [str(one) for lesson in lessons for one in lesson.refused]
    assert len(refused) == 2
    assert "gone.png" in refused[0]
    assert "line 5" in refused[1]
    assert len(school.deck.of("7-blue")) == 2
    assert all(not lesson.named for lesson in learn_corrections(school, tmp_path)), "once is enough"


def test_strangers_are_not_forced_into_the_deck(whole: Path, eye_factory: EyeFactory) -> None:
    _, faces = load_taught(whole, "mine")
    frame, rig = one("8-purple", look=11)
    look = eye_factory.open_eye(rig, None, faces).look(frame)
    assert all(card.code == FOREIGN for card in look.cards)


def test_undo_turns_a_picture_back(school: School) -> None:
    lesson = school.show("7.jpg", one("7-blue")[0], code="7-blue")
    (view,) = lesson.named
    before = read_view(school.home, view)
    turned = school.turn(view.name)
    assert np.array_equal(read_view(school.home, turned), before[::-1, ::-1])
    school.undo()
    assert school.deck.view(view.name).corners_px == view.corners_px
    assert np.array_equal(read_view(school.home, view), before)
