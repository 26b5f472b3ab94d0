"""Rehearsals: bots play, a referee watches, and its log is compared with what was played."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Protocol

from calibration.frames import Frame
from calibration.plan import Seating, seat_players
from device.eyes import EyeFactory
from device.lab.rehearsal.courses import Course, glimpsed, hasty, regretted, with_next
from device.lab.rehearsal.human import Human, chosen
from device.lab.rehearsal.logbook import Logbook
from device.lab.rehearsal.looks import LOOKS, Faulty, Look, looked_at
from device.lab.rehearsal.mess import Mess
from device.lab.rehearsal.public import Said, rulings_of
from device.lab.rehearsal.result import Result
from device.lab.simulator.film import Film, Shot, Studio
from device.lab.simulator.rig import film_rig
from device.lab.simulator.tables import resting_tables
from device.plans import plan_of
from device.session.camera_moves import CameraMoveSource
from device.session.observer import build_observer
from models.cards import Deck, own_deck
from referee.edits import Edit, Play
from referee.inference.questions import Decision
from referee.layout import layouts_of
from referee.match import AnyMatch, Match
from referee.moves import Move
from referee.record import Line, Record, read_record
from referee.rules import AnyRules, Opening, load_rules
from referee.selfplay import self_play
from referee.transcript import judge_record
from referee.verdicts import Ruling
from vision.table import Table

FPS = 10.0
"""Frames per second of a film that is not drawn."""
QUESTION_MEMORY = 2
"""A question repeated within this many observations is not counted again."""
Clock = Callable[[], float]


class RehearsedReferee(Protocol):
    """Works out which moves led to a table; every table is observed once."""

    def observe(self, match: AnyMatch, table: Table) -> Decision:
        """Respond to a table at rest, given the match so far."""

    def hear(self, match: AnyMatch, move: Move, at_s: float) -> Decision:
        """Respond to a declaration; the edits play the move."""


RefereeOf = Callable[[AnyRules, Deck, Seating], RehearsedReferee]
"""Opens a referee for one match."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One game to watch, and how."""

    opening: Opening
    seed: int
    cheat: float = 0.0
    faults: float = 0.0
    """Error rate of a look relative to the usual one; 0 for a perfect eye."""
    regrets: float = 0.0
    """How often a play is taken back and made again."""
    declared: bool = False
    """Whether the referee hears declarations of what no camera can see."""
    eager: float = 0.0
    """Share of declarations that come one table too early; only with `declared`."""
    steady: bool = False
    """Whether all looks at a table err in the same way."""
    looks: int = LOOKS
    """Number of looks at each table."""
    haste: float = 0.0
    """Share of tables that are never observed, because play goes on at once."""
    mess: float = 0.0
    """Share of tables at which something is nudged, turned a little, squared up or pushed."""
    glimpses: float = 0.0
    """Probability of a single look after each card, mark or piece of a play except the last."""

    def record(self) -> Record:
        """The game as the bots play it."""
        rules = load_rules(self.opening.game)
        return read_record(str(self_play(rules, self.opening, self.seed, self.cheat)), rules)

    def rng(self, purpose: str) -> Random:
        """A random generator for one purpose, independent of all others."""
        return Random(f"{purpose} {self.seed}")

    def course(self, tables: Iterator[Table], seating: Seating) -> Iterator[Table]:
        """Transform the tables before they are observed."""
        tables = regretted(tables, self.rng("regrets"), self.regrets)
        if self.mess:
            tables = Mess(seating, self.rng("mess"), self.mess)(tables)
        tables = glimpsed(tables, self.rng("glimpses"), self.glimpses)
        return hasty(tables, self.rng("haste"), self.haste)


def rehearse(
    rehearsal: Rehearsal,
    studio: Studio | None = None,
    taps: int = 0,
    clock: Clock = lambda: 0.0,
    referee_of: RefereeOf = CameraMoveSource,
) -> Result:
    """Watch a game with a perfect eye or, with a studio, through pictures and Krupier's own eye."""
    record = rehearsal.record()
    rules, players = load_rules(rehearsal.opening.game), len(rehearsal.opening.names)
    seating = seat_players(plan_of(rules.game), players + len(rules.guests(players)))
    return watch(
        record,
        Faulty(rehearsal.rng("faults"), own_deck(rehearsal.opening.game), rehearsal.faults),
        rehearsal.seed,
        studio,
        taps,
        clock,
        partial(rehearsal.course, seating=seating),
        looks=rehearsal.looks,
        steady=rehearsal.steady,
        declared=rehearsal.declared,
        eager=rehearsal.eager,
        referee_of=referee_of,
    )


def run_games(
    rehearsals: Iterable[Rehearsal], referee_of: RefereeOf = CameraMoveSource, clock: Clock = lambda: 0.0
) -> list[Result]:
    """Watch some games in order."""
    return [rehearse(one, clock=clock, referee_of=referee_of) for one in rehearsals]


