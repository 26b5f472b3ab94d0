"""The wire: events become the state that the API documents, in both languages; only what changed is another object."""

from pathlib import Path
from runpy import run_path
from typing import Any

from device.cameras.source import Health, Status
from device.dashboard.events import (
    CameraReported,
    EntryWritten,
    FrameSeen,
    GameEnded,
    GameStarted,
    LoadMeasured,
    MachineMeasured,
)
from device.dashboard.page_state import PageState
from device.dashboard.services.rulings import CHALLENGE_S, MAX_LINES
from device.dashboard.wire import MAX_NOTES, StateBuilder
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


def opened(builder: StateBuilder, game: Game, camera: str = "usb:0", past: tuple[JournalEntry, ...] = ()) -> None:
    builder.apply(GameStarted("00001-dawaj2", game, small_rig(), camera, True, True, past))


def ruled(
    builder: StateBuilder, game: Game, text: str, number: int = 0, kind: str = "input", at_s: float = 1.0
) -> Game:
    """The game after a line, told to the builder."""
    line = game.read(text, human=kind == "input")
    assert line is not None
    after, ruling = game.judge(line)
    builder.apply(
        EntryWritten(
            JournalEntry(number, at_s, kind, {**encode(judged(ruling, kind == "ruling"))[1], "after": 7}),
            after,
            pictured=True,
        )
    )
    return after


def table(*cards: PlacedCard) -> JournalEntry:
    return JournalEntry(0, 4.0, "table", table_json(Table(4.0, 40, cards)))


def card(track: int, code: str, x_mm: float = 0.0, pinned: bool = False) -> PlacedCard:
    corners = ((x_mm, 0.0), (x_mm + 63, 0.0), (x_mm + 63, 88.0), (x_mm, 88.0))
    return PlacedCard(track, code, (Guess(code, 0.9),), True, corners, "P1", 0.0, 1.0, pinned=pinned)


def test_before_any_game_there_is_nothing() -> None:
    state = StateBuilder("0.1").state()
    assert state["version"] == "0.1"
    assert state["game"] is state["table"] is state["camera"] is None
    assert state["rulings"] == state["notes"] == {}


def test_a_whole_game_in_both_languages() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    for number, text in enumerate(said()):
        game = ruled(builder, game, text, number, "ruling")
        state = builder.state()
        assert state["game"]["log"] == game.lines[-1].number
        for part in (*state["game"]["todo"], *state["rulings"].values()):
            words = part.get("text") if "seats" in part else part["reason"]
            assert words is None or (words["pl"] and words["en"])
    state = builder.state()
    assert state["game"]["over"]["winners"] == list(game.match.rules.outcome(game.match.state).winners)  # type: ignore[union-attr]
    assert {one["ruling"] for one in state["rulings"].values()} == {"LEGAL", "ILLEGAL", None}
    assert len(state["rulings"]) <= MAX_LINES
    assert all(one["rule_text"]["pl"] for one in state["rulings"].values() if one["rule"])
    assert state["game"]["names"] == list(played().record.opening.names)


def test_a_ruling_has_everything_that_is_documented() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    game = ruled(builder, game, said()[0], at_s=3.0)
    (line,) = builder.state()["rulings"]
    found = builder.state()["rulings"][line]
    assert found["line"] == int(line)
    assert (found["at_s"], found["challenge_until_s"], found["frame"]) == (3.0, 3.0 + CHALLENGE_S, 7)
    assert found["by"] == "human"
    assert found["pinned"] is found["evidence"] is True
    assert found["challenge"] is found["refused"] is found["about"] is None
    assert builder.state()["game"]["undo"] is True
    assert builder.state()["game"]["redo"] is False


def test_undone_amended_and_standing_lines() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    game = ruled(builder, game, said()[0], kind="ruling")
    first = str(game.lines[0].number)
    game = ruled(builder, game, "undo")
    state = builder.state()
    assert state["rulings"][first]["undone"] is True
    assert state["rulings"][first]["ruling"] == "LEGAL", "as it was said"
    assert state["game"]["redo"] is True
    game = ruled(builder, game, "redo")
    assert builder.state()["rulings"][first]["undone"] is False
    game = ruled(builder, game, "P1 out")
    last = str(game.lines[-1].number)
    before = builder.state()["rulings"][last]
    assert before["ruling"] != "LEGAL"
    game = ruled(builder, game, f"stand {last}")
    assert builder.state()["rulings"][last]["stands"] is True
    game = ruled(builder, game, f"amend {first} P1 take")
    assert builder.state()["rulings"][first]["text"] == "P1 take"
    assert builder.state()["rulings"][str(game.lines[-1].number)]["changed"]


