"""Rehearsals: bots play, the witness watches, and what it tells is compared with what was played."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from calibration.frames import Frame
from device.evaluation.human import Human, said
from device.evaluation.public import Said, cheats_of, rulings_of
from device.live.game import Game
from device.live.lookout import Lookout, outline_of
from device.live.pieces import pieces_of
from device.live.simulated import film_rig
from device.live.witness import Witness
from device.optician import Optician
from device.simulator.film import Film, Studio
from device.simulator.tables import resting_tables
from models.cards import Deck, own_deck
from referee.layout import layouts_of
from referee.match import AnyMatch, LogError, Match
from referee.record import Line, Played, Record, read_record
from referee.rules import AnyRules, Opening, load_rules
from referee.selfplay import self_play
from referee.told import Question
from referee.transcript import judge_record
from referee.verdicts import Ruling
from vision.table import Guess, Table

LAST_LOOKS = 3
"""So often the last table is shown: nothing else comes after it."""
MISREAD, MISSED, INVENTED = 0.01, 0.02, 0.005
"""Chances that a card of a table is misread, not found, or that one is found beside it that is not there."""
Fault = Callable[[Table], Table]
"""What a camera makes of a table."""
Clock = Callable[[], float]
Course = Callable[[Iterator[Table]], Iterator[Table]]
"""In which order, and how often, tables are seen."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One game to be watched."""

    opening: Opening
    seed: int
    cheat: float = 0.0
    faults: float = 0.0
    """How many times as often as usual the camera errs; 0 for a perfect eye."""
    regrets: float = 0.0
    """How often somebody takes back what he did, and then does it again."""

    def record(self) -> Record:
        """The game as its bots play it."""
        rules = load_rules(self.opening.game)
        return read_record(str(self_play(rules, self.opening, self.seed, self.cheat)), rules)


@dataclass(frozen=True, slots=True)
class Result:
    """How a game was understood."""

    played: AnyMatch
    told: AnyMatch
    asked: int
    tables: int
    taps: int = 0
    """How often a human answered."""
    spent_s: tuple[float, ...] = ()
    """How long it took from the last look at each table to its rulings."""
    suspected: Counter[Said] = field(default_factory=Counter)
    """Broken rules among the choices of questions."""

    @property
    def right(self) -> bool:
        """Whether scores and winners are what they were."""
        rules, one, other = self.played.rules, self.played.state, self.told.state
        return rules.standings(one) == rules.standings(other) and rules.outcome(one) == rules.outcome(other)

    @property
    def missing(self) -> Counter[tuple[str, str]]:
        """Rulings that should have been made and were not."""
        return rulings_of(self.played) - rulings_of(self.told)

    @property
    def extra(self) -> Counter[tuple[str, str]]:
        """Rulings that were made and should not have been."""
        return rulings_of(self.told) - rulings_of(self.played)

    @property
    def accused(self) -> int:
        """How many plays were called illegal that nobody made."""
        return sum(count for (_, ruling), count in self.extra.items() if ruling == "ILLEGAL")

    @property
    def cheats(self) -> int:
        """How many broken rules show on the table."""
        return cheats_of(self.played).total()

    @property
    def flagged(self) -> int:
        """How many of these were called illegal."""
        return (cheats_of(self.played) & rulings_of(self.told)).total()

    @property
    def questioned(self) -> int:
        """How many of the others were asked about: what was done is clear, who did it is not."""
        return ((cheats_of(self.played) - rulings_of(self.told)) & self.suspected).total()


def rehearse(rehearsal: Rehearsal, studio: Studio | None = None, taps: int = 0, clock: Clock = lambda: 0.0) -> Result:
    """Watch a game: as a perfect eye tells it, or, with a studio, through pictures and Krupier's own eye."""
    rng, deck = Random(rehearsal.seed), own_deck(rehearsal.opening.game)

    def erring(table: Table) -> Table:
        return _erring(table, rng, deck, rehearsal.faults)

    def regretted(tables: Iterator[Table]) -> Iterator[Table]:
        return _regretted(tables, Random(rehearsal.seed), rehearsal.regrets)

    return watch(rehearsal.record(), erring, rehearsal.seed, studio, taps, clock, regretted)


