"""Reconsidering: a card that cannot be read where it was found may lie otherwise; so may pieces nobody voted for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import STRIDE_PX, Floats
from vision.hypotheses.confidence import best_part
from vision.hypotheses.poses import NUDGES, crossed, fits, framed, nudged
from vision.look.crops import LEAST_READ, Closeup, Text, in_cells, in_view
from vision.look.finder import BACK, FACE, TABLE, Finding, Found, recounted
from vision.look.layers import doubles, shared_cells

DOUBTFUL, MOST_DOUBTFUL = 0.9, 24
"""A card that is read less surely may lie otherwise; on a carpet full of patterns not everything is tried."""
LEAST_CELLS = 12
"""So many cells together that show a card, and voted for none that was found, are looked into."""
LOOSE_SURE = 0.2
"""How sure the votes are that did not agree."""
LEAST_FIT, TRIES = 0.4, 6
"""Only places that fit this well are tried, the best of them for each card."""
LITTLE = 0.5
"""A card of which more is seen lies where it was aligned."""
BETTER, LOOSE_WORTH = 0.1, 1.4
"""By how much fit and reading must be better than before, and what both must be together for a loose piece."""
SAME_PX = 5.3
"""Two cards that lie as near to each other as this, in the view, are one."""


@dataclass(frozen=True, slots=True)
class Laid:
    """What a look has made of the table so far: the cards, their corners in the view, what they say."""

    finding: Finding
    quads_view: Floats
    texts: tuple[Text | None, ...]


def reconsidered(laid: Laid, closeup: Closeup, card_px: tuple[float, float]) -> Laid:
    """The same table with cards put where they are read better, and loose pieces that turn out to be cards."""
    before = len(laid.quads_view)
    laid = _with_loose(laid, card_px)
    finding, cells = laid.finding, in_cells(laid.quads_view)
    bare = finding.kinds == TABLE
    doubtful = _doubtful(laid, closeup)
    numbers, tried = _suppositions(finding, cells, bare, doubtful, _in_cells(card_px))
    nudges = [number for number in doubtful if number < before and finding.cards[number].visible < LITTLE]
    better: dict[int, Floats] = {}
    if numbers or nudges:
        quads = in_view(tried)
        if numbers:
            # They are only roughly right.
            quads, _ = closeup.align(finding, quads, numbers)
            quads, _ = closeup.align(finding, quads, numbers)
        quads = np.concatenate([quads, *(nudged(laid.quads_view[number]) for number in nudges)])
        numbers += [number for number in nudges for _ in range(NUDGES)]
        texts = closeup.read(finding, quads, numbers, laid.quads_view)
        better = _better(laid, before, cells, bare, numbers, quads, texts)
    kept = [number for number in range(len(cells)) if number < before or number in better]
    if not better:
        return only(laid, kept)
    quads = laid.quads_view.copy()
    for number, quad in better.items():
        quads[number] = quad
    finding = replace(finding, shared=shared_cells(finding.owners, in_cells(quads)))
    return _reread(
        only(replace(laid, finding=finding, quads_view=quads), kept),
        closeup,
        [kept.index(number) for number in better],
    )


def single(finding: Finding, quads_view: Floats) -> tuple[Finding, list[int]]:
    """The finding without cards that turned out to be another one, and which of them are left."""
    worth = np.array([card.visible * card.sure for card in finding.cards])
    twice = doubles(quads_view, worth, SAME_PX)
    kept = [number for number in range(len(finding.cards)) if number not in twice]
    return (_renamed(finding, quads_view, kept, twice) if twice else finding), kept


def _with_loose(laid: Laid, card_px: tuple[float, float]) -> Laid:
    """Pieces of cards whose votes agreed with nobody's, as cards of which nothing is known."""
    finding = laid.finding
    loose = (finding.owners < 0) & ((finding.kinds == FACE) | (finding.kinds == BACK))
    count, parts, about, _ = cv2.connectedComponentsWithStats(loose.astype(np.uint8), connectivity=4)
    pieces = [part for part in range(1, count) if about[part, cv2.CC_STAT_AREA] >= LEAST_CELLS]
    if not pieces:
        return laid
    owners, cards, quads = finding.owners.copy(), list(finding.cards), list(laid.quads_view)
    for part in pieces:
        rows, columns = np.nonzero(parts == part)
        owners[rows, columns] = len(cards)
        quad = in_view(framed(np.stack([columns, rows], 1).astype(float), _in_cells(card_px))[0])
        face_up = bool((finding.kinds[rows, columns] == FACE).mean() > 0.5)
        visible = min(1.0, len(rows) * STRIDE_PX**2 / (card_px[0] * card_px[1]))
        cards.append(Found(quad, face_up, LOOSE_SURE, visible, False, card_px))
        quads.append(quad)
    shared = shared_cells(owners, in_cells(np.stack(quads)))
    finding = replace(finding, owners=owners, cards=tuple(cards), shared=shared)
    return Laid(finding, np.stack(quads), laid.texts + (None,) * len(pieces))


