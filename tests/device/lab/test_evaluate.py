"""`krupier evaluate`: sets on disk and simulated ones, with an eye that knows the truth and one that sees nothing."""

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from calibration.frames import Frame
from calibration.rig import Rig
from calibration.table import mm_to_pixels, pixels_to_mm
from device.cli.app import app
from device.cli.evaluate import looks
from device.lab.evaluation.films import film_cases
from device.lab.evaluation.photos import SIDES_PX, PhotoOrder, photo_cases
from device.lab.evaluation.score import Scored, figures, score
from device.lab.evaluation.stills import TableOrder, light_word, still_cases
from device.lab.evaluation.telling import MAP_PX, Telling, uncovered
from device.lab.evaluation.truth import Case, SetError, folder_cases, same_upside_down
from device.lab.simulator.archive import write_film
from device.lab.simulator.film import Film, Shot, Studio
from models.cards import own_deck
from models.faces import Faces, drawn_faces
from models.synth.scene import Light
from tests.referee.games_played import bot_game
from vision.sightings import Look, Sighting
from vision.table import Guess, Quad

SMALL = TableOrder("trio", 3, size_px=(640, 448))
SHARED = Path(__file__).parents[4] / "shared" / "data"


class KnowingEye:
    """Sees the truth of the case that it is shown, as well as an eye could."""

    def __init__(self) -> None:
        self.case: Case | None = None

    def shown(self, cases: Iterable[Case]) -> Iterator[Case]:
        for case in cases:
            self.case = case
            yield case

    def look(self, frame: Frame) -> Look:
        assert self.case is not None
        cards = []
        for card in self.case.truth.cards:
            if card.visible is not None and card.visible < 0.2:
                continue
            corners = card.corners_px or boxed(card.box_px)
            guesses = (Guess(card.code, 1.0),) if card.face_up else ()
            cards.append(Sighting(corners, corners, card.face_up, 1.0, 1.0, bool(card.under_hand), guesses))
        return Look(frame.index, frame.at_s, tuple(cards))


class ClosedEye:
    """Sees nothing."""

    def look(self, frame: Frame) -> Look:
        return Look(frame.index, frame.at_s, ())


def boxed(box: tuple[float, float, float, float] | None) -> Quad:
    x, y = (0.0, 0.0) if box is None else box[:2]
    return (x, y), (x + 126, y), (x + 126, y + 176), (x, y + 176)


def seen_well(cases: Iterable[Case]) -> list[Scored]:
    eye = KnowingEye()
    return [score(look, case.truth) for case, look in looks(eye.shown(cases), lambda *_: eye)]


def krupier(*words: str) -> Result:
    return CliRunner().invoke(app, ["evaluate", *words], env={"COLUMNS": "160"})


