"""`krupier teach`: from pictures to a deck that is read and played with."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import pytest
from typer.testing import CliRunner, Result

from calibration.frames import Frame
from device.cli.app import app
from device.eyes import EyeFactory
from device.teaching.folder import load_index
from tests.device.dashboard.shown_cards import face, keep_deck
from tests.device.teaching.laid import one, spread, write_picture, write_rig
from vision.unknown.teaching import ViewMatch, match_view


@pytest.fixture(scope="module")
def eye_factory() -> EyeFactory:
    return EyeFactory(threads=1)


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, eye_factory: EyeFactory) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("device.cli.teach.EyeFactory", lambda threads: eye_factory)
    monkeypatch.setattr("device.cli.read.EyeFactory", lambda: eye_factory)
    write_rig(tmp_path / "rig.toml", one("7-blue")[1])


def krupier(*words: str, typed: str | None = None, lang: str = "C") -> Result:
    env = {"COLUMNS": "160", "LANG": lang, "KRUPIER_DATA": "data", "KRUPIER_CONFIG": ""}
    return CliRunner().invoke(app, list(words), input=typed, env=env)


def deck(name: str) -> Path:
    return Path("data/decks") / name


def shown(result: Result) -> str:
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.stdout


def test_a_free_deck_from_file_names_and_then_reading(tmp_path: Path) -> None:
    for number, code in enumerate(("7-blue", "2-red", "9-green")):
        write_picture(tmp_path / "in" / f"{code}.png", one(code, seed=1 + number)[0])
    result = krupier("teach", "--free", "mine", "--images", "in", "--rig", "rig.toml")
    assert result.exit_code == 0, result.output
    assert "mine (free): 3 views of 3 cards, 0 of backs" in shown(result)
    assert sorted(load_index(deck("mine")).codes) == ["2-red", "7-blue", "9-green"]
    write_picture(tmp_path / "new.png", spread(("2-red", "7-blue", "2-red"), seed=8)[0])
    result = krupier("read", "new.png", "--deck", "mine", "--rig", "rig.toml", "--json")
    assert result.exit_code == 0, result.output
    cards = json.loads(result.stdout)["images"]["new.png"]["cards"]
    assert sorted(card["code"] for card in cards) == ["2-red", "2-red", "7-blue"]
    assert "taught: mine" in krupier("read", "new.png", "--deck", "yours").stderr


def test_a_list_names_files_and_views(tmp_path: Path) -> None:
    write_picture(tmp_path / "in" / "IMG_1.png", one("7-blue")[0])
    write_picture(tmp_path / "in" / "IMG_2.png", spread(("2-red", "9-green"))[0])
    Path("names.csv").write_text("file,code\nIMG_1.png,7\n")
    result = krupier("teach", "trio", "--name", "mine", "--images", "in", "--rig", "rig.toml", "--labels", "names.csv")
    assert result.exit_code == 0, result.output
    assert "views without a name (2): 0002 0003" in shown(result)
    assert "not shown yet (11)" in result.stdout
    assert "card: 3 of 36 cards" in result.stdout
    left = load_index(deck("mine")).view("0002")
    codes = ("2", "9") if left.corners_px[0][0] < 400 else ("9", "2")
    Path("names.csv").write_text(f"0002;{codes[0]}\n0003;{codes[1]}\n")
    result = krupier("teach", "mine", "--labels", "names.csv")
    assert result.exit_code == 0, result.output
    assert load_index(deck("mine")).codes == ("2", "7", "9")
    result = krupier("teach", "mine", "--show", lang="pl_PL.UTF-8")
    assert "jeszcze nie pokazane (9)" in shown(result)
    assert cv2.imread(str(deck("mine") / "sheet.png")) is not None
    assert "7 x3: 0001" in result.stdout


def test_questions_are_asked_where_somebody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_picture(tmp_path / "two.png", spread(("7-blue", "2-red", "7-blue"))[0])
    monkeypatch.setattr("device.cli.teach.is_asked", lambda: True)
    answers: Iterator[str] = iter(("two words", "first", ""))
    asked: list[str] = []

    def answered(text: str) -> str:
        asked.append(text)
        return next(answers)

    monkeypatch.setattr("builtins.input", answered)
    result = krupier("teach", "--free", "mine", "--images", "two.png", "--rig", "rig.toml")
    assert result.exit_code == 0, result.output
    assert "without blanks" in result.stderr
    assert len(asked) == 3, "one question a group, and once more after a bad answer"
    assert "which card is this?" in asked[0]
    assert ".png" in asked[0]
    assert load_index(deck("mine")).codes == ("first",)
    assert "views without a name" in shown(result)


def test_what_is_refused_is_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    write_picture(tmp_path / "in" / "a.png", one("7-blue")[0])
    write_picture(tmp_path / "in" / "b.png", one("7-blue", seed=3)[0])
    write_picture(tmp_path / "in" / "c.png", one("2-red", blur_px=4.0)[0])
    (tmp_path / "in" / "d.png").write_bytes(b"no picture")
    result = krupier("teach", "--free", "mine", "--images", "in", "--rig", "rig.toml")
    assert result.exit_code == 2
    shown(result)
    assert "2 refused, everything else is kept" in result.stderr
    assert "warning: 0002: b looks like a: differs in" in result.stdout
    assert "shown side by side in data/decks/mine/pairs/0001-0002.png" in result.stdout
    assert "c.png: the card at" in result.stderr
    assert "blurred" in result.stderr
    assert "d.png" in result.stderr
    assert load_index(deck("mine")).codes == ("a", "b")
    result = krupier("teach", "--free", "mine", "--images", "in/c.png", "--rig", "rig.toml", "--insist")
    assert result.exit_code == 0, result.output
    assert load_index(deck("mine")).codes == ("a", "b", "c")


def test_a_look_alike_is_confirmed_on_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_picture(tmp_path / "a.png", one("7-blue")[0])
    write_picture(tmp_path / "IMG_2.png", spread(("7-blue", "7-blue"), seed=3)[0])
    krupier("teach", "--free", "mine", "--images", "a.png", "--rig", "rig.toml")
    krupier("teach", "mine", "--label", "0001=b")
    monkeypatch.setattr("device.cli.teach.is_asked", lambda: True)
    monkeypatch.setattr("device.teaching.school.match_view", unsure)
    answers: Iterator[str] = iter(("-", "c", "", "c", "y", "b"))
    asked: list[str] = []

    def answered(text: str) -> str:
        asked.append(text)
        return next(answers)

    monkeypatch.setattr("builtins.input", answered)
    result = krupier("teach", "mine", "--images", "IMG_2.png", "--rig", "rig.toml")
    assert result.exit_code == 0, result.output
    assert "- asks about each of them alone" in asked[0]
    assert "Are they two different cards?" in asked[2]
    assert [pair.codes for pair in load_index(deck("mine")).told_apart] == [("b", "c")]
    assert "told apart by you: b/c" in shown(result)


def unsure(*given: Any, **named: Any) -> ViewMatch:
    """A comparison that is never certain, so that every view is asked about."""
    return replace(match_view(*given, **named), same=False)


def test_the_way_through_teaching(tmp_path: Path) -> None:
    begun = shown(krupier("teach", "trio"))
    assert "trio: 36 cards, 12 different" in begun
    assert "0 of 36 cards are taught" in begun
    assert "show next: 1 2 3 4 5 6 7 8 9 10 and 2 more" in begun
    assert "about the list: The rulebook says 36 cards" in begun
    assert not deck("my-trio").exists(), "a deck without views is not kept"
    assert "Naucz Krupiera swojej talii Trio" in shown(krupier("teach", "trio", "--guide", lang="pl_PL.UTF-8"))
    codes = tuple(str(number) for number in range(1, 13))
    keep_deck(tmp_path / "data", "my-trio", codes[:-1])
    write_picture(tmp_path / "12.png", Frame(0, 0.0, face("12")))
    assert "33 of 36 cards are taught\nshow next: 12;" in shown(krupier("teach", "trio"))
    ended = shown(krupier("teach", "trio", "--images", "12.png", "--cropped"))
    assert ended.endswith("your deck is complete: 36 of 36\n")
    assert "jest kompletna: 36 z 36" in shown(krupier("teach", "my-trio", "--show", lang="pl_PL.UTF-8"))
    assert "29 of 36 cards are taught" not in ended
    krupier("teach", "my-trio", "--count", "7=2")
    assert "the number of cards differs from our list" in shown(krupier("teach", "my-trio", "--show"))


def test_refusals_are_in_the_language_of_the_person(tmp_path: Path) -> None:
    write_picture(tmp_path / "c.png", one("2-red", blur_px=4.0)[0])
    result = krupier("teach", "--free", "mine", "--images", "c.png", "--rig", "rig.toml", lang="pl_PL.UTF-8")
    assert "odrzucone: 1, reszta zostaje zapisana" in result.stderr
    assert "nieostry: krawędzie rozmyte" in result.stderr
    assert "nie ma nauczonej talii 'x'" in krupier("teach", "x", lang="pl_PL.UTF-8").stderr


def test_correcting_packing_and_deleting(tmp_path: Path) -> None:
    write_picture(tmp_path / "7.png", one("7-blue")[0])
    assert krupier("teach", "trio", "--name", "mine", "--images", "7.png", "--rig", "rig.toml").exit_code == 0
    assert krupier("teach", "mine", "--label", "0001=8", "--count", "8=2", "--turn", "1").exit_code == 0
    taught = load_index(deck("mine"))
    assert (taught.codes, taught.count("8")) == (("8",), 2)
    assert krupier("teach", "mine", "--export", "mine.zip").exit_code == 0
    assert "mine: trio, 1 cards (2 with copies), 1 views" in krupier("teach", "--list").stdout
    assert krupier("teach", "mine", "--forget", "8").exit_code == 0
    assert load_index(deck("mine")).views == ()
    assert krupier("teach", "mine", "--undo").exit_code == 0
    assert load_index(deck("mine")).codes == ("8",)
    result = krupier("teach", "--delete", "mine")
    assert result.exit_code == 2
    assert "wanted --yes" in result.stderr
    assert krupier("teach", "--delete", "mine", "--yes").exit_code == 0
    assert not deck("mine").exists()
    assert "mine (trio): 1 views of 1 cards" in krupier("teach", "--import", "mine.zip").stdout
    assert krupier("teach", "mine", "--card-mm", "56x87").exit_code == 0
    assert load_index(deck("mine")).card_mm == (56.0, 87.0)


def test_a_film_and_pictures_that_are_cards_already(tmp_path: Path) -> None:
    frame = one("7-blue")[0]
    writer = cv2.VideoWriter("film.avi", cv2.VideoWriter.fourcc(*"MJPG"), 2.0, (1280, 896))
    for _ in range(3):
        writer.write(frame.image)
    writer.release()
    result = krupier("teach", "--free", "mine", "--video", "film.avi", "--rig", "rig.toml", "--every", "1")
    assert result.exit_code == 0, result.output
    assert len(load_index(deck("mine")).views) in (1, 2)
    view = cv2.imread(str(deck("mine") / "views" / "0001.png"))
    assert view is not None
    cv2.imwrite("seven.png", view)
    result = krupier("teach", "--free", "cut", "--images", "seven.png", "--cropped")
    assert result.exit_code == 0, result.output
    assert "only proportions without a rig" in shown(result)
    assert load_index(deck("cut")).codes == ("seven",)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("teach",), "wanted GAME --name NAME"),
        (("teach", "trio", "--name", "../x"), "deck name '../x'"),
        (("teach", "poker", "--name", "x"), "no game 'poker'"),
        (("teach", "nobody"), "no taught deck 'nobody'; there are: none yet"),
        (("teach", "--free", "x", "--name", "y"), "wanted neither GAME nor --name"),
        (("teach", "--free", "x", "--images", "nowhere"), "nowhere: no such file or folder"),
        (("teach", "--free", "x", "--labels", "nowhere.csv"), "nowhere.csv: cannot be read"),
        (("teach", "--free", "x", "--card-mm", "large"), "wanted width and height in mm"),
        (("teach", "--free", "x", "--label", "7"), "wanted --label VIEW=CODE"),
        (("teach", "--free", "x", "--label", "0001=7"), "no view '0001'"),
        (("teach", "--free", "x", "--count", "7=many"), "N a whole number"),
        (("teach", "--free", "x", "--undo"), "nothing was changed yet"),
        (("teach", "--free", "x", "--learn-corrections"), "no corrections of x yet"),
        (("teach", "--delete", "x", "--yes"), "no taught deck 'x'"),
        (("teach", "--import", "nowhere.zip"), "nowhere.zip: cannot be read"),
        (("run", "--game", "trio", "--deck", "nobody", "--no-camera"), "no taught deck 'nobody'"),
        (("evaluate", "sim:trio", "--deck", "nobody"), "no deck for 'nobody'"),
    ],
)
def test_words_that_are_refused(words: tuple[str, ...], message: str) -> None:
    result = krupier(*words)
    assert result.exit_code == 2, result.output
    assert message in " ".join(result.output.replace("│", " ").split())
    shown(result)
