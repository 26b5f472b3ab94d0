"""Playback: the frames of a recording as stored, each with its own number, time and camera data.

Playback yields the decoded images, which are the same every time and on every machine. The live rulings, made on the
camera's own images, are in the journal with the tables they were based on.
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
    """Position of a frame in the video: small, since a long film has many."""

    index: int
    at_s: float
    at: int
    key: bool


class SessionFrames:
    """A recorded session as a frame source; `losses` is complete after the last frame."""

    live = False

    def __init__(self, session: Path | Stored) -> None:
        """Open a session folder or a bundle."""
        self.stored = session if isinstance(session, Stored) else open_stored(session)
        self._video = _video_of(self.stored)
        self._losses: list[Loss] = []
        self._at_s, self._health, self._closed = 0.0, Health.RUNNING, False

    @property
    def losses(self) -> tuple[Loss, ...]:
        """Damage found so far."""
        return tuple(self._losses)

    @property
    def status(self) -> Status:
        """State of the playback and number of losses."""
        lost = f"{len(self._losses)} losses, the first: {self._losses[0]}" if self._losses else ""
        return Status(self._health, self._at_s, 0, lost)

    def close(self) -> None:
        """Stop after the current frame."""
        self._closed = True

    def frames(self) -> Iterator[Frame]:
        """Every intact stored frame in order, without drops or delays."""
        self._losses, seen = [], {}
        projector, shown = _Projector(), set[int]()
        with self._video.open() as reading:
            for found in walk(reading):
                if self._closed:
                    break
                if isinstance(found, Gap):
                    projector.reset()
                    self._losses.append(Loss(VIDEO, found.at, f"{found.size} bytes hold no whole frame"))
                    continue
                about = described_from_bytes(found.about)
                frame = projector.show(found, about)
                if about is not None:
                    seen[found.at] = about.index
                if isinstance(frame, str):
                    self._losses.append(Loss(VIDEO, found.at, frame))
                elif frame.index not in shown:
                    # A session that was interrupted between a frame and its line stores that frame twice.
                    self._at_s = frame.at_s
                    shown.add(frame.index)
                    yield frame
        if not self._closed:
            self._losses += self._missing_frames(seen)
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
                    projector.reset()
                    continue
                frame = projector.show(found, about)
                if about is not None and about.index >= index:
                    return frame if isinstance(frame, Frame) and about.index == index else None
        return None

    def _missing_frames(self, seen: dict[int, int]) -> Iterator[Loss]:
        """Losses for frames that were stored but not found."""
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
    """Decodes clusters into frames, from key frame to key frame."""

    def __init__(self) -> None:
        self._decoder: Decoder | None = None

    def reset(self) -> None:
        """Start over: frames before the next key frame cannot be decoded."""
        self._decoder = None

    def show(self, cluster: Cluster, about: Described | None) -> Frame | str:
        """The frame of a cluster, or the reason why there is none."""
        if about is None:
            self.reset()
            return "a frame that does not say which"
        if cluster.key and self._decoder is None:
            self._decoder = Decoder()
        if self._decoder is None:
            return f"{_named(about.index, about.at_s)} cannot be shown: it builds on one that is lost"
        try:
            image = self._decoder.decode(cluster.packet, about.size_px)
        except CodecError as error:
            self.reset()
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