def watch(
    record: Record,
    fault: Fault = lambda table: table,
    seed: int = 1,
    studio: Studio | None = None,
    taps: int = 0,
    clock: Clock = lambda: 0.0,
    course: Course = lambda tables: tables,
) -> Result:
    """Watch a record being played, with a fault on the way from table to referee; a human answers `taps` times.

    `course` may show tables at rest more than once; what is filmed takes its own.
    """
    name = record.opening.game
    rules, deck = load_rules(name), own_deck(name)
    film = Film(record, deck, studio or Studio(seed=seed))
    script = tuple(Film(record, deck, studio or Studio(seed=seed)).seen_from())
    declared, human = list(declared_in(script, name)), Human(deck, script, taps)
    witness, game = Witness(rules, deck, film.seating), Game.open(rules, record.opening)
    asked, spent_s, suspected, last = 0, list[float](), Counter[Said](), None
    tables = course(_resting(film)) if studio is None else _filmed(film, name)
    for table in tables:
        while declared and declared[0][1] <= table.frame:
            game = _heard(game, declared.pop(0)[0].text)
        shown, seen_s = fault(table), clock()
        game = _watched(witness, game, shown)
        while studio is None and witness.again:
            # A table at rest can be looked at once more, and the camera may err in another way.
            shown, seen_s = fault(table), clock()
            game = _watched(witness, game, shown)
        spent_s.append(clock() - seen_s)
        if witness.told.question is not None:
            asked += 1
            # A question that stays on the table is still about the same act.
            suspected += Counter() if witness.told.question == last else suspected_in(game, witness.told.question)
        last = witness.told.question
        game = human.answer(witness.told.question, game, table.frame)
    return Result(judged(record, rules), game.match, asked, len(spent_s), human.taps, tuple(spent_s), suspected)


def summary(results: Sequence[Result]) -> str:
    """How games were understood, in a line."""
    rulings, lost = sum(len(one.played.log) for one in results), sum(one.missing.total() for one in results)
    return (
        f"{sum(one.right for one in results)} of {len(results)} games end right, "
        f"{sum(one.right and not one.asked for one in results)} of these unasked, "
        f"{sum(not one.missing and not one.extra for one in results)} with every ruling as played; "
        f"{rulings - lost} of {rulings} rulings told; {sum(one.accused for one in results)} false ILLEGAL; "
        f"{sum(one.flagged for one in results)} of {sum(one.cheats for one in results)} cheats that show flagged, "
        f"{sum(one.questioned for one in results)} more asked about"
    )


def judged(record: Record, rules: AnyRules) -> AnyMatch:
    """The match as it was played."""
    match: AnyMatch = Match.open(rules, record.opening)
    for ruled in judge_record(record, rules):
        match = ruled.match
    return match


def declared_in(script: Iterable[tuple[Line, int]], game: str) -> Iterator[tuple[Line, int]]:
    """What people say because no camera can see it."""
    verbs = layouts_of(game).DECLARED
    for line, frame in script:
        if isinstance(line.meaning, Played) and line.meaning.move.verb in verbs:
            yield line, frame


def _resting(film: Film) -> Iterator[Table]:
    last = None
    for _, table in resting_tables(film, 10.0):
        last = table
        yield table
    if last is not None:
        yield from (last,) * (LAST_LOOKS - 1)


def _regretted(tables: Iterator[Table], rng: Random, often: float) -> Iterator[Table]:
    """Tables of which some are followed by the one before and by themselves again."""
    before = None
    for table in tables:
        yield table
        # Who has gathered all cards does not lay them out again.
        if before is not None and before.cards != table.cards and table.cards and rng.random() < often:
            yield replace(before, frame=table.frame)
            yield table
        before = table


def _filmed(film: Film, game: str) -> Iterator[Table]:
    rig = film_rig(film)
    eye = Optician(threads=2).open_eye(rig, game)
    lookout = Lookout(eye, rig.zones, outline_px=outline_of(rig), pieces=pieces_of(rig, game))
    for shot in film.shots():
        shot.image.flags.writeable = False
        table = lookout.see(Frame(shot.index, shot.at_s, shot.image)).table
        if table is not None:
            yield table


def suspected_in(game: Game, question: Question) -> Counter[Said]:
    """The broken rules that a question speaks of."""
    found: Counter[Said] = Counter()
    for after in (said(game, choice) for choice in question.choices):
        new = rulings_of(after.match) - rulings_of(game.match) if after is not None else Counter[Said]()
        found |= Counter({one: count for one, count in new.items() if one[1] == Ruling.ILLEGAL.value})
    return found


def _watched(witness: Witness, game: Game, table: Table) -> Game:
    for text in witness.lines(game.match, table):
        game = _heard(game, text)
    return game


def _heard(game: Game, text: str) -> Game:
    line = game.read(text)
    if line is None:
        return game
    after, ruled = game.judge(line)
    if ruled.refused is not None:
        raise LogError(f"{text}: {ruled.refused}")
    return after


def _erring(table: Table, rng: Random, deck: Deck, often: float) -> Table:
    """The table as a camera that errs would tell it."""
    if not often:
        return table
    codes, cards = [card.code for card in deck.cards], []
    for card in table.cards:
        if rng.random() < often * MISSED:
            continue
        if card.face_up and rng.random() < often * MISREAD:
            other = rng.choice(codes)
            card = replace(card, code=other, guesses=(Guess(other, 0.7), Guess(card.code, 0.25)))
        cards.append(card)
        if rng.random() < often * INVENTED:
            right, down = rng.uniform(-150, 150), rng.uniform(-150, 150)
            a, b, c, d = ((x + right, y + down) for x, y in card.corners_mm)
            cards.append(replace(card, track=-len(cards), corners_mm=(a, b, c, d)))
    return replace(table, cards=tuple(cards))
