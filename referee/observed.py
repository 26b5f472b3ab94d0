"""Observed tables: the cards of a table by place, and its pieces, in the form that the inference needs."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vision.table import FOREIGN, Arm, PlacedCard, Table

Spot = tuple[str, str]
"""A zone and a spot in it."""
TURNED_DEG = 90.0
"""A card rotated by more than this is upside down for the owner of its zone."""
UNREADABLE_PROBABILITY = 0.9
"""A card that is foreign with more than this probability may be any card of the deck."""


@dataclass(frozen=True, slots=True)
class ObservedCard:
    """One card on the table."""

    track: int
    face_up: bool
    candidates: tuple[tuple[str, float], ...]
    """Candidates for a face with their probabilities, best first; empty for a back."""
    turned: bool
    """Whether the card is upside down for the owner of its zone."""
    marks: tuple[str, ...] = ()
    remembered: bool = False
    """Whether the card is hidden under others now; it was observed before and may have been taken since."""
    looks: int = 1
    """Number of looks that found the card."""

    def likely(self, least: float = 0.02, most: int = 3) -> tuple[str, ...]:
        """The likely candidates; for an unreadable card the best ones, however unlikely."""
        least = 0.0 if self.unread > UNREADABLE_PROBABILITY else least
        return tuple(code for code, probability in self.candidates if probability >= least and code != FOREIGN)[:most]

    @property
    def unread(self) -> float:
        """Probability that the card is foreign: none of the deck."""
        return sum(probability for code, probability in self.candidates if code == FOREIGN)


Pieces = Mapping[tuple[str, str], Mapping[Spot, int]]
"""Number of pieces at each spot, by kind and owner (figure, P1); tokens belong to the owner of their zone."""


class ObservedTable(dict[Spot, tuple[ObservedCard, ...]]):
    """The cards at each spot, bottom to top or left to right as the owner sees them; empty spots are left out."""

    def __init__(
        self,
        cards: Mapping[Spot, tuple[ObservedCard, ...]],
        pieces: Pieces | None = None,
        looks: int = 1,
        arms: tuple[Arm, ...] = (),
        hasty: bool = False,
    ) -> None:
        super().__init__(cards)
        self.pieces: Pieces = pieces or {}
        self.looks, self.arms, self.hasty = looks, arms, hasty

    def without_remembered(self) -> "ObservedTable":
        """The table without remembered cards."""
        visible = {spot: tuple(card for card in cards if not card.remembered) for spot, cards in self.items()}
        return ObservedTable(
            {spot: cards for spot, cards in visible.items() if cards}, self.pieces, self.looks, self.arms, self.hasty
        )


def observed_table(table: Table) -> ObservedTable:
    """The cards of a table by spot, in order, and the number of pieces at each spot."""
    places: dict[Spot, list[PlacedCard]] = {}
    for card in table.cards:
        places.setdefault((card.zone, card.spot), []).append(card)
    cards = {
        place: tuple(_observed_card(card) for card in sorted(placed, key=lambda card: card.order))
        for place, placed in places.items()
    }
    pieces: dict[tuple[str, str], Counter[Spot]] = {}
    for piece in table.pieces:
        pieces.setdefault((piece.kind, piece.colour or piece.zone), Counter())[piece.zone, piece.spot] += 1
    return ObservedTable(cards, pieces, table.looks, table.arms, table.hasty)


def in_zone(seen: ObservedTable, zone: str) -> Iterator[tuple[str, tuple[ObservedCard, ...]]]:
    """The spots of one zone that have cards."""
    return ((spot, cards) for (where, spot), cards in seen.items() if where == zone)


def _observed_card(card: PlacedCard) -> ObservedCard:
    candidates = tuple((guess.code, guess.probability) for guess in card.guesses) if card.face_up else ()
    turned = abs(card.turned_deg) > TURNED_DEG
    return ObservedCard(
        card.track, card.face_up, candidates, turned, card.marks, remembered=card.visible <= 0, looks=card.looks
    )
