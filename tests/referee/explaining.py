"""Games as a perfect eye sees them, resting table by resting table."""

from collections.abc import Iterator
from dataclasses import replace

from calibration.plan import Seating
from device.lab.simulator.film import Film, Studio
from device.lab.simulator.tables import resting_tables
from models.cards import own_deck
from referee.record import Record, read_record
from referee.rules import Opening, load_rules
from referee.selfplay import self_play
from vision.table import Guess, Table

NAMES = ("Ala", "Bartek", "Celina", "Darek", "Ewa", "Franek", "Gosia", "Hubert")


def played(game: str, players: int, seed: int, cheat: float = 0.0, **options: str) -> Record:
    """A game of bots."""
    rules = load_rules(game)
    opening = Opening(game, NAMES[:players], tuple(options.items()))
    return read_record(str(self_play(rules, opening, seed, cheat)), rules)


def recorded(game: str, players: int, *lines: str) -> Record:
    """A record of these lines."""
    text = "\n".join(["krupier record 1", f"game {game}", f"players {', '.join(NAMES[:players])}", "", *lines])
    return read_record(f"{text}\n", load_rules(game))


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
