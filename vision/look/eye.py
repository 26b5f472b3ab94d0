"""The eye: one look at a frame. Rectifies, detects, aligns, reads and scores cards; keeps no state between frames."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.frames import Frame
from models.crops import STRIDE_PX, Floats
from vision.hypotheses.candidates import Hypotheses, merge_duplicates
from vision.hypotheses.confidence import is_face_up
from vision.hypotheses.keypoint_search import add_cards_by_keypoints
from vision.hypotheses.refinement import refine_poses
from vision.hypotheses.scoring import Score, scores
from vision.look.cells import view_to_cells
from vision.look.crops import CardReading, FrameCrops
from vision.look.finder import HAND, Detection
from vision.look.layers import bottom_to_top, overlap_counts
from vision.look.networks import Networks
from vision.look.reader import KnownFaces
from vision.look.table_view import TableView
from vision.look.tuning import REALIGN_OFFSET
from vision.sightings import CellGrid, Cells, Look, Sighting
from vision.table import Quad


@dataclass(frozen=True, slots=True)
class Candidate:
    """A card that may be on the table: the sighting that would be reported, and its score."""

    sighting: Sighting
    score: Score
    detection: Detection


@dataclass(frozen=True, slots=True)
class _Analysis:
    """Everything that was worked out about a frame, before it is reported."""

    crops: FrameCrops
    hypotheses: Hypotheses | None
    """None if nothing was detected."""
    rejected: list[tuple[Hypotheses, int]]
    """Cards found by keypoints that scored too low: the hypotheses with such a card, and its index."""
    hand_share: float
    hand_cells: Cells
    """The cells of the view that show hands."""


class CardEye:
    """Looks at the table through one view and knows one deck, or several to choose from."""

    def __init__(
        self, view: TableView, networks: Networks, decks: Sequence[KnownFaces], known_size: bool = True
    ) -> None:
        self._view, self._networks, self._decks = view, networks, tuple(decks)
        self._card_px = view.card_px if known_size else None
        left_mm, top_mm = view.view_to_mm(np.array([-0.5, -0.5])).tolist()
        self._grid = CellGrid(left_mm, top_mm, STRIDE_PX / view.px_per_mm, view.visible_extent_mm())

    def look(self, frame: Frame) -> Look:
        """Every card in this frame that is likely enough to report, and the hands."""
        analysis = self._analyse(frame)
        candidates = () if analysis.hypotheses is None else self._candidates(analysis.hypotheses, analysis.crops)
        reported = tuple(candidate.sighting for candidate in candidates if candidate.score.reported)
        return Look(frame.index, frame.at_s, reported, analysis.hand_share, analysis.hand_cells, self._grid)

    def candidates(self, frame: Frame) -> tuple[Candidate, ...]:
        """Every candidate in this frame, also those that are too unlikely to report.

        Bottom to top; rejected cards of the keypoint search come last.
        """
        analysis = self._analyse(frame)
        if analysis.hypotheses is None:
            return ()
        candidates = self._candidates(analysis.hypotheses, analysis.crops)
        for hypotheses, index in analysis.rejected:
            candidates += self._candidates(hypotheses, analysis.crops, [index])
        return candidates

    def _analyse(self, frame: Frame) -> _Analysis:
        """Detect, align and read the cards of a frame; if deck and card size are known, refine what is doubtful."""
        crops = FrameCrops(frame.image, self._view, self._networks, self._decks, self._card_px is not None)
        detections = self._networks.finder.find(self._view.rectify(frame.image), self._card_px)
        hand_share, hand_cells = detections.hand_share, detections.classes == HAND
        if not detections.cards:
            return _Analysis(crops, None, [], hand_share, hand_cells)
        found = np.stack([card.quad_px for card in detections.cards])
        quads, offsets = crops.align(detections, found, range(len(found)))
        detections, kept = merge_duplicates(detections, quads)
        quads = quads[kept]
        # The aligner is less exact for cards far from their detection: they are aligned once more.
        far = np.flatnonzero(np.abs(offsets[kept]).max(1) > REALIGN_OFFSET)
        if len(far):
            quads[far], _ = crops.align(detections, quads[far], far.tolist())
        detections = replace(detections, overlaps=overlap_counts(detections.owners, view_to_cells(quads)))
        readings = crops.read(detections, quads, range(len(quads)), quads)
        hypotheses = Hypotheses(detections, quads, tuple(readings))
        rejected: list[tuple[Hypotheses, int]] = []
        if self._card_px is not None and len(self._decks) == 1:
            hypotheses = refine_poses(hypotheses, crops, self._card_px)
            hypotheses, rejected = add_cards_by_keypoints(hypotheses, crops)
        return _Analysis(crops, hypotheses, rejected, hand_share, hand_cells)

    def _candidates(
        self, hypotheses: Hypotheses, crops: FrameCrops, indices: Container[int] | None = None
    ) -> tuple[Candidate, ...]:
        """All hypotheses, or those with some indices, as candidates, bottom to top."""
        detections = hypotheses.detections
        quads_mm = self._view.view_to_mm(hypotheses.quads_view)
        quads_px = self._view.mm_to_frame(quads_mm)
        score_of = scores(hypotheses, crops)
        candidates = []
        for index in bottom_to_top(detections.overlaps):
            if indices is not None and index not in indices:
                continue
            card, reading, score = detections.cards[index], hypotheses.readings[index], score_of[index]
            if reading is not None:
                card = replace(card, visible=reading.visible)
                if reading.blank:
                    continue
            sighting = _sighting(card, quads_mm[index], quads_px[index], score.probability, reading)
            candidates.append(Candidate(sighting, score, card))
        return tuple(candidates)


def _sighting(
    card: Detection, quad_mm: Floats, quad_px: Floats, probability: float, reading: CardReading | None
) -> Sighting:
    """A card as it is reported, its corners in card order."""
    face = None if reading is None else reading.face
    overexposed = reading is not None and reading.overexposed
    if face is not None and face.turned:
        quad_mm, quad_px = np.roll(quad_mm, 2, axis=0), np.roll(quad_px, 2, axis=0)
    face_up = is_face_up(card, face)
    return Sighting(
        _corners(quad_mm),
        _corners(quad_px),
        face_up,
        probability,
        card.visible,
        card.under_hand,
        face.guesses if face is not None and face_up and not overexposed else (),
        reading.marks if reading is not None and face_up else (),
        face.way_probability if face is not None and face_up else 1.0,
    )


def _corners(quad: NDArray[np.float64]) -> Quad:
    (a, b), (c, d), (e, f), (g, h) = quad.tolist()
    return (a, b), (c, d), (e, f), (g, h)
