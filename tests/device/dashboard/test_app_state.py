"""The application: games start, are corrected, challenged, paused, broken off and resumed through the API."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from device.dashboard.refusals import InUseError, Refusal
from device.dashboard.services.app_state import AppState
from device.dashboard.services.game_runner import GameRequest
from device.recording.folder import open_folder
from device.recording.journal import JOURNAL, read_journal
from device.recording.manifest import SessionState
from device.session.observer import Observer
from device.session.replay import changes, read_recorded, replay
from device.store import GameHistory
from tests.device.dashboard.table_side import Rooms, eventually, film, rooms, save_small_rig
from tests.device.evening import played, said
from tests.device.small_table import ZONES, SlotEye

MISREAD = {"5P1": "6B3"}
OPENING = played().record.opening
GAME = {"game": "dawaj2", "names": list(OPENING.names), "options": dict(OPENING.options)}
NO_CAMERA = {**GAME, "camera": ""}


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Rooms]:
    save_small_rig(tmp_path)
    with rooms(tmp_path, MISREAD) as made:
        yield made


def good(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code < 300, answer.text
    found: dict[str, Any] = answer.json()
    return found


def refused(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    return str(answer.json()["error"]["what"])


def filmed_game(at: Rooms) -> tuple[str, dict[str, Any]]:
    """A game at the small table, seen to its last frame; its session and the state."""
    camera = film(at.folder, ((), ("9G0",), ("9G0", "5P1")))
    session = good(at.host.post("/api/game", json={**GAME, "camera": camera}))["session"]

    def seen() -> dict[str, Any] | None:
        state = at.state()
        return state if state["table"] and len(state["table"]["cards"]) == 2 else None

    return session, eventually(seen)


def session_path(at: Rooms, session: str) -> Path:
    return at.app_state.settings.recordings_folder / session


def test_a_typed_game_from_the_first_line_to_the_history(at: Rooms) -> None:
    session = good(at.host.post("/api/game", json=NO_CAMERA))["session"]
    for text in said():
        good(at.player.post("/api/game/line", json={"text": text}))
    state = at.state()
    assert state["game"]["over"]["winners"]
    assert state["game"]["session"] == session
    assert state["table"] is state["camera"] is None
    assert at.spectator.get("/api/declarations").json() == []
    assert good(at.host.post("/api/game/end", json={})) == {"session": session}
    assert at.state()["game"] is None
    assert open_folder(session_path(at, session)).manifest.state is SessionState.CLOSED
    (game,) = GameHistory(at.app_state.settings.history_file).games()
    assert game.game == "dawaj2"


def test_what_is_no_move_changes_nothing(at: Rooms) -> None:
    good(at.host.post("/api/game", json=NO_CAMERA))
    before = at.state()["rulings"]
    assert "not a verb" in refused(at.player.post("/api/game/line", json={"text": "P1 sing"}), 422)
    assert "nothing to undo" in refused(at.player.post("/api/game/line", json={"text": "undo"}), 409)
    assert "not a move of this game" in refused(at.player.post("/api/game/line", json={"text": "stand 4"}), 409)
    assert good(at.player.post("/api/game/line", json={"text": "# only a comment"})) == {"line": None}
    assert at.state()["rulings"] == before


def test_every_declaration_is_legal(at: Rooms) -> None:
    good(at.host.post("/api/game", json=NO_CAMERA))
    for _ in range(6):
        offered: list[dict[str, Any]] = at.spectator.get("/api/declarations").json()
        assert offered
        assert all(one["label"]["pl"] and one["label"]["en"] for one in offered)
        line = good(at.player.post("/api/game/line", json={"text": offered[0]["text"]}))["line"]
        assert at.state()["rulings"][str(line)]["ruling"] == "LEGAL"


def test_a_corrected_card_stays_corrected_also_in_a_replay(at: Rooms) -> None:
    session, state = filmed_game(at)
    track = next(card["track"] for card in state["table"]["cards"].values() if card["code"] == "6B3")
    body = {"track": track, "code": "5P1"}
    assert good(at.player.post("/api/table/card", json=body)) == {"track": track, "code": "5P1", "was": "6B3"}
    card = at.state()["table"]["cards"][str(track)]
    assert (card["code"], card["pinned"]) == ("5P1", True)
    good(at.player.post("/api/game/line", json={"text": said()[0]}))
    good(at.host.post("/api/game/end", json={}))
    labels = at.app_state.settings.data / "labels" / "dawaj2"
    (row,) = [json.loads(line) for line in (labels / "labels.jsonl").read_text("utf-8").splitlines()]
    assert (row["code"], row["was"], row["by"]) == ("5P1", "6B3", "Ala")
    assert (labels / row["file"]).is_file()
    recorded = read_recorded(open_folder(session_path(at, session)))
    game = recorded.game
    assert game is not None
    again, losses = replay(recorded, game, Observer(SlotEye(MISREAD), ZONES))
    assert not losses
    assert not changes(recorded.entries, again)
    kinds = ("table", "card", "input")
    assert [entry.kind for entry in again if entry.kind in kinds] == [
        entry.kind for entry in recorded.entries if entry.kind in kinds
    ]


def test_cards_that_cannot_be_corrected(at: Rooms) -> None:
    body = {"track": 1, "code": "5P1"}
    assert refused(at.player.post("/api/table/card", json=body), 409) == "no game is on"
    filmed_game(at)
    assert "no card 99" in refused(at.player.post("/api/table/card", json={**body, "track": 99}), 409)
    assert "no such card" in refused(at.player.post("/api/table/card", json={**body, "code": "XX"}), 422)
    good(at.host.post("/api/game/end", json={}))
    good(at.host.post("/api/game", json=NO_CAMERA))
    assert "nobody looks" in refused(at.player.post("/api/table/card", json=body), 409)


def test_evidence_before_and_after(at: Rooms) -> None:
    filmed_game(at)
    line = good(at.player.post("/api/game/line", json={"text": said()[0]}))["line"]
    assert at.state()["rulings"][str(line)]["evidence"] is True
    for when in ("before", "after"):
        for query in ("", "?whole=1"):
            answer = at.spectator.get(f"/api/evidence/{line}/{when}.jpg{query}")
            assert answer.status_code == 200
            assert answer.headers["content-type"] == "image/jpeg"
            assert answer.content.startswith(b"\xff\xd8")
    refused(at.spectator.get("/api/evidence/999/after.jpg"), 404)
    refused(at.spectator.get(f"/api/evidence/{line}/sometime.jpg"), 422)


def test_the_picture_and_the_moving_picture(at: Rooms) -> None:
    refused(at.spectator.get("/api/picture.jpg"), 404)
    refused(at.spectator.get("/api/picture.mjpeg"), 404)
    filmed_game(at)
    assert at.spectator.get("/api/picture.jpg?width=100").content.startswith(b"\xff\xd8")
    refused(at.spectator.get("/api/picture.jpg?width=5"), 422)
    with at.client() as viewer, viewer.stream("GET", "/api/picture.mjpeg") as moving:
        assert moving.headers["content-type"] == "multipart/x-mixed-replace; boundary=frame"
        first = next(moving.iter_bytes())
    assert first.startswith(b"--frame\r\nContent-Type: image/jpeg\r\n")


def test_a_challenge_and_how_it_is_settled(at: Rooms) -> None:
    good(at.host.post("/api/game", json=NO_CAMERA))
    line = good(at.player.post("/api/game/line", json={"text": "P1 out"}))["line"]
    assert at.state()["rulings"][str(line)]["ruling"] == "ILLEGAL"
    refused(at.player.post("/api/game/challenge", json={"line": 999}), 404)
    good(at.player.post("/api/game/challenge", json={"line": line}))
    assert at.state()["rulings"][str(line)]["challenge"]["by"] == "Ala"
    assert "before" in refused(at.player.post("/api/game/challenge", json={"line": line}), 409)
    good(at.host.post("/api/game/decide", json={"line": line, "stand": True}))
    ruling = at.state()["rulings"][str(line)]
    assert ruling["stands"] is True
    assert ruling["challenge"]["open"] is False
    other = good(at.player.post("/api/game/line", json={"text": "P2 out"}))["line"]
    good(at.player.post("/api/game/challenge", json={"line": other}))
    good(at.host.post("/api/game/decide", json={"line": other, "stand": False}))
    assert at.state()["rulings"][str(other)]["stands"] is False
    assert at.state()["rulings"][str(other)]["challenge"]["open"] is False
    refused(at.host.post("/api/game/decide", json={"line": 4, "stand": True}), 409)


def test_a_challenge_that_comes_too_late(at: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("device.dashboard.services.rulings.CHALLENGE_S", -1.0)
    good(at.host.post("/api/game", json=NO_CAMERA))
    line = good(at.player.post("/api/game/line", json={"text": said()[0]}))["line"]
    assert "too late" in refused(at.player.post("/api/game/challenge", json={"line": line}), 409)


def test_a_pause_is_a_pause(at: Rooms) -> None:
    filmed_game(at)
    for paused in (True, True, False):
        good(at.host.post("/api/game/pause", json={"paused": paused}))
        assert at.state()["game"]["paused"] is paused
    good(at.player.post("/api/game/line", json={"text": said()[0]}))
    session = at.state()["game"]["session"]
    good(at.host.post("/api/game/end", json={}))
    entries, _ = read_journal(session_path(at, session) / JOURNAL)
    assert [entry.data["paused"] for entry in entries if entry.kind == "pause"] == [True, False]


def test_broken_off_and_resumed(at: Rooms) -> None:
    refused(at.host.post("/api/game/resume", json={}), 404)
    session = good(at.host.post("/api/game", json=NO_CAMERA))["session"]
    for text in said()[:4]:
        good(at.player.post("/api/game/line", json={"text": text}))
    line = at.state()["game"]["log"]
    good(at.player.post("/api/game/challenge", json={"line": line}))
    before = at.state()
    at.app_state.end(later=True)
    assert open_folder(session_path(at, session)).manifest.state is SessionState.OPEN
    assert good(at.host.post("/api/game/resume", json={"session": session})) == {"session": session}
    after = at.state()
    assert after["rulings"] == before["rulings"]
    assert after["game"]["todo"] == before["game"]["todo"]
    assert any("resumed" in note["what"] for note in after["notes"].values())


@pytest.mark.parametrize("session", ["../film", "..", "/etc", "a/b", "no-such", "", "\u202e"])
def test_only_sessions_are_resumed(at: Rooms, session: str) -> None:
    film(at.folder, ((),))
    answer = at.host.post("/api/game/resume", json={"session": session})
    assert answer.status_code in (404, 422), answer.text
    assert at.state()["game"] is None


def test_one_game_at_a_time(at: Rooms) -> None:
    good(at.host.post("/api/game", json=NO_CAMERA))
    assert refused(at.host.post("/api/game", json=NO_CAMERA), 409) == "a game is on"
    refused(at.host.post("/api/game/resume", json={}), 409)
    with pytest.raises(InUseError), at.app_state.borrow_camera("sim:dawaj2"):
        pass
    good(at.host.post("/api/game/end", json={}))
    assert refused(at.host.post("/api/game/end", json={}), 409) == "no game is on"
    assert refused(at.player.post("/api/game/line", json={"text": "undo"}), 409) == "no game is on"
    with at.app_state.borrow_camera(film(at.folder, ((),))) as camera:
        assert next(camera.frames()).index == 0
        assert refused(at.host.post("/api/game", json=NO_CAMERA), 409) == "the camera is in use"
    good(at.host.post("/api/game", json=NO_CAMERA))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"game": "chess"}, "no game 'chess'"),
        ({"names": ["Ala"]}, "1 players"),
        ({"names": ["Ala", "Ala"]}, "two players"),
        ({"names": ["Ala", "Bar,tek", "C"]}, "without commas"),
        ({"options": {"goal": "fast"}}, "unknown option"),
        ({"camera": "/no/such/film"}, "no such camera"),
        ({"camera": "sim:chess"}, "no game"),
    ],
)
def test_games_that_cannot_be_started(at: Rooms, change: dict[str, Any], words: str) -> None:
    assert words in refused(at.host.post("/api/game", json={**NO_CAMERA, **change}), 422)
    assert at.state()["game"] is None
    assert not list(at.app_state.settings.recordings_folder.glob("*"))


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J", "", " ", "x" * 41, "a\u202eb", "\ud83d"])
def test_names_that_are_none(at: Rooms, name: str) -> None:
    answer = at.host.post(
        "/api/game",
        content=json.dumps({**NO_CAMERA, "names": ["Ala", name, "C"]}).encode(),
        headers={"content-type": "application/json"},
    )
    assert answer.status_code == 422, answer.text


def test_hostile_names_are_only_names(at: Rooms) -> None:
    names = ["<script>alert(1)</script>", "'; DROP TABLE games;--", '"><img src=x onerror=alert(1)>']
    good(at.host.post("/api/game", json={**NO_CAMERA, "names": names}))
    state = at.state()
    assert state["game"]["names"] == names
    assert any(names[0] in one["text"]["pl"] for one in state["game"]["todo"])
    answer = at.spectator.get("/api/state")
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_game_that_breaks_is_named_and_can_be_resumed(at: Rooms, monkeypatch: pytest.MonkeyPatch) -> None:
    session = good(at.host.post("/api/game", json=NO_CAMERA))["session"]

    def broken(*_: object) -> None:
        raise MemoryError("none left")

    monkeypatch.setattr("threading.excepthook", lambda args: None)
    monkeypatch.setattr("device.session.session.Session.hear", broken)
    with pytest.raises(MemoryError):
        at.app_state.line("undo")
    eventually(lambda: not at.app_state.playing())
    monkeypatch.undo()
    assert any("error" in note["what"] for note in at.state()["notes"].values())
    assert good(at.host.post("/api/game/resume", json={})) == {"session": session}


def test_settings_are_read_again(tmp_path: Path) -> None:
    config = tmp_path / "settings.toml"
    config.write_text("fps = 5\nport = 99\n")
    environ = {"HOME": str(tmp_path), "KRUPIER_CONFIG": str(config)}
    app_state = AppState(environ, {"port": 8123})
    config.write_text("fps = 7\nport = 99\n")
    assert (app_state.settings.fps, app_state.settings.port) == (5, 8123)
    app_state.reload_settings()
    assert (app_state.settings.fps, app_state.settings.port) == (7, 8123), "options stay stronger"


def test_nothing_begins_while_the_server_stops(tmp_path: Path) -> None:
    app_state = AppState({"HOME": str(tmp_path)})
    app_state.close(later=True)
    with pytest.raises(Refusal, match="stops"):
        app_state.start(GameRequest("dawaj2", ("Ala", "Ola")))