def test_a_doubt_is_on_the_wire_until_it_is_gone() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    move = Move.parse(said()[0])
    game = entered(builder, game, Play(move, probability=0.8249))
    line = game.lines[0].number
    assert builder.state()["rulings"][str(line)]["probability"] == 0.825
    corrected = entered(builder, game, Correct(line, move, 0.97), 1)
    assert builder.state()["rulings"][str(line)]["probability"] == 0.97
    entered(builder, corrected, Amend(line, move), 2)
    assert "probability" not in builder.state()["rulings"][str(line)], "what is certain is not mentioned"
    entered(builder, game, Undo(), 3)
    assert builder.state()["rulings"][str(line)]["probability"] == 0.825, "as it was said"


def entered(builder: StateBuilder, game: Game, edit: Edit, number: int = 0) -> Game:
    """The game after an edit of the camera, told to the builder."""
    after, ruling = game.enter(edit)
    builder.apply(
        EntryWritten(JournalEntry(number, 1.0, "ruling", {**encode(judged(ruling, True))[1], "after": 7}), after)
    )
    return after


def test_what_has_not_changed_is_the_same_object() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    for number, text in enumerate(said()[:6]):
        game = ruled(builder, game, text, number)
    before = builder.state()
    builder.apply(EntryWritten(table(card(1, "7B1"), card(2, "4G0", 100)), game))
    middle = builder.state()
    assert middle["rulings"] is before["rulings"]
    assert middle["game"] is before["game"]
    builder.apply(EntryWritten(table(card(1, "7B1"), card(2, "4G0", 200)), game))
    assert builder.state()["table"]["cards"]["1"] is middle["table"]["cards"]["1"]
    assert builder.state()["table"]["cards"]["2"] is not middle["table"]["cards"]["2"]
    ruled(builder, game, said()[6], 9)
    after = builder.state()
    assert all(after["rulings"][line] is one for line, one in before["rulings"].items())


def test_tables_cards_and_zones() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    state = builder.state()
    assert state["table"]["size_mm"] == [800.0, 450.0]
    assert [(zone["name"], zone["seat"]) for zone in state["table"]["zones"]] == [("P1", 0), ("P2", 1)]
    builder.apply(EntryWritten(table(card(5, "7B1"), card(3, "4G0", pinned=True)), game))
    cards = builder.state()["table"]["cards"]
    assert (cards["5"]["layer"], cards["3"]["layer"]) == (0, 1)
    assert (cards["5"]["pinned"], cards["3"]["pinned"]) == (False, True)
    builder.apply(FrameSeen(41, 4.1, "hand", (160, 90)))
    assert builder.state()["table"]["motion"] == "hand"
    assert builder.state()["camera"]["size_px"] == [160, 90]


def test_a_table_that_nobody_measured_has_room_for_its_cards() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    builder.apply(GameStarted("a", game, None, "usb:0", False, True))
    builder.apply(EntryWritten(table(card(1, "7B1", 700)), game))
    assert builder.state()["table"]["size_mm"][0] >= 2 * 763


