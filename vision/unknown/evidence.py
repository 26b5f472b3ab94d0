"""Evidence for cards of an unknown deck: the votes of the finder, and the edges around the card."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import cv2
import numpy as np

from calibration.frames import Frame
from models.crops import SEEN_PX, Floats, Image, cut
from vision.look.blank import is_blank
from vision.look.eye import CardEye
from vision.look.finder import Detection
from vision.look.networks import Networks
from vision.look.table_view import TableView
from vision.sightings import Sighting
from vision.unknown.outline import Outline, find_outline
from vision.unknown.tuning import (
    MAX_HIDDEN_EVIDENCE,
    MIN_MEASURED_CONFIDENCE,
    SURE_RELATIVE_CONFIDENCE,
    UNKNOWN_EXISTENCE_WEIGHTS,
    UNSEEN_SIDE_SUPPORT,
)


@dataclass(frozen=True, slots=True)
class OutlinedCard:
    """A candidate without a deck: its sighting, the outline in the picture, and the evidence for it."""

    sighting: Sighting
    outline: Outline
    evidence: tuple[float, ...]
    """Features of the logistic regression."""
    vote_confidence: float

    @property
    def quad_px(self) -> Floats:
        """The corners: those of the outline, if it is closed."""
        return self.outline.quad_px if self.outline.is_closed else np.array(self.sighting.corners_px)

    @property
    def probability(self) -> float:
        """The probability that the card exists."""
        *weights, bias = UNKNOWN_EXISTENCE_WEIGHTS
        return 1 / (1 + exp(-sum(w * value for w, value in zip(weights, self.evidence, strict=True)) - bias))


def outlined_cards(frame: Frame, networks: Networks, view: TableView, known_size: bool) -> list[OutlinedCard]:
    """All printed candidates of a frame with their outlines, bottom to top."""
    candidates = CardEye(view, networks, (), known_size=known_size).candidates(frame)
    quads = [np.array(candidate.sighting.corners_px) for candidate in candidates]
    surest = max((candidate.detection.vote_confidence for candidate in candidates), default=0.0)
    found = []
    for number, (candidate, quad) in enumerate(zip(candidates, quads, strict=True)):
        if _is_unprinted(frame.image, quad):
            continue
        above = [other for other in quads[number + 1 :] if _boxes_touch(quad, other)]
        outline = find_outline(frame.image, quad, above)
        hidden = _hidden_share(
            quad,
            [
                other
                for other, card in zip(quads, candidates, strict=True)
                if other is not quad and card.detection.vote_confidence >= SURE_RELATIVE_CONFIDENCE * surest
            ],
        )
        evidence = _evidence(candidate.detection, outline, surest, hidden)
        found.append(OutlinedCard(candidate.sighting, outline, evidence, candidate.detection.vote_confidence))
    return found


def measured_size_mm(view: TableView, cards: Sequence[OutlinedCard]) -> tuple[float, float] | None:
    """The common width and height of the cards whose outline is closed; None if there are none."""
    surest = max((card.vote_confidence for card in cards), default=0.0)
    closed = [
        card.outline.quad_px
        for card in cards
        if card.outline.is_closed and card.vote_confidence >= MIN_MEASURED_CONFIDENCE * surest
    ]
    if not closed:
        return None
    quads = view.frame_to_view(np.concatenate(closed)).reshape(-1, 4, 2) / view.px_per_mm
    across = np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1) + np.linalg.norm(quads[:, 2] - quads[:, 3], axis=1)
    down = np.linalg.norm(quads[:, 3] - quads[:, 0], axis=1) + np.linalg.norm(quads[:, 2] - quads[:, 1], axis=1)
    return float(np.median(across)) / 2, float(np.median(down)) / 2


def _evidence(card: Detection, outline: Outline, surest: float, hidden: float) -> tuple[float, ...]:
    """The features of a card: votes, votes relative to the surest card, and edges.

    A card that others hide has fewer votes and edges, so the share that sure cards hide is a feature, too.
    """
    sides = np.sort(np.nan_to_num(outline.sides, nan=UNSEEN_SIDE_SUPPORT))
    return (
        card.vote_confidence,
        card.vote_confidence / max(surest, 1e-6),
        min(hidden, MAX_HIDDEN_EVIDENCE),
        card.empty,
        float(sides[:2].mean()),
        float(sides[2:].mean()),
        float(outline.is_closed),
    )


def _hidden_share(quad: Floats, above: Sequence[Floats]) -> float:
    """The share of a card under others."""
    covered = 0.0
    for other in above:
        covered += float(cv2.intersectConvexConvex(quad.astype(np.float32), other.astype(np.float32))[0])
    return min(1.0, covered / max(float(cv2.contourArea(quad.astype(np.float32))), 1e-6))


def _is_unprinted(image: Image, quad_px: Floats) -> bool:
    return is_blank(cut(image, quad_px), np.full(SEEN_PX[::-1], 255, np.uint8))


def _boxes_touch(one: Floats, other: Floats) -> bool:
    return bool((one.max(0) >= other.min(0)).all() and (other.max(0) >= one.min(0)).all())
