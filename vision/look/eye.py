"""The eye: one look at a frame. Straightens, finds, cuts out and reads; remembers nothing."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.frames import Frame
from models.crops import STRIDE_PX, Floats
from models.marks import CHANNELS, PATCH_PX
from vision.hypotheses.confidence import lies_face_up
from vision.hypotheses.keypoint_search import with_recalled
from vision.hypotheses.refinement import Laid, reconsidered, single
from vision.hypotheses.scoring import weights
from vision.look.aligner import Aligner
from vision.look.crops import Closeup, Sight, Text, in_cells
from vision.look.finder import HAND, Finder, Found
from vision.look.layers import bottom_to_top, shared_cells
from vision.look.marks import MarkReader
from vision.look.network import THREADS, load_network
from vision.look.reader import KnownFaces, Reader
from vision.look.table_view import Window
from vision.sightings import CellGrid, Cells, Look, Sighting
from vision.table import Quad

WEIGHTS = Path(__file__).parents[2] / "models" / "weights"
MARK_INPUTS = {"patches": (None, CHANNELS, PATCH_PX, PATCH_PX)}
MOVED = 0.06
"""A card that lies further than this from where it was found, in its own widths or radians, is looked at again."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A card that may lie there: what would be told of it, what speaks for it, and whether that is enough."""

    sighting: Sighting
    evidence: tuple[float, ...]
    """Empty where nothing can be read."""
    told: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a look has made of a frame, before it is told."""

    closeup: Closeup
    laid: Laid | None
    """None if nothing was found."""
    doubted: list[tuple[Laid, int]]
    """Cards that were recalled and are not believed, each with its table."""
    hands: float
    where: Cells
    """The cells of the view that show them."""


def load_sight(weights: Path = WEIGHTS, threads: int = THREADS) -> Sight:
    """The networks in a folder."""
    marks = load_network(weights / "marks.onnx", MARK_INPUTS, threads)
    return Sight(
        Finder(weights / "finder.onnx", threads),
        Aligner(weights / "aligner.onnx", threads),
        Reader(weights / "reader.onnx", threads),
        MarkReader(marks),
    )


class Eye:
    """Looks at the table through one window and knows one deck, or several and chooses."""

    def __init__(self, window: Window, sight: Sight, decks: Sequence[KnownFaces], sized: bool = True) -> None:
        self._window, self._sight, self._decks = window, sight, tuple(decks)
        self._card_px = window.card_px if sized else None
        left_mm, top_mm = window.to_mm(np.array([-0.5, -0.5])).tolist()
        self._grid = CellGrid(left_mm, top_mm, STRIDE_PX / window.px_per_mm, window.seen_mm())

    def look(self, frame: Frame) -> Look:
        """Everything that lies on the table in this frame."""
        seen = self._see(frame)
        cards = () if seen.laid is None else self._weighed(seen.laid, seen.closeup)
        told = tuple(each.sighting for each in cards if each.told)
        return Look(frame.index, frame.at_s, told, seen.hands, seen.where, self._grid)

    def weigh(self, frame: Frame) -> tuple[tuple[Weighed, ...], float]:
        """Everything that may lie on the table, bottom to top, and the part of the picture that is hands.

        What was recalled and is not believed comes last.
        """
        seen = self._see(frame)
        if seen.laid is None:
            return (), seen.hands
        weighed = self._weighed(seen.laid, seen.closeup)
        for table, number in seen.doubted:
            weighed += self._weighed(table, seen.closeup, [number])
        return weighed, seen.hands

    def _see(self, frame: Frame) -> _Seen:
        closeup = Closeup(frame.image, self._window, self._sight, self._decks, self._card_px is not None)
        finding = self._sight.finder.find(self._window.straight(frame.image), self._card_px)
        if not finding.cards:
            return _Seen(closeup, None, [], finding.hands, finding.kinds == HAND)
        found = np.stack([card.quad_px for card in finding.cards])
        quads, lies = closeup.align(finding, found, range(len(found)))
        finding, kept = single(finding, quads)
        quads = quads[kept]
        # Who lay far from where the finder saw it is looked at once more.
        far = np.flatnonzero(np.abs(lies[kept]).max(1) > MOVED)
        if len(far):
            quads[far], _ = closeup.align(finding, quads[far], far.tolist())
        finding = replace(finding, shared=shared_cells(finding.owners, in_cells(quads)))
        laid = Laid(finding, quads, tuple(closeup.read(finding, quads, range(len(quads)), quads)))
        doubted: list[tuple[Laid, int]] = []
        if self._card_px is not None and len(self._decks) == 1:
            laid, doubted = with_recalled(reconsidered(laid, closeup, self._card_px), closeup)
        return _Seen(closeup, laid, doubted, finding.hands, finding.kinds == HAND)

    def _weighed(self, laid: Laid, closeup: Closeup, numbers: Container[int] | None = None) -> tuple[Weighed, ...]:
        """What would be told of the cards, or of some, bottom to top."""
        finding = laid.finding
        quads_mm = self._window.to_mm(laid.quads_view)
        quads_px = self._window.to_frame(quads_mm)
        every = weights(laid, closeup)
        weighed = []
        for number in bottom_to_top(finding.shared):
            if numbers is not None and number not in numbers:
                continue
            card, text, weight = finding.cards[number], laid.texts[number], every[number]
            if text is not None:
                card = replace(card, visible=text.visible)
                if text.bare:
                    continue
            sighting = _sighting(card, quads_mm[number], quads_px[number], weight.likely, text)
            weighed.append(Weighed(sighting, weight.evidence, weight.told))
        return tuple(weighed)


def _sighting(found: Found, quad_mm: Floats, quad_px: Floats, likely: float, text: Text | None) -> Sighting:
    reading = None if text is None else text.reading
    dazzling = text is not None and text.dazzling
    if reading is not None and reading.turned:
        quad_mm, quad_px = np.roll(quad_mm, 2, axis=0), np.roll(quad_px, 2, axis=0)
    face_up = lies_face_up(found, reading)
    return Sighting(
        _corners(quad_mm),
        _corners(quad_px),
        face_up,
        likely,
        found.visible,
        found.under_hand,
        reading.guesses if reading is not None and face_up and not dazzling else (),
        text.marks if text is not None and face_up else (),
    )


def _corners(quad: NDArray[np.float64]) -> Quad:
    (a, b), (c, d), (e, f), (g, h) = quad.tolist()
    return (a, b), (c, d), (e, f), (g, h)
