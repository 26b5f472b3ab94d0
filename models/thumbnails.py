"""Thumbnails: every side of Krupier's own decks as a small picture, kept in a file to save time."""

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.cards import own_deck, own_decks
from models.faces import drawn_faces

THUMBNAIL_PX = (12, 17)
"""Width and height of a thumbnail: enough to show which deck a card may be of, not which card it is."""
THUMBNAILS = Path(__file__).parent / "weights" / "thumbnails.npz"


def drawn_thumbnails(game: str) -> NDArray[np.uint8]:
    """The thumbnails of all faces and backs of a deck, from the drawings."""
    faces = drawn_faces(own_deck(game))
    sides = [picture for _, picture in faces.pictures] + list(faces.backs)
    return np.stack(
        [np.asarray(cv2.resize(side, THUMBNAIL_PX, interpolation=cv2.INTER_AREA), np.uint8) for side in sides]
    )


def load_thumbnails(path: Path = THUMBNAILS) -> Mapping[str, NDArray[np.uint8]]:
    """The kept thumbnails of all own decks, by game; decks without any are drawn."""
    kept: dict[str, NDArray[np.uint8]] = {}
    if path.is_file():
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as parts:
            kept = {name: np.asarray(parts[name], np.uint8) for name in parts.files}
    return {game: kept[game] if game in kept else drawn_thumbnails(game) for game in own_decks()}


def keep_thumbnails(path: Path = THUMBNAILS) -> None:
    """Draw the thumbnails of all own decks and write them to the file."""
    data = BytesIO()
    arrays: dict[str, Any] = {game: drawn_thumbnails(game) for game in own_decks()}
    np.savez_compressed(data, **arrays)
    path.write_bytes(data.getvalue())
