"""Faces to teach from: one picture of every card of a deck that Krupier did not print."""

from pathlib import Path

import numpy as np

from device.sources import PICTURES, SourceError, read_picture
from models.faces import Faces

BACK = "back"
"""File name of the picture of the back; the file may also be beside the folder."""
_WIDTH_MM = 63.0
"""Usual width of a card."""


def load_faces(folder: Path, card_mm: tuple[float, float] | None = None) -> Faces:
    """Load a deck from a folder of pictures of whole upright cards; each file name is the card's code."""
    if not folder.is_dir():
        raise SourceError(f"{folder}: no such folder; wanted a folder with a picture of every card, named by its code")
    found = [path for path in sorted(folder.iterdir()) if path.suffix.lower() in PICTURES and path.stem != BACK]
    if not found:
        raise SourceError(f"{folder}: no pictures of cards in it; wanted {', '.join(PICTURES)}, named by their codes")
    codes = [path.stem for path in found]
    for code in codes:
        if codes.count(code) > 1:
            raise SourceError(f"{folder}: {codes.count(code)} pictures of {code!r}; wanted one of each card")
    pictures = tuple((path.stem, read_picture(path).image) for path in found)
    shape = float(np.median([picture.shape[0] / picture.shape[1] for _, picture in pictures]))
    whole = folder.resolve()
    name = whole.parent.name if whole.name == "faces" else whole.name
    beside = [path for place in (folder, whole.parent) for path in sorted(place.glob(f"{BACK}.*"))]
    backs = tuple(read_picture(path).image for path in beside[:1] if path.suffix.lower() in PICTURES)
    return Faces(name, card_mm or (_WIDTH_MM, _WIDTH_MM * shape), pictures, backs=backs)
