"""Tracks: the same physical card over time, while it is moved, turned over, covered and uncovered."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from vision.follow.assignment import NEVER, pair
from vision.follow.belief import Belief
from vision.quads import about_face, apart_mm, between, centre, hidden_share, turn_deg, wrapped
from vision.sightings import Look, Sighting
from vision.table import FOREIGN, Guess, Point, Quad

Floats = NDArray[np.float64]

HANDS = 0.003
"""From such a part of the view on there is a hand in it, and what is not seen may be under it."""
GONE_S = 0.6
"""A card whose place is seen free for so long has been taken away."""
REMEMBERED_S = 10.0
"""For so long a card that was taken away is known again."""
STAYS_MM = 12.0
"""A card that is found so near to where it was has not been moved elsewhere."""
_PAUSE_S = 0.5
"""Between two looks that are farther apart anything may have happened."""
_STEP_S = 0.3
"""One look says nothing about more time than this."""
UNDER = 0.72
"""From such a part on a card that is not seen may be under others: a strip of 15 mm may escape the finder."""
_FREE = 2
"""A card whose place was seen free so often is under nothing that is laid there later."""
LIKE = 0.2
"""Two readings that have less in common are not of one card, unless it lies where it was."""
_KNOWN = 0.5
"""Where a card was taken away they must have more in common to be of that card."""
_SURE = 0.8
_OTHER_VIEW = 0.15
"""When so much more or less of a card is seen, that is another view of it."""
_MOST_TURNED = 2.0


@dataclass(frozen=True, slots=True)
class Prices:
    """What is unlikely, and how much so: negative logarithms of probabilities, roughly."""

    place_mm: float = 4.0
    """A card that lies still is found again to within this."""
    turn_deg: float = 6.0
    moved: float = 6.0
    per_mm: float = 1 / 150
    turned_over: float = 3.0
    unread: float = 5.0
    """For a card that was moved when there is no reading to know it by, and how much more for every mm."""
    unread_per_mm: float = 1 / 100
    covert: float = 5.0
    """For a face that became a back elsewhere: it is far likelier that both are two cards."""
    misread: float = 10.0
    mistaken: float = 6.0
    """How much more for a misreading that says just what is missed elsewhere: it is that card, pushed here."""
    vanished: float = 6.0
    appeared: float = 14.0


class Presence(StrEnum):
    """How a card that was seen before is there now."""

    SEEN = "seen"
    HIDDEN = "hidden"
    """Under other cards, or perhaps under a hand."""
    MISSING = "missing"
    """Its place is seen, and it is not there; soon it counts as gone."""


@dataclass(frozen=True, slots=True)
class Track:
    """One physical card, as far as anybody knows."""

    id: int
    corners_mm: Quad
    face_up: bool
    readings: Belief
    visible: float
    seen_s: float
    presence: Presence = Presence.SEEN
    under_hand: bool = False
    looks: int = 1
    """In how many it was found."""
    steady: int = 1
    """In how many looks in a row it was found where it lies now."""
    missed: int = 0
    """In how many looks its place was free since it was found."""
    free_s: float = 0.0
    """For how long."""
    rested: bool = False
    """Whether it was found with no hand about since it was moved."""
    disturbed: bool = False
    """Whether somebody may have touched it since it was last read."""
    doubts: int = 0
    """How many looks since then read something else."""
    upright: float = 1.0
    """How much more often it was seen this way up than the other, up to a limit."""
    pinned: str | None = None
    """What a human says it is; by what the camera reads it is still known again."""

    @property
    def belief(self) -> tuple[Guess, ...]:
        """What it is, best guess first; of a card that lies face down what is remembered."""
        return self.readings.guesses if self.pinned is None else (Guess(self.pinned, 1.0),)

    @property
    def read(self) -> tuple[Guess, ...]:
        """What the camera alone would say, best guess first."""
        return self.readings.guesses

    @property
    def code(self) -> str:
        """The best guess, whichever side is up."""
        belief = self.belief
        return belief[0].code if belief else FOREIGN

    @property
    def marks(self) -> tuple[str, ...]:
        """What is drawn on it."""
        return self.readings.seen_marks

    @property
    def hidden(self) -> bool:
        """Whether it is there without being seen."""
        return self.presence is Presence.HIDDEN

    @property
    def centre_mm(self) -> Point:
        """The middle of the card."""
        return centre(self.corners_mm)


class Tracker:
    """Remembers the cards of a table from look to look."""

    def __init__(
        self, gone_s: float = GONE_S, remembered_s: float = REMEMBERED_S, prices: Prices | None = None
    ) -> None:
        self._gone_s, self._remembered_s, self._prices = gone_s, remembered_s, prices or Prices()
        self._tracks: tuple[Track, ...] = ()
        self._gone: tuple[Track, ...] = ()
        self._at_s: float | None = None
        self._next_id = 1

    @property
    def tracks(self) -> tuple[Track, ...]:
        """Everything that lies there, bottom to top; what is missing but not yet gone, too."""
        return self._tracks

    def follow(self, look: Look) -> tuple[Track, ...]:
        """The cards after one more look."""
        since_s = 0.0 if self._at_s is None else look.at_s - self._at_s
        self._at_s = look.at_s
        step_s = min(max(since_s, 0.0), _STEP_S)
        touched = look.hands > HANDS or not 0 <= since_s <= _PAUSE_S
        known = (*self._tracks, *self._gone)
        costs = _costs(known, len(self._tracks), look.cards, self._prices)
        alone = np.array([self._alone(track, number) for number, track in enumerate(known)])
        pairs = dict(pair(costs, alone, np.full(len(look.cards), self._prices.appeared)))
        seen: dict[int, Track] = {}
        unseen: list[Track] = []
        for number, column in pairs.items():
            track, sighting = known[number], look.cards[column]
            if _replaced(track, sighting):
                unseen.append(replace(track, presence=Presence.HIDDEN, visible=0.0, doubts=0, missed=0, free_s=0.0))
                seen[column] = self._new(sighting, look)
            else:
                seen[column] = _seen(track, sighting, look, touched)
        for column, sighting in enumerate(look.cards):
            # What somebody holds is no card on the table yet.
            if column not in seen and not sighting.under_hand:
                seen[column] = self._new(sighting, look)
        lying = [seen[column] for column in sorted(seen)]
        lost = [number for number in range(len(known)) if number not in pairs]
        unseen += [self._unseen(known[number], lying, look, step_s) for number in lost if number < len(self._tracks)]
        kept = [track for track in unseen if not self._is_gone(track, look)]
        gone = [known[number] for number in lost if number >= len(self._tracks)]
        # What was found only once was perhaps never there.
        gone += [track for track in unseen if self._is_gone(track, look) and track.looks > 1]
        self._gone = tuple(track for track in gone if 0 <= look.at_s - track.seen_s <= self._remembered_s)
        self._tracks = self._stacked(lying, kept)
        return self._tracks

    def begin(self, tracks: tuple[Track, ...], last_id: int) -> None:
        """Go on with these cards and no others; new ones are numbered from behind the last one."""
        self._tracks, self._gone = tracks, ()
        self._next_id = max(self._next_id, last_id + 1)

    def pin(self, number: int, code: str) -> None:
        """A human says which card a track is."""
        self._tracks = tuple(replace(one, pinned=code) if one.id == number else one for one in self._tracks)
        self._gone = tuple(replace(one, pinned=code) if one.id == number else one for one in self._gone)

    def _is_gone(self, track: Track, look: Look) -> bool:
        return track.free_s >= self._gone_s or (track.looks == 1 and look.hands <= HANDS)

    def _alone(self, track: Track, number: int) -> float:
        """What it costs to find nothing for a track."""
        if number >= len(self._tracks):
            return 0.0
        return self._prices.vanished if track.presence is Presence.SEEN and track.looks > 1 else 0.5

    def _new(self, sighting: Sighting, look: Look) -> Track:
        readings = Belief().looked(sighting.guesses, _weight(sighting), sighting.marks)
        number, self._next_id = self._next_id, self._next_id + 1
        return Track(
            number,
            sighting.corners_mm,
            sighting.face_up,
            readings,
            sighting.visible,
            look.at_s,
            under_hand=sighting.under_hand,
            rested=look.hands <= HANDS,
        )

    def _unseen(self, track: Track, lying: list[Track], look: Look, step_s: float) -> Track:
        """A track that was not found: under others, perhaps under a hand, or missing."""
        lost = replace(track, visible=0.0, disturbed=True, under_hand=False)
        above = [card.corners_mm for card in lying if not self._below(card, track)]
        if look.hands > HANDS and track.presence is Presence.MISSING:
            return lost
        # A card that was last seen in a hand has been carried on: what lies there now does not hide it.
        stayed = track.rested and track.missed < _FREE
        if look.hands > HANDS or (stayed and hidden_share(track.corners_mm, above) >= UNDER):
            return replace(lost, presence=Presence.HIDDEN, missed=0, free_s=0.0)
        free_s = track.free_s + (step_s if track.missed else 0.0)
        return replace(lost, presence=Presence.MISSING, missed=track.missed + 1, free_s=free_s)

    def _below(self, card: Track, track: Track) -> bool:
        """Whether a card has been lying under a track all the time: then it does not hide it."""
        for before in self._tracks:
            if before.id == track.id:
                return False
            if before.id == card.id:
                return apart_mm(before.corners_mm, card.corners_mm) < STAYS_MM
        return False

    def _stacked(self, lying: list[Track], unseen: list[Track]) -> tuple[Track, ...]:
        """All tracks bottom to top: what is not seen lies right under the lowest card that hides some of it, if any."""
        stack = list(lying)
        for track in unseen:
            above = (
                number
                for number, card in enumerate(stack)
                if not self._below(card, track) and hidden_share(track.corners_mm, (card.corners_mm,)) > 0
            )
            stack.insert(next(above, len(stack)), track)
        return tuple(stack)


def _costs(known: Sequence[Track], lying: int, sightings: Sequence[Sighting], prices: Prices) -> Floats:
    """How unlikely it is that a track is what was sighted; the first `lying` tracks are on the table."""
    if not known or not sightings:
        return np.zeros((len(known), len(sightings)))
    here = np.array([track.centre_mm for track in known])
    there = np.array([sighting.centre_mm for sighting in sightings])
    apart = np.linalg.norm(here[:, None] - there[None], axis=2)
    turns = np.array([turn_deg(track.corners_mm) for track in known])[:, None]
    turned = turns - np.array([turn_deg(sighting.corners_mm) for sighting in sightings])[None]
    turned = (turned + 90) % 180 - 90
    stays = (apart / prices.place_mm) ** 2 / 2 + (turned / prices.turn_deg) ** 2 / 2
    moves = prices.moved + prices.per_mm * apart
    up, now_up = (np.array([one.face_up for one in ones]) for ones in (known, sightings))
    over = np.where(up[:, None] != now_up[None], prices.turned_over, 0.0)
    like = _likeness(known, sightings)
    unlike = np.minimum(prices.misread, -np.log(np.maximum(like, 1e-9)))
    # A reading that nothing can be compared with supports nothing and denies nothing.
    read = np.array([bool(track.read) for track in known])[:, None] & np.array([bool(s.guesses) for s in sightings])
    stay = stays + over + np.where(read, unlike, 0.0)
    stay[read & (like < LIKE) & _missed_elsewhere(stays, like, read)] += prices.mistaken
    move = moves + over + np.where(read, unlike, prices.unread + prices.unread_per_mm * apart)
    move[up[:, None] & ~now_up[None]] += prices.covert
    move[read & (like < LIKE)] = NEVER
    # What is gone is known again by its reading, or because no other back can be meant.
    unread = ~read
    unread[:lying] = False
    backs = ~up[lying:, None] & ~now_up[None] & ~_explained(stays[:lying])[None]
    if int(backs.any(1).sum()) == int(backs.any(0).sum()) == 1:
        unread[lying:] &= ~backs
    move[unread] = NEVER
    # In the hands that hold it a card is not known again; what is turned over in its place has not been away.
    held = np.array([sighting.under_hand for sighting in sightings])
    move[:, held] = NEVER
    away = np.array([number >= lying or track.presence is Presence.MISSING for number, track in enumerate(known)])
    stay[away[:, None] & ~read & (over > 0)] = NEVER
    # Where a card was taken away another one may be laid, and that is no misreading.
    taken = np.array([number >= lying or track.missed >= _FREE for number, track in enumerate(known)])
    stay[taken[:, None] & read & (like < _KNOWN)] = NEVER
    stay[np.ix_(taken, held)] = NEVER
    return np.asarray(np.minimum(stay, move), float)


def _explained(stays: Floats) -> NDArray[np.bool_]:
    """Which sightings are near to where something lies."""
    return np.array((stays < 4.0).any(0) if len(stays) else np.zeros(stays.shape[1], bool))


def _missed_elsewhere(stays: Floats, like: Floats, read: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which sightings read like a card that does not lie any more where it was."""
    at_home = np.any((stays < 4.0) & ((like >= LIKE) | ~read), axis=1, keepdims=True)
    return np.asarray(((like >= _SURE**2) & read & ~at_home).any(0))