def _doubtful(laid: Laid, closeup: Closeup) -> list[int]:
    """The cards that may lie otherwise, those of which most is seen first."""
    cards = laid.finding.cards
    # Of which too little is seen to be read, that is not read elsewhere either.
    found = [
        number
        for number, text in enumerate(laid.texts)
        if (text is None or best_part(text.reading) < DOUBTFUL)
        and cards[number].visible >= LEAST_READ
        and closeup.can_tell(cards[number])
    ]
    return sorted(found, key=lambda number: -cards[number].visible)[:MOST_DOUBTFUL]


def _suppositions(
    finding: Finding, cells: Floats, bare: NDArray[np.bool_], doubtful: Sequence[int], size: tuple[float, float]
) -> tuple[list[int], Floats]:
    """Where the doubtful cards may lie otherwise: whose place it would be, and the place, in cells."""
    numbers: list[int] = []
    tried = [np.zeros((0, 4, 2))]
    for number in doubtful:
        rows, columns = np.nonzero(finding.owners == number)
        if not len(rows):
            continue
        shown = np.stack([columns, rows], 1).astype(float)
        side = cells[number, 1] - cells[number, 0]
        turned = framed(shown, size, float(np.arctan2(side[1], side[0])))
        places = np.concatenate([framed(shown, size), turned, crossed(cells[number])])
        good = fits(places, finding.owners, number, bare, finding.shared)
        best = [place for place in np.argsort(-good)[:TRIES] if good[place] > LEAST_FIT]
        numbers += [number] * len(best)
        tried.append(places[best])
    return numbers, np.concatenate(tried)


def _better(
    laid: Laid,
    before: int,
    cells: Floats,
    bare: NDArray[np.bool_],
    numbers: Sequence[int],
    quads_view: Floats,
    texts: Sequence[Text | None],
) -> dict[int, Floats]:
    """For every card that lies better otherwise the best of the places that were tried."""
    owners, shared = laid.finding.owners, laid.finding.shared
    best: dict[int, tuple[float, Floats]] = {}
    for number, quad, text in zip(numbers, quads_view, texts, strict=True):
        worth = _worth(fits(in_cells(quad)[None], owners, number, bare, shared), text)
        if number not in best or worth > best[number][0]:
            best[number] = (worth, quad)
    better = {}
    for number, (worth, quad) in best.items():
        now = LOOSE_WORTH
        if number < before:
            fit = fits(cells[number : number + 1], owners, number, bare, shared)
            now = _worth(fit, laid.texts[number]) + BETTER
        if worth > now:
            better[number] = quad
    return better


def _reread(laid: Laid, closeup: Closeup, moved: Sequence[int]) -> Laid:
    """The table after some cards were put elsewhere: those that are one now become one, and what changed is read."""
    counts = _counts(laid.finding)
    finding, kept = single(laid.finding, laid.quads_view)
    quads = laid.quads_view[kept]
    finding = recounted(finding, quads)
    changed = _counts(finding) != counts[kept]
    changed |= np.isin(kept, moved)
    again = np.flatnonzero(changed).tolist()
    texts = [laid.texts[number] for number in kept]
    for number, text in zip(again, closeup.read(finding, quads[again], again, quads), strict=True):
        texts[number] = text
    return Laid(finding, quads, tuple(texts))


def only(laid: Laid, kept: Sequence[int]) -> Laid:
    """Some of the cards; what is seen of the others belongs to nobody."""
    if len(kept) == len(laid.texts):
        return laid
    finding = _renamed(laid.finding, laid.quads_view, kept, {})
    return Laid(finding, laid.quads_view[list(kept)], tuple(laid.texts[number] for number in kept))


def _renamed(finding: Finding, quads_view: Floats, kept: Sequence[int], instead: dict[int, int]) -> Finding:
    """The finding with those cards that are kept; what is seen of others belongs to those that they are, or to none."""
    names = np.full(len(finding.cards) + 1, -1, np.int16)
    names[[number + 1 for number in kept]] = np.arange(len(kept))
    for number, other in instead.items():
        names[number + 1] = names[other + 1]
    owners = names[finding.owners + 1]
    shared = shared_cells(owners, in_cells(quads_view[list(kept)]))
    cards = tuple(finding.cards[number] for number in kept)
    return replace(finding, cards=cards, owners=owners, shared=shared)


def _worth(fit: Floats, text: Text | None) -> float:
    return float(fit[0]) + (0.0 if text is None else best_part(text.reading))


def _counts(finding: Finding) -> NDArray[np.int64]:
    """How many cells show each card."""
    return np.bincount(finding.owners.ravel() + 1, minlength=len(finding.cards) + 1)[1:]


def _in_cells(size_px: tuple[float, float]) -> tuple[float, float]:
    return size_px[0] / STRIDE_PX, size_px[1] / STRIDE_PX
