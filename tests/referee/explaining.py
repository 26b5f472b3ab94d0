"""Games as a perfect eye sees them, resting table by resting table, and what is made of them."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from calibration.plan import Seating
from device.live.game import Game
from device.live.witness import Witness
from device.simulator.film import Film, Studio
from device.simulator.tables import resting_tables
from models.cards import own_deck
from referee.match import AnyMatch
from referee.record import Record, read_record
from referee.rules import Opening, load_rules
from referee.selfplay import self_play
from referee.transcript import judge_record
from vision.table import Guess, Table

NAMES = ("Ala", "Bartek", "Celina", "Darek", "Ewa", "Franek", "Gosia", "Hubert")
Fault = Callable[[Table], Table]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A game as it was played and as it was understood."""

    truth: AnyMatch
    seen: AnyMatch
    asked: int

    @property
    def missing(self) -> Counter[tuple[str, str]]:
        """Moves with their rulings that were played and not told."""
        return _log(self.truth) - _log(self.seen)

    @property
    def extra(self) -> Counter[tuple[str, str]]:
        """Moves with their rulings that were told and not played."""
        return _log(self.seen) - _log(self.truth)

    @property
    def ends_alike(self) -> bool:
        """Whether score and winners are right."""
        rules, one, other = self.truth.rules, self.truth.state, self.seen.state
        return rules.standings(one) == rules.standings(other) and rules.outcome(one) == rules.outcome(other)


def played(game: str, players: int, seed: int, cheat: float = 0.0, **options: str) -> Record:
    """A game of bots."""
    rules = load_rules(game)
    opening = Opening(game, NAMES[:players], tuple(options.items()))
    return read_record(str(self_play(rules, opening, seed, cheat)), rules)


def watched(record: Record, fault: Fault = lambda table: table, looks: int = 1) -> Outcome:
    """Let the witness look at every resting table, at the last one more often."""
    name = record.opening.game
    rules, film = load_rules(name), filmed(record)
    witness, game = Witness(rules, own_deck(name), film.seating), Game.open(rules, record.opening)
    tables = [table for _, table in resting_tables(film, 10.0)]
    asked = 0
    for table in (*tables, *tables[-1:] * (looks - 1)):
        game = heard(game, witness.lines(game.match, fault(table)))
        asked += witness.told.question is not None
    truth = list(judge_record(record, rules))[-1].match
    return Outcome(truth, game.match, asked)


def heard(game: Game, lines: tuple[str, ...]) -> Game:
    """The game after some lines."""
    for text in lines:
        line = game.read(text)
        assert line is not None
        game, ruled = game.judge(line)
        assert ruled.refused is None, ruled.refused
    return game


def filmed(record: Record) -> Film:
    """The film of a record, which nobody draws."""
    return Film(record, own_deck(record.opening.game), Studio(seed=1))


def tables_of(record: Record) -> Iterator[Table]:
    """Its resting tables."""
    return (table for _, table in resting_tables(filmed(record), 10.0))


def seating_for(record: Record) -> Seating:
    """Where everything lies."""
    return filmed(record).seating


def misread(table: Table, code: str, other: str, sure: float = 0.7) -> Table:
    """The same table with one card read as another; the right one is its second guess."""
    cards = tuple(
        replace(card, code=other, guesses=(Guess(other, sure), Guess(code, 0.95 - sure))) if card.code == code else card
        for card in table.cards
    )
    return replace(table, cards=cards)


def _log(match: AnyMatch) -> Counter[tuple[str, str]]:
    pairs = zip(match.log, match.verdicts, strict=True)
    return Counter((str(entry.move), verdict.ruling.value) for entry, verdict in pairs)
