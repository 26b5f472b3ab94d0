"""A close-up: the cards of one frame looked at from near by, to say exactly where they lie and what is on them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import STRIDE_PX, Floats, Image, cut, cut_all
from vision.hypotheses.confidence import is_known, known_part, side_of
from vision.hypotheses.keypoints import Memory, Spots, joined, spoken, spots_in
from vision.hypotheses.rescoring import recognised
from vision.hypotheses.similarity import likeness
from vision.look.aligner import Aligner, moved
from vision.look.blank import EDGE, OWN_EDGE, is_bare, is_burnt_out
from vision.look.finder import Finder, Finding, Found
from vision.look.marks import MarkReader, words_of
from vision.look.reader import KnownFaces, Reader, Reading
from vision.look.table_view import Window
from vision.look.visibility import seen_maps

LEAST_READ = 0.03
"""A card of which less is seen is not read."""
AROUND_PX = 8.0
"""So far around a piece, in the view, its spots are looked at."""
LEAST_SIDE_PX = 16
"""A smaller piece has no spots."""
_ARROW_PX = 4.0


@dataclass(frozen=True, slots=True)
class Sight:
    """The networks that an eye looks with, loaded once and shared."""

    finder: Finder
    aligner: Aligner
    reader: Reader
    marks: MarkReader


@dataclass(frozen=True, slots=True)
class Text:
    """What a card says."""

    reading: Reading
    visible: float
    """The part of the card that is seen, if it lies where it was read."""
    marks: tuple[str, ...] = ()
    """What players drew on it."""
    bare: bool = False
    """Whether nothing is printed on it."""
    dazzling: bool = False
    """Whether nothing can be read because light has burnt it out."""


class Closeup:
    """One frame, as fine as crops need it."""

    def __init__(self, image: Image, window: Window, sight: Sight, decks: Sequence[KnownFaces], sized: bool) -> None:
        self._detail, self._scale = window.detail(image)
        self._window, self._sight, self._decks, self._sized = window, sight, decks, sized

    def can_tell(self, card: Found) -> bool:
        """Whether a reading says something about what was found: the deck is known, and so is this side of it."""
        return len(self._decks) == 1 and (card.face_up or self._decks[0].backs > 0)

    def align(self, finding: Finding, quads_view: Floats, numbers: Sequence[int]) -> tuple[Floats, Floats]:
        """The corners of some cards made exact, and by how much they were off."""
        lies = self._sight.aligner.align(self._detail, self._px(quads_view), finding.owners, quads_view, numbers)
        return moved(quads_view, lies, self._sized), lies

    def read(
        self, finding: Finding, quads_view: Floats, numbers: Sequence[int], places_view: Floats
    ) -> list[Text | None]:
        """What is on some cards, if they lay at these corners; None if too little is seen of one.

        The places are those of all cards.
        """
        texts: list[Text | None] = [None] * len(numbers)
        worth = [i for i, number in enumerate(numbers) if finding.cards[number].visible >= LEAST_READ]
        if not worth or not self._decks:
            return texts
        crops = cut_all(self._detail, self._px(quads_view[worth]))
        seen = seen_maps(finding, in_cells(quads_view[worth]), [numbers[i] for i in worth], in_cells(places_view))
        deck, readings = self._best(crops, seen)
        marks = self._marks(crops, seen, deck, readings)
        edge = OWN_EDGE if deck.practised else EDGE
        for i, place in enumerate(worth):
            strange = not is_known(readings[i])
            dazzling = strange and is_burnt_out(crops[i], seen[i])
            bare = strange and not dazzling and is_bare(crops[i], seen[i], edge)
            visible = float(np.count_nonzero(seen[i])) / seen[i].size
            texts[place] = Text(readings[i], visible, marks[i], bare, dazzling)
        return texts

    @property
    def practised(self) -> bool:
        """Whether it is one of our own decks, which the reader has practised."""
        return all(deck.practised for deck in self._decks)

    @property
    def memory(self) -> Memory | None:
        """The landmarks of the deck, if it is known which one it is."""
        return self._decks[0].memory if len(self._decks) == 1 else None

    def spots(self, cells: NDArray[np.bool_]) -> Spots:
        """The spots that are seen in some cells of the finder."""
        shown = np.argwhere(cells)[:, ::-1]
        low, high = in_view(shown.min(0) - 0.5) - AROUND_PX, in_view(shown.max(0) + 0.5) + AROUND_PX
        frame = self._px(np.array([low, (high[0], low[1]), high, (low[0], high[1])]))
        left, top = np.maximum(0, np.floor(frame.min(0)).astype(int))
        right, bottom = np.maximum(0, np.ceil(frame.max(0)).astype(int) + 1)
        piece = self._detail[top:bottom, left:right]
        if min(piece.shape[:2]) < LEAST_SIDE_PX:
            return joined([])
        seen = spots_in(piece, np.array([left, top], float), 1.0)
        if not len(seen.looks):
            return seen
        arrows = _ARROW_PX * np.stack([np.cos(seen.turns), np.sin(seen.turns)], 1)
        places = self._view(seen.places_px)
        arrows = self._view(seen.places_px + arrows) - places
        spots = Spots(
            seen.looks,
            places,
            np.arctan2(arrows[:, 1], arrows[:, 0]),
            seen.sizes_px * np.linalg.norm(arrows, axis=1) / _ARROW_PX,
        )
        return within(spots, cells)

    def recognise(
        self, finding: Finding, places_view: Floats, number: int, text: Text, spots: Spots
    ) -> tuple[Text, float]:
        """What a card in doubt says if its landmarks are asked, too, and how much it looks like that.

        Spots may be of others.
        """
        memory = self.memory
        if memory is None:
            return text, 0.0
        quad = places_view[number]
        seen = seen_maps(finding, in_cells(quad[None]), [number], in_cells(places_view))[0]
        crop = cut(self._detail, self._px(quad[None])[0])
        like = likeness(crop, seen, memory.sides)
        said = spoken(within(spots, finding.owners == number), memory, quad)
        crop_over, seen_over = crop[::-1, ::-1], seen[::-1, ::-1]
        (overhead,) = self._sight.reader.read(crop_over[None], seen_over[None], self._decks[0])
        reading = recognised(text.reading, overhead, memory.codes, said, like)
        code, ways = side_of(reading), [int(reading.turned)]
        same = [side for side, name in enumerate(memory.codes) if name == code]
        best = float(like[same][:, ways if code else [0, 1]].max())
        marks = self._marks(crop[None], seen[None], self._decks[0], [reading])[0]
        return replace(text, reading=reading, marks=marks), best

    def _view(self, points_detail: Floats) -> Floats:
        """Pixels that crops are cut from, in the view."""
        return self._window.to_view((points_detail + 0.5) / self._scale - 0.5)

    def _px(self, quads_view: Floats) -> Floats:
        """Corners in the pixels that crops are cut from."""
        return (self._window.to_frame(self._window.to_mm(quads_view)) + 0.5) * self._scale - 0.5

    def _best(self, crops: Image, seen: Image) -> tuple[KnownFaces, list[Reading]]:
        """The deck that explains the crops best, and what they say by it."""
        every = [(deck, self._sight.reader.read(crops, seen, deck)) for deck in self._decks]
        return max(every, key=lambda each: sum(known_part(reading) for reading in each[1]))

    def _marks(self, crops: Image, seen: Image, deck: KnownFaces, readings: Sequence[Reading]) -> list[tuple[str, ...]]:
        """What players drew on each card."""
        found: list[tuple[str, ...]] = [()] * len(readings)
        written = [i for i, reading in enumerate(readings) if reading.guesses[0].code in deck.clean]
        ways = [-1 if readings[i].turned else 1 for i in written]
        marks = self._sight.marks.read(
            [crops[i][::way, ::way] for i, way in zip(written, ways, strict=True)],
            [seen[i][::way, ::way] for i, way in zip(written, ways, strict=True)],
            [deck.clean[readings[i].guesses[0].code] for i in written],
        )
        for i, places in zip(written, marks, strict=True):
            found[i] = words_of(places)
        return found


def within(spots: Spots, cells: NDArray[np.bool_]) -> Spots:
    """Those spots that are seen in some cells of the finder, or right beside them."""
    near = cv2.dilate(cells.astype(np.uint8), np.ones((3, 3), np.uint8))
    columns, rows = np.rint(in_cells(spots.places_px)).astype(np.int64).T
    inside = (rows >= 0) & (columns >= 0) & (rows < near.shape[0]) & (columns < near.shape[1])
    inside &= near[rows.clip(0, near.shape[0] - 1), columns.clip(0, near.shape[1] - 1)] > 0
    return spots.some(np.flatnonzero(inside))


def in_cells(points_view: Floats) -> Floats:
    """Points of the view in cells of the finder."""
    return (points_view + 0.5) / STRIDE_PX - 0.5


def in_view(points_cells: Floats) -> Floats:
    """Points in cells of the finder, in pixels of the view."""
    return (points_cells + 0.5) * STRIDE_PX - 0.5
