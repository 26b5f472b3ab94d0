"""Playback: the frames of a recording as they were stored, each with its own number, time and camera data.

What is replayed are the decoded pictures, which are the same every time and on every machine. What was ruled live, on
the camera's own pictures, stands in the journal with the tables that it was ruled on.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.frames import Frame
from device.cameras.source import Health, Status
from device.recording.appended import MOST_LINES
from device.recording.bundle import open_stored
from device.recording.codec import CodecError, Decoder
from device.recording.described import Described, described_from_bytes, placed_from
from device.recording.film import FRAMES, VIDEO
from device.recording.folder import Stored
from device.recording.lines import Lines, Loss, picked_lines
from device.recording.matroska import Cluster, Gap, walk
from device.recording.parts import Part, SessionError


@dataclass(frozen=True, slots=True)
class _Place:
    """What must be kept in mind of each frame of a long film."""

    index: int
    at_s: float
    at: int
    key: bool


class SessionFrames:
    """A recorded session as a source; what could not be read is in `losses` when all frames were taken."""

    live = False

    def __init__(self, session: Path | Stored) -> None:
        """A session's folder or a bundle of one."""
        self.stored = session if isinstance(session, Stored) else open_stored(session)
        self._video = _video_of(self.stored)
        self._losses: list[Loss] = []
        self._at_s, self._health, self._closed = 0.0, Health.RUNNING, False

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What could not be read so far."""
        return tuple(self._losses)

    @property
    def status(self) -> Status:
        """Whether it goes on, and how much is lost."""
        lost = f"{len(self._losses)} losses, the first: {self._losses[0]}" if self._losses else ""
        return Status(self._health, self._at_s, 0, lost)

    def close(self) -> None:
        """Stop after the frame that is being taken."""
        self._closed = True

    def frames(self) -> Iterator[Frame]:
        """Every stored frame that is whole, in order; nothing is dropped and nothing is waited for."""
        self._losses, seen = [], {}
        projector, shown = _Projector(), set[int]()
        with self._video.open() as reading:
            for found in walk(reading):
                if self._closed:
                    break
                if isinstance(found, Gap):
                    projector.interrupted()
                    self._losses.append(Loss(VIDEO, found.at, f"{found.size} bytes hold no whole frame"))
                    continue
                about = described_from_bytes(found.about)
                frame = projector.show(found, about)
                if about is not None:
                    seen[found.at] = about.index
                if isinstance(frame, str):
                    self._losses.append(Loss(VIDEO, found.at, frame))
                elif frame.index not in shown:
                    # A session that was cut off between a frame and its line stores that frame once more.
                    self._at_s = frame.at_s
                    shown.add(frame.index)
                    yield frame
        if not self._closed:
            self._losses += self._unseen(seen)
        self._health = Health.ENDED

    def picture(self, index: int) -> Frame | None:
        """One frame by its number; None if it was not stored or is damaged."""
        start = 0
        for place in self._lines().values:
            if place is not None and place.index <= index and place.key:
                start = place.at
        projector = _Projector()
        with self._video.open() as reading:
            for found in walk(reading, start):
                about = described_from_bytes(found.about) if isinstance(found, Cluster) else None
                if not isinstance(found, Cluster):
                    projector.interrupted()
                    continue
                frame = projector.show(found, about)
                if about is not None and about.index >= index:
                    return frame if isinstance(frame, Frame) and about.index == index else None
        return None

    def _unseen(self, seen: dict[int, int]) -> Iterator[Loss]:
        """Losses for the frames that were stored and did not come."""
        lines = self._lines()
        for loss in lines.losses:
            yield Loss(loss.file, loss.at, f"{loss.what}; the video tells what was in it")
        for place in lines.values:
            if place is not None and seen.get(place.at) != place.index:
                yield Loss(VIDEO, place.at, f"{_named(place.index, place.at_s)} is lost")
        if seen and not lines.values:
            yield Loss(FRAMES, 0, "is gone; the video tells what was in it")
        wanted = self.stored.manifest.frames
        if wanted > max(len(seen), len(lines.values)):
            yield Loss(VIDEO, self._video.size, f"{len(seen)} frames; the manifest says {wanted}")

    def _lines(self) -> Lines[_Place | None]:
        part = self.stored.part(FRAMES)
        return picked_lines(b"" if part is None else part.read(MOST_LINES), FRAMES, _place)


class _Projector:
    """Turns clusters into frames, from key frame to key frame."""

    def __init__(self) -> None:
        self._decoder: Decoder | None = None

    def interrupted(self) -> None:
        """Something is missing: what follows cannot be shown before the next key frame."""
        self._decoder = None

    def show(self, cluster: Cluster, about: Described | None) -> Frame | str:
        """The frame of a cluster, or why there is none."""
        if about is None:
            self.interrupted()
            return "a frame that does not say which"
        if cluster.key and self._decoder is None:
            self._decoder = Decoder()
        if self._decoder is None:
            return f"{_named(about.index, about.at_s)} cannot be shown: it builds on one that is lost"
        try:
            image = self._decoder.decode(cluster.packet, about.size_px)
        except CodecError as error:
            self.interrupted()
            return f"{_named(about.index, about.at_s)}: {error}"
        return Frame(about.index, about.at_s, image, about.camera)


def _place(line: dict[str, Any]) -> _Place | None:
    placed = placed_from(line)
    return None if placed is None else _Place(placed.about.index, placed.about.at_s, placed.at, placed.key)


def _named(index: int, at_s: float) -> str:
    return f"frame {index} ({at_s:.3f} s)"


def _video_of(stored: Stored) -> Part:
    part = stored.part(VIDEO)
    if part is None:
        why = "it was pruned to make room" if stored.manifest.pruned else "it was played without recording"
        raise SessionError(f"{stored.path}: no {VIDEO} in it; {why}")
    return part
