"""Stillness: when the table is still, judged by time alone, so that every frame rate gives the same result."""

from enum import StrEnum

from vision.follow.gate import Motion
from vision.follow.tuning import REST_S


class TableState(StrEnum):
    """What happens on the table."""

    STILL = "still"
    HAND = "hand"
    """The last close look found a hand over the table."""
    CHANGING = "changing"


class StillnessDetector:
    """Distinguishes a still table from one that is being played on."""

    def __init__(self, rest_s: float = REST_S) -> None:
        self.rest_s = rest_s
        """Seconds without motion after which the table is still."""
        self._at_s = self._moved_s = float("-inf")
        self._hand = False
        self._state = TableState.CHANGING

    @property
    def state(self) -> TableState:
        """The state as of the last frame."""
        return self._state

    @property
    def quiet_s(self) -> float:
        """The time since the last motion."""
        return self._at_s - self._moved_s

    def update(self, at_s: float, motion: Motion) -> TableState:
        """The state after one more frame; a clock that jumps back restarts the rest time."""
        if motion.moving or at_s < self._at_s or self._moved_s == float("-inf"):
            self._moved_s = at_s
        self._at_s = at_s
        return self._updated_state()

    def update_hand(self, hand: bool) -> TableState:
        """The state after a close look at that frame, which did or did not find a hand."""
        if hand:
            # When the hand is gone the table must rest as long as after any motion.
            self._moved_s = self._at_s
        self._hand = hand
        return self._updated_state()

    def _updated_state(self) -> TableState:
        if self._hand:
            self._state = TableState.HAND
        else:
            self._state = TableState.STILL if self.quiet_s >= self.rest_s else TableState.CHANGING
        return self._state
