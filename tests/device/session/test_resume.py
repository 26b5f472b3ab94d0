"""A session that was cut off goes on with the same belief: rulings, questions and probabilities are the same."""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from device.lab.rehearsal.looks import LOOKS, Faulty, looked_at
from device.lab.rehearsal.rehearsal import FPS, Rehearsal, film_of
from device.lab.simulator.film import Studio
from device.lab.simulator.rig import film_rig
from device.lab.simulator.tables import resting_tables
from device.recording.folder import DECK, open_folder
from device.recording.journal import JOURNAL, Journal, JournalEntry, read_journal
from device.recording.lines import JSON
from device.session.camera_moves import move_sources
from device.session.folder import SessionFolder, begin, resume
from device.session.replay import changes, read_recorded, replay
from device.session.runner import SessionRunner
from device.settings import Settings
from device.watchdog import Watchdog
from models.cards import load_deck, own_deck
from referee.rules import Opening
from vision.table import Table

CUTS = 20
TABLES, EVERY = 18, 4
"""Of how many tables of a game all but each so many are seen: some show what more than one move has done."""
NAMES = ("Ala", "Bartek", "Celina")
GAMES = tuple(Rehearsal(Opening(game, NAMES), seed, cheat=0.3, faults=4.0) for game, seed in (("dnp", 2), ("trio", 6)))
"""Games with cheats, seen by an eye that errs so often that there is something to ask."""
SAID_AFTER, SAID = 8, ("undo", "redo")
"""What a human says after which table."""
Said = tuple[str, dict[str, JSON]]


class Nobody:
    """Nobody says anything."""

    ended = True

    def take(self, timeout_s: float = 0.0) -> str | None:
        """Nothing."""
        return None


@dataclass(frozen=True)
class Evening:
    """A session that nothing interrupted."""

    folder: Path
    tables: tuple[Table, ...]
    journal: tuple[bytes, ...]
    """Line by line."""
    said: tuple[Said, ...]


def tables_of(rehearsal: Rehearsal) -> tuple[Table, ...]:
    """What is seen of a game, by an eye that errs now and then."""
    film = film_of(rehearsal.record(), Studio(seed=rehearsal.seed))
    look = Faulty(Random(rehearsal.seed), own_deck(rehearsal.opening.game), rehearsal.faults)
    tables = [table for _, table in resting_tables(film, FPS)][:TABLES]
    return tuple(looked_at(table, look, LOOKS, False) for number, table in enumerate(tables, 1) if number % EVERY)


def seated(place: SessionFolder, shown: list[JournalEntry]) -> SessionRunner:
    """A runner at a place, begun; what it shows goes into a list."""
    own = Settings(data=place.path.parent, history=place.path.parent / "history.sqlite")
    deck = load_deck(place.path / DECK)
    sources = move_sources(place.game.match.rules, deck, place.rig, "usb:0")
    runner = SessionRunner(
        *(place, None, own, shown.append, Nobody(), lambda text, why: None, lambda reading: None),
        *(Watchdog({}, 1), sources),
    )
    runner.begin()
    return runner


def watch(runner: SessionRunner, tables: Iterable[Table]) -> None:
    """The tables that are left, and what is left to be said."""
    last = runner.folder.frame
    heard = sum(entry.kind == "input" for entry in runner.folder.entries)
    for number, table in enumerate(tables):
        if table.frame > last:
            runner.session.show(table, table.at_s)
        if number == SAID_AFTER:
            for text in SAID[heard:]:
                runner.session.hear(text, table.at_s)
    runner.folder.close()


def said_in(folder: Path) -> tuple[Said, ...]:
    """What is said in a journal beside when it was interrupted."""
    entries, losses = read_journal(folder / JOURNAL)
    assert not losses
    return tuple((entry.kind, entry.data) for entry in entries if entry.kind != "note")


