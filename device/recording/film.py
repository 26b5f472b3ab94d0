"""A film on disk: the video, and one line of metadata per frame."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from calibration.frames import Frame
from device.files import OutputError
from device.recording.appended import Appended, open_lines
from device.recording.codec import CodecError, Encoder, codec_private
from device.recording.described import StoredFrame, describe, described_from_bytes, placed_from
from device.recording.lines import line_of
from device.recording.matroska import (
    Cluster,
    Head,
    VideoFormat,
    cluster_of,
    cues_of,
    duration_of,
    find_head,
    head_of,
    seek_of,
    unfinished,
    walk,
)
from device.recording.parts import Part, SessionError, file_part

VIDEO, FRAMES = "video.mkv", "frames.jsonl"
SYNC_S = 1.0
"""Seconds between flushes to the disk: the most that a power cut can cost."""
ROOM_CHECK_BYTES = 16_000_000
"""Bytes written between two checks for free disk space."""
_MAX_TIME_S = 1e8
"""Latest time of a frame that can be stored."""

MakeRoom = Callable[[], str]
"""Makes room on the disk; returns an error message if there is none, otherwise an empty string."""


class FilmWriter:
    """Writes video and metadata frame by frame. Never raises; `trouble` says why writing has stopped."""

    def __init__(self, folder: Path, lossless: bool, room: MakeRoom) -> None:
        self.trouble = self.refusal = ""
        self.stored = self.refused = 0
        self.last_index = -1
        """Number of the newest frame on the disk."""
        self._lossless, self._room = lossless, room
        self._encoder: Encoder | None = None
        self._last_ms, self._synced_s, self._checked = -1, -math.inf, 0
        self._unsynced = False
        self._keys: list[tuple[int, int]] = []
        self._head: Head | None = None
        self._video: Appended | None = None
        self._lines: Appended | None = None
        self._number = 0
        try:
            self._open(folder)
        except (OutputError, SessionError) as error:
            self._stop(str(error))

    def add(self, frame: Frame) -> None:
        """Store one frame."""
        if self.trouble or self._video is None or self._lines is None:
            return
        image = frame.image
        if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or not 0 <= frame.at_s < _MAX_TIME_S:
            self._refuse(frame, f"{image.dtype} pixels {image.shape} at {frame.at_s} s; wanted 8 bits of three colours")
            return
        try:
            self._store(frame, self._video, self._lines)
        except CodecError as error:
            # The next frame starts a new stream with a key frame.
            self._encoder = None
            self._refuse(frame, str(error))
        except OutputError as error:
            self._stop(str(error))

    def sync(self) -> None:
        """Flush everything to the disk."""
        if self._unsynced and self._video is not None and self._lines is not None:
            self._unsynced = False
            try:
                self._video.sync()
                self._lines.sync()
            except OutputError as error:
                self._stop(str(error))

    def close(self) -> None:
        """Append the index that players need, and close the files."""
        if self._video is not None and self._head is not None and self._keys and not self.trouble:
            try:
                cues_at = self._video.append(cues_of(self._keys, self._head))
                self._video.sync()
                self._video.patch(self._head.seek_at, seek_of(cues_at, self._head))
                self._video.patch(self._head.duration_at, duration_of(self._last_ms + 1))
            except OutputError as error:
                self._stop(str(error))
        self.sync()
        for file in (self._video, self._lines):
            if file is not None:
                file.close()
        self._video = self._lines = None

    def _open(self, folder: Path) -> None:
        """Find the end of an earlier recording; bytes after its last complete frame are discarded."""
        lines, self._lines = open_lines(folder / FRAMES)
        self._number = lines.next_number
        video = folder / VIDEO
        there = file_part(video) if video.exists() else Part(video, 0, 0)
        end = 0
        for line in lines.values:
            placed = placed_from(line)
            if placed is not None and placed.at + placed.size <= there.size:
                self._note(placed)
                end = placed.at + placed.size
        if there.size:
            end = self._catch_up(there, end, self._lines)
        self._video = Appended(video, end)
        for at, data in unfinished(self._head) if self._head is not None and end else ():
            self._video.patch(at, data)

    def _catch_up(self, video: Part, end: int, lines: Appended) -> int:
        """Write missing metadata lines and return the end of the last complete frame."""
        with video.open() as reading:
            self._head = find_head(reading)
            for found in walk(reading, end):
                about = described_from_bytes(found.about) if isinstance(found, Cluster) else None
                if isinstance(found, Cluster) and about is not None:
                    # The recording was interrupted between the frame and its line.
                    self._line(StoredFrame(about, found.at_ms, found.at, found.size, found.key), lines)
                    end = found.at + found.size
        return end

    def _store(self, frame: Frame, video: Appended, lines: Appended) -> None:
        about = describe(frame)
        at_ms = max(self._last_ms + 1, round(frame.at_s * 1000))
        encoder = self._encoder
        if encoder is None or encoder.size_px != about.size_px:
            encoder = self._encoder = Encoder(about.size_px, self._lossless)
        packet = encoder.encode(frame.image, at_ms)
        if video.end - self._checked >= ROOM_CHECK_BYTES or not video.end:
            self._checked = video.end
            full = self._room()
            if full:
                self._stop(full)
                return
        if not video.end:
            picture = VideoFormat(about.size_px, encoder.coded_px, codec_private(packet.data, self._lossless))
            self._head = head_of(picture)
            video.append(self._head.data)
        cluster = cluster_of(at_ms, about.as_bytes(), packet.key, packet.data)
        self._line(StoredFrame(about, at_ms, video.append(cluster), len(cluster), packet.key), lines)
        self.stored += 1
        if not 0 <= frame.at_s - self._synced_s < SYNC_S:
            self._synced_s = frame.at_s
            self.sync()

    def _line(self, placed: StoredFrame, lines: Appended) -> None:
        lines.append(line_of(self._number, placed.as_json()))
        self._number += 1
        self._unsynced = True
        self._note(placed)

    def _note(self, placed: StoredFrame) -> None:
        self._last_ms = max(self._last_ms, placed.at_ms)
        self.last_index = max(self.last_index, placed.about.index)
        if placed.key:
            self._keys.append((placed.at_ms, placed.at))

    def _refuse(self, frame: Frame, why: str) -> None:
        self.refused += 1
        self.refusal = f"frame {frame.index}: {why}"

    def _stop(self, why: str) -> None:
        self.trouble = f"recording has stopped, the game goes on: {why}"