@pytest.fixture
def closed_eye(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(_rig: Rig | None, _deck: str | None, _faces: Faces | None = None) -> ClosedEye:
        return ClosedEye()

    monkeypatch.setattr("device.cli.evaluate.EyeFactory", lambda: SimpleNamespace(open_eye=opened))


def written_set(folder: Path, cards: list[dict[str, Any]], **more: object) -> Path:
    (folder / "images").mkdir(parents=True)
    cv2.imwrite(str(folder / "images" / "one.png"), np.full((480, 640, 3), 90, np.uint8))
    images = {"one.png": {"complete": True, "light": "dim", "cards": cards}}
    (folder / "truth.json").write_text(json.dumps({"images": images, **more}), "utf-8")
    return folder


CORNERS = [[100, 100], [226, 100], [226, 276], [100, 276]]


def test_a_set_on_disk(tmp_path: Path) -> None:
    cards: list[dict[str, Any]] = [
        {
            "code": "b5",
            "face": "up",
            "visible": 0.9,
            "corners": CORNERS,
            "regions": {"top_left": 0.2, "top_strip": 0.4},
        },
        {"code": "r7", "face": "down", "visible": "full", "corners": [[x + 200, y] for x, y in CORNERS]},
        {"code": "g2", "box": [400, 300, 430, 340]},
    ]
    folder = written_set(tmp_path / "set", cards, card_mm=[59, 92])
    (case,) = folder_cases(folder, None, None, None)
    first, second, third = case.truth.cards
    assert (case.truth.deck, case.truth.light, case.frame.image.shape) == ("set", "dim", (480, 640, 3))
    assert (first.code, first.readable, first.ways, first.size_mm) == ("b5", False, 1, (59, 92))
    assert (second.code, second.face_up, second.visible, second.ways) == ("", False, 1.0, 2)
    assert (third.code, third.corners_px, third.visible, third.ways) == ("g2", None, None, 4)
    counts = figures(seen_well([case]))
    assert (counts.tables, counts.perfect, counts.cards, counts.found, counts.readable) == (1, 1, 3, 3, 1)


def test_corners_that_begin_anywhere_are_known_by_the_note(tmp_path: Path) -> None:
    cards = [{"code": "b5", "face": "up", "corners": CORNERS}]
    folder = written_set(tmp_path / "set", cards, about="corners clockwise (not in card order)")
    (case,) = folder_cases(folder, None, None, None)
    assert case.truth.cards[0].ways == 4


def test_the_command_prints_and_writes(tmp_path: Path, closed_eye: None) -> None:
    folder = written_set(tmp_path / "set", [{"code": "b5", "face": "up", "corners": CORNERS}])
    out, pages = tmp_path / "out.json", tmp_path / "pages"
    result = krupier(str(folder), "--json", str(out), "--pictures", str(pages))
    assert result.exit_code == 0, result.output
    assert "perfect" in result.stdout
    assert "no deck was given" in result.stdout
    values = json.loads(out.read_text("utf-8"))
    assert (values["all"]["cards"], values["all"]["found"], values["reads"]) == (1, 0, False)
    assert values["mistakes"][0]["what"] == "missed"
    assert [path.name for path in pages.iterdir()] == ["missed.png"]
    assert krupier(str(folder), "--pictures", str(pages)).exit_code == 2, "what is there stays"
    result = krupier(str(folder), "--json", str(tmp_path / "no" / "out.json"))
    assert result.exit_code == 2
    assert "in a folder that is there" in result.stderr
    assert "no deck for 'poker'" in krupier(str(folder), "--deck", "poker").stderr


def test_faces_beside_a_set_are_used_to_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written_set(tmp_path / "set", [{"code": "b5", "face": "up", "corners": CORNERS}])
    (folder / "faces").mkdir()
    for code in ("b5", "r7"):
        cv2.imwrite(str(folder / "faces" / f"{code}.png"), np.full((88, 63, 3), 200, np.uint8))
    given: list[Faces | None] = []

    class MisreadingEye:
        def look(self, frame: Frame) -> Look:
            corners = boxed((100.0, 100.0, 0.0, 0.0))
            guesses = (Guess("r7", 0.9), Guess("b5", 0.1))
            twice = tuple((x + 300, y) for x, y in corners)
            cards = (Sighting(corners, corners, True, 1.0, 1.0, False, guesses),)
            return Look(0, 0.0, (*cards, Sighting(twice, twice, False, 0.6, 1.0)))  # type: ignore[arg-type]

    def opened(_rig: Rig | None, _deck: str | None, faces: Faces | None = None) -> MisreadingEye:
        given.append(faces)
        return MisreadingEye()

    monkeypatch.setattr("device.cli.evaluate.EyeFactory", lambda: SimpleNamespace(open_eye=opened))
    result = krupier(str(folder), "--pictures", str(tmp_path / "pages"))
    assert result.exit_code == 0, result.output
    assert given[0] is not None
    assert [code for code, _ in given[0].pictures] == ["b5", "r7"]
    names = sorted(path.name for path in (tmp_path / "pages").iterdir())
    assert names == ["invented.png", "misread.png", "reliability.png"]
    for name in names:
        assert cv2.imread(str(tmp_path / "pages" / name)) is not None


def test_bad_sets_are_named_and_refused(tmp_path: Path, closed_eye: None) -> None:
    def refused(text: str | bytes, message: str) -> None:
        (tmp_path / "bad").mkdir(exist_ok=True)
        (tmp_path / "bad" / "truth.json").write_bytes(text if isinstance(text, bytes) else text.encode())
        result = krupier(str(tmp_path / "bad"))
        assert result.exit_code == 2, result.output
        assert "truth.json" in result.stderr
        assert message in result.stderr

    def card(**more: object) -> str:
        return json.dumps({"images": {"one.png": {"cards": [{"code": "b5", **more}]}}})

    refused("", "not JSON")
    refused(b"\xff\xfe\x00", "not JSON")
    refused("[]", "found list")
    refused("{}", "no pictures")
    refused('{"images": {"one.png": []}}', "one.png: wanted")
    refused('{"images": {"one.png": {"cards": [5]}}}', "card 1 is 5")
    refused(card(), "neither corners nor box")
    refused(card(corners=[[1, 2]]), "wanted four points")
    refused(card(corners=[[1, 2], [3, 4], [5, 6], [7, "8"]]), "wanted 2 numbers")
    refused(card(box=[9, 9, 1, 1]), "x1 < x2")
    refused(card(corners=CORNERS, face="sideways"), "face = 'sideways'")
    refused(card(corners=CORNERS, visible=7), "visible = 7")
    refused(card(corners=CORNERS), "tells of one.png, which is neither in")
    result = krupier(str(tmp_path / "nowhere"))
    assert result.exit_code == 2
    assert "is no folder with truth.json nor truth.jsonl.gz" in result.stderr


@pytest.mark.parametrize(
    "words", [("sim:poker",), ("sim:",), ("sim:trio", "--size", "big"), ("sim:trio", "--rig", "no.toml")]
)
def test_bad_orders_are_refused(words: tuple[str, ...], closed_eye: None) -> None:
    result = krupier(*words)
    assert result.exit_code == 2
    assert "wanted" in result.stderr


@pytest.fixture(scope="module")
def tables() -> list[Case]:
    """A few simulated tables."""
    return list(still_cases(SMALL))


def test_simulated_tables_have_all_the_truth(tables: list[Case]) -> None:
    cases = tables
    scored = seen_well(cases)
    counts = figures(scored)
    assert (counts.tables, counts.perfect, counts.invented) == (3, 3, 0)
    assert counts.cards == counts.found > 3
    assert {case.truth.material for case in cases} <= {"cloth", "stone"}
    assert all(case.truth.light and case.deck == "trio" and case.faces is None for case in cases)


def test_the_rig_of_a_simulated_table_is_the_true_one(tables: list[Case]) -> None:
    case = tables[0]
    assert case.rig is not None
    assert case.rig.lens is not None
    assert case.rig.table is not None
    card = max((card for card in case.truth.cards), key=lambda card: card.visible or 0)
    corners = pixels_to_mm(np.array(card.corners_px), case.rig.lens, case.rig.table)
    width, height = np.linalg.norm(corners[1] - corners[0]), np.linalg.norm(corners[3] - corners[0])
    # Cards lie a little above the table and so look a little larger.
    assert (width, height) == pytest.approx(card.size_mm, rel=0.02)
    back = mm_to_pixels(corners, case.rig.lens, case.rig.table)
    assert np.abs(back - np.array(card.corners_px)).max() < 0.05


def test_the_same_order_gives_the_same_tables_and_every_deck_others(tables: list[Case]) -> None:
    one, again = tables[0], next(still_cases(replace(SMALL, count=1)))
    other = next(still_cases(replace(SMALL, name="dnp", count=1)))
    assert np.array_equal(one.frame.image, again.frame.image)
    assert one.truth == again.truth
    assert [card.corners_px for card in one.truth.cards] != [card.corners_px for card in other.truth.cards]


def test_styles_bring_their_own_faces_and_blind_cases_no_rig() -> None:
    cases = list(still_cases(replace(SMALL, name="styles", count=2), blind=True))
    for case in cases:
        assert case.rig is None
        assert case.faces is not None
        codes = {code for code, _ in case.faces.pictures}
        assert {card.code for card in case.truth.cards if card.face_up} <= codes
    assert cases[0].faces is cases[1].faces, "neighbours share a deck, and it is learnt once"


def test_photographs_show_a_few_cards_and_nobody_knows_their_camera() -> None:
    order = PhotoOrder(8, 5, 0.3)
    cases = list(photo_cases(order))
    for case, again in zip(cases, photo_cases(order), strict=True):
        assert np.array_equal(case.frame.image, again.frame.image)
        assert case.truth == again.truth
        assert (case.rig, case.deck, case.faces) == (None, None, None)
        height, width = case.frame.image.shape[:2]
        assert SIDES_PX[0] <= width == height < SIDES_PX[1]
        for card in case.truth.cards:
            assert card.corners_px is not None
            assert 0 < (card.visible or 0) <= 1
            # Some of it is in the picture.
            assert np.array(card.corners_px).min() < width
            assert np.array(card.corners_px).max() > 0
    across = [_wide(case) / case.frame.image.shape[1] for case in cases]
    assert max(across) > 2 * min(across), "from near by and from far off"
    counts = figures(seen_well(cases))
    assert counts.perfect == counts.tables == 8


def _wide(case: Case) -> float:
    quad = np.array(case.truth.cards[0].corners_px)
    return float(np.linalg.norm(quad[1] - quad[0]))


def test_simulated_tables_at_the_command_line(closed_eye: None, tmp_path: Path) -> None:
    result = krupier("sim:trio", "--count", "2", "--size", "320x224", "--json", str(tmp_path / "out.json"))
    assert result.exit_code == 0, result.output
    values = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert (values["set"], values["all"]["tables"], values["all"]["found"]) == ("sim:trio", 2, 0)
    for name in ("sim:photos", "sim:photos-dark"):
        assert "all " in krupier(name, "--count", "1", "--size", "320x224").output


def test_what_tells_cards_apart() -> None:
    deck = own_deck("dawaj2")
    faces = dict(drawn_faces(deck).pictures)
    telling = Telling(faces.__getitem__, tuple(faces))
    whole = np.full(MAP_PX[::-1], 255, np.uint8)
    nothing, middle = np.zeros_like(whole), np.zeros_like(whole)
    middle[30:58, 18:45] = 255
    code = next(code for code in faces if code.endswith("1"))
    assert telling.readable(code, whole)
    assert not telling.readable(code, nothing)
    assert not telling.readable(code, middle), "the number in the middle does not tell the stars"
    assert telling.upright(code, whole)
    assert not telling.upright(code, nothing)


def test_what_is_not_covered_by_the_cards_above() -> None:
    below = np.array(CORNERS, float)
    assert uncovered(below, []).min() == 255
    assert uncovered(below, [below + np.array((500, 0))]).min() == 255
    half = uncovered(below, [below + np.array((0, 88))])
    assert half[:40].min() == 255
    assert half[48:].max() == 0


def test_faces_that_look_the_same_upside_down() -> None:
    face = np.full((176, 128, 3), 255, np.uint8)
    cv2.rectangle(face, (10, 10), (40, 40), (0, 0, 0), -1)
    assert not same_upside_down(face)
    cv2.rectangle(face, (87, 135), (117, 165), (0, 0, 0), -1)
    assert same_upside_down(face)


def test_lights_in_a_word() -> None:
    words = [light_word(Light(kelvin=kelvin)) for kelvin in (2500, 3200, 4800, 6000)]
    assert words == ["warm", "unseen lamp", "neutral", "cool"]
    assert [light_word(Light(glare=0.5)), light_word(Light(shade=0.5)), light_word(Light(level=0.5))] == [
        "glare",
        "shade",
        "dim",
    ]


class ShortFilm(Film):
    """Only the first frames."""

    def shots(self, settled_only: bool = False) -> Iterator[Shot]:
        for number, shot in enumerate(super().shots()):
            if number >= 40:
                return
            yield shot


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first seconds of a game on disk."""
    folder = tmp_path_factory.mktemp("film")
    played, studio = bot_game("dnp", 0), Studio((320, 180), fps=2.5, difficulty=0.2, seed=3)
    write_film(ShortFilm(played.record, own_deck("dnp"), studio), played.record, studio, folder, lambda _: None)
    return folder


def test_a_film_is_scored_where_it_lies_still(film: Path) -> None:
    cases = list(film_cases(film, every_s=2.0))
    times = [case.frame.at_s for case in cases]
    assert len(cases) > 2
    assert all(later - earlier >= 2.0 for earlier, later in pairwise(times))
    assert all(case.deck == "dnp" and case.rig is not None for case in cases)
    counts = figures(seen_well(cases))
    assert counts.perfect == counts.tables
    assert counts.cards > 0


def test_a_film_at_the_command_line_and_broken_ones(film: Path, tmp_path: Path, closed_eye: None) -> None:
    result = krupier(str(film), "--limit", "2")
    assert result.exit_code == 0, result.output
    assert "invented: 0" in result.stdout
    truth = tmp_path / "truth.jsonl.gz"
    lines = gzip.decompress((film / "truth.jsonl.gz").read_bytes()).splitlines()
    for data, message in (
        (b"no gzip", "cannot be read"),
        (gzip.compress(b"no JSON\n"), "not lines of JSON"),
        (gzip.compress(b"{}\n"), "tells of no game"),
        (gzip.compress(b'{"game": "dnp"}\n'), "tells of no camera"),
        (gzip.compress(lines[0]), "no such file"),
    ):
        truth.write_bytes(data)
        with pytest.raises(ValueError, match=message):
            list(film_cases(tmp_path, 1.0))
    (tmp_path / "video.mp4").write_bytes((film / "video.mp4").read_bytes())
    truth.write_bytes((film / "truth.jsonl.gz").read_bytes()[:-60])
    with pytest.raises(SetError, match="cannot be read"):
        list(film_cases(tmp_path, 1.0))
    truth.write_bytes(gzip.compress(lines[0] + b'\n{"settled": true, "at_s": 0}\n'))
    with pytest.raises(SetError, match="frame 0 is not told as wanted"):
        list(film_cases(tmp_path, 1.0))


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared pictures are not here: their truth is not checked")
@pytest.mark.parametrize(
    ("name", "pictures", "cards"),
    [
        ("traced", 12, 211),
        ("uno_table", 10, 107),
        ("uno_overlap", 65, 95),
        ("uno_clutter_hands", 53, 53),
        ("cards_voc", 36, 59),
    ],
)
def test_the_shared_sets_are_understood(name: str, pictures: int, cards: int) -> None:
    truths = [case.truth for case in folder_cases(SHARED / name, None, None, None)]
    counts = [sum(card.visible is None or card.visible >= 0.2 for card in truth.cards) for truth in truths]
    assert (len(truths), sum(counts)) == (pictures, cards)
