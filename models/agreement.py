"""Agreement: how likely a crop shows each face of a deck, by what the features of both have in common.

Outside the network, because what is known of the faces need not be worked out anew for every few crops.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.crops import Image

Features = NDArray[np.float32]
_NUMBERS = 4


class AgreementError(ValueError):
    """The numbers that should come with a reader are missing or no numbers."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Four numbers that were learnt with the network."""

    scale: float
    """How fast chances grow with what is in common."""
    norm: float
    """What a face has to pay for saying much."""
    stranger: tuple[float, float]
    """How much a crop agrees with being none of the faces: with what it says, and anyway."""

    def __str__(self) -> str:
        return " ".join(f"{number:.9g}" for number in (self.scale, self.norm, *self.stranger))

    def chances(self, features: Features, seen: Image, faces: Features, squares: Features) -> Features:
        """For every crop the chance of each face, and last that of being none of them."""
        count = len(features)
        # The mean of every two rows and columns.
        quarters = [seen[:, row::2, column::2] for row in (0, 1) for column in (0, 1)]
        cells = np.asarray(np.sum(quarters, axis=0, dtype=np.float32) / np.float32(4 * 255))
        weighted = features * cells[:, None]
        scores = weighted.reshape(count, -1) @ faces.reshape(len(faces), -1).T
        scores -= 0.5 * self.norm * (cells.reshape(count, -1) @ squares.T)
        share, anyway = self.stranger
        none = (
            share
            * (1 - 0.5 * self.norm)
            * np.einsum("nk,nk->n", weighted.reshape(count, -1), features.reshape(count, -1))
        )
        every = self.scale * np.concatenate([scores, none[:, None]], 1)
        every[:, -1] += anyway
        every = np.exp(every - every.max(1, keepdims=True))
        return np.asarray(every / every.sum(1, keepdims=True), np.float32)


def squares_of(faces: Features) -> Features:
    """How much each face says in every cell."""
    return np.asarray(np.einsum("ncij,ncij->nij", faces, faces).reshape(len(faces), -1), np.float32)


def read_agreement(text: str) -> Agreement:
    """The numbers as `str` writes them."""
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError as error:
        raise AgreementError(f"{text!r}: no numbers") from error
    if len(numbers) != _NUMBERS or not np.isfinite(numbers).all():
        raise AgreementError(f"{text!r}: wanted {_NUMBERS} numbers")
    scale, norm, share, anyway = numbers
    return Agreement(scale, norm, (share, anyway))
