"""Equal cards of an unknown deck: most often backs."""

from collections.abc import Sequence

import numpy as np

from models.crops import CROP_PX, Floats, Image, cut
from vision.unknown.screening import Thumbnails, normalised_thumbnails, thumbnail
from vision.unknown.teaching import Similarity, compare_views
from vision.unknown.tuning import MIN_ALIKE_SIMILARITY


def groups_of_equal_cards(image: Image, quads_px: Sequence[Floats]) -> tuple[int, ...]:
    """For every card the number of its group, from 1; 0 for a card that looks like no other."""
    if len(quads_px) < 2:
        return (0,) * len(quads_px)
    crops = [cut(image, quad, CROP_PX) for quad in quads_px]
    small = np.stack([thumbnail(image, quad) for quad in quads_px])
    firsts: list[int] = []
    members: list[int] = []
    similar = _similarities(small)
    for number, crop in enumerate(crops):
        likely = [first for first in firsts if similar[number, first] >= MIN_ALIKE_SIMILARITY]
        same = next((first for first in likely if _is_same_face(crop, crops[first])), number)
        firsts += [number] if same == number else []
        members.append(same)
    repeated = [first for first in firsts if members.count(first) > 1]
    return tuple(repeated.index(first) + 1 if first in repeated else 0 for first in members)


def _similarities(small: Thumbnails) -> Floats:
    """The correlation of every two thumbnails, in the better of both orientations."""
    upright, turned = normalised_thumbnails(small), normalised_thumbnails(small[:, ::-1, ::-1])
    return np.asarray(np.maximum(upright @ upright.T, upright @ turned.T), float)


def _is_same_face(one: Image, other: Image) -> bool:
    return any(compare_views(one, np.ascontiguousarray(way)) is Similarity.SAME for way in (other, other[::-1, ::-1]))