def watch(
    record: Record,
    look: Look = lambda table: table,
    seed: int = 1,
    studio: Studio | None = None,
    taps: int = 0,
    clock: Clock = lambda: 0.0,
    course: Course = lambda tables: tables,
    *,
    looks: int = LOOKS,
    steady: bool = False,
    declared: bool = False,
    eager: float = 0.0,
    referee_of: RefereeOf = CameraMoveSource,
) -> Result:
    """Watch a record being played, through looks that may err; a human answers up to `taps` questions.

    `course` may change the resting tables and their order; a film keeps its own.
    """
    name = record.opening.game
    rules, deck = load_rules(name), own_deck(name)
    film = film_of(record, studio or Studio(seed=seed))
    script = tuple(film_of(record, studio or Studio(seed=seed)).seen_from())
    talk = Talk(declared_in(script, name) if declared else (), Random(f"eager {seed}"), eager)
    watched = _Watched(referee_of(rules, deck, film.seating), rules, record.opening, Human(deck, script, taps))
    spent_s = list[float]()
    tables = course(_resting(film)) if studio is None else _filmed(film, name)
    for table, after in with_next(tables):
        for move, at_s in talk.until(table, after):
            watched.hear(move, at_s, table.frame)
        seen = looked_at(table, look, 1 if table.hasty else looks, steady) if studio is None else look(table)
        began_s = clock()
        decision = watched.referee.observe(watched.book.match, seen)
        spent_s.append(clock() - began_s)
        watched.write(decision, table.frame)
    return Result(
        judged(record, rules),
        watched.book.match,
        watched.asked,
        len(spent_s),
        watched.human.taps,
        tuple(spent_s),
        watched.suspected,
        declared,
        watched.book.probabilities,
    )


class Talk:
    """Declarations, each at the table that shows the move, or one table too early."""

    def __init__(self, declared: Iterable[tuple[Line, int]], rng: Random, eager: float) -> None:
        """Lines with the frame of each; the share `eager` comes too early."""
        self._left = [
            (line.meaning.move, frame, rng.random() < eager)
            for line, frame in declared
            if isinstance(line.meaning, Play)
        ]

    def until(self, table: Table, after: Table | None) -> Iterator[tuple[Move, float]]:
        """Declarations before this table is observed, with their times, given the next table."""
        left, self._left = self._left, []
        for move, frame, early in left:
            if frame <= table.frame:
                yield move, frame / FPS
            elif early and after is not None and frame <= after.frame:
                yield move, table.at_s
            else:
                self._left.append((move, frame, early))


class _Watched:
    """A match written by a referee, with its questions and the answers."""

    def __init__(self, referee: RehearsedReferee, rules: AnyRules, opening: Opening, human: Human) -> None:
        self.referee, self.human = referee, human
        self.book = Logbook(Match.open(rules, opening))
        self.asked, self.suspected = 0, Counter[Said]()
        self._recent: deque[frozenset[str]] = deque(maxlen=QUESTION_MEMORY)

    def hear(self, move: Move, at_s: float, frame: int) -> None:
        """Declare a move."""
        self.write(self.referee.hear(self.book.match, move, at_s), frame, move)

    def write(self, decision: Decision, frame: int, declared: Move | None = None) -> None:
        """Apply the referee's edits, and ask its question."""
        self.book = self.book.after(decision.edits, declared)
        choices = () if decision.question is None else decision.question.choices
        asked = frozenset[str]() if decision.question is None else decision.question.about
        if choices and asked not in self._recent:
            self.asked += 1
            self.suspected += suspected_in(self.book.match, choices)
        self._recent.append(asked)
        self.book = self.book.after(self.human.answer(choices, self.book.match, frame))


def film_of(record: Record, studio: Studio) -> Film:
    """The film of a record with Krupier's own cards."""
    return Film(record, own_deck(record.opening.game), studio)


def judged(record: Record, rules: AnyRules) -> AnyMatch:
    """The match as it was played."""
    match: AnyMatch = Match.open(rules, record.opening)
    for ruled in judge_record(record, rules):
        match = ruled.match
    return match


def declared_in(script: Iterable[tuple[Line, int]], game: str) -> Iterator[tuple[Line, int]]:
    """Lines that are declared because no camera can see them."""
    verbs = layouts_of(game).DECLARED
    for line, frame in script:
        if isinstance(line.meaning, Play) and line.meaning.move.verb in verbs:
            yield line, frame


def suspected_in(match: AnyMatch, choices: Sequence[tuple[Edit, ...]]) -> Counter[Said]:
    """Rule violations among the choices of a question."""
    found: Counter[Said] = Counter()
    for after in (chosen(match, choice) for choice in choices):
        new = rulings_of(after) - rulings_of(match) if after is not None else Counter[Said]()
        found |= Counter({one: count for one, count in new.items() if one[1] == Ruling.ILLEGAL.value})
    return found


def _resting(film: Film) -> Iterator[Table]:
    return (table for _, table in resting_tables(film, FPS))


def _filmed(film: Film, game: str) -> Iterator[Table]:
    return (table for _, table in reported(film, game) if table is not None)


def reported(film: Film, game: str) -> Iterator[tuple[Shot, Table | None]]:
    """Every frame of a film with the table that Krupier's own eye reports there."""
    rig = film_rig(film)
    eye = EyeFactory(threads=2).open_eye(rig, game)
    observer = build_observer(eye, rig, game)
    for shot in film.shots():
        shot.image.flags.writeable = False
        yield shot, observer.observe(Frame(shot.index, shot.at_s, shot.image)).table
