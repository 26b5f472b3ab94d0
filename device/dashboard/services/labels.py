"""Labels: crops of cards that a person corrected, kept as examples to teach with."""

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
"""Twice the reader's input size."""
_PLAIN = re.compile(r"[^A-Za-z0-9_+-]")


@dataclass(frozen=True, slots=True)
class CardLabel:
    """A person's correction of a card."""

    code: str
    was: str
    by: str
    session: str
    track: int
    corners_mm: tuple[tuple[float, float], ...]
    guesses: tuple[tuple[str, float], ...]
    visible: float


def keep_label(folder: Path, label: CardLabel, frame: Frame, rig: Rig | None) -> Path | None:
    """Store the crop of a card with its code below DATA/labels/DECK; None without a calibrated table."""
    crop = _crop(frame, label, rig)
    if crop is None:
        return None
    good, data = cv2.imencode(".png", crop)
    if not good:
        raise OutputError(f"{folder}: no PNG can be written here")
    # Codes and session names may have characters that do not belong into file names.
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


def _crop(frame: Frame, label: CardLabel, rig: Rig | None) -> Image | None:
    if rig is None or rig.lens is None or rig.table is None:
        return None
    corners = mm_to_pixels(np.array(label.corners_mm), rig.lens, rig.table)
    return cut(frame.image, corners, SIZE_PX)
