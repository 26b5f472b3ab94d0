"""The session: on the disk before it is shown, one entry or none, and the same game however it is told."""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Self

import pytest

from calibration.frames import Frame
from device.cameras.source import Health, Status
from device.files import OutputError
from device.recording.journal import JOURNAL, JournalEntry, read_journal
from device.recording.playback import SessionFrames
from device.recording.recorder import Recorder
from device.session.events import QuestionAsked, judged, lines_of
from device.session.folder import begin, resume
from device.session.game import Game, refold
from device.session.session import MemoryJournal, Session
from device.session.table_json import table_words
from device.store import GameHistory
from referee.edits import Correct, Edit, Play, Redo, Stand
from referee.match import AnyMatch, LogError
from referee.moves import NotationError
from referee.record import MOST_LINES, read_record
from referee.transcript import judge_record
from referee.verdicts import Ruling
from tests.device.evening import TABLES, observer, play, played, result, said, session_at
from tests.device.small_table import filmed
from vision.table import Table


def new_game() -> Game:
    return Game.open(played().rules, played().record.opening)


def memory_session() -> tuple[Session, MemoryJournal, list[JournalEntry]]:
    notes = MemoryJournal()
    shown: list[JournalEntry] = []
    session = Session(new_game(), notes, shown.append, observer())
    return session, notes, shown


def test_whatever_is_shown_is_on_the_disk(tmp_path: Path) -> None:
    place = begin(tmp_path, played().record.opening)
    journal = place.path / JOURNAL
    shown = []

    def publish(entry: JournalEntry) -> None:
        on_disk, losses = read_journal(journal)
        assert not losses
        assert entry in on_disk
        shown.append(entry.kind)

    session = session_at(place, tmp_path / "history", publish)
    for frame in filmed(TABLES[:2]):
        session.see(frame)
    for text in said()[:3]:
        session.hear(text, session.at_s)
    place.close()
    assert shown == ["opening", "table", "table", "input", "input", "input"]


def test_the_record_of_a_session_is_judged_as_the_session_was() -> None:
    session, notes, _ = memory_session()
    for text in (
        *said()[:20],
        "undo",
        f"amend {session.game.next_line + 1} P1 take",
        f"stand {session.game.next_line}",
    ):
        session.hear(text, 1.0)
    record = read_record(session.game.record, played().rules)
    ruled = list(judge_record(record, played().rules))
    assert ruled[-1].match.verdicts == session.game.match.verdicts
    assert [one.line.number for one in ruled] == [entry.data["line"] for entry in notes.entries]
    assert all(entry.pinned for entry in session.game.match.log)


def test_a_fold_of_the_journal_is_the_same_match() -> None:
    session, notes, _ = memory_session()
    for text in said():
        session.hear(text, 1.0)
    # As it comes back from a file.
    entries = [JournalEntry(one.number, one.at_s, one.kind, json.loads(json.dumps(one.data))) for one in notes.entries]
    game, changed = refold(new_game(), lines_of(entries))
    assert not changed
    assert (game.match, game.next_line, game.record) == (
        session.game.match,
        session.game.next_line,
        session.game.record,
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [("P1 sing", NotationError), ("P9 take", NotationError), ("undo", LogError), ("stand 99", NotationError)],
)
def test_what_cannot_be_done_changes_nothing(text: str, error: type[Exception]) -> None:
    session, notes, shown = memory_session()
    before = session.game
    with pytest.raises(error):
        session.hear(text, 1.0)
    session.hear("   # only a comment", 1.0)
    assert session.game == before
    assert not notes.entries
    assert not shown


class FullDisk(MemoryJournal):
    """Notes on a disk that may be full."""

    full = False

    def note(self, entry: JournalEntry) -> None:
        if self.full:
            raise OutputError("journal.jsonl: cannot be written: No space left on device")
        super().note(entry)


