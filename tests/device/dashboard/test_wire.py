"""The wire: news become the state that the API documents, in both languages; only what changed is another object."""

from typing import Any

from device.cameras.source import Health, Status
from device.dashboard.events import Closed, Felt, Heard, Looked, Machine, Measured, Opened
from device.dashboard.services.rulings import CHALLENGE_S, MOST
from device.dashboard.wire import MOST_NOTES, Scene
from device.heat import Heat
from device.recording.journal import JournalEntry
from device.session.events import encode, judged
from device.session.game import Game
from device.session.meter import MeterReading
from device.session.table_json import table_json
from referee.edits import Amend, Correct, Edit, Play, Undo
from referee.moves import Move
from tests.device.dashboard.table_side import small_rig
from tests.device.evening import played, said
from vision.table import Guess, PlacedCard, Table

HOSTILE = "<img src=x onerror=alert(1)>"


def fresh() -> Game:
    """The evening's game before its first line."""
    return Game.open(played().rules, played().record.opening)


def opened(scene: Scene, game: Game, camera: str = "usb:0", past: tuple[JournalEntry, ...] = ()) -> None:
    scene.take(Opened("00001-dawaj2", game, small_rig(), camera, True, True, past))


def ruled(scene: Scene, game: Game, text: str, number: int = 0, kind: str = "input", at_s: float = 1.0) -> Game:
    """The game after a line, told to the scene."""
    line = game.read(text, human=kind == "input")
    assert line is not None
    after, ruling = game.judge(line)
    _, said = encode(judged(ruling, by_camera=kind == "ruling"))
    scene.take(Heard(JournalEntry(number, at_s, kind, {**said, "after": 7}), after, pictured=True))
    return after


def table(*cards: PlacedCard) -> JournalEntry:
    return JournalEntry(0, 4.0, "table", table_json(Table(4.0, 40, cards)))


def card(track: int, code: str, x_mm: float = 0.0, pinned: bool = False) -> PlacedCard:
    corners = ((x_mm, 0.0), (x_mm + 63, 0.0), (x_mm + 63, 88.0), (x_mm, 88.0))
    return PlacedCard(track, code, (Guess(code, 0.9),), True, corners, "P1", 0.0, 1.0, pinned=pinned)


def test_before_any_game_there_is_nothing() -> None:
    state = Scene("0.1").state()
    assert state["version"] == "0.1"
    assert state["game"] is state["table"] is state["camera"] is None
    assert state["rulings"] == state["notes"] == {}


def test_a_whole_game_in_both_languages() -> None:
    scene, game = Scene("0.1"), fresh()
    opened(scene, game)
    for number, text in enumerate(said()):
        game = ruled(scene, game, text, number, "ruling")
        state = scene.state()
        assert state["game"]["log"] == game.lines[-1].number
        for part in (*state["game"]["todo"], *state["rulings"].values()):
            words = part.get("text") if "seats" in part else part["reason"]
            assert words is None or (words["pl"] and words["en"])
    state = scene.state()
    assert state["game"]["over"]["winners"] == list(game.match.rules.outcome(game.match.state).winners)  # type: ignore[union-attr]
    assert {one["ruling"] for one in state["rulings"].values()} == {"LEGAL", "ILLEGAL", None}
    assert len(state["rulings"]) <= MOST
    assert all(one["rule_text"]["pl"] for one in state["rulings"].values() if one["rule"])
    assert state["game"]["names"] == list(played().record.opening.names)


def test_a_ruling_has_everything_that_is_documented() -> None:
    scene, game = Scene("0.1"), fresh()
    opened(scene, game)
    game = ruled(scene, game, said()[0], at_s=3.0)
    (line,) = scene.state()["rulings"]
    found = scene.state()["rulings"][line]
    assert found["line"] == int(line)
    assert (found["at_s"], found["challenge_until_s"], found["frame"]) == (3.0, 3.0 + CHALLENGE_S, 7)
    assert found["by"] == "human"
    assert found["pinned"] is found["evidence"] is True
    assert found["challenge"] is found["refused"] is found["about"] is None
    assert scene.state()["game"]["undo"] is True
    assert scene.state()["game"]["redo"] is False


