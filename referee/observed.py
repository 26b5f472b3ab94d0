"""What is seen: the cards of a table, place by place, and its pieces, as the explanation of moves needs them."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vision.table import FOREIGN, Arm, PlacedCard, Table

Spot = tuple[str, str]
"""A zone and a spot in it."""
TURNED_DEG = 90.0
UNREADABLE = 0.9
"""A card that looks so much like none of the deck may be any of them."""


@dataclass(frozen=True, slots=True)
class ObservedCard:
    """One card that lies there."""

    track: int
    face_up: bool
    chances: tuple[tuple[str, float], ...]
    """Of a face: which cards it may be, best first."""
    turned: bool
    """Whether it lies upside down for the owner of its zone."""
    marks: tuple[str, ...] = ()
    remembered: bool = False
    """Whether it is not seen now: it lay there before others were laid on it, and may have been taken since."""
    looks: int = 1
    """How many looks found it."""

    def likely(self, least: float = 0.02, most: int = 3) -> tuple[str, ...]:
        """The cards that it may well be; of one that cannot be read those that it is most like."""
        least = 0.0 if self.unread > UNREADABLE else least
        return tuple(code for code, chance in self.chances if chance >= least and code != FOREIGN)[:most]

    @property
    def unread(self) -> float:
        """How likely it is that it looks like no card of the deck."""
        return sum(chance for code, chance in self.chances if code == FOREIGN)


Pieces = Mapping[tuple[str, str], Mapping[Spot, int]]
"""Of every kind of piece and owner (figure, P1) how many are where; tokens belong to whose zone they lie in."""


class ObservedTable(dict[Spot, tuple[ObservedCard, ...]]):
    """Cards in each place, bottom to top or left to right as the owner sees them; places without cards are left out."""

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

    def bare(self) -> "ObservedTable":
        """Only what is seen now."""
        bare = {spot: tuple(card for card in cards if not card.remembered) for spot, cards in self.items()}
        return ObservedTable(
            {spot: cards for spot, cards in bare.items() if cards}, self.pieces, self.looks, self.arms, self.hasty
        )


def observed_table(table: Table) -> ObservedTable:
    """The cards of a table by place, in the order of their places, and how many pieces are where."""
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
    """The spots of one zone where something lies."""
    return ((spot, cards) for (where, spot), cards in seen.items() if where == zone)


def _observed_card(card: PlacedCard) -> ObservedCard:
    chances = tuple((guess.code, guess.probability) for guess in card.guesses) if card.face_up else ()
    turned = abs(card.turned_deg) > TURNED_DEG
    return ObservedCard(
        card.track, card.face_up, chances, turned, card.marks, remembered=card.visible <= 0, looks=card.looks
    )