def _likeness(known: Sequence[Track], sightings: Sequence[Sighting]) -> Floats:
    """How likely two readings are of the same card."""
    beliefs, readings = [track.read for track in known], [sighting.guesses for sighting in sightings]
    codes = {code: number for number, code in enumerate(sorted({g.code for row in (*beliefs, *readings) for g in row}))}
    tables = []
    for rows in (beliefs, readings):
        table = np.zeros((len(rows), len(codes)))
        for number, guesses in enumerate(rows):
            for guess in guesses:
                table[number, codes[guess.code]] = guess.probability
        tables.append(table)
    return np.asarray(np.einsum("ik,jk->ij", *tables), float)


def _replaced(track: Track, sighting: Sighting) -> bool:
    """Whether another card has been laid exactly on top: twice in a row something else is read, and surely."""
    return track.doubts > 0 and _contradicts(track, sighting)


def _contradicts(track: Track, sighting: Sighting) -> bool:
    """Whether a reading is that of another card, and not a better look at this one."""
    belief, guesses = track.read, sighting.guesses
    if not (track.face_up and sighting.face_up and belief and guesses and track.disturbed and track.looks > 1):
        return False
    sure = min(belief[0].probability, guesses[0].probability) >= _SURE
    better = sighting.visible > track.visible + _OTHER_VIEW and track.presence is Presence.SEEN
    return sure and belief[0].code != guesses[0].code and not sighting.under_hand and not better


