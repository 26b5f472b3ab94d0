"""The watcher: frames go in, and whenever the table has come to rest and is another one, it comes out.

It alone decides how often a table is looked at. A table comes out when it is sure; once more if later looks at the same
still table tell something else; and in haste, when somebody plays on before it was sure.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import dist
from typing import Protocol

import numpy as np

from calibration.frames import Frame
from calibration.seats import Zone, zone_of
from vision.follow.arms import Arms
from vision.follow.gate import Gate, Motion
from vision.follow.hand_background import Familiar
from vision.follow.resume import tracks_of
from vision.follow.settle import REST_S, Settler, State
from vision.follow.track import HANDS, STAYS_MM, Presence, Track, Tracker
from vision.quads import apart_mm, turn_deg, wrapped
from vision.sightings import Look
from vision.table import FOREIGN, Piece, Placed, Point, Table

WORTH_S = 0.09
"""A frame is worth a close look when nothing moved for so long: what moves is blurred."""
LOOK_S = 0.09
"""Looks nearer to each other than this show the same."""
GLANCE_S = 0.29
"""While the table is being played on it is looked at so often, to follow cards and to see hands.

Of three frames a second each is looked at: a quick hand is over the table in one of them only.
"""
RESTING_HAND_S = 0.4
"""How often a hand is looked at that does not move."""
FEW_LOOKS, MOST_LOOKS = 3, 8
"""How many looks at a still table make sure, and how many are made when it is hard to read."""
PATIENCE_S = 0.3
"""A hand that does not move for so long, on a table that has settled otherwise, holds the table back no longer."""
SMALL_HAND_MM2 = 3000.0
"""What is smaller than this, half a card, can hide none: if it does not move it is taken for a print of the table."""
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
        self._arms = Arms(self._zones)
        self._familiar, self._stirred_s = Familiar(), float("-inf")
        self._looks = 0
        """Close looks at the table as it lies still now, without a hand."""
        self._looked_s = self._glanced_s = float("-inf")
        """When it was last looked at closely, and when while it was played on."""
        self._resting = False
        """Whether more looks at this still table would tell nothing."""
        self._settled = False
        """Whether this still table was sure already: then it was given, or it is the one before."""
        self._glimpse: tuple[Table, Frame] | None = None
        """The still table after its last look, until it is given, and the frame of that look."""
        self._given: Table | None = None
        self._earlier: Table | None = None
        """A table from before anything was seen here, until a calm look says what of it still lies there."""

    @property
    def tracks(self) -> tuple[Track, ...]:
        """All cards as they are known now, bottom to top."""
        return self._tracker.tracks

    @property
    def state(self) -> State:
        """What happens on the table now."""
        return self._settler.state

    def observe(self, frame: Frame) -> Table | None:
        """The table, when it has come to rest and is not the one that was given last.

        In haste, the table as it lay until this frame, in which something moves again.
        """
        motion = self._gate.see(frame)
        state = self._settler.feel(frame.at_s, motion)
        hasty = None
        if motion.moving or motion.changed:
            self._familiar.moved()
            self._stirred_s = frame.at_s
            hasty = self._disturbed()
        if self._resting or not self._is_worth_it(frame.at_s, motion, state):
            return hasty
        calm = not motion.moving and self._settler.quiet_s >= WORTH_S
        look, still_hand = self._without_grain(self._eye.look(frame))
        self._gate.looked()
        self._looked_s = frame.at_s
        if not calm:
            self._glanced_s = frame.at_s
        if self._earlier is not None and calm and (look.hands <= HANDS or still_hand):
            last = max((card.track for card in self._earlier.cards), default=0)
            self._tracker.begin(tracks_of(self._earlier, look), last)
            self._earlier = None
        tracks = self._tracker.follow(look)
        hand = (look.hands > HANDS and not still_hand) or any(track.under_hand for track in tracks)
        state = self._settler.feel_hand(hand)
        if hand or not calm:
            hasty = hasty or self._disturbed()
        # What is seen of arms now belongs to the table that comes after.
        if look.hands > HANDS:
            self._arms.see(look)
        if hand or not calm:
            return hasty
        self._looks += 1
        self._glimpse = self._table(look, tracks), frame
        if state is not State.STILL or not self._is_sure(tracks, _is_settled):
            return hasty
        first, self._settled = not self._settled, True
        self._resting = self._is_sure(tracks, _is_read)
        # What later looks make of the same table is told when they are done, or when somebody plays on.
        return self._glimpsed() if first or self._resting else hasty

    def resume(self, table: Table) -> None:
        """Go on from a table that was given before a break: what still lies there keeps its identity and reading."""
        self._earlier = table

    def _disturbed(self) -> Table | None:
        """The still table ends here: what was seen of it, if that is another table than the one given last."""
        glimpsed = self._glimpsed(hasty=not self._settled)
        self._looks, self._resting, self._settled, self._lying = 0, False, False, None
        return glimpsed

    def _glimpsed(self, hasty: bool = False) -> Table | None:
        """The table of the last look, unless it tells no more than the one given last."""
        if self._glimpse is None:
            return None
        (table, frame), self._glimpse = self._glimpse, None
        table = replace(table, pieces=self._found(frame))
        if self._given is not None and _same(table, self._given):
            return None
        self._given = replace(table, arms=self._arms.taken(), hasty=hasty)
        return self._given

    def _table(self, look: Look, tracks: Iterable[Track]) -> Table:
        """All cards that lie there as far as the looks at this still table tell; pieces are looked for later."""
        cards = tuple(self._placed(track) for track in tracks if _lies(track, self._looks))
        return Table(look.at_s, look.frame, cards, looks=self._looks)

    def _without_grain(self, look: Look) -> tuple[Look, bool]:
        """A look in which only hands are hands, not what looks like one whenever the table is at rest.

        And whether all hands in it cover no card and have not moved for so long that they hold nothing up.
        """
        if look.where is None:
            return look, False
        rested_s = look.at_s - self._stirred_s
        strange = self._familiar.strange(look.where)
        still = rested_s >= REST_S + PATIENCE_S and self._familiar.unmoved(strange)
        if rested_s >= REST_S:
            self._familiar.rests(look.where)
        small = look.grid is not None and look.grid.area_mm2(strange) < SMALL_HAND_MM2
        if not strange.any() or (still and small):
            cards = tuple(replace(card, under_hand=False) for card in look.cards)
            return replace(look, hands=0.0, cards=cards, where=np.zeros_like(strange)), False
        covers = any(card.under_hand for card in look.cards)
        return replace(look, hands=float(strange.mean()), where=strange), still and not covers

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
            # A quick hand comes and goes right after a look at the still table.
            return since_s >= LOOK_S and at_s - self._glanced_s >= GLANCE_S
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
            looks=min(track.steady, self._looks),
        )


def _named(card: Placed) -> Placed:
    if not card.face_up:
        raise PinError(f"card {card.track} lies face down; wanted one that lies face up")
    return card


def _lies(track: Track, looks: int) -> bool:
    """Whether a card is on the table for all that is known; what only one of several looks found is not."""
    if track.looks == 1:
        return looks == 1 and track.presence is Presence.SEEN
    return track.presence is not Presence.MISSING


def _is_settled(track: Track) -> bool:
    """Whether it is certain that a card is there, or that it is not."""
    if track.presence is Presence.MISSING:
        return track.missed >= FEW_LOOKS
    return track.looks > 1 and not track.doubts


def _is_read(track: Track) -> bool:
    """Whether more looks would tell little more."""
    return not track.face_up or track.hidden or (bool(track.belief) and track.belief[0].probability >= _READ)


def _same(table: Table, given: Table) -> bool:
    """Whether a table tells no more than one that was given to anybody who plays on it."""
    others = {card.track: card for card in given.cards}
    if {card.track for card in table.cards} != set(others) or _standing(table) != _standing(given):
        return False
    return all(
        _unmoved(card, others[card.track]) and _is_sure_of(card) <= _is_sure_of(others[card.track])
        for card in table.cards
    )


def _is_sure_of(card: Placed) -> bool:
    """Whether there is little doubt what it is."""
    return not card.face_up or (bool(card.guesses) and card.guesses[0].probability >= _READ)


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