@pytest.fixture(scope="module", params=GAMES, ids=lambda one: str(one.opening.game))
def evening(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """A game of bots that cheat, watched to its end."""
    rehearsal: Rehearsal = request.param
    rig = film_rig(film_of(rehearsal.record(), Studio(seed=rehearsal.seed)))
    place = begin(tmp_path_factory.mktemp("whole"), rehearsal.opening, rig)
    tables = tables_of(rehearsal)
    watch(seated(place, []), tables)
    folder = place.path
    journal = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    return Evening(folder, tables, tuple(journal), said_in(folder))


def cut_off(evening: Evening, root: Path, at: int) -> Path:
    """The same session as it is on the disk when it is killed after so many entries."""
    folder = root / evening.folder.name
    shutil.copytree(evening.folder, folder, ignore=lambda _, names: {JOURNAL, "checksums.json"} & set(names))
    (folder / JOURNAL).write_bytes(b"".join(evening.journal[:at]))
    return folder


def cuts(evening: Evening) -> list[int]:
    """Where to cut: after tables, between their rulings, before questions, and anywhere."""
    kinds = [kind for kind, _ in evening.said]
    places = [at + 1 for at, (one, two) in enumerate(pairwise(kinds)) if (one, two) != ("ruling", "table")]
    return sorted({*Random(1).sample(places, min(CUTS - 4, len(places))), *Random(2).sample(range(1, len(kinds)), 4)})


def test_the_evening_has_everything_that_can_be_cut(evening: Evening) -> None:
    pairs = {(one, two) for (one, _), (two, _) in pairwise(evening.said)}
    assert {("table", "ruling"), ("ruling", "ruling"), ("ruling", "table")} <= pairs
    assert ("input", "input") in pairs
    assert any(kind == "question" and (said.get("choices") or said.get("left")) for kind, said in evening.said)
    assert any(said.get("ruling") == "ILLEGAL" for _, said in evening.said)
    assert any("probability" in said for kind, said in evening.said if kind == "ruling")


def test_cut_off_anywhere_it_goes_on_as_if_nothing_had_happened(evening: Evening, tmp_path: Path) -> None:
    for at in cuts(evening):
        folder, shown = cut_off(evening, tmp_path / str(at), at), list[JournalEntry]()
        watch(seated(resume(folder), shown), evening.tables)
        assert said_in(folder) == evening.said, f"cut off after {at} entries"


def test_a_journal_without_its_film_is_explained_to_the_same_rulings(evening: Evening, tmp_path: Path) -> None:
    folder = cut_off(evening, tmp_path, len(evening.journal) * 2 // 3)
    watch(seated(resume(folder), []), evening.tables)
    for path in (folder, evening.folder):
        recorded = read_recorded(open_folder(path))
        assert recorded.game is not None
        entries, losses = replay(recorded, recorded.game)
        assert not losses
        assert not changes(recorded.entries, entries)
        assert [(entry.kind, entry.data) for entry in entries] == list(evening.said)


def test_a_journal_from_before_looks_and_arms_were_kept_is_resumed(evening: Evening, tmp_path: Path) -> None:
    folder = cut_off(evening, tmp_path, 0)
    journal = Journal(folder / JOURNAL)
    for entry in read_journal(evening.folder / JOURNAL)[0]:
        cards = entry.data.get("cards")
        old: list[JSON] = []
        for card in cards if isinstance(cards, list) else []:
            assert isinstance(card, dict)
            old.append({key: value for key, value in card.items() if key != "looks"})
        data = {key: value for key, value in entry.data.items() if key not in ("looks", "arms")}
        journal.note(
            JournalEntry(entry.number, entry.at_s, entry.kind, data | ({"cards": old} if "cards" in data else {}))
        )
    journal.close()
    place, lines = resume(folder), evening.said
    assert len(place.game.lines) == sum(kind in ("ruling", "input") for kind, _ in lines)
    runner = seated(place, [])
    assert runner.session.game.record.startswith(place.game.record), "what is in the journal is what was ruled"
    runner.folder.close()


def test_an_open_question_is_asked_again_and_an_answered_one_is_not(evening: Evening, tmp_path: Path) -> None:
    asked = [at for at, (kind, said) in enumerate(evening.said) if kind == "question" and len(said) > 1]
    shown: list[JournalEntry] = []
    folder = cut_off(evening, tmp_path / "open", asked[-1] + 1)
    seated(resume(folder), shown).folder.leave()
    (question,) = [entry for entry in shown if entry.kind == "question"]
    assert question.data == evening.said[asked[-1]][1]
    assert said_in(folder) == evening.said[: asked[-1] + 1], "nothing is noted twice"
    place = resume(folder)
    runner = seated(place, [])
    runner.session.hear("undo", place.at_s)
    place.leave()
    shown = []
    seated(resume(folder), shown).folder.leave()
    assert not [entry for entry in shown if entry.kind == "question"]
