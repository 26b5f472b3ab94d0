"""Sure cards: crops of cards that reader and referee agree on, collected while a game is played."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from calibration.frames import Frame
from calibration.lens import Lens
from calibration.table import TablePose, mm_to_pixels
from device.session.observer import Observation
from device.teaching.played import PlayedCrop
from models.crops import Image, cut
from vision.follow.tuning import MIN_LOOKS
from vision.table import PlacedCard, Table
from vision.unknown.tuning import VIEW_PX_PER_MM

MIN_SURE_PROBABILITY = 0.99
"""Minimum probability of a reading to learn from it."""
MIN_SURE_VISIBLE = 0.97
"""Minimum visible share of a card to learn from it."""
MAX_CROPS_PER_CARD = 4
"""Maximum number of crops kept for each card during a game."""

ExpectedCodes = Callable[[], Mapping[str, frozenset[str]]]
"""The codes of the cards that should be face up in each zone; nothing while the referee is in doubt."""


@dataclass(slots=True)
class SureCards:
    """A listener that keeps crops of sure cards; it runs no network, so that it never holds up the game."""

    session: str
    lens: Lens
    table: TablePose
    card_mm: tuple[float, float]
    expected: ExpectedCodes
    crops: list[PlayedCrop] = field(default_factory=list)
    _tracks: set[tuple[int, str]] = field(default_factory=set)
    """Cards that have a crop already; a card that stays in its place gives one."""

    def coming(self, frame: Frame) -> None:
        """A frame before it is observed shows nothing yet."""

    def seen(self, frame: Frame, seen: Observation | None) -> None:
        """Keep crops of the sure cards of a table."""
        table = None if seen is None else seen.table
        # A table that was reported in haste comes from an earlier frame.
        if table is None or table.hasty or table.frame != frame.index:
            return
        expected = self.expected()
        for card in sure_cards(table, expected):
            kept = sum(crop.code == card.code for crop in self.crops)
            if (card.track, card.code) not in self._tracks and kept < MAX_CROPS_PER_CARD:
                self._tracks.add((card.track, card.code))
                origin = f"{self.session}, frame {frame.index}, card {card.track}"
                self.crops.append(PlayedCrop(card.code, origin, self._cut(frame, card)))

    def _cut(self, frame: Frame, card: PlacedCard) -> Image:
        corners = mm_to_pixels(np.array(card.corners_mm), self.lens, self.table)
        width_mm, height_mm = self.card_mm
        return cut(frame.image, corners, (round(width_mm * VIEW_PX_PER_MM), round(height_mm * VIEW_PX_PER_MM)))


def sure_cards(table: Table, expected: Mapping[str, frozenset[str]]) -> tuple[PlacedCard, ...]:
    """The cards of a still table that reader and referee agree on, whole, unmarked and looked at several times."""
    return tuple(
        card
        for card in table.cards
        if card.face_up
        and not card.pinned
        and not card.marks
        and card.visible >= MIN_SURE_VISIBLE
        and card.looks >= MIN_LOOKS
        and card.guesses
        and card.guesses[0].code == card.code
        and card.guesses[0].probability >= MIN_SURE_PROBABILITY
        and card.code in expected.get(card.zone, frozenset())
    )
