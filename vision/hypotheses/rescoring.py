"""Recognising: what a card is that was found by its landmarks, by the reader, these and its likeness together."""

from collections.abc import Sequence

import numpy as np

from models.crops import Floats
from vision.look.reader import Reading
from vision.table import FOREIGN, Guess

READ, SPOKEN, LIKE = 1.5, 0.6, 24.0
"""What the logarithm of the reader's chances, a landmark, and full likeness count: fitted to simulated tables."""
UNSAID, OTHER_WAY = 1e-3, 0.05
"""A chance that the reader did not mention, and the part of one for the way up that it did not."""
_GUESSES = 5


def recognised(reading: Reading, overhead: Reading, codes: Sequence[str], spoken: Floats, like: Floats) -> Reading:
    """The reading with the chances of all known sides weighed anew; what is foreign stays so.

    The same crop turned upside down was read as well: the reader errs otherwise there. What landmarks and likeness say
    is given for every side, upright and upside down; a back has no code.
    """
    both = (_by_way(reading, codes) + _by_way(overhead, codes)[:, ::-1]) / 2
    foreign = (_foreign(reading) + _foreign(overhead)) / 2
    worth = READ * np.log(both + UNSAID) + SPOKEN * spoken + LIKE * like
    shares = np.exp(worth - worth.max())
    total: dict[str, float] = {}
    for code, share in zip(codes, shares.sum(1), strict=True):
        # A card of which there are several pictures is not more likely for that: the best counts.
        total[code] = max(total.get(code, 0.0), float(share))
    whole = sum(total.values())
    total = {code: (1 - foreign) * share / whole for code, share in total.items()}
    back = total.pop(FOREIGN, 0.0)
    total[FOREIGN] = foreign
    guesses = sorted((Guess(code, share) for code, share in total.items()), key=lambda guess: -guess.probability)
    best = next((guess.code for guess in guesses if guess.code != FOREIGN), FOREIGN)
    upright, turned = shares[[number for number, code in enumerate(codes) if code == best]].sum(0)
    return Reading(tuple(guesses[:_GUESSES]), bool(turned > upright), back)


def _by_way(reading: Reading, codes: Sequence[str]) -> Floats:
    """What a reading gives every side, upright and upside down; a back has no way up."""
    said = {guess.code: guess.probability for guess in reading.guesses} | {FOREIGN: reading.back}
    chances = np.array([said.get(code, 0.0) for code in codes])
    ways = np.array([OTHER_WAY, 1.0] if reading.turned else [1.0, OTHER_WAY])
    backs = np.array([code == FOREIGN for code in codes])
    return np.asarray(np.where(backs[:, None], 1.0, ways[None]) * chances[:, None], float)


def _foreign(reading: Reading) -> float:
    return sum(guess.probability for guess in reading.guesses if guess.code == FOREIGN)
