"""Crops at reading scale: the cards of one frame, cut out to align their poses and to read them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import Floats, Image, cut, cut_all
from models.print_alignment import MIN_WARPED_FRACTION, aligned_print, outline_of, rough_shift
from vision.hypotheses.confidence import best_side, deck_probability, is_of_deck
from vision.hypotheses.keypoints import KeypointIndex, Keypoints, concatenated, detect_keypoints, side_scores
from vision.hypotheses.rescoring import rescored
from vision.hypotheses.similarity import side_similarities
from vision.look.aligner import apply_offsets
from vision.look.blank import is_blank, is_overexposed
from vision.look.cells import cells_to_view, view_to_cells
from vision.look.finder import Detection, Detections
from vision.look.marks import marked_places
from vision.look.networks import Networks
from vision.look.reader import FaceReading, KnownFaces
from vision.look.table_view import TableView
from vision.look.tuning import (
    EDGE_MARGIN,
    KEYPOINT_MARGIN_PX,
    MIN_KEYPOINT_PATCH_PX,
    MIN_READABLE_FRACTION,
    OWN_DECK_EDGE_MARGIN,
)
from vision.look.visibility import visibility_maps

_ARROW_PX = 4.0
"""Length of the arrow that carries the angle and size of a keypoint from the crop source to the view."""


@dataclass(frozen=True, slots=True)
class CardReading:
    """What was read on a card at one pose."""

    face: FaceReading
    visible: float
    """The visible fraction of the card, at the pose where it was read."""
    marks: tuple[str, ...] = ()
    """Places of the card that players marked."""
    blank: bool = False
    """Whether nothing is printed on the card."""
    overexposed: bool = False
    """Whether the light is too strong to read the card."""


class FrameCrops:
    """One frame at the scale of the crops: aligns and reads cards at candidate poses."""

    def __init__(
        self, image: Image, view: TableView, networks: Networks, decks: Sequence[KnownFaces], known_size: bool
    ) -> None:
        self._source, self._scale = view.crop_source(image)
        self._view, self._networks, self._decks, self._known_size = view, networks, decks, known_size

    @property
    def is_refined(self) -> bool:
        """Whether the reader was trained on the deck, as it was on Krupier's own decks."""
        return all(deck.refined for deck in self._decks)

    @property
    def keypoint_index(self) -> KeypointIndex | None:
        """The keypoints of the deck, if the deck is known."""
        return self._decks[0].keypoints if len(self._decks) == 1 else None

    def can_read(self, card: Detection) -> bool:
        """Whether a reading is evidence for a detection: the deck is known, and the side that is up is, too."""
        return len(self._decks) == 1 and (card.face_up or self._decks[0].back_count > 0)

    def align(self, detections: Detections, quads_view: Floats, indices: Sequence[int]) -> tuple[Floats, Floats]:
        """The corrected corners of some cards, and the offsets by which they were corrected."""
        offsets = self._networks.aligner.align(
            self._source, self._to_source(quads_view), detections.owners, quads_view, indices
        )
        return apply_offsets(quads_view, offsets, self._known_size), offsets

    def read(
        self, detections: Detections, quads_view: Floats, indices: Sequence[int], all_quads_view: Floats
    ) -> list[CardReading | None]:
        """Read the cards with these indices at candidate poses; None for a card of which too little is visible.

        `all_quads_view` are the poses of all cards, which may hide each other.
        """
        readings: list[CardReading | None] = [None] * len(indices)
        readable = [i for i, index in enumerate(indices) if detections.cards[index].visible >= MIN_READABLE_FRACTION]
        if not readable or not self._decks:
            return readings
        crops = cut_all(self._source, self._to_source(quads_view[readable]))
        visibility = visibility_maps(
            detections,
            view_to_cells(quads_view[readable]),
            [indices[i] for i in readable],
            view_to_cells(all_quads_view),
        )
        deck, faces = self._best_deck(crops, visibility)
        marks = self._marks(crops, visibility, deck, faces)
        edge_margin = OWN_DECK_EDGE_MARGIN if deck.refined else EDGE_MARGIN
        for i, place in enumerate(readable):
            unknown = not is_of_deck(faces[i])
            overexposed = unknown and is_overexposed(crops[i], visibility[i])
            blank = unknown and not overexposed and is_blank(crops[i], visibility[i], edge_margin)
            visible = float(np.count_nonzero(visibility[i])) / visibility[i].size
            readings[place] = CardReading(faces[i], visible, marks[i], blank, overexposed)
        return readings

    def keypoints(self, cells: NDArray[np.bool_]) -> Keypoints:
        """The keypoints in some cells of the view."""
        points = np.argwhere(cells)[:, ::-1]
        low = cells_to_view(points.min(0) - 0.5) - KEYPOINT_MARGIN_PX
        high = cells_to_view(points.max(0) + 0.5) + KEYPOINT_MARGIN_PX
        frame = self._to_source(np.array([low, (high[0], low[1]), high, (low[0], high[1])]))
        left, top = np.maximum(0, np.floor(frame.min(0)).astype(int))
        right, bottom = np.maximum(0, np.ceil(frame.max(0)).astype(int) + 1)
        patch = self._source[top:bottom, left:right]
        if min(patch.shape[:2]) < MIN_KEYPOINT_PATCH_PX:
            return concatenated([])
        found = detect_keypoints(patch, np.array([left, top], float), 1.0)
        if not len(found.descriptors):
            return found
        arrows = _ARROW_PX * np.stack([np.cos(found.angles), np.sin(found.angles)], 1)
        points_view = self._to_view(found.points_px)
        arrows_view = self._to_view(found.points_px + arrows) - points_view
        in_view = Keypoints(
            found.descriptors,
            points_view,
            np.arctan2(arrows_view[:, 1], arrows_view[:, 0]),
            found.sizes_px * np.linalg.norm(arrows_view, axis=1) / _ARROW_PX,
        )
        return keypoints_in_cells(in_view, cells)

    def rescore(
        self, detections: Detections, quads_view: Floats, index: int, reading: CardReading, keypoints: Keypoints
    ) -> tuple[CardReading, float]:
        """The reading of a doubtful card, rescored by its keypoints and similarity; and its similarity to that side.

        `quads_view` are the poses of all cards. The keypoints may be those of several cards.
        """
        deck_index = self.keypoint_index
        if deck_index is None:
            return reading, 0.0
        deck, quad = self._decks[0], quads_view[index]
        visible = visibility_maps(detections, view_to_cells(quad[None]), [index], view_to_cells(quads_view))[0]
        crop = cut(self._source, self._to_source(quad[None])[0])
        similarities = side_similarities(crop, visible, deck_index.thumbnails)
        scores = side_scores(keypoints_in_cells(keypoints, detections.owners == index), deck_index, quad)
        face = reading.face
        if deck.views is None or reading.visible < MIN_WARPED_FRACTION:
            # The matcher decides better about a whole card of a taught deck: keypoints and similarity know no hue.
            upside_down, visible_upside_down = crop[::-1, ::-1], visible[::-1, ::-1]
            (second,) = self._networks.reader.read(upside_down[None], visible_upside_down[None], deck)
            face = rescored(face, second, deck_index.codes, scores, similarities)
        code = best_side(face)
        same = [side for side, name in enumerate(deck_index.codes) if name == code]
        # A back has no top, so both ways count.
        ways = [int(face.turned)] if code else [0, 1]
        similarity = float(similarities[same][:, ways].max())
        marks = self._marks(crop[None], visible[None], deck, [face])[0]
        return replace(reading, face=face, marks=marks), similarity

    def _to_view(self, points_source: Floats) -> Floats:
        """Points of the crop source, in the view."""
        return self._view.frame_to_view((points_source + 0.5) / self._scale - 0.5)

    def _to_source(self, quads_view: Floats) -> Floats:
        """Corners in the view, in pixels of the crop source."""
        return (self._view.mm_to_frame(self._view.view_to_mm(quads_view)) + 0.5) * self._scale - 0.5

    def _best_deck(self, crops: Image, visibility: Image) -> tuple[KnownFaces, list[FaceReading]]:
        """The deck that explains the crops best, and their readings by it."""
        by_deck = [(deck, self._networks.reader.read(crops, visibility, deck)) for deck in self._decks]
        return max(by_deck, key=lambda each: sum(deck_probability(face) for face in each[1]))

    def _marks(
        self, crops: Image, visibility: Image, deck: KnownFaces, faces: Sequence[FaceReading]
    ) -> list[tuple[str, ...]]:
        """The places that players marked on each card."""
        by_card: list[tuple[str, ...]] = [()] * len(faces)
        markable = [i for i, face in enumerate(faces) if face.guesses[0].code in deck.clean_faces]
        steps = [-1 if faces[i].turned else 1 for i in markable]
        upright = [
            (crops[i][::step, ::step], visibility[i][::step, ::step]) for i, step in zip(markable, steps, strict=True)
        ]
        clean = [deck.clean_faces[faces[i].guesses[0].code] for i in markable]
        if not deck.refined:
            # A mark is a difference from the clean face, and print that is 2 mm beside its place is one, too.
            upright = [_over_its_face(*one, face) for one, face in zip(upright, clean, strict=True)]
        marks = self._networks.marks.read([crop for crop, _ in upright], [seen for _, seen in upright], clean)
        for i, card_marks in zip(markable, marks, strict=True):
            by_card[i] = marked_places(card_marks)
        return by_card


def _over_its_face(crop: Image, visible: Image, clean: Image) -> tuple[Image, Image]:
    """A crop and its visibility map with the print where the clean face has it."""
    crop, visible, outline = np.ascontiguousarray(crop), np.ascontiguousarray(visible), outline_of(clean)
    return aligned_print(crop, visible, outline, rough_shift(crop, outline))


def keypoints_in_cells(keypoints: Keypoints, cells: NDArray[np.bool_]) -> Keypoints:
    """Those keypoints that are in some cells of the view, or in cells next to them."""
    grown = cv2.dilate(cells.astype(np.uint8), np.ones((3, 3), np.uint8))
    columns, rows = np.rint(view_to_cells(keypoints.points_px)).astype(np.int64).T
    inside = (rows >= 0) & (columns >= 0) & (rows < grown.shape[0]) & (columns < grown.shape[1])
    inside &= grown[rows.clip(0, grown.shape[0] - 1), columns.clip(0, grown.shape[1] - 1)] > 0
    return keypoints.subset(np.flatnonzero(inside))
