"""Settling: when the table lies still, by time alone, so that every frame rate gives the same."""

from enum import StrEnum

from vision.follow.gate import Motion

REST_S = 0.4
"""A table is still when nothing moved for so long."""


class State(StrEnum):
    """What happens on the table."""

    STILL = "still"
    HAND = "hand"
    """The last close look found a hand over the table."""
    CHANGING = "changing"


class Settler:
    """Tells a still table from one that is being played on."""

    def __init__(self, rest_s: float = REST_S) -> None:
        self._rest_s = rest_s
        self._at_s = self._moved_s = float("-inf")
        self._hand = False
        self._state = State.CHANGING

    @property
    def state(self) -> State:
        """As of the last frame."""
        return self._state

    @property
    def quiet_s(self) -> float:
        """For how long nothing has moved."""
        return self._at_s - self._moved_s

    def feel(self, at_s: float, motion: Motion) -> State:
        """After one more frame. A clock that jumps back starts anew: how long ago anything was is not known."""
        if motion.moving or at_s < self._at_s or self._moved_s == float("-inf"):
            self._moved_s = at_s
        self._at_s = at_s
        return self._judged()

    def feel_hand(self, hand: bool) -> State:
        """After a close look at that frame: whether there is a hand in it."""
        if hand:
            # When it is gone the table must rest as long as after any move.
            self._moved_s = self._at_s
        self._hand = hand
        return self._judged()

    def _judged(self) -> State:
        if self._hand:
            self._state = State.HAND
        else:
            self._state = State.STILL if self.quiet_s >= self._rest_s else State.CHANGING
        return self._state
