"""The watcher: frames go in, and whenever the table has come to rest and is another one, it comes out."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import dist
from typing import Protocol

from calibration.frames import Frame
from calibration.seats import Zone, zone_of
from vision.familiar import Familiar
from vision.gate import Gate, Motion
from vision.settle import REST_S, Settler, State
from vision.shapes import apart_mm, turn_deg, wrapped
from vision.sightings import Look
from vision.table import FOREIGN, Piece, Placed, Point, Table
from vision.track import HANDS, STAYS_MM, Presence, Track, Tracker

WORTH_S = 0.09
"""A frame is worth a close look when nothing moved for so long: what moves is blurred."""
LOOK_S = 0.09
"""Looks nearer to each other than this show the same."""
GLANCE_S = 0.5
"""While the table is being played on it is looked at so often, to follow cards and to see hands."""
RESTING_HAND_S = 0.4
"""How often a hand is looked at that does not move."""
FEW_LOOKS, MOST_LOOKS = 3, 8
"""How many looks at a still table make sure, and how many are made when it is hard to read."""
_READ = 0.9
"""A card that is read with less is worth more looks."""
_MOVED_MM, _TURNED_DEG = 5.0, 10.0
"""A card that is found so far from where it was has been moved."""


class PinError(ValueError):
    """A card that cannot be named by a human: it does not lie there, or face down."""


class Eye(Protocol):
    """What finds and reads the cards of one frame."""

    def look(self, frame: Frame) -> Look:
        """Everything in it."""


class PieceFinder(Protocol):
    """What finds the pieces of one frame, where a game has pieces."""

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        """All of them."""


class Watcher:
    """Looks closely only while something changes, and remembers what it saw."""

    def __init__(
        self,
        eye: Eye,
        zones: Iterable[Zone] = (),
        tracker: Tracker | None = None,
        settler: Settler | None = None,
        gate: Gate | None = None,
        pieces: PieceFinder | None = None,
    ) -> None:
        self._eye, self._zones = eye, tuple(zones)
        self._tracker, self._settler, self._gate = tracker or Tracker(), settler or Settler(), gate or Gate()
        self._pieces = pieces
        self._lying: tuple[Piece, ...] | None = None
        self._familiar, self._stirred_s = Familiar(), float("-inf")
        self._looks = 0
        self._looked_s = float("-inf")
        self._resting = False
        self._given: Table | None = None
        self._again = False
        self._owed = False
        """Whether another look was wanted when something moved: then the same table is given once more."""

    @property
    def tracks(self) -> tuple[Track, ...]:
        """All cards as they are known now, bottom to top."""
        return self._tracker.tracks

    @property
    def state(self) -> State:
        """What happens on the table now."""
        return self._settler.state

    def observe(self, frame: Frame) -> Table | None:
        """The table, when it has come to rest and is not the one that was given last."""
        motion = self._gate.see(frame)
        state = self._settler.feel(frame.at_s, motion)
        if motion.moving or motion.changed:
            self._familiar.moved()
            self._stirred_s = frame.at_s
            self._owed = self._owed or self._again
            self._looks, self._resting, self._lying, self._again = 0, False, None, False
        if self._resting or not self._is_worth_it(frame.at_s, motion, state):
            return None
        look = self._without_grain(self._eye.look(frame))
        self._gate.looked()
        self._looked_s = frame.at_s
        tracks = self._tracker.follow(look)
        hand = look.hands > HANDS or any(track.under_hand for track in tracks)
        state = self._settler.feel_hand(hand)
        self._looks = 0 if hand or motion.moving else self._looks + 1
        self._lying = self._lying if self._looks else None
        if state is not State.STILL or not self._is_sure(tracks, _is_settled):
            return None
        self._resting = self._is_sure(tracks, _is_read)
        cards = tuple(self._placed(track) for track in tracks if _lies(track))
        table = Table(look.at_s, look.frame, cards, self._found(frame), self._again)
        if self._given is not None and not self._again and not self._owed and _same(table, self._given):
            return None
        self._given, self._again, self._owed = table, False, False
        return table

    def _without_grain(self, look: Look) -> Look:
        """A look in which only hands are hands, not what looks like one whenever the table is at rest."""
        if look.where is None:
            return look
        if look.at_s - self._stirred_s >= REST_S:
            self._familiar.rests(look.where)
        return replace(look, hands=self._familiar.strange(look.where))

    def look_again(self) -> None:
        """Look at the resting table once more and give it out, even if it is the same."""
        # One look more is enough: what was seen before is remembered, and what many looks left in doubt stays so.
        enough = MOST_LOOKS if self._looks >= MOST_LOOKS else FEW_LOOKS
        self._looks, self._resting, self._lying, self._again = min(self._looks, enough - 1), False, None, True

    def card(self, track: int) -> Placed:
        """A card of the table that was given last; PinError if it does not lie there face up."""
        for card in self._given.cards if self._given is not None else ():
            if card.track == track:
                return _named(card)
        lying = ", ".join(str(card.track) for card in self._given.cards) if self._given is not None else ""
        raise PinError(f"no card {track} lies on the table; wanted one of {lying or 'none: nothing was seen yet'}")

    def card_at(self, point_mm: Point) -> Placed:
        """The card of that table whose middle is nearest; PinError if none is near."""
        cards = self._given.cards if self._given is not None else ()
        near = min(cards, key=lambda card: (not card.face_up, dist(card.centre_mm, point_mm)), default=None)
        if near is None or dist(near.centre_mm, point_mm) > STAYS_MM:
            raise PinError(f"no card lies face up at {point_mm[0]:.0f}, {point_mm[1]:.0f} mm")
        return _named(near)

    def pin(self, track: int, code: str) -> Table:
        """The table that was given last with a card that a human has named: no look changes that any more."""
        card = self.card(track)
        assert self._given is not None, "a card was found on it"
        self._tracker.pin(track, code)
        known = {one.id: one for one in self._tracker.tracks}
        belief = known[track].belief if track in known else card.guesses
        named = replace(card, code=code, guesses=belief, pinned=True)
        cards = tuple(named if one.track == track else one for one in self._given.cards)
        self._given = replace(self._given, cards=cards)
        return self._given

    def _found(self, frame: Frame) -> tuple[Piece, ...]:
        """The pieces on a table at rest; one look is enough until something moves."""
        if self._lying is None:
            self._lying = self._pieces.find(frame) if self._pieces is not None else ()
        return self._lying

    def _is_worth_it(self, at_s: float, motion: Motion, state: State) -> bool:
        since_s = at_s - self._looked_s
        if since_s < 0:
            return True
        if motion.moving or self._settler.quiet_s < WORTH_S:
            return since_s >= GLANCE_S
        if state is State.HAND and not motion.changed:
            return since_s >= RESTING_HAND_S
        return since_s >= LOOK_S and (self._looks < FEW_LOOKS or state is State.STILL)

    def _is_sure(self, tracks: Iterable[Track], enough: Callable[[Track], bool]) -> bool:
        """Whether there were enough looks for every card, or as many as are ever made."""
        return self._looks >= FEW_LOOKS and (self._looks >= MOST_LOOKS or all(enough(track) for track in tracks))

    def _placed(self, track: Track) -> Placed:
        """A track as the referee gets it."""
        zone = zone_of(self._zones, track.centre_mm)
        upright_deg = next((one.turn_deg for one in self._zones if one.name == zone), 0.0)
        turned_deg = wrapped(turn_deg(track.corners_mm) - upright_deg)
        if not track.face_up:
            # A back has no top: it is as little turned as it can be.
            turned_deg = (turned_deg + 90.0) % 180.0 - 90.0
        return Placed(
            track.id,
            track.code if track.face_up else FOREIGN,
            track.belief,
            track.face_up,
            track.corners_mm,
            zone,
            turned_deg,
            track.visible,
            track.marks,
            pinned=track.pinned is not None,
        )


def _named(card: Placed) -> Placed:
    if not card.face_up:
        raise PinError(f"card {card.track} lies face down; wanted one that lies face up")
    return card


def _lies(track: Track) -> bool:
    """Whether a card is on the table for all that is known; what was found only once is not."""
    return track.presence is not Presence.MISSING and track.looks > 1


def _is_settled(track: Track) -> bool:
    """Whether it is certain that a card is there, or that it is not."""
    if track.presence is Presence.MISSING:
        return track.missed >= FEW_LOOKS
    return track.looks > 1 and not track.doubts


def _is_read(track: Track) -> bool:
    """Whether more looks would tell little more."""
    return not track.face_up or track.hidden or (bool(track.belief) and track.belief[0].probability >= _READ)


def _same(one: Table, other: Table) -> bool:
    """Whether two tables are the same to anybody who plays on them."""
    others = {card.track: card for card in other.cards}
    if {card.track for card in one.cards} != set(others) or _standing(one) != _standing(other):
        return False
    return all(_unmoved(card, others[card.track]) for card in one.cards)


def _standing(table: Table) -> list[tuple[str, str, str, str]]:
    """Which pieces are where, as anybody who plays tells it."""
    return sorted((piece.kind, piece.colour, piece.zone, piece.spot) for piece in table.pieces)


def _unmoved(one: Placed, other: Placed) -> bool:
    if (one.code, one.face_up, one.zone, one.marks) != (other.code, other.face_up, other.zone, other.marks):
        return False
    if one.pinned is not other.pinned:
        return False
    near = apart_mm(one.corners_mm, other.corners_mm) < _MOVED_MM
    return near and abs(wrapped(one.turned_deg - other.turned_deg)) < _TURNED_DEG