def test_undone_amended_and_standing_lines() -> None:
    scene, game = Scene("0.1"), fresh()
    opened(scene, game)
    game = ruled(scene, game, said()[0], kind="ruling")
    first = str(game.lines[0].number)
    game = ruled(scene, game, "undo")
    state = scene.state()
    assert state["rulings"][first]["undone"] is True
    assert state["rulings"][first]["ruling"] == "LEGAL", "as it was said"
    assert state["game"]["redo"] is True
    game = ruled(scene, game, "redo")
    assert scene.state()["rulings"][first]["undone"] is False
    game = ruled(scene, game, "P1 out")
    last = str(game.lines[-1].number)
    before = scene.state()["rulings"][last]
    assert before["ruling"] != "LEGAL"
    game = ruled(scene, game, f"stand {last}")
    assert scene.state()["rulings"][last]["stands"] is True
    game = ruled(scene, game, f"amend {first} P1 take")
    assert scene.state()["rulings"][first]["text"] == "P1 take"
    assert scene.state()["rulings"][str(game.lines[-1].number)]["changed"]


def test_a_doubt_is_on_the_wire_until_it_is_gone() -> None:
    scene, game = Scene("0.1"), fresh()
    opened(scene, game)
    move = Move.parse(said()[0])
    game = entered(scene, game, Play(move, probability=0.8249))
    line = game.lines[0].number
    assert scene.state()["rulings"][str(line)]["probability"] == 0.825
    corrected = entered(scene, game, Correct(line, move, 0.97), 1)
    assert scene.state()["rulings"][str(line)]["probability"] == 0.97
    entered(scene, corrected, Amend(line, move), 2)
    assert "probability" not in scene.state()["rulings"][str(line)], "what is certain is not mentioned"
    entered(scene, game, Undo(), 3)
    assert scene.state()["rulings"][str(line)]["probability"] == 0.825, "as it was said"


def entered(scene: Scene, game: Game, edit: Edit, number: int = 0) -> Game:
    """The game after an edit of the camera, told to the scene."""
    after, ruling = game.enter(edit)
    scene.take(Heard(JournalEntry(number, 1.0, "ruling", {**encode(judged(ruling, True))[1], "after": 7}), after))
    return after


def test_what_has_not_changed_is_the_same_object() -> None:
    scene, game = Scene("0.1"), fresh()
    opened(scene, game)
    for number, text in enumerate(said()[:6]):
        game = ruled(scene, game, text, number)
    before = scene.state()
    scene.take(Heard(table(card(1, "7B1"), card(2, "4G0", 100)), game))
    middle = scene.state()
    assert middle["rulings"] is before["rulings"]
    assert middle["game"] is before["game"]
    scene.take(Heard(table(card(1, "7B1"), card(2, "4G0", 200)), game))
    assert scene.state()["table"]["cards"]["1"] is middle["table"]["cards"]["1"]
    assert scene.state()["table"]["cards"]["2"] is not middle["table"]["cards"]["2"]
    ruled(scene, game, said()[6], 9)
    after = scene.state()
    assert all(after["rulings"][line] is one for line, one in before["rulings"].items())


def test_tables_cards_and_zones() -> None:
    scene, game = Scene("0.1"), fresh()
    opened(scene, game)
    state = scene.state()
    assert state["table"]["size_mm"] == [800.0, 450.0]
    assert [(zone["name"], zone["seat"]) for zone in state["table"]["zones"]] == [("P1", 0), ("P2", 1)]
    scene.take(Heard(table(card(5, "7B1"), card(3, "4G0", pinned=True)), game))
    cards = scene.state()["table"]["cards"]
    assert (cards["5"]["layer"], cards["3"]["layer"]) == (0, 1)
    assert (cards["5"]["pinned"], cards["3"]["pinned"]) == (False, True)
    scene.take(Looked(41, 4.1, "hand", (160, 90)))
    assert scene.state()["table"]["motion"] == "hand"
    assert scene.state()["camera"]["size_px"] == [160, 90]


def test_a_table_that_nobody_measured_has_room_for_its_cards() -> None:
    scene, game = Scene("0.1"), fresh()
    scene.take(Opened("a", game, None, "usb:0", False, True))
    scene.take(Heard(table(card(1, "7B1", 700)), game))
    assert scene.state()["table"]["size_mm"][0] >= 2 * 763