def test_a_full_disk_refuses_what_is_said_and_the_table_is_still_watched() -> None:
    notes = FullDisk()
    shown: list[JournalEntry] = []
    session = Session(new_game(), notes, shown.append, observer())
    session.hear(said()[0], 0.0)
    before, notes.full = session.game, True
    with pytest.raises(OutputError, match="No space left"):
        session.hear(said()[1], 1.0)
    assert session.game == before
    for frame in filmed(TABLES[:2]):
        session.see(frame)
    # Both tables, and once why they are not kept.
    assert [entry.kind for entry in shown] == ["input", "table", "note", "table"]
    assert len(notes.entries) == 1
    notes.full = False
    session.hear(said()[1], 2.0)
    assert len(session.game.lines) == 2
    assert [entry.number for entry in notes.entries] == [0, 1]


def test_tables_are_seen_and_the_film_is_kept(tmp_path: Path) -> None:
    place = begin(tmp_path, played().record.opening)
    recorder = Recorder(place.path, waits=True)
    session = session_at(place, tmp_path / "history", lambda entry: None, recorder)
    for frame in filmed(TABLES):
        session.see(frame)
    recorder.close()
    place.close()
    entries, _ = read_journal(place.path / JOURNAL)
    words = [table_words(entry.data) for entry in entries if entry.kind == "table"]
    assert words == ["no cards", "P1: 9G0", "P1: 9G0 5P1", "P1: 9G0 5P1 · P2: 6B3", "P1: 9G0 5P1 · P2: 6B3 7P2"]
    stored = [frame.index for frame in SessionFrames(place.path).frames()]
    assert recorder.counts.quiet > 0
    assert len(stored) + recorder.counts.quiet == len(list(filmed(TABLES)))
    tables = [entry.data["frame"] for entry in entries if entry.kind == "table"]
    assert set(tables) <= set(stored), "what was ruled on can be looked at"


def moves() -> list[Play]:
    """The moves of the evening's game as the camera may bring them."""
    return [line.meaning for line in played().record.lines if isinstance(line.meaning, Play)]


class Watching:
    """Somebody who makes an edit for every table."""

    by_camera = True

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._edits = iter(edits)
        self.seen: list[int] = []

    def edits(self, match: AnyMatch, table: Table) -> Iterable[Edit]:
        self.seen.append(len(match.log))
        yield next(self._edits)

    @property
    def question(self) -> QuestionAsked:
        return QuestionAsked((("P1 take",), ())) if len(self.seen) == 2 else QuestionAsked()


def test_who_watches_the_table_brings_moves() -> None:
    notes = MemoryJournal()
    player = Watching([*moves()[:2], Redo()])
    session = Session(new_game(), notes, lambda entry: None, observer(), sources=[player])
    for frame in filmed(TABLES[:3]):
        session.see(frame)
    assert [entry.kind for entry in notes.entries] == [
        *("table", "ruling"),
        *("table", "ruling", "question"),
        *("table", "note", "question"),
    ]
    asked = [entry.data.get("choices") for entry in notes.entries if entry.kind == "question"]
    assert asked == [[["P1 take"], []], None]
    assert player.seen == [0, 1, 2]
    assert notes.entries[6].data["what"] == "redo: nothing to redo; nothing was undone"
    assert not any(entry.pinned for entry in session.game.match.log)
    assert notes.entries[1].data["after"] == notes.entries[0].data["frame"], "a ruling says which frame it is from"


def test_a_doubt_is_in_the_journal_and_a_session_that_goes_on_still_has_it(tmp_path: Path) -> None:
    place = begin(tmp_path, played().record.opening)
    first, second, third = moves()[:3]
    doubtful = [replace(first, probability=0.81649), replace(second, probability=0.99996)]
    journal = place.path / JOURNAL
    session = Session(place.game, place.journal, lambda entry: None, observer(), sources=[Watching(doubtful)])
    for frame in filmed(TABLES[:2]):
        session.see(frame)
    session.hear(str(third.move), session.at_s)
    _, ruled = session.game.enter(Correct(session.game.match.log[0].line, first.move, 0.5))
    assert judged(ruled, True).probability == 0.5
    place.close()
    rulings = [entry.data for entry in read_journal(journal)[0] if entry.kind in ("ruling", "input")]
    assert [said.get("probability") for said in rulings] == [0.816, None, None], "what is certain is not mentioned"
    folded, changed = refold(new_game(), lines_of(read_journal(journal)[0]))
    assert not changed
    assert folded.match.log == session.game.match.log
    assert [entry.probability for entry in folded.match.log] == [0.816, 1.0, 1.0]


