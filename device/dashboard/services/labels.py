"""Labels: cards that a human corrected, cut out and kept as examples to teach with."""

import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.frames import Frame, Image
from calibration.rig import Rig
from calibration.table import mm_to_pixels
from device.files import OutputError, write_whole
from models.crops import cut

LABELS = "labels.jsonl"
SIZE_PX = (192, 264)
"""Twice as large as the reader needs."""
_PLAIN = re.compile(r"[^A-Za-z0-9_+-]")


@dataclass(frozen=True, slots=True)
class Label:
    """What a human said of a card."""

    code: str
    was: str
    by: str
    session: str
    track: int
    corners_mm: tuple[tuple[float, float], ...]
    guesses: tuple[tuple[str, float], ...]
    visible: float


def keep_label(folder: Path, label: Label, frame: Frame, rig: Rig | None) -> Path | None:
    """Keep the picture of a card with its name below DATA/labels/DECK; None where it is not known where it lies."""
    crop = _crop(frame, label, rig)
    if crop is None:
        return None
    good, data = cv2.imencode(".png", crop)
    if not good:
        raise OutputError(f"{folder}: no PNG can be written here")
    # Codes and names of sessions become file names only where they are plain.
    words = (_PLAIN.sub("_", word) for word in (label.session, str(frame.index), str(label.track), label.code))
    name = "-".join(words) + ".png"
    row: dict[str, Any] = {
        "file": name,
        "code": label.code,
        "was": label.was,
        "by": label.by,
        "session": label.session,
        "frame": frame.index,
        "at_s": frame.at_s,
        "track": label.track,
        "visible": label.visible,
        "corners_mm": label.corners_mm,
        "guesses": label.guesses,
        "unix_s": round(time.time(), 3),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / name, data.tobytes())
        line = json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"
        with (folder / LABELS).open("ab") as file:
            file.write(line.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(f"{folder}: cannot be written: {error.strerror}") from error
    return folder / name


def _crop(frame: Frame, label: Label, rig: Rig | None) -> Image | None:
    if rig is None or rig.lens is None or rig.table is None:
        return None
    corners = mm_to_pixels(np.array(label.corners_mm), rig.lens, rig.table)
    return cut(frame.image, corners, SIZE_PX)
