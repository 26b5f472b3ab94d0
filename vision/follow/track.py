"""Tracks: one physical card over time, while it is moved, turned over, covered and uncovered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from vision.follow.assignment import FORBIDDEN_COST, assign
from vision.follow.belief import CardBelief
from vision.follow.tuning import (
    GONE_S,
    MAX_CREDITED_S,
    MAX_LOOK_GAP_S,
    MAX_ORIENTATION_VOTES,
    MIN_COVERED_SHARE,
    MIN_FREE_LOOKS,
    MIN_HAND_SHARE,
    MIN_LOOK_WEIGHT,
    MIN_RETURNED_CARD,
    MIN_SAME_CARD,
    NEAR_COST,
    OTHER_VIEW_SHARE,
    POSITION_SMOOTHING,
    REMEMBERED_S,
    SAME_PLACE_MM,
    SURE_PROBABILITY,
    AssociationCosts,
)
from vision.quads import centre, distance_mm, half_turned, hidden_share, interpolated, turn_deg, wrapped
from vision.sightings import Look, Sighting
from vision.table import FOREIGN, Guess, Point, Quad

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Presence(StrEnum):
    """Whether the last look found a card."""

    SEEN = "seen"
    HIDDEN = "hidden"
    """Not found: under other cards, or perhaps under a hand."""
    MISSING = "missing"
    """Not found although its place is in view; soon it counts as taken away."""


@dataclass(frozen=True, slots=True)
class Track:
    """One physical card."""

    id: int
    corners_mm: Quad
    face_up: bool
    belief: CardBelief
    visible: float
    """The visible share of the card in the last look."""
    last_seen_s: float
    presence: Presence = Presence.SEEN
    under_hand: bool = False
    hits: int = 1
    """Looks that found it."""
    hits_in_place: int = 1
    """Consecutive looks that found it in its present place."""
    misses: int = 0
    """Looks that saw its place free since it was last found."""
    free_s: float = 0.0
    """The time for which its place was seen free."""
    seen_without_hand: bool = False
    """Whether a look without any hand has found it since it was moved."""
    maybe_touched: bool = False
    """Whether somebody may have touched it since it was last read."""
    contradictions: int = 0
    """Consecutive looks whose reading contradicts the belief."""
    orientation_votes: float = 1.0
    """The lead of its present orientation over the opposite one, in looks, up to a limit."""
    pinned: str | None = None
    """The code that a person gave it; association still uses the camera's own reading."""

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """The identity of the card, best guess first; kept while it is face down."""
        return self.belief.guesses if self.pinned is None else (Guess(self.pinned, 1.0),)

    @property
    def camera_guesses(self) -> tuple[Guess, ...]:
        """The camera's own reading without what a person said, best guess first."""
        return self.belief.guesses

    @property
    def code(self) -> str:
        """The best guess, whichever side is up."""
        guesses = self.guesses
        return guesses[0].code if guesses else FOREIGN

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks that are drawn on it."""
        return self.belief.seen_marks

    @property
    def hidden(self) -> bool:
        """Whether it is on the table but not visible."""
        return self.presence is Presence.HIDDEN

    @property
    def centre_mm(self) -> Point:
        """The centre of the card."""
        return centre(self.corners_mm)


class Tracker:
    """Tracks the cards of a table from look to look."""

    def __init__(
        self, gone_s: float = GONE_S, remembered_s: float = REMEMBERED_S, costs: AssociationCosts | None = None
    ) -> None:
        self._gone_s, self._remembered_s, self._costs = gone_s, remembered_s, costs or AssociationCosts()
        self._tracks: tuple[Track, ...] = ()
        self._gone: tuple[Track, ...] = ()
        self._at_s: float | None = None
        self._next_id = 1

    @property
    def tracks(self) -> tuple[Track, ...]:
        """All cards on the table, bottom to top, including those that are missing but not yet gone."""
        return self._tracks

    def update(self, look: Look) -> tuple[Track, ...]:
        """The tracks after one more look."""
        since_s = 0.0 if self._at_s is None else look.at_s - self._at_s
        self._at_s = look.at_s
        credited_s = min(max(since_s, 0.0), MAX_CREDITED_S)
        touched = look.hand_share > MIN_HAND_SHARE or not 0 <= since_s <= MAX_LOOK_GAP_S
        known = (*self._tracks, *self._gone)
        pairs = self._associated(known, look)
        found: dict[int, Track] = {}
        unseen: list[Track] = []
        for number, column in pairs.items():
            track, sighting = known[number], look.cards[column]
            if _is_replaced(track, sighting):
                unseen.append(
                    replace(track, presence=Presence.HIDDEN, visible=0.0, contradictions=0, misses=0, free_s=0.0)
                )
                found[column] = self._new(sighting, look)
            else:
                found[column] = _updated(track, sighting, look, touched)
        for column, sighting in enumerate(look.cards):
            # A card in somebody's hand is not on the table yet.
            if column not in found and not sighting.under_hand:
                found[column] = self._new(sighting, look)
        seen = [found[column] for column in sorted(found)]
        lost = [number for number in range(len(known)) if number not in pairs]
        unseen += [self._unseen(known[number], seen, look, credited_s) for number in lost if number < len(self._tracks)]
        kept = [track for track in unseen if not self._is_gone(track, look)]
        gone = [known[number] for number in lost if number >= len(self._tracks)]
        # A card that was found only once may never have been there.
        gone += [track for track in unseen if self._is_gone(track, look) and track.hits > 1]
        self._gone = tuple(track for track in gone if 0 <= look.at_s - track.last_seen_s <= self._remembered_s)
        self._tracks = self._stacked(seen, kept)
        return self._tracks

    def restart(self, tracks: tuple[Track, ...], last_id: int) -> None:
        """Continue with exactly these tracks; new ones are numbered after `last_id`."""
        self._tracks, self._gone = tracks, ()
        self._next_id = max(self._next_id, last_id + 1)

    def pin(self, number: int, code: str) -> None:
        """Set the code of a track to the one that a person gave."""
        self._tracks = tuple(replace(one, pinned=code) if one.id == number else one for one in self._tracks)
        self._gone = tuple(replace(one, pinned=code) if one.id == number else one for one in self._gone)

    def _associated(self, known: tuple[Track, ...], look: Look) -> dict[int, int]:
        """For every known track that was found the index of its sighting."""
        costs = _association_costs(known, len(self._tracks), look.cards, self._costs)
        miss_costs = np.array([self._miss_cost(track, number) for number, track in enumerate(known)])
        return dict(assign(costs, miss_costs, np.full(len(look.cards), self._costs.new)))

    def _is_gone(self, track: Track, look: Look) -> bool:
        return track.free_s >= self._gone_s or (track.hits == 1 and look.hand_share <= MIN_HAND_SHARE)

    def _miss_cost(self, track: Track, number: int) -> float:
        """The cost of not finding a track."""
        if number >= len(self._tracks):
            return 0.0
        if track.presence is Presence.SEEN and track.hits > 1:
            return self._costs.missed
        return self._costs.missed_unseen

    def _new(self, sighting: Sighting, look: Look) -> Track:
        belief = CardBelief().with_look(sighting.guesses, _look_weight(sighting), sighting.marks)
        number, self._next_id = self._next_id, self._next_id + 1
        return Track(
            number,
            sighting.corners_mm,
            sighting.face_up,
            belief,
            sighting.visible,
            look.at_s,
            under_hand=sighting.under_hand,
            seen_without_hand=look.hand_share <= MIN_HAND_SHARE,
        )

    def _unseen(self, track: Track, seen: list[Track], look: Look, credited_s: float) -> Track:
        """A track that was not found: under others, perhaps under a hand, or missing."""
        lost = replace(track, visible=0.0, maybe_touched=True, under_hand=False)
        above = [card.corners_mm for card in seen if not self._is_below(card, track)]
        hand = look.hand_share > MIN_HAND_SHARE
        if hand and track.presence is Presence.MISSING:
            return lost
        # A card that was last seen in a hand was carried on, so a card now found at that place does not hide it.
        stayed = track.seen_without_hand and track.misses < MIN_FREE_LOOKS
        if hand or (stayed and hidden_share(track.corners_mm, above) >= MIN_COVERED_SHARE):
            return replace(lost, presence=Presence.HIDDEN, misses=0, free_s=0.0)
        free_s = track.free_s + (credited_s if track.misses else 0.0)
        return replace(lost, presence=Presence.MISSING, misses=track.misses + 1, free_s=free_s)

    def _is_below(self, card: Track, track: Track) -> bool:
        """Whether a card was under a track before and has not moved: then it does not hide the track."""
        for before in self._tracks:
            if before.id == track.id:
                return False
            if before.id == card.id:
                return distance_mm(before.corners_mm, card.corners_mm) < SAME_PLACE_MM
        return False

    def _stacked(self, seen: list[Track], unseen: list[Track]) -> tuple[Track, ...]:
        """All tracks bottom to top; an unseen card goes right under the lowest card that hides part of it."""
        stack = list(seen)
        for track in unseen:
            above = (
                number
                for number, card in enumerate(stack)
                if not self._is_below(card, track) and hidden_share(track.corners_mm, (card.corners_mm,)) > 0
            )
            stack.insert(next(above, len(stack)), track)
        return tuple(stack)


def _association_costs(
    known: Sequence[Track], on_table: int, sightings: Sequence[Sighting], costs: AssociationCosts
) -> Floats:
    """The cost of each track being each sighting; the first `on_table` tracks are on the table, the others are gone."""
    if not known or not sightings:
        return np.zeros((len(known), len(sightings)))
    distances, place_costs = _displacement(known, sightings, costs)
    up, now_up = (np.array([one.face_up for one in ones]) for ones in (known, sightings))
    turn_costs = np.where(up[:, None] != now_up[None], costs.turned_over, 0.0)
    same = _same_card_probabilities(known, sightings)
    reading_costs = np.minimum(costs.misread, -np.log(np.maximum(same, 1e-9)))
    # Without two readings to compare there is no evidence for or against.
    comparable = np.array([bool(track.camera_guesses) for track in known])[:, None] & np.array(
        [bool(sighting.guesses) for sighting in sightings]
    )
    stay = place_costs + turn_costs + np.where(comparable, reading_costs, 0.0)
    stay[comparable & (same < MIN_SAME_CARD) & _missed_elsewhere(place_costs, same, comparable)] += costs.confused
    move = (costs.moved + costs.moved_per_mm * distances) + turn_costs
    move = move + np.where(comparable, reading_costs, costs.moved_unread + costs.moved_unread_per_mm * distances)
    move[up[:, None] & ~now_up[None]] += costs.hidden_while_moved
    move[comparable & (same < MIN_SAME_CARD)] = FORBIDDEN_COST
    # A card that is gone is identified by its reading, or because it is the only back that is missing.
    unidentified = ~comparable
    unidentified[:on_table] = False
    backs = ~up[on_table:, None] & ~now_up[None] & ~_is_explained(place_costs[:on_table])[None]
    if int(backs.any(1).sum()) == int(backs.any(0).sum()) == 1:
        unidentified[on_table:] &= ~backs
    move[unidentified] = FORBIDDEN_COST
    # A card in a hand is not identified, and a card that was turned over in its place has not been away.
    held = np.array([sighting.under_hand for sighting in sightings])
    move[:, held] = FORBIDDEN_COST
    numbered = tuple(enumerate(known))
    away = np.array([number >= on_table or track.presence is Presence.MISSING for number, track in numbered])
    stay[away[:, None] & ~comparable & (turn_costs > 0)] = FORBIDDEN_COST
    # Another card may be put where one was taken away; that is not a misreading.
    taken = np.array([number >= on_table or track.misses >= MIN_FREE_LOOKS for number, track in numbered])
    stay[taken[:, None] & comparable & (same < MIN_RETURNED_CARD)] = FORBIDDEN_COST
    stay[np.ix_(taken, held)] = FORBIDDEN_COST
    return np.asarray(np.minimum(stay, move), float)


def _displacement(
    known: Sequence[Track], sightings: Sequence[Sighting], costs: AssociationCosts
) -> tuple[Floats, Floats]:
    """The distance in mm between each track and each sighting, and the cost of it for a card that was not touched."""
    here = np.array([track.centre_mm for track in known])
    there = np.array([sighting.centre_mm for sighting in sightings])
    distances = np.linalg.norm(here[:, None] - there[None], axis=2)
    turns = np.array([turn_deg(track.corners_mm) for track in known])[:, None]
    turned = turns - np.array([turn_deg(sighting.corners_mm) for sighting in sightings])[None]
    turned = (turned + 90) % 180 - 90
    return distances, (distances / costs.position_sigma_mm) ** 2 / 2 + (turned / costs.rotation_sigma_deg) ** 2 / 2


def _is_explained(place_costs: Floats) -> Mask:
    """Which sightings are near the place of a track."""
    return np.array((place_costs < NEAR_COST).any(0) if len(place_costs) else np.zeros(place_costs.shape[1], bool))


def _missed_elsewhere(place_costs: Floats, same: Floats, comparable: Mask) -> Mask:
    """Which sightings read like a card that is no longer found in its own place."""
    at_home = np.any((place_costs < NEAR_COST) & ((same >= MIN_SAME_CARD) | ~comparable), axis=1, keepdims=True)
    return np.asarray(((same >= SURE_PROBABILITY**2) & comparable & ~at_home).any(0))


def _same_card_probabilities(known: Sequence[Track], sightings: Sequence[Sighting]) -> Floats:
    """For each track and each sighting the probability that both readings show the same card."""
    of_tracks, of_sightings = [track.camera_guesses for track in known], [sighting.guesses for sighting in sightings]
    every_code = sorted({guess.code for guesses in (*of_tracks, *of_sightings) for guess in guesses})
    columns = {code: number for number, code in enumerate(every_code)}
    matrices = []
    for rows in (of_tracks, of_sightings):
        matrix = np.zeros((len(rows), len(columns)))
        for number, guesses in enumerate(rows):
            for guess in guesses:
                matrix[number, columns[guess.code]] = guess.probability
        matrices.append(matrix)
    return np.asarray(np.einsum("ik,jk->ij", *matrices), float)


def _is_replaced(track: Track, sighting: Sighting) -> bool:
    """Whether another card was put exactly on top: two looks in a row read another card with certainty."""
    return track.contradictions > 0 and _contradicts(track, sighting)


def _contradicts(track: Track, sighting: Sighting) -> bool:
    """Whether a reading is that of another card, and not just a better view of this one."""
    known, guesses = track.camera_guesses, sighting.guesses
    if not (track.face_up and sighting.face_up and known and guesses and track.maybe_touched and track.hits > 1):
        return False
    sure = min(known[0].probability, guesses[0].probability) >= SURE_PROBABILITY
    better = sighting.visible > track.visible + OTHER_VIEW_SHARE and track.presence is Presence.SEEN
    return sure and known[0].code != guesses[0].code and not sighting.under_hand and not better


def _look_weight(sighting: Sighting) -> float:
    """The weight of a look at a card in its belief; a card under a hand has none."""
    if sighting.under_hand or not sighting.guesses:
        return 0.0
    visible, confidence = max(MIN_LOOK_WEIGHT, sighting.visible), max(MIN_LOOK_WEIGHT, sighting.confidence)
    return visible * confidence * sighting.guesses[0].probability


def _updated(track: Track, sighting: Sighting, look: Look, touched: bool) -> Track:
    """A track after it was found again."""
    moved = distance_mm(track.corners_mm, sighting.corners_mm) >= SAME_PLACE_MM
    turned_over = track.face_up != sighting.face_up
    contradicted = not moved and _contradicts(track, sighting)
    belief, pinned = track.belief, track.pinned
    if moved and not sighting.face_up and track.presence is not Presence.SEEN:
        # All backs look alike: this may be the same card, but its face is no longer certain.
        belief, pinned = CardBelief(), None
    if moved or turned_over or abs(track.visible - sighting.visible) > OTHER_VIEW_SHARE:
        belief = belief.with_new_view()
    if touched or track.maybe_touched:
        belief = belief.without_marks()
    if not contradicted:
        belief = belief.with_look(sighting.guesses, _look_weight(sighting), sighting.marks)
    corners, votes = _fused_corners(track, sighting, moved or turned_over)
    known = track.camera_guesses
    confirmed = sighting.guesses and known and sighting.guesses[0].code == known[0].code
    return replace(
        track,
        corners_mm=corners,
        face_up=sighting.face_up,
        belief=belief,
        visible=sighting.visible,
        last_seen_s=look.at_s,
        presence=Presence.SEEN,
        under_hand=sighting.under_hand,
        hits=track.hits + 1,
        hits_in_place=1 if moved or turned_over or track.presence is not Presence.SEEN else track.hits_in_place + 1,
        misses=0,
        free_s=0.0,
        seen_without_hand=look.hand_share <= MIN_HAND_SHARE or (track.seen_without_hand and not moved),
        maybe_touched=touched or (track.maybe_touched and sighting.face_up and not confirmed),
        contradictions=track.contradictions + 1 if contradicted else 0,
        orientation_votes=votes,
        pinned=pinned,
    )


def _fused_corners(track: Track, sighting: Sighting, moved: bool) -> tuple[Quad, float]:
    """The corners with the orientation that most looks support, and its lead in votes."""
    opposite = abs(wrapped(turn_deg(track.corners_mm) - turn_deg(sighting.corners_mm))) > 90
    if moved:
        return sighting.corners_mm, 1.0
    share = 1.0 if track.maybe_touched else POSITION_SMOOTHING
    aligned = half_turned(sighting.corners_mm) if opposite else sighting.corners_mm
    if opposite and sighting.face_up:
        # Somebody may have turned a card that was touched; for one that was not, a single look may be wrong.
        votes = track.orientation_votes - (MAX_ORIENTATION_VOTES if track.maybe_touched else 1.0)
        if votes < 0:
            return sighting.corners_mm, 1.0
        return interpolated(track.corners_mm, aligned, share), votes
    return interpolated(track.corners_mm, aligned, share), min(MAX_ORIENTATION_VOTES, track.orientation_votes + 1.0)