def _weight(sighting: Sighting) -> float:
    """How much a look at a card counts; a hand over it is worth nothing."""
    if sighting.under_hand or not sighting.guesses:
        return 0.0
    return max(0.05, sighting.visible) * max(0.05, sighting.found) * sighting.guesses[0].probability


def _seen(track: Track, sighting: Sighting, look: Look, touched: bool) -> Track:
    """A track after it was found again."""
    moved = apart_mm(track.corners_mm, sighting.corners_mm) >= STAYS_MM
    turned_over = track.face_up != sighting.face_up
    doubtful = not moved and _contradicts(track, sighting)
    readings, pinned = track.readings, track.pinned
    if moved and not sighting.face_up and track.presence is not Presence.SEEN:
        # One back is like another: it may be this card, but nobody can say what is printed on it.
        readings, pinned = Belief(), None
    if moved or turned_over or abs(track.visible - sighting.visible) > _OTHER_VIEW:
        readings = readings.moved()
    if touched or track.disturbed:
        readings = readings.unmarked()
    if not doubtful:
        readings = readings.looked(sighting.guesses, _weight(sighting), sighting.marks)
    corners, upright = _placed(track, sighting, moved or turned_over)
    like = sighting.guesses and track.read and sighting.guesses[0].code == track.read[0].code
    return replace(
        track,
        corners_mm=corners,
        face_up=sighting.face_up,
        readings=readings,
        visible=sighting.visible,
        seen_s=look.at_s,
        presence=Presence.SEEN,
        under_hand=sighting.under_hand,
        looks=track.looks + 1,
        steady=1 if moved or turned_over or track.presence is not Presence.SEEN else track.steady + 1,
        missed=0,
        free_s=0.0,
        rested=look.hands <= HANDS or (track.rested and not moved),
        disturbed=touched or (track.disturbed and sighting.face_up and not like),
        doubts=track.doubts + 1 if doubtful else 0,
        upright=upright,
        pinned=pinned,
    )


def _placed(track: Track, sighting: Sighting, anew: bool) -> tuple[Quad, float]:
    """Where it lies now, the same way up as before unless most looks say otherwise."""
    against = abs(wrapped(turn_deg(track.corners_mm) - turn_deg(sighting.corners_mm))) > 90
    if anew:
        return sighting.corners_mm, 1.0
    share = 1.0 if track.disturbed else 0.4
    seen = about_face(sighting.corners_mm) if against else sighting.corners_mm
    if against and sighting.face_up:
        # A card that was touched may have been turned round; of one that lies still a single look may be wrong.
        votes = track.upright - (_MOST_TURNED if track.disturbed else 1.0)
        if votes < 0:
            return sighting.corners_mm, 1.0
        return between(track.corners_mm, seen, share), votes
    return between(track.corners_mm, seen, share), min(_MOST_TURNED, track.upright + 1.0)
