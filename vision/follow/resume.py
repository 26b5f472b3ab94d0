"""Resuming: the cards of an earlier table, as far as a first look agrees that they still lie there."""

from collections.abc import Iterable

from vision.follow.belief import Belief
from vision.follow.track import LIKE, STAYS_MM, UNDER, Presence, Track
from vision.quads import apart_mm, hidden_share
from vision.sightings import Look, Sighting
from vision.table import Guess, Placed, Table


def tracks_of(table: Table, look: Look) -> tuple[Track, ...]:
    """The tracks of cards that lie where they lay, and of those covered by them, bottom to top.

    What happened in between was not seen: a card that is not found in its place is not remembered, nor what it covered.
    """
    tracks: list[Track] = []
    for card in reversed(table.cards):
        if card.visible > 0:
            stays = any(_is_same(card, sighting) for sighting in look.cards)
        else:
            stays = hidden_share(card.corners_mm, (track.corners_mm for track in tracks)) >= UNDER
        if stays:
            tracks.insert(0, _track(card, table.at_s))
    return tuple(tracks)


def _is_same(card: Placed, sighting: Sighting) -> bool:
    """Whether a card is found in its place with the same side up, and reads alike."""
    if card.face_up is not sighting.face_up or apart_mm(card.corners_mm, sighting.corners_mm) >= STAYS_MM:
        return False
    # A human may have named it because the camera reads it wrong.
    unread = card.pinned or not card.face_up or not card.guesses or not sighting.guesses
    return unread or _likeness(card.guesses, sighting.guesses) >= LIKE


def _likeness(some: Iterable[Guess], others: Iterable[Guess]) -> float:
    """The probability that two readings are of the same card."""
    known = {guess.code: guess.probability for guess in some}
    return sum(guess.probability * known.get(guess.code, 0.0) for guess in others)


def _track(card: Placed, at_s: float) -> Track:
    """A card as it was known; somebody may have touched it since."""
    return Track(
        card.track,
        card.corners_mm,
        card.face_up,
        Belief() if card.pinned else Belief().looked(card.guesses, 1.0, card.marks),
        card.visible,
        at_s,
        Presence.SEEN if card.visible > 0 else Presence.HIDDEN,
        looks=2,
        rested=True,
        disturbed=True,
        pinned=card.code if card.pinned else None,
    )
