"""Resuming: the tracks of an earlier table, as far as a first look confirms them."""

from vision.follow.belief import CardBelief, same_card_probability
from vision.follow.track import Presence, Track
from vision.follow.tuning import MIN_COVERED_SHARE, MIN_SAME_CARD, SAME_PLACE_MM
from vision.quads import distance_mm, hidden_share
from vision.sightings import Look, Sighting
from vision.table import PlacedCard, Table


def confirmed_tracks(table: Table, look: Look) -> tuple[Track, ...]:
    """The tracks of cards that are still in their place and of the cards under them, bottom to top.

    The break was not observed, so a card that is not found in its place is dropped, with the cards that it covered.
    """
    tracks: list[Track] = []
    for card in reversed(table.cards):
        if card.visible > 0:
            confirmed = any(_is_same(card, sighting) for sighting in look.cards)
        else:
            confirmed = hidden_share(card.corners_mm, (track.corners_mm for track in tracks)) >= MIN_COVERED_SHARE
        if confirmed:
            tracks.insert(0, _track(card, table.at_s))
    return tuple(tracks)


def _is_same(card: PlacedCard, sighting: Sighting) -> bool:
    """Whether a sighting shows a card in its place, with the same side up and a similar reading."""
    if card.face_up is not sighting.face_up or distance_mm(card.corners_mm, sighting.corners_mm) >= SAME_PLACE_MM:
        return False
    # A person may have named the card because the camera misreads it.
    unread = card.pinned or not card.face_up or not card.guesses or not sighting.guesses
    return unread or same_card_probability(card.guesses, sighting.guesses) >= MIN_SAME_CARD


def _track(card: PlacedCard, at_s: float) -> Track:
    """The track of a card that may have been touched since."""
    return Track(
        card.track,
        card.corners_mm,
        card.face_up,
        CardBelief() if card.pinned else CardBelief().with_look(card.guesses, 1.0, card.marks),
        card.visible,
        at_s,
        Presence.SEEN if card.visible > 0 else Presence.HIDDEN,
        hits=2,
        seen_without_hand=True,
        maybe_touched=True,
        pinned=card.code if card.pinned else None,
    )
