"""Marks drawn by hand on Lucky Box cards: which cells are crossed and which bonuses are circled, with probabilities."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.crops import Image
from models.marks import CHANNELS, LEAST_SEEN, PATCH_PX, PLACES, MarkError, cut_patches, seen_shares
from vision.look.network import Network

UNKNOWN = 0.5
"""Probability of a mark where too little is visible."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One place of a card, and the probability that something is drawn there."""

    place: str
    """r1c2 for a cell, b3 for a bonus."""
    probability: float
    """That the place is marked; 0.5 if too little of it is visible."""
    visible: float
    """The visible fraction of the place."""

    @property
    def known(self) -> bool:
        """Whether enough of the place is visible."""
        return self.visible >= LEAST_SEEN


class MarkReader:
    """The network that reads the marks on box cards."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def read(
        self, crops: Sequence[Image], visibility: Sequence[Image], clean_faces: Sequence[Image]
    ) -> list[tuple[Mark, ...]]:
        """All 15 places of every card, from upright crops, their visibility maps and their faces without marks."""
        if not len(crops) == len(visibility) == len(clean_faces):
            raise MarkError(
                f"{len(crops)} crops, {len(visibility)} maps, {len(clean_faces)} templates; wanted as many of each"
            )
        if not len(crops):
            return []
        shape = (len(crops), len(PLACES))
        patches = np.empty((*shape, CHANNELS, PATCH_PX, PATCH_PX), np.uint8)
        for card, into in zip(zip(crops, visibility, clean_faces, strict=True), patches, strict=True):
            cut_patches(*card, into=into)
        probabilities = self._network.run({"patches": patches.reshape(-1, *patches.shape[2:])})[0].reshape(shape)
        fractions = seen_shares(patches)
        return [
            tuple(_mark(*place) for place in zip(PLACES, card, visible, strict=True))
            for card, visible in zip(probabilities.tolist(), fractions.tolist(), strict=True)
        ]


def marked_places(marks: tuple[Mark, ...]) -> tuple[str, ...]:
    """The known places that are more likely marked than not."""
    return tuple(mark.place for mark in marks if mark.known and mark.probability > UNKNOWN)


def _mark(place: str, probability: float, visible: float) -> Mark:
    return Mark(place, probability if visible >= LEAST_SEEN else UNKNOWN, visible)
