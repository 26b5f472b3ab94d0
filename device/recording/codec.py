"""H.264: images to packets and back. One packet holds one image; every key frame carries its parameter sets."""

import re
from dataclasses import dataclass
from fractions import Fraction

import av
import cv2
import numpy as np
from av.codec.context import Flags

from calibration.frames import Image

GOP = 30
"""Frames between key frames, and so the most frames that one damaged frame can cost."""
MIN_SIDE_PX, MAX_SIDE_PX = 16, 8192
"""Limits of the width and height of an image."""
_CRF = "18"
"""Constant rate factor of libx264; lower is better and larger."""
_START_CODE = re.compile(rb"\x00\x00\x00\x01|\x00\x00\x01")
_SPS, _PPS, _SEI = 7, 8, 6
_LONG_PROFILES = (100, 110, 122, 244)
"""H.264 profiles whose CodecPrivate includes the chroma format and the bit depths."""
_CHROMA = {False: 1, True: 3}
"""H.264 chroma format by `lossless`: 4:2:0 (half size) or 4:4:4 (full size)."""


class CodecError(ValueError):
    """An image that cannot be encoded, or a packet that cannot be decoded."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One encoded image as Matroska stores it: each NAL unit preceded by its length."""

    data: bytes
    key: bool


class Encoder:
    """Encodes images of one size, one packet each."""

    def __init__(self, size_px: tuple[int, int], lossless: bool = False) -> None:
        wide, tall = size_px
        if not all(MIN_SIDE_PX <= side <= MAX_SIDE_PX for side in size_px):
            raise CodecError(f"{wide} x {tall} pixels; wanted sides from {MIN_SIDE_PX} to {MAX_SIDE_PX}")
        self.size_px, self._lossless = size_px, lossless
        # Chroma is stored at half size, so both sides must be even; the decoder crops the added pixels.
        self.coded_px = size_px if lossless else (wide + wide % 2, tall + tall % 2)
        try:
            self._context = av.CodecContext.create("libx264rgb" if lossless else "libx264", "w")
        except ValueError as error:
            raise CodecError("no libx264 in this PyAV; wanted the wheel from PyPI or Debian's python3-av") from error
        context = self._context
        context.width, context.height = self.coded_px
        context.pix_fmt = "bgr24" if lossless else "yuv420p"
        context.time_base = Fraction(1, 1000)
        context.gop_size = GOP
        # One thread leaves the other cores to the referee and gives the same bytes on every machine.
        context.thread_count = 1
        quality = {"preset": "ultrafast", "qp": "0"} if lossless else {"preset": "superfast", "crf": _CRF}
        colours = "" if lossless else ":colormatrix=smpte170m:range=tv"
        context.options = quality | {
            "tune": "zerolatency",
            "x264-params": f"repeat-headers=1:scenecut=0{colours}",
        }

    def encode(self, image: Image, at_ms: int) -> Packet:
        """Encode one image; timestamps must increase."""
        if self._lossless:
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image), "bgr24")
        else:
            (wide, tall), (coded_wide, coded_tall) = self.size_px, self.coded_px
            if self.size_px != self.coded_px:
                right, bottom = coded_wide - wide, coded_tall - tall
                image = np.asarray(cv2.copyMakeBorder(image, 0, bottom, 0, right, cv2.BORDER_REPLICATE), np.uint8)
            # OpenCV converts colours in integer arithmetic, the same on every machine; swscale does not.
            frame = av.VideoFrame.from_ndarray(
                np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2YUV_I420), np.uint8), "yuv420p"
            )
        frame.pts, frame.time_base = at_ms, Fraction(1, 1000)
        try:
            packets = self._context.encode(frame)
        except av.FFmpegError as error:
            raise CodecError(f"cannot be encoded: {error.strerror}") from error
        if len(packets) != 1:
            raise CodecError(f"{len(packets)} packets of one picture; wanted 1")
        units = [unit for unit in _START_CODE.split(bytes(packets[0])) if unit and unit[0] & 31 != _SEI]
        data = b"".join(len(unit).to_bytes(4, "big") + unit for unit in units)
        return Packet(data, packets[0].is_keyframe)


class Decoder:
    """Decodes packets, one image each, starting at a key frame."""

    def __init__(self) -> None:
        self._context = av.CodecContext.create("h264", "r")
        self._context.thread_count = 1
        self._context.flags |= Flags.low_delay

    def decode(self, packet: bytes, size_px: tuple[int, int]) -> Image:
        """Decode one packet and crop the image to `size_px`."""
        stream = b"".join(b"\x00\x00\x00\x01" + unit for unit in units_of(packet))
        try:
            frames = self._context.decode(av.Packet(stream))
        except av.FFmpegError as error:
            raise CodecError(f"cannot be decoded: {error.strerror}") from error
        if len(frames) != 1:
            raise CodecError(f"{len(frames)} pictures in one packet; wanted 1")
        frame = frames[0]
        if frame.format.name == "gbrp":
            image = np.asarray(frame.to_ndarray()[:, :, ::-1], np.uint8)
        elif frame.format.name == "yuv420p":
            image = np.asarray(cv2.cvtColor(frame.to_ndarray(), cv2.COLOR_YUV2BGR_I420), np.uint8)
        else:
            raise CodecError(f"pixels as {frame.format.name}; wanted yuv420p or gbrp")
        wide, tall = size_px
        if image.shape[0] < tall or image.shape[1] < wide:
            raise CodecError(f"{image.shape[1]} x {image.shape[0]} pixels; wanted {wide} x {tall}")
        image = np.ascontiguousarray(image[:tall, :wide])
        image.flags.writeable = False
        return image


def units_of(packet: bytes) -> list[bytes]:
    """Split a packet into NAL units; CodecError if their lengths are wrong."""
    units, at = [], 0
    while at < len(packet):
        size = int.from_bytes(packet[at : at + 4], "big")
        at += 4
        if not 0 < size <= len(packet) - at:
            raise CodecError(f"a unit of {size} bytes where {len(packet) - at} are left")
        units.append(packet[at : at + size])
        at += size
    return units


def codec_private(packet: bytes, lossless: bool) -> bytes:
    """Matroska's CodecPrivate element, built from the parameter sets of a key frame."""
    units = units_of(packet)
    sps = next((unit for unit in units if unit[0] & 31 == _SPS), b"")
    pps = next((unit for unit in units if unit[0] & 31 == _PPS), b"")
    if len(sps) < 4 or not pps:
        raise CodecError("a key frame that does not say how it is coded")
    sets = b"\xe1" + len(sps).to_bytes(2, "big") + sps + b"\x01" + len(pps).to_bytes(2, "big") + pps
    profile = sps[1]
    more = bytes([0xFC | _CHROMA[lossless], 0xF8, 0xF8, 0]) if profile in _LONG_PROFILES else b""
    return b"\x01" + sps[1:4] + b"\xff" + sets + more
