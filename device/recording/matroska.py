"""Matroska: an append-only video. Each frame is a cluster with its own checksum and description.

A cluster contains everything that a reader needs: exact time and camera data in a Void element, which players skip,
and in each key frame the decoder's parameters. So damage elsewhere in the file cannot destroy a frame.
"""

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from device.recording.parts import OpenPart

MAX_CLUSTER_BYTES = 1 << 27
"""Maximum size of a cluster to read; a larger length is damaged."""
_EBML, _SEGMENT, _SEEK_HEAD, _INFO = 0x1A45DFA3, 0x18538067, 0x114D9B74, 0x1549A966
_TRACKS, _CLUSTER, _CUES, _VOID, _CRC = 0x1654AE6B, 0x1F43B675, 0x1C53BB6B, 0xEC, 0xBF
_TIMESTAMP, _SIMPLE_BLOCK, _DURATION = 0xE7, 0xA3, 0x4489
_TOP_LEVEL = {_EBML, _SEEK_HEAD, _INFO, _TRACKS, _CUES, _VOID}
"""Top-level elements other than clusters."""
_UNKNOWN_LENGTH = b"\x01" + b"\xff" * 7
_SEEK_SIZE, _DURATION_SIZE = 64, 11
_KEY = 0x80


@dataclass(frozen=True, slots=True)
class Cluster:
    """One stored frame."""

    at: int
    size: int
    at_ms: int
    about: bytes
    key: bool
    packet: bytes


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes that contain no complete cluster."""

    at: int
    size: int


@dataclass(frozen=True, slots=True)
class Head:
    """The start of a file, and the offsets of the fields that are filled in at the end."""

    data: bytes
    segment: int
    """Offset of the segment's body; Matroska counts positions from here."""
    seek_at: int
    duration_at: int


@dataclass(frozen=True, slots=True)
class VideoFormat:
    """Format of all frames in a file."""

    size_px: tuple[int, int]
    coded_px: tuple[int, int]
    codec_private: bytes


def head_of(picture: VideoFormat) -> Head:
    """The bytes before the first cluster."""
    ebml = _element(
        _EBML,
        _number(0x4286, 1) + _number(0x42F7, 1) + _number(0x42F2, 4) + _number(0x42F3, 8),
        _element(0x4282, b"matroska") + _number(0x4287, 4) + _number(0x4285, 2),
    )
    segment = ebml + _id(_SEGMENT) + _UNKNOWN_LENGTH
    app = _element(0x4D80, b"Krupier") + _element(0x5741, b"Krupier")
    info = _element(_INFO, _number(0x2AD7B1, 1_000_000) + app, _void(_DURATION_SIZE))
    (wide, tall), (coded_wide, coded_tall) = picture.size_px, picture.coded_px
    video = _number(0xB0, coded_wide) + _number(0xBA, coded_tall) + _number(0x9A, 2)
    crop = _number(0x54AA, coded_tall - tall) + _number(0x54DD, coded_wide - wide)
    track = _number(0xD7, 1) + _number(0x73C5, 1) + _number(0x83, 1) + _number(0x9C, 0)
    codec = _element(0x86, b"V_MPEG4/ISO/AVC") + _element(0x63A2, picture.codec_private)
    tracks = _element(_TRACKS, _element(0xAE, track + codec, _element(0xE0, video + crop)))
    data = segment + _void(_SEEK_SIZE) + info
    return Head(data + tracks, len(segment), len(segment), len(data) - _DURATION_SIZE)


def cluster_of(at_ms: int, about: bytes, key: bool, packet: bytes) -> bytes:
    """Encode one frame; only Krupier reads `about`."""
    block = b"\x81\x00\x00" + bytes([_KEY if key else 0]) + packet
    body = _number(_TIMESTAMP, at_ms) + _element(_VOID, about) + _element(_SIMPLE_BLOCK, block)
    return _element(_CLUSTER, _element(_CRC, struct.pack("<I", zlib.crc32(body))), body)


def cues_of(keys: Sequence[tuple[int, int]], head: Head) -> bytes:
    """Encode the seek index: time and position of every key frame."""
    points = (
        _element(0xBB, _number(0xB3, at_ms) + _element(0xB7, _number(0xF7, 1) + _number(0xF1, at - head.segment)))
        for at_ms, at in keys
    )
    return _element(_CUES, b"".join(points))


def seek_of(cues_at: int, head: Head) -> bytes:
    """Encode the seek head that points to the index at `cues_at`."""
    seek = _element(0x4DBB, _element(0x53AB, _id(_CUES)) + _element(0x53AC, struct.pack(">Q", cues_at - head.segment)))
    found = _element(_SEEK_HEAD, seek)
    return found + _void(_SEEK_SIZE - len(found))


def unfinished(head: Head) -> tuple[tuple[int, bytes], tuple[int, bytes]]:
    """Offsets and placeholder bytes of both fields while the file still grows."""
    return (head.seek_at, _void(_SEEK_SIZE)), (head.duration_at, _void(_DURATION_SIZE))


