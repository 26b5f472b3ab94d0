"""Recalling: pieces of cards that no card found so far explains are searched for landmarks of the deck."""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import STRIDE_PX, Floats
from vision.closeup import Closeup, in_cells
from vision.finder import BACK, FACE, Found, recounted
from vision.landmarks import Supposed, joined, supposed
from vision.layers import doubles, shared_cells
from vision.reconsidering import Laid, only

LEAST_CELLS = 10
"""So many cells together that no card explains are searched."""
LEAST_WORTH = 1.5
"""What the landmarks that speak of a place must be worth together."""
OWN_EDGE, EDGE = 1.0, 0.5
"""How far outside its corners, in cells, what is seen of a card may still be its own; and of one that is recalled."""
BESIDE_PX = 9.0
"""A place whose corners are so near to those of a sure card, in the view, is that card's."""
LEAST_SHOWN = 5
"""So many cells must show a card that is recalled."""
MOST_LOST = 0.5
"""A card that was not sure, and loses more than this part of what was seen of it, is given up."""


def recollections(laid: Laid, sure: Sequence[int], closeup: Closeup) -> list[Supposed]:
    """Where landmarks say that cards lie in what the sure ones do not explain, the best first."""
    memory = closeup.memory
    if memory is None:
        return []
    spots = [closeup.spots(piece) for piece in _pieces(_unexplained(laid, sure))]
    places = supposed(joined(spots), memory, LEAST_WORTH)
    if not places or not sure:
        return places
    # What is a little beside the corners of a card that is known speaks of that.
    quads = np.concatenate([laid.quads_view[list(sure)], [place.quad_px for place in places]])
    twice = doubles(quads, -np.arange(len(quads), dtype=float), BESIDE_PX)
    return [place for number, place in enumerate(places, len(sure)) if number not in twice]


def recalled(laid: Laid, sure: Sequence[int], places: Sequence[Supposed], closeup: Closeup) -> tuple[Laid, list[int]]:
    """The table with cards at such places, as far as anything is left that shows them: last, and which they are.

    Cards that are not sure lose what is seen of them to those that are recalled.
    """
    finding = laid.finding
    rest, owners = _unexplained(laid, sure), finding.owners.copy()
    cards, quads, used = list(finding.cards), list(laid.quads_view), []
    for number, place in enumerate(places):
        mine = rest & _covered(_grown(in_cells(place.quad_px), EDGE), owners.shape)
        shown = np.count_nonzero(mine)
        if shown < LEAST_SHOWN:
            continue
        rest &= ~mine
        owners[mine] = len(cards)
        face_up = np.count_nonzero(finding.kinds[mine] == FACE) > shown / 2
        size = (float(np.linalg.norm(place.quad_px[1] - place.quad_px[0])), float(np.linalg.norm(place.quad_px[3] - place.quad_px[0])))
        visible = min(1.0, shown * STRIDE_PX**2 / (size[0] * size[1]))
        cards.append(Found(place.quad_px, face_up, 1.0, visible, False, size, 0.0, place.worth))
        quads.append(place.quad_px)
        used.append(number)
    if not used:
        return laid, []
    before = np.bincount(finding.owners.ravel() + 1, minlength=len(cards) + 1)[1:]
    counts = np.bincount(owners.ravel() + 1, minlength=len(cards) + 1)[1:]
    lost = {n for n in range(len(finding.cards)) if n not in sure and counts[n] < MOST_LOST * before[n]}
    kept = [n for n in range(len(cards)) if n not in lost]
    everything = np.stack(quads)
    shared = shared_cells(owners, in_cells(everything))
    more = replace(finding, cards=tuple(cards), owners=owners, shared=shared)
    changed = [n for n in kept if counts[n] != before[n]]
    fuller = only(Laid(more, everything, laid.texts + (None,) * len(used)), kept)
    fuller = replace(fuller, finding=recounted(fuller.finding, fuller.quads_view))
    again = [kept.index(n) for n in changed]
    texts = list(fuller.texts)
    read = closeup.read(fuller.finding, fuller.quads_view[again], again, fuller.quads_view)
    for n, text in zip(again, read, strict=True):
        texts[n] = text
    cards = list(fuller.finding.cards)
    for n in range(len(cards) - len(used), len(cards)):
        text = texts[n]
        if text is not None:
            texts[n], like = closeup.recognise(fuller.finding, fuller.quads_view, n, text)
            cards[n] = replace(cards[n], likeness=like)
    return Laid(replace(fuller.finding, cards=tuple(cards)), fuller.quads_view, tuple(texts)), used


def _pieces(cells: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    count, parts = cv2.connectedComponents(cells.astype(np.uint8), connectivity=8)
    return [parts == part for part in range(1, count)]


def _unexplained(laid: Laid, sure: Sequence[int]) -> NDArray[np.bool_]:
    """The cells that show cards, but none of the sure ones at its place; in pieces that are large enough."""
    kinds, owners = laid.finding.kinds, laid.finding.owners
    rest = (kinds == FACE) | (kinds == BACK)
    cells = in_cells(laid.quads_view)
    for number in sure:
        rest &= ~((owners == number) & _covered(_grown(cells[number], OWN_EDGE), owners.shape))
    _, parts, about, _ = cv2.connectedComponentsWithStats(rest.astype(np.uint8), connectivity=8)
    large = about[:, cv2.CC_STAT_AREA] >= LEAST_CELLS
    large[0] = False
    return np.asarray(large[parts], bool)


def _covered(quad_cells: Floats, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The cells inside four corners."""
    mask = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(mask, np.round(quad_cells * 16).astype(np.int32), 1, shift=4)
    return mask > 0


def _grown(quad_cells: Floats, by: float) -> Floats:
    """Corners further out to all sides."""
    across, down = quad_cells[1] - quad_cells[0], quad_cells[3] - quad_cells[0]
    across, down = by * across / np.linalg.norm(across), by * down / np.linalg.norm(down)
    return quad_cells + np.stack([-across - down, across - down, across + down, down - across])
