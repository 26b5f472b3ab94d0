"""Files as sources: a picture, a folder of pictures, a video. Frames are read on demand; none is dropped."""

from collections.abc import Iterator

from calibration.frames import Frame
from device.cameras.source import Health, Status
from device.sources import frames_from


class FileSource:
    """Frames of a file or folder."""

    live = False

    def __init__(self, name: str) -> None:
        self._frames = frames_from(name)
        self._status = Status(Health.RUNNING, 0.0, 0, "")
        self._last_s = 0.0

    @property
    def status(self) -> Status:
        """Running until the file is read to its end or closed."""
        return self._status

    def frames(self) -> Iterator[Frame]:
        """All frames in order, each once; SourceError for a file that cannot be read."""
        for frame in self._frames:
            if self._status.health is Health.ENDED:
                return
            frame.image.flags.writeable = False
            self._last_s = frame.at_s
            yield frame
        self._end("read to its end")

    def close(self) -> None:
        """Stop reading."""
        self._end("closed")

    def _end(self, message: str) -> None:
        if self._status.health is not Health.ENDED:
            self._status = Status(Health.ENDED, self._last_s, 0, message)