def test_challenges_pauses_cameras_and_notes() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    game = ruled(builder, game, said()[0])
    line = game.lines[0].number
    builder.apply(EntryWritten(JournalEntry(1, 5.0, "challenge", {"line": line, "by": HOSTILE, "open": True}), game))
    assert builder.state()["rulings"][str(line)]["challenge"] == {"by": HOSTILE, "at_s": 5.0, "open": True}
    builder.apply(EntryWritten(JournalEntry(2, 6.0, "challenge", {"line": line, "by": "Hela", "open": False}), game))
    assert builder.state()["rulings"][str(line)]["challenge"] == {"by": HOSTILE, "at_s": 5.0, "open": False}
    builder.apply(EntryWritten(JournalEntry(3, 6.0, "pause", {"paused": True}), game))
    assert builder.state()["game"]["paused"] is True
    builder.apply(EntryWritten(JournalEntry(4, 6.0, "camera", {"health": "lost", "message": "unplugged"}), game))
    assert builder.state()["camera"]["health"] == "lost"
    builder.apply(CameraReported(Status(Health.RUNNING, 7.0, 0, "")))
    assert builder.state()["camera"]["health"] == "running"
    for number in range(MAX_NOTES + 5):
        builder.apply(EntryWritten(JournalEntry(5, 7.0, "note", {"what": f"trouble {number}"}), game))
    notes = builder.state()["notes"]
    assert len(notes) == MAX_NOTES
    assert list(notes.values())[-1]["what"] == f"trouble {MAX_NOTES + 4}"


def test_health_and_the_end() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    builder.apply(MachineMeasured(Heat(61.5, 0b100), 12.3, 4))
    builder.apply(
        LoadMeasured(MeterReading(9.96, 100, 20, 3, 0.5123, None, Status(Health.LOST, 1.0, 1, "gone"), Heat(1, 0), "x"))
    )
    health = builder.state()["health"]
    assert (health["fps"], health["p50_s"], health["p90_s"], health["clients"]) == (10.0, 0.512, None, 4)
    assert health["throttled"] == ["throttled"]
    assert builder.state()["camera"]["message"] == "gone"
    builder.apply(GameEnded("it broke"))
    state = builder.state()
    assert state["game"] is state["table"] is state["camera"] is None
    assert state["rulings"] == {}
    assert "fps" not in state["health"]
    assert [note["what"] for note in state["notes"].values()] == ["it broke"]
    # Something that comes late belongs to no game.
    builder.apply(EntryWritten(table(card(1, "7B1")), game))
    builder.apply(FrameSeen(41, 4.1, "hand", (160, 90)))
    assert builder.state()["table"] is None


def test_a_resumed_game_knows_its_past() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    past: list[JournalEntry] = []
    for number, text in enumerate(said()[:5]):
        line = game.read(text, human=True)
        assert line is not None
        game, ruling = game.judge(line)
        past.append(JournalEntry(number, float(number), "input", {**encode(judged(ruling, True))[1], "after": 1}))
    past.append(JournalEntry(9, 9.0, "challenge", {"line": game.lines[0].number, "by": "Ala", "open": True}))
    opened(builder, game, past=tuple(past))
    rulings: dict[str, Any] = builder.state()["rulings"]
    assert [one["at_s"] for one in rulings.values()] == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert rulings[str(game.lines[0].number)]["challenge"]["by"] == "Ala"
    assert not any(one["evidence"] for one in rulings.values())


def test_a_choice_says_what_it_takes_back() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    game = ruled(builder, game, "P1 pass ? @ P2", 1, "ruling")
    asked = JournalEntry(2, 2.0, "question", {"choices": [["undo"], ["undo", "P1 draw ?"]], "left": []})
    builder.apply(EntryWritten(asked, game, pictured=False))
    back, other = builder.state()["question"]["choices"]
    (passed,) = (one["reason"] for one in builder.state()["rulings"].values())
    assert back["words"] == [{**passed, "ruling": "UNDONE"}]
    assert [words["ruling"] for words in other["words"]] == ["UNDONE", "ILLEGAL"]


def test_the_types_of_the_pages_are_those_of_the_state() -> None:
    root = Path(__file__).parents[3]
    types = run_path(str(root / "scripts" / "web-types"))["written"]()
    found = (root / "device" / "dashboard" / "web" / "types.d.ts").read_text("utf-8")
    assert found == types, "run scripts/web-types"


def test_what_is_built_is_what_the_api_documents() -> None:
    builder, game = StateBuilder("0.1"), fresh()
    opened(builder, game)
    game = ruled(builder, game, said()[0])
    builder.apply(EntryWritten(table(card(1, "7B1")), game))
    state = {"number": 1, "server": "x", **builder.state()}
    assert PageState(**state).model_dump(mode="json", exclude_unset=True) == state
