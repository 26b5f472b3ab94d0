"""Screening: which of Krupier's own decks a picture may show, by small thumbnails of their cards."""

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import Floats, Image, cut
from models.thumbnails import THUMBNAIL_PX
from vision.unknown.tuning import MIN_THUMBNAIL_SIMILARITY

Thumbnails = NDArray[np.uint8]
"""All sides of a deck as small pictures."""


def similar_decks(image: Image, quads_px: Sequence[Floats], decks: Mapping[str, Thumbnails]) -> list[str]:
    """The games with a side that looks like one of the cards in a picture, either way up."""
    if not quads_px:
        return []
    small = np.stack([thumbnail(image, quad) for quad in quads_px])
    both = normalised_thumbnails(np.concatenate([small, small[:, ::-1, ::-1]]))
    return [
        game
        for game, sides in decks.items()
        if float((both @ normalised_thumbnails(sides).T).max()) > MIN_THUMBNAIL_SIMILARITY
    ]


def thumbnail(image: Image, quad_px: Floats) -> Image:
    """A small picture of a card."""
    return np.asarray(cv2.resize(cut(image, quad_px), THUMBNAIL_PX, interpolation=cv2.INTER_AREA), np.uint8)


def normalised_thumbnails(thumbnails: Thumbnails) -> NDArray[np.float32]:
    """One row for each thumbnail, without the brightness and colour of the light: mean 0 in each channel, norm 1."""
    values = thumbnails.astype(np.float32)
    rows = (values - values.mean((1, 2), keepdims=True)).reshape(len(values), -1)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6), np.float32)
