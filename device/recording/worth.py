"""Worth: which frames of a film without a referee are stored, so that quiet tables cost almost nothing."""

from calibration.frames import Frame
from vision.follow.gate import Gate

AFTER_S = 1.5
"""So long after the last movement a table is still stored, so that it can be seen to have come to rest."""


class Worth:
    """Says of every frame whether something happens in it."""

    def __init__(self, gate: Gate | None = None) -> None:
        self._gate = gate or Gate()
        self._moved_s = float("-inf")
        self._looked = False

    def see(self, frame: Frame) -> bool:
        """Whether it is worth storing."""
        motion = self._gate.compare(frame)
        if motion.moving or motion.lit or (self._looked and motion.changed):
            self._moved_s, self._looked = frame.at_s, False
        if 0 <= frame.at_s - self._moved_s <= AFTER_S:
            return True
        if not self._looked:
            # From here on what only creeps is seen too.
            self._gate.mark_looked()
            self._looked = True
        return False
