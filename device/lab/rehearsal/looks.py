"""Simulated looks: a camera that errs, and the fusion of several looks into one table."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count
from random import Random

from models.cards import Deck
from vision.follow.belief import CardBelief
from vision.table import FOREIGN, Guess, PlacedCard, Table

MISREAD, MISSED, INVENTED = 0.01, 0.02, 0.005
"""Probabilities that a look misreads a card, misses it, or invents one beside it."""
MISREAD_GUESSES = (0.7, 0.25)
"""Probabilities reported for a misread card: of the wrong reading and of the right one."""
INVENTED_WITHIN_MM = 150.0
"""Maximum offset of an invented card from a real one, across and along."""
LOOKS = 3
"""Number of looks at a table before play goes on."""
MIN_LOOKS = 2
"""Minimum number of looks that must find a card; with fewer than `DOUBTFUL_FROM` looks, one is enough."""
DOUBTFUL_FROM = 3
Look = Callable[[Table], Table]
"""Simulates one look at a table."""


class Faulty:
    """A camera that errs `often` times as often as usual, independently in every look."""

    def __init__(self, rng: Random, deck: Deck, often: float) -> None:
        self._rng, self._often = rng, often
        self._codes = tuple(card.code for card in deck.cards)
        self._invented = count(1)

    def __call__(self, table: Table) -> Table:
        """The table as seen in one look."""
        return replace(table, cards=tuple(self._cards(table))) if self._often else table

    def _cards(self, table: Table) -> Iterator[PlacedCard]:
        rng, often = self._rng, self._often
        for card in table.cards:
            if rng.random() < often * MISSED:
                continue
            seen = self._misread(card) if card.face_up and rng.random() < often * MISREAD else card
            yield seen
            if rng.random() < often * INVENTED:
                right, down = (rng.uniform(-INVENTED_WITHIN_MM, INVENTED_WITHIN_MM) for _ in range(2))
                a, b, c, d = ((x + right, y + down) for x, y in seen.corners_mm)
                # A unique track, so that no other look finds the same card.
                yield replace(seen, track=-next(self._invented), corners_mm=(a, b, c, d))

    def _misread(self, card: PlacedCard) -> PlacedCard:
        other = self._rng.choice([code for code in self._codes if code != card.code])
        wrong, right = MISREAD_GUESSES
        return replace(card, code=other, guesses=(Guess(other, wrong), Guess(card.code, right)))


def looked_at(table: Table, look: Look, looks: int, steady: bool) -> Table:
    """A table after several looks; with `steady` all of them are identical."""
    return fused((look(table),) * looks if steady else tuple(look(table) for _ in range(looks)))


def fused(looks: Sequence[Table]) -> Table:
    """Fuse looks into one table: cards that enough looks found, each read from all of its looks."""
    found: dict[int, list[PlacedCard]] = {}
    for look in looks:
        for card in look.cards:
            found.setdefault(card.track, []).append(card)
    least = MIN_LOOKS if len(looks) >= DOUBTFUL_FROM else 1
    cards = tuple(_fused_card(found[track]) for track in _bottom_up(looks) if len(found[track]) >= least)
    return replace(looks[-1], cards=cards, looks=len(looks))


def _bottom_up(looks: Sequence[Table]) -> list[int]:
    """All tracks, each above those that some look found below it."""
    order: list[int] = []
    for look in looks:
        known, place = set(order), 0
        for card in look.cards:
            if card.track in known:
                place = order.index(card.track) + 1
            else:
                order.insert(place, card.track)
                place += 1
    return order


def _fused_card(found: Sequence[PlacedCard]) -> PlacedCard:
    face_up = 2 * sum(card.face_up for card in found) >= len(found)
    same = [card for card in found if card.face_up == face_up]
    belief = CardBelief()
    for card in same:
        belief = belief.with_look(card.guesses, 1.0)
    marks = Counter(mark for card in same for mark in card.marks)
    return replace(
        same[0],
        code=belief.guesses[0].code if face_up and belief.guesses else FOREIGN,
        guesses=belief.guesses,
        visible=max(card.visible for card in same),
        marks=tuple(mark for mark, times in marks.items() if 2 * times > len(same)),
        looks=len(found),
    )