def duration_of(length_ms: float) -> bytes:
    """Encode the duration field."""
    return _element(_DURATION, struct.pack(">d", length_ms))


def find_head(reading: OpenPart) -> Head | None:
    """Read the start of an existing file; None if it is damaged."""
    at, segment, seek_at = 0, 0, 0
    while (here := _head_at(reading, at)) is not None:
        element, body_at, size = here
        if element == _SEGMENT:
            segment = seek_at = body_at
            at = body_at
        elif element == _INFO and segment:
            return _checked_head(Head(b"", segment, seek_at, body_at + size - _DURATION_SIZE), reading)
        elif element in _TOP_LEVEL:
            at = body_at + size
        else:
            return None
    return None


def _checked_head(head: Head, reading: OpenPart) -> Head | None:
    """The head, if the fields to be overwritten are where they should be; otherwise None."""
    seek, duration = _head_at(reading, head.seek_at), _head_at(reading, head.duration_at)
    if seek is None or duration is None or seek[0] not in (_VOID, _SEEK_HEAD) or duration[0] not in (_VOID, _DURATION):
        return None
    return head


def walk(reading: OpenPart, at: int = 0) -> Iterator[Cluster | Gap]:
    """All complete clusters in order, and the gaps between them."""
    damaged: int | None = None
    while at < reading.size:
        cluster = _cluster_at(reading, at)
        end = _element_end(reading, at) if cluster is None else at
        if cluster is None and end is None:
            damaged = at if damaged is None else damaged
            at = reading.find(_id(_CLUSTER), at + 1)
            continue
        if damaged is not None:
            yield Gap(damaged, at - damaged)
            damaged = None
        if cluster is not None:
            yield cluster
            at += cluster.size
        elif end is not None:
            at = end
    if damaged is not None:
        yield Gap(damaged, reading.size - damaged)


def _element_end(reading: OpenPart, at: int) -> int | None:
    """The end of a top-level element that is not a cluster; None if the element is damaged."""
    here = _head_at(reading, at)
    if here is None:
        return None
    element, body_at, size = here
    if element == _SEGMENT:
        return body_at
    end = body_at + size
    if element not in _TOP_LEVEL or end > reading.size:
        return None
    # A damaged length would point into the middle of another element.
    following = _head_at(reading, end)
    known = end == reading.size or (following is not None and following[0] in _TOP_LEVEL | {_SEGMENT, _CLUSTER})
    return end if known else None


def _cluster_at(reading: OpenPart, at: int) -> Cluster | None:
    here = _head_at(reading, at)
    if here is None or here[0] != _CLUSTER or not 0 < here[2] <= MAX_CLUSTER_BYTES:
        return None
    _, body_at, size = here
    body = reading.read(body_at, size)
    if len(body) < size or body[:2] != b"\xbf\x84" or struct.unpack("<I", body[2:6])[0] != zlib.crc32(body[6:]):
        return None
    found: dict[int, bytes] = {}
    inside = 6
    while inside < size:
        head = _element_head(body[inside : inside + 12])
        if head is None:
            return None
        element, begin, length = head
        found[element] = body[inside + begin : inside + begin + length]
        inside += begin + length
    block = found.get(_SIMPLE_BLOCK, b"")
    if len(block) < 5 or _TIMESTAMP not in found:
        return None
    at_ms = int.from_bytes(found[_TIMESTAMP], "big")
    return Cluster(at, body_at - at + size, at_ms, found.get(_VOID, b""), bool(block[3] & _KEY), block[4:])


def _head_at(reading: OpenPart, at: int) -> tuple[int, int, int] | None:
    """Element ID, offset and length of the body; the segment's length is unknown."""
    head = _element_head(reading.read(at, 12))
    return None if head is None else (head[0], at + head[1], head[2])


def _element_head(data: bytes) -> tuple[int, int, int] | None:
    if not data or not data[0]:
        return None
    long = 9 - data[0].bit_length()
    if long > 4 or len(data) <= long or not data[long]:
        return None
    wide = 9 - data[long].bit_length()
    if len(data) < long + wide:
        return None
    size = int.from_bytes(data[long : long + wide], "big") & ((1 << 7 * wide) - 1)
    return int.from_bytes(data[:long], "big"), long + wide, size


def _id(element: int) -> bytes:
    return element.to_bytes((element.bit_length() + 7) // 8, "big")


def _element(element: int, *bodies: bytes) -> bytes:
    body = b"".join(bodies)
    wide = 1
    # A length of all ones would mean an unknown length.
    while len(body) >= (1 << 7 * wide) - 1:
        wide += 1
    return _id(element) + (len(body) | 1 << 7 * wide).to_bytes(wide, "big") + body


def _number(element: int, value: int) -> bytes:
    return _element(element, value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big"))


def _void(size: int) -> bytes:
    """Padding of a given number of bytes."""
    return _element(_VOID, bytes(size - 2))
