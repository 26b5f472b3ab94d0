"""Weighing: how likely each card lies where it was put, and whether that is enough to tell it."""

from dataclasses import dataclass, replace

import numpy as np

from vision.hypotheses.confidence import (
    LEAST_FOUND,
    LEAST_FOUND_FOREIGN,
    LEAST_FOUND_UNREAD,
    LEAST_RECALLED,
    chance,
    chance_unread,
    evidence,
    is_hollow,
)
from vision.hypotheses.refinement import Laid
from vision.look.crops import Closeup


@dataclass(frozen=True, slots=True)
class Weight:
    """What speaks for a card, how likely that makes it, and whether it is told."""

    evidence: tuple[float, ...]
    """Empty where nothing can be read."""
    likely: float
    told: bool


def weights(laid: Laid, closeup: Closeup) -> list[Weight]:
    """For every card that may lie there."""
    finding, shared = laid.finding, laid.finding.shared
    counts = np.maximum(1, np.bincount(finding.owners.ravel() + 1, minlength=len(shared) + 1)[1:])
    inside = shared.diagonal() / counts
    mixed = (np.minimum(shared, shared.T).sum(1) - shared.diagonal()) / counts
    least_found = LEAST_FOUND if closeup.practised else LEAST_FOUND_FOREIGN
    found = []
    for number, (card, text) in enumerate(zip(finding.cards, laid.texts, strict=True)):
        if text is not None:
            card = replace(card, visible=text.visible)
        bare = text is not None and text.bare
        dazzling = text is not None and text.dazzling
        # Landmarks are only known of sides that can be read.
        if (closeup.can_tell(card) and not dazzling) or card.recalled:
            reading = None if text is None else text.reading
            speaks = evidence(card, reading, float(inside[number]), float(mixed[number]))
            likely = chance(speaks)
            least = LEAST_RECALLED if card.recalled else least_found
            found.append(Weight(speaks, likely, likely > least and not bare))
        else:
            likely = chance_unread(card)
            found.append(Weight((), likely, likely > LEAST_FOUND_UNREAD and not is_hollow(card) and not bare))
    return found
