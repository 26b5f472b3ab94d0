"""Certainty: how likely it is that a card lies where one was found, by its votes, its place and what it says."""

from math import exp, log

from vision.look.finder import Found
from vision.look.reader import Reading
from vision.table import FOREIGN

SURE_SIDE = 0.5
HALF = 0.5
"""Of a card of which half is seen more need not be seen."""
FOUND = (0.31, 0.25, -3.68, 5.12, -0.82, 1.77, -0.61)
"""What every piece of evidence counts for a card of a known deck, and what is added: from `scripts/fit-certainty`."""
RECALLED = (0.02, 0.08, -2.51, -1.08, -1.93, -0.57, 1.31, 3.43, -1.47)
"""The same for a card that was found by its landmarks; what these are worth, and its likeness, count as well."""
FOUND_UNREAD = (9.7, 5.6, -4.3)
"""The same where the deck is not known and nothing can be read: sureness, visible part, and what is added."""
LEAST_FOUND, LEAST_FOUND_FOREIGN, LEAST_RECALLED = 0.95, 0.9, 0.9
"""Less likely cards are not told: of our own decks, of others, which are read less surely, and of cards recalled."""
LEAST_FOUND_UNREAD = 0.65
"""The same where the deck is not known and no reading can help the finder."""
SLIVER, HOLLOW = 0.2, 0.5
"""What is hardly seen, and not read, is no card if so much of its place shows the table."""


def evidence(found: Found, reading: Reading | None, inside: float, mixed: float) -> tuple[float, ...]:
    """What speaks for a card: the reading, its place, how much of it is seen.

    `inside` is the part of what is seen of it that lies inside its corners, `mixed` the part that lies on cards which
    also lie on it.
    """
    known = 0.0 if reading is None else known_part(reading)
    best = 0.0 if reading is None else best_part(reading)
    seen = log(min(found.visible, HALF) + 0.02)
    speaks = _odds(known), _odds(best), found.hollow, inside, min(1.0, mixed), seen
    return (*speaks, log(found.recalled), found.likeness) if found.recalled else speaks


def chance(evidence: tuple[float, ...]) -> float:
    """How likely a card lies there."""
    *weights, bias = FOUND if len(evidence) < len(FOUND) else RECALLED
    return _logistic(sum(weight * value for weight, value in zip(weights, evidence, strict=True)) + bias)


def chance_unread(found: Found) -> float:
    """The same for a card of a deck that is not known."""
    sure, visible, bias = FOUND_UNREAD
    return _logistic(sure * found.sure + visible * found.visible + bias)


def known_part(reading: Reading) -> float:
    """How sure it is that this is a card of the deck."""
    return 1.0 - sum(guess.probability for guess in reading.guesses if guess.code == FOREIGN)


def is_known(reading: Reading) -> bool:
    """Whether it is more likely than not a face or a back of the deck."""
    return max(_faces(reading), reading.back) >= SURE_SIDE


def best_part(reading: Reading) -> float:
    """How sure the best answer is, a face or the back."""
    best = reading.guesses[0]
    return max(0.0 if best.code == FOREIGN else best.probability, reading.back)


def side_of(reading: Reading) -> str:
    """The code of the face it most likely is, if it is one of this deck; nothing for the back."""
    best = next((guess for guess in reading.guesses if guess.code != FOREIGN), None)
    return best.code if best is not None and best.probability >= reading.back else FOREIGN


def lies_face_up(found: Found, reading: Reading | None) -> bool:
    """The finder tells faces from backs by what cards look like in general; the reader knows this deck's."""
    if reading is None or not is_known(reading):
        return found.face_up
    return _faces(reading) > reading.back


def is_hollow(found: Found) -> bool:
    """Whether too much of its place shows neither a card nor a hand: stripes of a cloth, a napkin.

    Something has to hide what is not seen of a card. A cup may, or the edge of the picture: then more of it is seen.
    """
    return found.visible < SLIVER and found.hollow > HOLLOW


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value))


def _odds(chance: float) -> float:
    """The logarithm of the odds, within reason."""
    return log((chance + 1e-3) / (1 - chance + 1e-3))


def _faces(reading: Reading) -> float:
    return sum(guess.probability for guess in reading.guesses if guess.code != FOREIGN)
