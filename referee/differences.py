"""Differences between a table and its layout as sentences, for people to check."""

from referee.inference.observation import Difference
from referee.moves import HIDDEN, seat_index
from referee.verdicts import Arg, Reason, because

ZONES = frozenset({"aside", "centre", "discard", "pile", "track"})
SPOTS = frozenset(
    {
        "aside", "boxes", "colour", "discard", "draw", "drawn", "laid", "lightning", "moon", "numbers", "pile", "set",
        "set1", "set2", "shown", "stack", "stock", "tens", "track", "tray", "trios", "units", "waiting",
    }
)  # fmt: skip
"""Spots with words in the catalogues; other spots are named as they are printed: c5, a space of the track."""


def reason_for(difference: Difference) -> Reason:
    """The sentence for one difference."""
    zone, spot = difference.place
    where, place = _place(zone, spot)
    wanted = "~left-any" if difference.wanted == HIDDEN else difference.wanted or ""
    if difference.found is None:
        return because(f"{where}-missing", **place, wanted=wanted)
    candidates = difference.found.candidates
    card = (candidates[0][0] or "~left-unread") if candidates else "~left-back"
    if wanted:
        return because(f"{where}-other", **place, card=card, wanted=wanted)
    return because(f"{where}-extra", **place, card=card)


def _place(zone: str, spot: str) -> tuple[str, dict[str, Arg]]:
    """The key prefix (of a seat or of a zone) and the arguments for a place."""
    word = f"~spot-{spot}" if spot in SPOTS else spot
    if zone[:1] == "P" and zone[1:].isdecimal():
        return "left-of-seat", {"seat": seat_index(zone), "spot": word}
    # A spot that occurs only once needs no zone.
    return "left-in-zone", {"place": (word,) if spot in SPOTS else (f"~zone-{zone}" if zone in ZONES else zone, word)}
