"""The watcher: turns frames into tables, and reports a table whenever it is still and differs from the last one.

The watcher alone decides how often the table is looked at closely. It reports a table when it is certain, again if
later looks at the same still table change a reading, and early (`hasty`) when play goes on before it was certain.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import dist
from typing import Protocol

import numpy as np

from calibration.frames import Frame
from calibration.seats import Zone, zone_of
from vision.follow.arms import ArmTracker
from vision.follow.gate import Gate, Motion
from vision.follow.hand_background import HandBackground
from vision.follow.resume import confirmed_tracks
from vision.follow.stillness import StillnessDetector, TableState
from vision.follow.track import Presence, Track, Tracker
from vision.follow.tuning import (
    HAND_PATIENCE_S,
    LOOK_INTERVAL_S,
    MAX_LOOKS,
    MIN_HAND_SHARE,
    MIN_LOOKS,
    MOTION_LOOK_INTERVAL_S,
    MOVED_MM,
    RESTING_HAND_INTERVAL_S,
    SAME_PLACE_MM,
    SHARP_AFTER_S,
    SMALL_HAND_MM2,
    TURNED_DEG,
    WELL_READ_PROBABILITY,
)
from vision.quads import distance_mm, turn_deg, wrapped
from vision.sightings import Look
from vision.table import FOREIGN, Piece, PlacedCard, Point, Table


class PinError(ValueError):
    """A card that a person cannot name: it is not on the table, or it is face down."""


class CardDetector(Protocol):
    """Finds and reads the cards of one frame."""

    def look(self, frame: Frame) -> Look:
        """All cards and hands in the frame."""


class PieceFinder(Protocol):
    """Finds the pieces of one frame, for games that have pieces."""

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        """All pieces in a frame of a still table."""


class Watcher:
    """Looks closely only while something changes, and tracks the cards from look to look."""

    def __init__(
        self,
        eye: CardDetector,
        zones: Iterable[Zone] = (),
        tracker: Tracker | None = None,
        stillness: StillnessDetector | None = None,
        gate: Gate | None = None,
        pieces: PieceFinder | None = None,
    ) -> None:
        self._eye, self._zones = eye, tuple(zones)
        self._tracker, self._stillness = tracker or Tracker(), stillness or StillnessDetector()
        self._gate, self._piece_finder = gate or Gate(), pieces
        self._arms, self._hand_background = ArmTracker(self._zones), HandBackground()
        self._pieces: tuple[Piece, ...] | None = None
        """The pieces on the present still table, once they were looked for."""
        self._moved_s = float("-inf")
        """The time of the last frame that differed from earlier ones."""
        self._looks = 0
        """Close looks at the present still table, without a hand."""
        self._looked_s = self._looked_in_motion_s = float("-inf")
        """The time of the last close look, and of the last one during motion."""
        self._finished = False
        """Whether more looks at this still table would add nothing."""
        self._certain = False
        """Whether this still table was certain already: then it was reported, or equals the last one."""
        self._pending: tuple[Table, Frame] | None = None
        """The still table after its last look and the frame of that look, until it is reported."""
        self._reported: Table | None = None
        self._earlier: Table | None = None
        """A table from before a break, until a calm look confirms its cards."""

    @property
    def tracks(self) -> tuple[Track, ...]:
        """All cards as they are known now, bottom to top."""
        return self._tracker.tracks

    @property
    def state(self) -> TableState:
        """What happens on the table now."""
        return self._stillness.state

    def observe(self, frame: Frame) -> Table | None:
        """The table, if it is still and differs from the last one that was reported.

        If play goes on too early: the table as it was until this frame, in which something moves again.
        """
        motion = self._gate.compare(frame)
        state = self._stillness.update(frame.at_s, motion)
        hasty = None
        if motion.moving or motion.changed:
            self._hand_background.end_rest()
            self._moved_s = frame.at_s
            hasty = self._end_still_table()
        if self._finished or not self._is_due(frame.at_s, motion, state):
            return hasty
        calm = not motion.moving and self._stillness.quiet_s >= SHARP_AFTER_S
        look, hand_at_rest = self._without_background(self._eye.look(frame))
        self._gate.mark_looked()
        self._looked_s = frame.at_s
        if not calm:
            self._looked_in_motion_s = frame.at_s
        if calm and (look.hand_share <= MIN_HAND_SHARE or hand_at_rest):
            self._resume_from(look)
        tracks = self._tracker.update(look)
        hand = (look.hand_share > MIN_HAND_SHARE and not hand_at_rest) or any(track.under_hand for track in tracks)
        state = self._stillness.update_hand(hand)
        if hand or not calm:
            hasty = hasty or self._end_still_table()
        # Arms in this look belong to the next table.
        if look.hand_share > MIN_HAND_SHARE:
            self._arms.update(look)
        if hand or not calm:
            return hasty
        return self._looked_at_still_table(look, frame, tracks, state) or hasty

    def _looked_at_still_table(
        self, look: Look, frame: Frame, tracks: tuple[Track, ...], state: TableState
    ) -> Table | None:
        """The table after a calm look without a hand, if it is to be reported now."""
        self._looks += 1
        self._pending = self._table(look, tracks), frame
        if state is not TableState.STILL or not self._is_certain(tracks, _is_presence_certain):
            return None
        first, self._certain = not self._certain, True
        self._finished = self._is_certain(tracks, _is_well_read)
        # Later looks at the same table are reported when the last one is done, or when play goes on.
        return self._report() if first or self._finished else None

    def resume(self, table: Table) -> None:
        """Continue from a table that was reported before a break: cards still in place keep track and reading."""
        self._earlier = table

    def _resume_from(self, look: Look) -> None:
        """Restart the tracker with the cards of the earlier table that this look confirms."""
        if self._earlier is None:
            return
        last = max((card.track for card in self._earlier.cards), default=0)
        self._tracker.restart(confirmed_tracks(self._earlier, look), last)
        self._earlier = None

    def _end_still_table(self) -> Table | None:
        """The table that was still until now, if it differs from the last one that was reported."""
        table = self._report(hasty=not self._certain)
        self._looks, self._finished, self._certain, self._pieces = 0, False, False, None
        return table

    def _report(self, hasty: bool = False) -> Table | None:
        """The table of the last look, unless it adds nothing to the last one that was reported."""
        if self._pending is None:
            return None
        (table, frame), self._pending = self._pending, None
        table = replace(table, pieces=self._pieces_in(frame))
        reported = self._reported
        # A still table confirms one that was only glimpsed, also if it shows the same cards.
        confirms = reported is not None and reported.hasty and not hasty
        if reported is not None and not confirms and _adds_nothing(table, reported):
            return None
        self._reported = replace(table, arms=self._arms.take(), hasty=hasty)
        return self._reported

    def _table(self, look: Look, tracks: Iterable[Track]) -> Table:
        """All cards that the looks at this still table support; pieces are added when it is reported."""
        cards = tuple(self._placed(track) for track in tracks if _is_present(track, self._looks))
        return Table(look.at_s, look.frame, cards, looks=self._looks)

    def _without_background(self, look: Look) -> tuple[Look, bool]:
        """A look without false hand detections, and whether its hands are at rest and cover no card."""
        if look.hand_cells is None:
            return look, False
        rested_s, rest_s = look.at_s - self._moved_s, self._stillness.rest_s
        hands = self._hand_background.foreground(look.hand_cells)
        at_rest = rested_s >= rest_s + HAND_PATIENCE_S and self._hand_background.is_stationary(hands)
        if rested_s >= rest_s:
            self._hand_background.add_rest(look.hand_cells)
        small = look.grid is not None and look.grid.area_mm2(hands) < SMALL_HAND_MM2
        if not hands.any() or (at_rest and small):
            cards = tuple(replace(card, under_hand=False) for card in look.cards)
            return replace(look, hand_share=0.0, cards=cards, hand_cells=np.zeros_like(hands)), False
        covers = any(card.under_hand for card in look.cards)
        return replace(look, hand_share=float(hands.mean()), hand_cells=hands), at_rest and not covers

    def card(self, track: int) -> PlacedCard:
        """A card of the last reported table; PinError if it is not on the table face up."""
        for card in self._reported.cards if self._reported is not None else ():
            if card.track == track:
                return _face_up(card)
        lying = ", ".join(str(card.track) for card in self._reported.cards) if self._reported is not None else ""
        raise PinError(f"no card {track} lies on the table; wanted one of {lying or 'none: nothing was seen yet'}")

    def card_at(self, point_mm: Point) -> PlacedCard:
        """The card of the last reported table whose centre is nearest; PinError if none is near."""
        cards = self._reported.cards if self._reported is not None else ()
        near = min(cards, key=lambda card: (not card.face_up, dist(card.centre_mm, point_mm)), default=None)
        if near is None or dist(near.centre_mm, point_mm) > SAME_PLACE_MM:
            raise PinError(f"no card lies face up at {point_mm[0]:.0f}, {point_mm[1]:.0f} mm")
        return _face_up(near)

    def pin(self, track: int, code: str) -> Table:
        """The last reported table with a card that a person named: no look changes its code any more."""
        card = self.card(track)
        assert self._reported is not None, "the card is on it"
        self._tracker.pin(track, code)
        known = {one.id: one for one in self._tracker.tracks}
        guesses = known[track].guesses if track in known else card.guesses
        named = replace(card, code=code, guesses=guesses, pinned=True)
        cards = tuple(named if one.track == track else one for one in self._reported.cards)
        self._reported = replace(self._reported, cards=cards)
        return self._reported

    def _pieces_in(self, frame: Frame) -> tuple[Piece, ...]:
        """The pieces on a still table; one search is enough until something moves."""
        if self._pieces is None:
            self._pieces = self._piece_finder.find(frame) if self._piece_finder is not None else ()
        return self._pieces

    def _is_due(self, at_s: float, motion: Motion, state: TableState) -> bool:
        """Whether a close look is due."""
        since_s = at_s - self._looked_s
        if since_s < 0:
            return True
        if motion.moving or self._stillness.quiet_s < SHARP_AFTER_S:
            # A quick hand may come and go right after a look at the still table.
            return since_s >= LOOK_INTERVAL_S and at_s - self._looked_in_motion_s >= MOTION_LOOK_INTERVAL_S
        if state is TableState.HAND and not motion.changed:
            return since_s >= RESTING_HAND_INTERVAL_S
        return since_s >= LOOK_INTERVAL_S and (self._looks < MIN_LOOKS or state is TableState.STILL)

    def _is_certain(self, tracks: Iterable[Track], enough: Callable[[Track], bool]) -> bool:
        """Whether there were enough looks for every card, or as many as are ever made."""
        return self._looks >= MIN_LOOKS and (self._looks >= MAX_LOOKS or all(enough(track) for track in tracks))

    def _placed(self, track: Track) -> PlacedCard:
        """A track as the referee sees it."""
        zone = zone_of(self._zones, track.centre_mm)
        upright_deg = next((one.turn_deg for one in self._zones if one.name == zone), 0.0)
        turned_deg = wrapped(turn_deg(track.corners_mm) - upright_deg)
        if not track.face_up:
            # A back has no top, so the smaller of its two rotations is given.
            turned_deg = (turned_deg + 90.0) % 180.0 - 90.0
        return PlacedCard(
            track.id,
            track.code if track.face_up else FOREIGN,
            track.guesses,
            track.face_up,
            track.corners_mm,
            zone,
            turned_deg,
            track.visible,
            track.marks,
            pinned=track.pinned is not None,
            looks=min(track.hits_in_place, self._looks),
        )


def _face_up(card: PlacedCard) -> PlacedCard:
    if not card.face_up:
        raise PinError(f"card {card.track} lies face down; wanted one that lies face up")
    return card


def _is_present(track: Track, looks: int) -> bool:
    """Whether a card counts as on the table; a card that only one of several looks found does not."""
    if track.hits == 1:
        return looks == 1 and track.presence is Presence.SEEN
    return track.presence is not Presence.MISSING


def _is_presence_certain(track: Track) -> bool:
    """Whether it is certain that a card is there, or that it is not."""
    if track.presence is Presence.MISSING:
        return track.misses >= MIN_LOOKS
    return track.hits > 1 and not track.contradictions


def _is_well_read(track: Track) -> bool:
    """Whether more looks would hardly improve the reading of a card."""
    sure = bool(track.guesses) and track.guesses[0].probability >= WELL_READ_PROBABILITY
    return not track.face_up or track.hidden or sure


def _adds_nothing(table: Table, reported: Table) -> bool:
    """Whether a table shows the same cards and pieces as the one reported, with no new certainty."""
    others = {card.track: card for card in reported.cards}
    if {card.track for card in table.cards} != set(others) or _piece_spots(table) != _piece_spots(reported):
        return False
    return all(
        _is_unchanged(card, others[card.track]) and _is_sure(card) <= _is_sure(others[card.track])
        for card in table.cards
    )


def _is_sure(card: PlacedCard) -> bool:
    """Whether the reading of a card is nearly certain."""
    return not card.face_up or (bool(card.guesses) and card.guesses[0].probability >= WELL_READ_PROBABILITY)


def _piece_spots(table: Table) -> list[tuple[str, str, str, str]]:
    """The kind, colour, zone and spot of every piece."""
    return sorted((piece.kind, piece.colour, piece.zone, piece.spot) for piece in table.pieces)


def _is_unchanged(one: PlacedCard, other: PlacedCard) -> bool:
    if (one.code, one.face_up, one.zone, one.marks) != (other.code, other.face_up, other.zone, other.marks):
        return False
    if one.pinned is not other.pinned:
        return False
    near = distance_mm(one.corners_mm, other.corners_mm) < MOVED_MM
    return near and abs(wrapped(one.turned_deg - other.turned_deg)) < TURNED_DEG
