"""Retrying: reopens a lost camera with increasing delays; frame numbers and times go on."""

from collections.abc import Callable, Generator, Iterator

from calibration.frames import Frame
from device.cameras.garbage import garbage_in
from device.cameras.source import Camera, CameraError, Clock, Health, Opener, Picture, Status

BACK_OFF_S = (0.5, 1.0, 2.0, 4.0, 8.0, 10.0)
"""Seconds to wait before each attempt to reopen a lost camera; the last value repeats."""

Pause = Callable[[float], bool]
"""Waits for some seconds; returns True at once when it is time to stop."""


class Retrying:
    """Frames of a camera that may disappear and return; numbers and times continue across gaps."""

    def __init__(
        self,
        open_camera: Opener,
        clock: Clock,
        pause: Pause,
        stall_s: float = 3.0,
        first_index: int = 0,
        first_s: float = 0.0,
    ) -> None:
        self._open, self._clock, self._pause, self._stall_s = open_camera, clock, pause, stall_s
        self._index = first_index
        self._zero = clock() - first_s
        self._good_s = first_s
        """Time of the last valid picture."""
        self._size_px: tuple[int, int] | None = None
        self._status = Status(Health.LOST, first_s, 0, "the camera is being opened")
        self.garbage = 0
        """Invalid pictures that were discarded."""

    @property
    def now_s(self) -> float:
        """Current time on the frames' clock."""
        return self._clock() - self._zero

    @property
    def status(self) -> Status:
        """State of the camera; it also counts as lost while the next picture is overdue."""
        status, waited_s = self._status, self.now_s - self._good_s
        if status.health is Health.RUNNING and waited_s > self._stall_s:
            return Status(Health.LOST, self._good_s, 0, f"no picture for {waited_s:.0f} s")
        return status

    def frames(self) -> Generator[Frame, None, None]:
        """Frames until the camera ends or `pause` says stop."""
        while True:
            try:
                camera = self._open()
                try:
                    yield from self._taken(camera)
                finally:
                    camera.close()
                break
            except CameraError as error:
                self._lose(str(error))
            if self._pause(BACK_OFF_S[min(self._status.tries, len(BACK_OFF_S)) - 1]):
                return
        self._status = Status(Health.ENDED, self.now_s, 0, "there are no more pictures")

    def _taken(self, camera: Camera) -> Iterator[Frame]:
        """Frames of one open camera."""
        size_px = self._size_px or camera.size_px
        quiet_s = self.now_s
        while (picture := camera.read()) is not None:
            fault = garbage_in(picture.image, size_px)
            if not fault:
                # A camera that returns must give pictures of the first size: the rig knows no other.
                self._size_px, quiet_s = size_px, self.now_s
                yield self._frame(picture, quiet_s)
                continue
            self.garbage += 1
            if self.now_s - quiet_s > self._stall_s:
                raise CameraError(f"nothing but garbage for {self._stall_s:g} s: {fault}")

    def _frame(self, picture: Picture, at_s: float) -> Frame:
        picture.image.flags.writeable = False
        # Set before the status: other threads read both, and a running camera must not seem stalled.
        self._good_s = at_s
        was = self._status
        if was.health is not Health.RUNNING:
            self._status = Status(Health.RUNNING, at_s, 0, picture.note)
        elif was.message != picture.note:
            self._status = Status(Health.RUNNING, was.since_s, 0, picture.note)
        frame = Frame(self._index, at_s, picture.image, picture.camera)
        self._index += 1
        return frame

    def _lose(self, message: str) -> None:
        self._status = Status(Health.LOST, self._good_s, self._status.tries + 1, message)
