"""Screenings: referees a film of `krupier simulate` and compares the result with its truth."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.frames import Frame
from calibration.rig import Rig, read_rig
from device.lab.evaluation.films import truth_lines
from device.lab.evaluation.truth import SetError
from device.lab.rehearsal.public import Said
from device.lab.rehearsal.rehearsal import declared_in, judged, suspected_in
from device.lab.rehearsal.result import Result
from device.lab.simulator.archive import RECORD, TRUTH, VIDEO
from device.lab.simulator.declared_moves import DeclaredMoves
from device.lab.simulator.film import cues
from device.recording.folder import DECK, RIG
from device.recording.journal import JournalEntry
from device.recording.lines import JSON
from device.session.camera_moves import CameraMoveSource
from device.session.game import Game
from device.session.loop import FrameListener
from device.session.observer import Observer
from device.session.seating import seating_of
from device.session.session import MemoryJournal, Publish, Session
from device.session.sure_cards import ExpectedCodes
from device.sources import frames_from
from models.cards import Deck, load_deck, own_deck
from referee.record import Line, Record, decode, read_opening, read_record
from referee.rules import AnyRules, load_rules

WANTED = "what `krupier simulate` writes today"


@dataclass(frozen=True, slots=True)
class Reel:
    """A film with everything that is known about it."""

    folder: Path
    record: Record
    rules: AnyRules
    deck: Deck
    rig: Rig
    times_s: tuple[float, ...]
    """Time of each frame."""
    script: tuple[tuple[Line, int], ...]
    """Every line of the record and the first frame in which it is on the table."""

    def frames(self) -> Iterator[Frame]:
        """All frames of the film."""
        count = 0
        for frame, at_s in zip(frames_from(str(self.folder / VIDEO)), self.times_s, strict=False):
            frame.image.flags.writeable = False
            yield replace(frame, at_s=at_s)
            count += 1
        if count < len(self.times_s):
            raise SetError(f"{self.folder / VIDEO}: {count} frames; its truth tells of {len(self.times_s)}")


def is_film(folder: Path) -> bool:
    """Whether `krupier simulate` wrote this folder."""
    return (folder / TRUTH).is_file() and (folder / VIDEO).is_file()


def open_reel(folder: Path) -> Reel:
    """Open a film; SetError says what is missing."""
    text, name = decode(_read(folder / RECORD), str(folder / RECORD)), str(folder / RECORD)
    opening = read_opening(text, name)
    deck = load_deck(folder / DECK) if opening.deck else own_deck(opening.game)
    rules = load_rules(opening.game, deck if opening.deck else None)
    record = read_record(text, rules, name)
    rig = read_rig(_read(folder / RIG).decode("utf-8", "replace"), str(folder / RIG))
    times_s, begun, shown = _shown(folder / TRUTH)
    return Reel(folder, record, rules, deck, rig, times_s, tuple(cues(record, begun, shown)))


def screen(
    reel: Reel,
    observer: Observer,
    publish: Publish = lambda entry: None,
    pace: Callable[[float], None] = lambda at_s: None,
    declared: bool = False,
    listen: Callable[[ExpectedCodes], FrameListener] | None = None,
    frames: Iterable[Frame] | None = None,
) -> tuple[tuple[JournalEntry, ...], Result]:
    """Referee a film: all entries, and their comparison with what was played.

    `listen` opens a listener that follows the frames; it is given the cards that the referee expects. `frames` are
    watched instead of the video.
    """
    notes, opening = MemoryJournal(), reel.record.opening
    camera = CameraMoveSource(reel.rules, reel.deck, seating_of(reel.rig, opening.game))
    said = (DeclaredMoves(declared_in(reel.script, opening.game)),) if declared else ()
    sources = (*said, camera)
    session = Session(Game.open(reel.rules, opening), notes, publish, observer, sources=sources)
    session.begin()
    listener = None if listen is None else listen(lambda: camera.expected_codes(session.game.match))
    asked, suspected, last = 0, Counter[Said](), None
    for frame in reel.frames() if frames is None else frames:
        pace(frame.at_s)
        seen = session.see(frame)
        if listener is not None:
            listener.seen(frame, seen)
        question = camera.decision.question
        if question is not None and question != last:
            asked += 1
            suspected += suspected_in(session.game.match, question.choices)
        last = question
    tables = sum(entry.kind == "table" for entry in notes.entries)
    played = judged(reel.record, reel.rules)
    return tuple(notes.entries), Result(played, session.game.match, asked, tables, suspected=suspected, heard=declared)


def result_json(result: Result) -> dict[str, JSON]:
    """The result of a film as JSON values."""
    return {
        "played": len(result.played.log),
        "right": len(result.played.log) - result.missing.total(),
        "wrong": result.extra.total(),
        "asked": result.asked,
        "tables": result.tables,
        "cheats": result.cheats,
        "flagged": result.flagged,
        "questioned": result.questioned,
        "accused": result.accused,
        "score": result.right,
        "missing": _rows(result.missing),
        "extra": _rows(result.extra),
    }


def _rows(rulings: Counter[Said]) -> list[JSON]:
    return [{"move": move, "ruling": ruling, "count": count} for (move, ruling), count in sorted(rulings.items())]


def _shown(path: Path) -> tuple[tuple[float, ...], dict[int, int], dict[int, int]]:
    """The time of every frame, and for every line the frame in which it begins and the first that shows it."""
    lines, times_s, begun, shown = truth_lines(path), [], dict[int, int](), dict[int, int]()
    next(lines, None)
    for number, line in enumerate(lines):
        try:
            times_s.append(float(line["at_s"]))
            begun.setdefault(int(line["line"]), number)
            if line["settled"]:
                shown.setdefault(int(line["line"]), number)
        except (KeyError, TypeError, ValueError) as error:
            raise SetError(f"{path}: frame {number} is not told as wanted: {error!r}; wanted {WANTED}") from error
    return tuple(times_s), begun, shown


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SetError(f"{path}: cannot be read: {error.strerror}; wanted {WANTED}") from error
