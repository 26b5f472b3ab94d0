"""Marks drawn by hand on Lucky Box cards: which cells are crossed, which bonuses circled, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from models.crops import Image
from models.marks import CHANNELS, LEAST_SEEN, PATCH_PX, PLACES, MarkError, cut_patches, seen_shares

UNKNOWN = 0.5


class Network(Protocol):
    """What runs the trained network."""

    def run(self, inputs: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """The answers to named inputs."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One place of a card, and whether something is drawn there."""

    word: str
    """r1c2 for a cell, b3 for a bonus."""
    probability: float
    """That it is marked; 0.5 where too little is seen to say."""
    seen: float
    """The part of the place that is seen."""

    @property
    def known(self) -> bool:
        """Whether enough is seen to say anything."""
        return self.seen >= LEAST_SEEN


class MarkReader:
    """Reads the marks on box cards."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def read(
        self, crops: Sequence[Image], seens: Sequence[Image], templates: Sequence[Image]
    ) -> list[tuple[Mark, ...]]:
        """All 15 places of every card: crops the right way up, maps of what is seen of them, their clean faces."""
        if not len(crops) == len(seens) == len(templates):
            raise MarkError(
                f"{len(crops)} crops, {len(seens)} maps, {len(templates)} templates; wanted as many of each"
            )
        if not len(crops):
            return []
        shape = (len(crops), len(PLACES))
        patches = np.empty((*shape, CHANNELS, PATCH_PX, PATCH_PX), np.uint8)
        for card, into in zip(zip(crops, seens, templates, strict=True), patches, strict=True):
            cut_patches(*card, into=into)
        answers = self._network.run({"patches": patches.reshape(-1, *patches.shape[2:])})[0].reshape(shape)
        shares = seen_shares(patches)
        return [
            tuple(_mark(*place) for place in zip(PLACES, card, seen, strict=True))
            for card, seen in zip(answers.tolist(), shares.tolist(), strict=True)
        ]


def words_of(marks: tuple[Mark, ...]) -> tuple[str, ...]:
    """What is more likely drawn than not, of what is known."""
    return tuple(mark.word for mark in marks if mark.known and mark.probability > UNKNOWN)


def _mark(word: str, probability: float, seen: float) -> Mark:
    return Mark(word, probability if seen >= LEAST_SEEN else UNKNOWN, seen)
