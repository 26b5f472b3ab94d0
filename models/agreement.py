"""Agreement: the probability that a crop shows each face of a deck, from the features of both.

This step is outside the network, so that the features of the faces are computed only once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.crops import Image

Features = NDArray[np.float32]
_NUMBERS = 4


class AgreementError(ValueError):
    """The parameters that belong to a reader are missing or not numbers."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Four parameters that were learnt with the network."""

    scale: float
    """The factor from scores to log probabilities."""
    norm: float
    """The weight of a face's own norm, which is subtracted from its score."""
    stranger: tuple[float, float]
    """The score of a crop that shows none of the faces: a factor on its own norm, and a constant."""

    def __str__(self) -> str:
        return " ".join(f"{number:.9g}" for number in (self.scale, self.norm, *self.stranger))

    def probabilities(self, features: Features, seen: Image, faces: Features, squares: Features) -> Features:
        """For every crop the probability of each face, and last that of none of them."""
        count = len(features)
        # The mean over blocks of two rows and two columns.
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
    """The squared norm of each face in every cell."""
    return np.asarray(np.einsum("ncij,ncij->nij", faces, faces).reshape(len(faces), -1), np.float32)


def read_agreement(text: str) -> Agreement:
    """The parameters as `str` writes them."""
    try:
        numbers = [float(word) for word in text.split()]
    except ValueError as error:
        raise AgreementError(f"{text!r}: no numbers") from error
    if len(numbers) != _NUMBERS or not np.isfinite(numbers).all():
        raise AgreementError(f"{text!r}: wanted {_NUMBERS} numbers")
    scale, norm, share, anyway = numbers
    return Agreement(scale, norm, (share, anyway))
