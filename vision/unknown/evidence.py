"""Evidence for cards of an unknown deck: the votes of the finder, and the edges around the card."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import numpy as np

from calibration.frames import Frame
from models.crops import CARD_PX, SEEN_PX, Floats, Image, cut
from vision.look.blank import is_blank
from vision.look.eye import CardEye
from vision.look.finder import CARD_HEIGHT_PX, Detection
from vision.look.networks import Networks
from vision.look.table_view import TableView
from vision.sightings import Sighting
from vision.unknown.outline import Outline, find_outline
from vision.unknown.tuning import MIN_MEASURED_CONFIDENCE, UNKNOWN_EXISTENCE_WEIGHTS, UNSEEN_SIDE_SUPPORT


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
        evidence = _evidence(candidate.detection, outline, surest)
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


def _evidence(card: Detection, outline: Outline, surest: float) -> tuple[float, ...]:
    """The features of a card: votes, votes relative to the surest card, size, visible share, and edges."""
    log_width, log_height = log(card.size_px[0] / CARD_PX), log(card.size_px[1] / CARD_HEIGHT_PX)
    sides = np.sort(np.nan_to_num(outline.sides, nan=UNSEEN_SIDE_SUPPORT))
    return (
        card.vote_confidence,
        card.vote_confidence / max(surest, 1e-6),
        abs(log_width + log_height) / 2,
        log(min(card.visible, 1.0) + 0.02),
        card.empty,
        float(sides[0]),
        float(sides[1]),
        float(sides[2:].mean()),
    )


def _is_unprinted(image: Image, quad_px: Floats) -> bool:
    return is_blank(cut(image, quad_px), np.full(SEEN_PX[::-1], 255, np.uint8))


def _boxes_touch(one: Floats, other: Floats) -> bool:
    return bool((one.max(0) >= other.min(0)).all() and (other.max(0) >= one.min(0)).all())
