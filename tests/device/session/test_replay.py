"""Replay: the same recording gives the same entries; what is another today is shown."""

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from device.cli.app import app
from device.recording.bundle import export_bundle, open_stored
from device.recording.film import FRAMES, VIDEO
from device.recording.folder import open_folder
from device.recording.journal import JournalEntry
from device.session.folder import begin
from device.session.observer import Observer
from device.session.replay import Recorded, ReplayChange, changes, read_recorded, replay
from device.session.replay_pictures import write_pictures
from device.session.words import EntryText
from referee.texts import load_texts
from tests.device.evening import observer, play, played
from tests.device.small_table import ZONES, SlotEye

runner = CliRunner()


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evening")
    place = begin(folder / "recordings", played().record.opening)
    play(place, folder / "history.sqlite", lambda entry: None)
    return place.path


@pytest.fixture(scope="module")
def recorded(evening: Path) -> Recorded:
    return read_recorded(open_folder(evening))


def again(recorded: Recorded, watching: Observer | None) -> tuple[JournalEntry, ...]:
    game = recorded.game
    assert game is not None
    entries, losses = replay(recorded, game, watching)
    assert not losses
    return entries


def test_twice_the_same_and_the_same_as_it_was(recorded: Recorded) -> None:
    first, second = again(recorded, observer()), again(recorded, observer())
    assert first == second
    assert not changes(recorded.entries, first)
    live = [(entry.kind, entry.data.get("line")) for entry in recorded.entries]
    assert [(entry.kind, entry.data.get("line")) for entry in first] == live, "in the same order, too"


def test_a_bundle_is_replayed_as_its_folder(recorded: Recorded, evening: Path, tmp_path: Path) -> None:
    export_bundle(evening, tmp_path / "evening.krupier")
    packed = read_recorded(open_stored(tmp_path / "evening.krupier"))
    assert again(packed, observer()) == again(recorded, observer())


def test_the_log_is_the_same_to_the_letter(recorded: Recorded) -> None:
    words = EntryText(load_texts("dawaj2", "pl"), played().record.opening.names)
    logs = [[words.say(entry).plain for entry in again(recorded, observer())] for _ in range(2)]
    assert logs[0] == logs[1]
    assert any("✗ ILLEGAL" in line for line in logs[0])
    assert any("table" in line and "9G0" in line for line in logs[0])


def test_another_eye_sees_other_tables(recorded: Recorded, tmp_path: Path) -> None:
    eye = SlotEye({"5P1": "6B3"})
    found = changes(recorded.entries, again(recorded, Observer(eye, ZONES)))
    assert len(found) == 3, "every table with that card on it"
    assert all(change.what.startswith("table") for change in found)
    assert write_pictures(tmp_path / "pictures", recorded, found, eye) == 3
    assert len(list((tmp_path / "pictures").glob("*.jpg"))) == 3


def test_other_rules_give_other_rulings(recorded: Recorded) -> None:
    number = next(i for i, entry in enumerate(recorded.entries) if entry.data.get("ruling") == "ILLEGAL")
    was = recorded.entries[number]
    said = replace(was, data={**was.data, "ruling": "LEGAL", "rule": "D2-X"})
    told = replace(recorded, entries=(*recorded.entries[:number], said, *recorded.entries[number + 1 :]))
    found = changes(told.entries, again(told, None), tables=False)
    assert [change.what for change in found] == [f"line {was.data['line']}"]
    assert found[0].now is not None
    assert found[0].now.data["ruling"] == "ILLEGAL"


def test_a_line_that_cannot_be_read_today_is_a_change(recorded: Recorded) -> None:
    number = next(i for i, entry in enumerate(recorded.entries) if entry.kind == "input")
    was = recorded.entries[number]
    odd = replace(was, data={**was.data, "text": "P1 sing"})
    told = replace(recorded, entries=(*recorded.entries[:number], odd, *recorded.entries[number + 1 :]))
    found: tuple[ReplayChange, ...] = changes(told.entries, again(told, None), tables=False)
    assert found
    assert found[0].now is not None
    assert "not a verb" in str(found[0].now.data["refused"])


def test_without_its_film_the_lines_are_judged(evening: Path, tmp_path: Path) -> None:
    folder = tmp_path / "00001-dawaj2"
    folder.mkdir()
    for file in evening.iterdir():
        if file.name not in (VIDEO, FRAMES):
            (folder / file.name).write_bytes(file.read_bytes())
    done = runner.invoke(app, ["replay", str(folder), "--lang", "en"], catch_exceptions=False)
    assert done.exit_code == 0
    assert done.output.count("LEGAL") >= 10
    same = runner.invoke(app, ["replay", str(folder), "--diff"], catch_exceptions=False)
    assert same.exit_code == 0
    assert "0 changes" in same.output


def test_the_pace_is_kept(recorded: Recorded) -> None:
    times: list[float] = []
    game = recorded.game
    assert game is not None
    replay(recorded, game, observer(), pace=times.append)
    assert times == sorted(times)
    assert times[-1] >= max(entry.at_s for entry in recorded.entries)


@pytest.mark.parametrize("speed", ["0", "-1", "fast", "nan"])
def test_speeds_that_are_none(evening: Path, speed: str) -> None:
    done = runner.invoke(app, ["replay", str(evening), "--speed", speed])
    assert done.exit_code == 2
    assert "--speed" in done.output


def test_no_such_session(tmp_path: Path) -> None:
    done = runner.invoke(app, ["replay", "4711", "--recordings", str(tmp_path)])
    assert done.exit_code == 2
    assert "no such session" in done.output


def test_only_films_of_simulated_tables_have_declarations(evening: Path) -> None:
    done = runner.invoke(app, ["replay", str(evening), "--declared"])
    assert done.exit_code == 2
    assert "no simulated film" in done.output
