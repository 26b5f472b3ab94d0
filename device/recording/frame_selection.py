"""Frame selection for recordings without a referee: quiet tables take almost no space."""

from calibration.frames import Frame
from vision.follow.gate import Gate

KEEP_AFTER_MOTION_S = 1.5
"""Seconds to keep recording after the last movement, so that the film shows the table at rest."""


class FrameSelector:
    """Decides which frames are worth storing."""

    def __init__(self, gate: Gate | None = None) -> None:
        self._gate = gate or Gate()
        self._last_motion_s = float("-inf")
        self._quiet = False

    def is_worth_storing(self, frame: Frame) -> bool:
        """Whether the frame is worth storing."""
        motion = self._gate.compare(frame)
        if motion.moving or motion.lit or (self._quiet and motion.changed):
            self._last_motion_s, self._quiet = frame.at_s, False
        if 0 <= frame.at_s - self._last_motion_s <= KEEP_AFTER_MOTION_S:
            return True
        if not self._quiet:
            # From now on the gate also reports slow, creeping changes.
            self._gate.mark_looked()
            self._quiet = True
        return False
