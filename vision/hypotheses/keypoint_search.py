"""Recalling: pieces of cards that nothing sure explains are searched for landmarks of the deck."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import STRIDE_PX, Floats
from vision.hypotheses.confidence import best_part
from vision.hypotheses.keypoints import Memory, Spots, Supposed, joined, supposed
from vision.hypotheses.refinement import DOUBTFUL, Laid, only
from vision.hypotheses.scoring import weights
from vision.look.crops import Closeup, in_cells
from vision.look.finder import BACK, FACE, Found, recounted
from vision.look.layers import shared_cells

LEAST_CELLS = 10
"""So many cells together that nothing sure explains are searched."""
LEAST_WORTH = 1.5
"""What the landmarks that speak of a place must be worth together."""
OWN_EDGE, EDGE = 1.0, 0.5
"""How far outside its corners, in cells, what is seen of a card may still be its own; and of one that is recalled."""
BESIDE_PX = 9.0
"""Two places whose corners are so near to each other, in the view, are of one card."""
LEAST_SHOWN = 5
"""So many cells must show a card that is recalled."""
MOST_LOST = 0.5
"""A card that was not sure, and loses more than this part of what was seen of it, is given up."""
Cells = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Recollection:
    """A table with cards at some of the places that landmarks speak of; they come last."""

    laid: Laid
    places: tuple[Supposed, ...]

    @property
    def numbers(self) -> range:
        """Which of its cards are recalled, in the order of their places."""
        count = len(self.laid.texts)
        return range(count - len(self.places), count)


def with_recalled(laid: Laid, closeup: Closeup) -> tuple[Laid, list[tuple[Laid, int]]]:
    """The table with cards that were recalled, if they are believed; and those that are not, each with its table."""
    memory = closeup.memory
    if memory is None:
        return laid, []
    every = weights(laid, closeup)
    told = [number for number, weight in enumerate(every) if weight.told]
    # What cannot be read at all, a back that nobody knows, has no landmarks either.
    sure = [number for number in told if _surely(laid, number) >= DOUBTFUL or not every[number].evidence]
    rest = _unexplained(laid, sure)
    spots = _spots(rest, closeup)
    places = _places(laid, sure, spots, memory)
    laid = _asked(laid, [number for number in told if number not in sure], closeup, spots)
    doubted: list[tuple[Laid, int]] = []
    while places:
        recollection = _recalled(laid, told, rest, places, closeup, spots)
        if not recollection.places:
            break
        fuller = recollection.laid
        believed = [weight.told for weight in weights(fuller, closeup)]
        doubted += [(fuller, number) for number in recollection.numbers if not believed[number]]
        good = [
            place
            for number, place in zip(recollection.numbers, recollection.places, strict=True)
            if believed[number] and _surely(fuller, number) >= _surely_there(laid, told, place.quad_px)
        ]
        if len(good) == len(recollection.places):
            return fuller, doubted
        places = good
    return laid, doubted


def _asked(laid: Laid, numbers: Sequence[int], closeup: Closeup, spots: Spots) -> Laid:
    """The table with cards that are read in doubt recognised by their landmarks as well, where they lie."""
    texts = list(laid.texts)
    for number in numbers:
        text = texts[number]
        if text is not None and not text.dazzling:
            texts[number], _ = closeup.recognise(laid.finding, laid.quads_view, number, text, spots)
    return replace(laid, texts=tuple(texts))


def _unexplained(laid: Laid, sure: Sequence[int]) -> Cells:
    """The cells that show cards, but none of the sure ones at its place; in pieces that are large enough."""
    kinds, owners = laid.finding.kinds, laid.finding.owners
    rest = (kinds == FACE) | (kinds == BACK)
    cells = in_cells(laid.quads_view)
    for number in sure:
        quad = _grown(cells[number], OWN_EDGE)
        left, top = np.floor(quad.min(0)).astype(int).clip(0)
        right, bottom = np.ceil(quad.max(0)).astype(int).clip(0) + 1
        around = rest[top:bottom, left:right]
        around &= ~((owners[top:bottom, left:right] == number) & _covered(quad - (left, top), around.shape))
    _, parts, about, _ = cv2.connectedComponentsWithStats(rest.astype(np.uint8), connectivity=8)
    large = about[:, cv2.CC_STAT_AREA] >= LEAST_CELLS
    large[0] = False
    return np.asarray(large[parts], bool)


def _spots(rest: Cells, closeup: Closeup) -> Spots:
    """The spots of all pieces that are not explained."""
    count, parts = cv2.connectedComponents(rest.astype(np.uint8), connectivity=8)
    return joined([closeup.spots(parts == part) for part in range(1, count)])


def _places(laid: Laid, sure: Sequence[int], spots: Spots, memory: Memory) -> list[Supposed]:
    """Where landmarks say that cards lie in what is not explained, the best first."""
    places = supposed(spots, memory, LEAST_WORTH)
    # What is seen a little beside the corners of a card that is known speaks of that.
    return [place for place in places if not _beside(laid, sure, place.quad_px)]


def _recalled(
    laid: Laid, told: Sequence[int], rest: Cells, places: Sequence[Supposed], closeup: Closeup, spots: Spots
) -> Recollection:
    """The table with cards at such places, as far as anything is left that shows them.

    Cards that are not sure lose what is seen of them to those that are recalled.
    """
    finding = laid.finding
    rest, owners = rest.copy(), finding.owners.copy()
    cards, used = list(finding.cards), []
    for place in places:
        beside = _beside(laid, told, place.quad_px)
        others = [number for number in told if number not in beside]
        mine = rest & _covered(_grown(in_cells(place.quad_px), EDGE), owners.shape) & ~np.isin(owners, others)
        if np.count_nonzero(mine) < LEAST_SHOWN:
            continue
        rest &= ~mine
        owners[mine] = len(cards)
        cards.append(_found(place, finding.kinds[mine]))
        used.append(place)
    before, counts = (np.bincount(each.ravel() + 1, minlength=len(cards) + 1)[1:] for each in (finding.owners, owners))
    kept = [
        number
        for number in range(len(cards))
        if number >= len(finding.cards) or counts[number] >= MOST_LOST * before[number]
    ]
    quads = np.concatenate([laid.quads_view, *(place.quad_px[None] for place in used)])
    finding = replace(finding, cards=tuple(cards), owners=owners, shared=shared_cells(owners, in_cells(quads)))
    fuller = only(Laid(finding, quads, laid.texts + (None,) * len(used)), kept)
    fuller = replace(fuller, finding=recounted(fuller.finding, fuller.quads_view))
    changed = [place for place, number in enumerate(kept) if counts[number] != before[number]]
    recollection = Recollection(fuller, tuple(used))
    return replace(recollection, laid=_read(fuller, changed, recollection.numbers, closeup, spots))


def _read(laid: Laid, changed: Sequence[int], recalled: Sequence[int], closeup: Closeup, spots: Spots) -> Laid:
    """The table with cards read of which something else is seen now, and those recognised that were recalled."""
    finding, quads = laid.finding, laid.quads_view
    texts, cards = list(laid.texts), list(finding.cards)
    for number, text in zip(changed, closeup.read(finding, quads[list(changed)], changed, quads), strict=True):
        texts[number] = text
    for number in recalled:
        text = texts[number]
        if text is not None:
            texts[number], like = closeup.recognise(finding, quads, number, text, spots)
            cards[number] = replace(cards[number], likeness=like)
    return Laid(replace(finding, cards=tuple(cards)), quads, tuple(texts))


def _found(place: Supposed, kinds: NDArray[np.int8]) -> Found:
    """A card at a place, of which so many cells are seen."""
    quad = place.quad_px
    width, height = (float(np.linalg.norm(quad[corner] - quad[0])) for corner in (1, 3))
    visible = min(1.0, len(kinds) * STRIDE_PX**2 / (width * height))
    face_up = bool(2 * np.count_nonzero(kinds == FACE) > len(kinds))
    return Found(quad, face_up, 1.0, visible, False, (width, height), recalled=place.worth)


def _surely(laid: Laid, number: int) -> float:
    """How surely a card is read."""
    text = laid.texts[number]
    return 0.0 if text is None else best_part(text.reading)


def _surely_there(laid: Laid, numbers: Sequence[int], quad_view: Floats) -> float:
    """How surely any of some cards is read that lies where these corners are."""
    return max((_surely(laid, number) for number in _beside(laid, numbers, quad_view)), default=0.0)


def _beside(laid: Laid, numbers: Sequence[int], quad_view: Floats) -> list[int]:
    """Those of some cards that lie where these corners are."""
    quads = laid.quads_view[list(numbers)]
    # Nobody knows which way up they lie.
    apart = [np.linalg.norm(np.roll(quad_view, way, axis=0) - quads, axis=2).mean(1) for way in (0, 2)]
    return [number for number, off in zip(numbers, np.minimum(*apart), strict=True) if off < BESIDE_PX]


def _covered(quad_cells: Floats, shape: tuple[int, ...]) -> Cells:
    """The cells inside four corners."""
    mask = np.zeros(shape, np.uint8)
    if mask.size:
        cv2.fillConvexPoly(mask, np.round(quad_cells * 16).astype(np.int32), 1, shift=4)
    return mask > 0


def _grown(quad_cells: Floats, by: float) -> Floats:
    """Corners further out to all sides."""
    across, down = quad_cells[1] - quad_cells[0], quad_cells[3] - quad_cells[0]
    across, down = by * across / np.linalg.norm(across), by * down / np.linalg.norm(down)
    return np.asarray(quad_cells + np.stack([-across - down, across - down, across + down, down - across]), float)