def test_a_stand_without_a_line_is_that_of_the_last_move() -> None:
    game = new_game()
    _, ruled = game.enter(Stand())
    assert ruled.refused is not None
    game, first = game.enter(moves()[0])
    after, ruled = game.enter(Stand())
    assert ruled.line.text == f"stand {first.line.number}"
    assert ruled.line.meaning == Stand(first.line.number)
    assert after.match.log[0].stands
    assert game.read("stand last") == ruled.line


def test_a_game_has_no_more_lines_than_a_record_may_have() -> None:
    game = replace(new_game(), next_line=MOST_LINES + 1)
    same, ruled = game.enter(moves()[0])
    assert same is game
    assert ruled.refused == f"line {MOST_LINES + 1} is one too many; a record has at most {MOST_LINES}"


def test_a_finished_game_is_in_the_history_before_that_is_said(tmp_path: Path) -> None:
    history = GameHistory(tmp_path / "history")
    place = begin(tmp_path / "recordings", played().record.opening)
    kept = []

    def publish(entry: JournalEntry) -> None:
        kept.append(len(history.games()))
        assert kept[-1] == ("over" in entry.data)

    session = session_at(place, tmp_path / "history", publish)
    for text in said():
        session.hear(text, 7.0)
    assert kept[-1] == 1
    session.hear("undo", 8.0)
    assert history.games() == ()
    session.hear("redo", 9.0)
    (game,) = history.games()
    assert game.length_s == 9.0
    assert [player.name for player in game.players] == list(played().record.opening.names)
    place.leave()
    again = resume(place.path)
    session_at(again, tmp_path / "history", lambda entry: None)
    again.close()
    assert history.games() == (game,), "nothing is counted twice"


def test_a_history_that_fails_does_not_stop_the_game(tmp_path: Path) -> None:
    (tmp_path / "history").write_text("a diary", "utf-8")
    place = begin(tmp_path / "recordings", played().record.opening)
    shown: list[JournalEntry] = []
    session = session_at(place, tmp_path / "history", shown.append)
    for text in said():
        session.hear(text, 7.0)
    place.close()
    assert session.game.match.rules.outcome(session.game.match.state) is not None
    notes = [entry for entry in shown if entry.kind == "note"]
    assert len(notes) == 1
    assert "the game goes on" in str(notes[0].data["what"])


def test_a_lost_camera_is_noted_once_and_so_is_its_return() -> None:
    session, notes, _ = memory_session()
    session.feel(Status(Health.LOST, 0.0, 0, "the camera is being opened"))
    assert not notes.entries
    session.see(next(filmed([()])))
    for status in (
        Status(Health.RUNNING, 0.0, 0, ""),
        Status(Health.LOST, 1.0, 1, "unplugged"),
        Status(Health.LOST, 1.0, 2, "still not there"),
        Status(Health.RUNNING, 9.0, 0, ""),
    ):
        session.feel(status)
    session.hear(said()[0], 9.5)
    assert [(entry.kind, entry.data.get("health")) for entry in notes.entries] == [
        ("camera", "lost"),
        ("camera", "running"),
        ("input", None),
    ]


def test_the_clock_on_the_wall_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    years = iter((1970, 2038, 1999, 2100))

    class Jumping(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(next(years), 1, 1, tzinfo=tz)

    monkeypatch.setattr("device.session.folder.datetime", Jumping)
    journals = []
    for name in ("one", "other"):
        place = begin(tmp_path / name, played().record.opening)
        outcome = play(place, tmp_path / name / "history", lambda entry: None)
        journals.append(((place.path / JOURNAL).read_bytes(), outcome))
    assert journals[0] == journals[1]


def test_times_never_go_back() -> None:
    session, notes, _ = memory_session()
    session.see(Frame(5, 20.0, next(filmed([()])).image))
    session.hear(said()[0], 3.0)
    assert notes.entries[-1].at_s == 20.0


def test_results_tell_games_apart() -> None:
    session, _, _ = memory_session()
    session.hear(said()[0], 1.0)
    before = result(session)
    session.hear(said()[1], 1.0)
    assert result(session) != before
    assert {verdict.ruling for verdict in session.game.match.verdicts} <= set(Ruling)