def test_challenges_pauses_cameras_and_notes() -> None:
    scene, game = Scene("0.1"), fresh()
    opened(scene, game)
    game = ruled(scene, game, said()[0])
    line = game.lines[0].number
    scene.take(Heard(JournalEntry(1, 5.0, "challenge", {"line": line, "by": HOSTILE, "open": True}), game))
    assert scene.state()["rulings"][str(line)]["challenge"] == {"by": HOSTILE, "at_s": 5.0, "open": True}
    scene.take(Heard(JournalEntry(2, 6.0, "challenge", {"line": line, "by": "Hela", "open": False}), game))
    assert scene.state()["rulings"][str(line)]["challenge"] == {"by": HOSTILE, "at_s": 5.0, "open": False}
    scene.take(Heard(JournalEntry(3, 6.0, "pause", {"paused": True}), game))
    assert scene.state()["game"]["paused"] is True
    scene.take(Heard(JournalEntry(4, 6.0, "camera", {"health": "lost", "message": "unplugged"}), game))
    assert scene.state()["camera"]["health"] == "lost"
    scene.take(Felt(Status(Health.RUNNING, 7.0, 0, "")))
    assert scene.state()["camera"]["health"] == "running"
    for number in range(MOST_NOTES + 5):
        scene.take(Heard(JournalEntry(5, 7.0, "note", {"what": f"trouble {number}"}), game))
    notes = scene.state()["notes"]
    assert len(notes) == MOST_NOTES
    assert list(notes.values())[-1]["what"] == f"trouble {MOST_NOTES + 4}"


def test_health_and_the_end() -> None:
    scene, game = Scene("0.1"), fresh()
    opened(scene, game)
    scene.take(Machine(Heat(61.5, 0b100), 12.3, 4))
    scene.take(
        Measured(MeterReading(9.96, 100, 20, 3, 0.5123, None, Status(Health.LOST, 1.0, 1, "gone"), Heat(1, 0), "x"))
    )
    health = scene.state()["health"]
    assert (health["fps"], health["p50_s"], health["p90_s"], health["clients"]) == (10.0, 0.512, None, 4)
    assert health["throttled"] == ["throttled"]
    assert scene.state()["camera"]["message"] == "gone"
    scene.take(Closed("it broke"))
    state = scene.state()
    assert state["game"] is state["table"] is state["camera"] is None
    assert state["rulings"] == {}
    assert "fps" not in state["health"]
    assert [note["what"] for note in state["notes"].values()] == ["it broke"]
    # Something that comes late belongs to no game.
    scene.take(Heard(table(card(1, "7B1")), game))
    scene.take(Looked(41, 4.1, "hand", (160, 90)))
    assert scene.state()["table"] is None


def test_a_resumed_game_knows_its_past() -> None:
    scene, game = Scene("0.1"), fresh()
    opened(scene, game)
    past: list[JournalEntry] = []
    for number, text in enumerate(said()[:5]):
        line = game.read(text, human=True)
        assert line is not None
        game, ruling = game.judge(line)
        past.append(JournalEntry(number, float(number), "input", {**encode(judged(ruling, True))[1], "after": 1}))
    past.append(JournalEntry(9, 9.0, "challenge", {"line": game.lines[0].number, "by": "Ala", "open": True}))
    opened(scene, game, past=tuple(past))
    rulings: dict[str, Any] = scene.state()["rulings"]
    assert [one["at_s"] for one in rulings.values()] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert rulings[str(game.lines[0].number)]["challenge"]["by"] == "Ala"
    assert not any(one["evidence"] for one in rulings.values())


def test_a_choice_says_what_it_takes_back() -> None:
    scene, game = Scene("0.1"), fresh()
    opened(scene, game)
    game = ruled(scene, game, "P1 pass ? @ P2", 1, "ruling")
    asked = JournalEntry(2, 2.0, "question", {"choices": [["undo"], ["undo", "P1 draw ?"]], "left": []})
    scene.take(Heard(asked, game, pictured=False))
    back, other = scene.state()["question"]["choices"]
    (passed,) = (one["reason"] for one in scene.state()["rulings"].values())
    assert back["words"] == [{**passed, "ruling": "UNDONE"}]
    assert [words["ruling"] for words in other["words"]] == ["UNDONE", "ILLEGAL"]
