"""Reads gathered samples: tables for the finder, card crops for the reader."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from models.crops import Image

Item = TypeVar("Item")
WILD, WILD_REPEATS = "wild", 3
"""Folder of the tables with wild patterns, and how many times as often each is used."""


@dataclass(frozen=True, slots=True)
class TableTruth:
    """A view with its ground truth."""

    packed: Image
    labels: Image
    quads: NDArray[np.float32]
    face_up: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CropTruth:
    """A card crop with its ground truth."""

    packed: Image
    seen: Image
    deck: str
    code: str
    turned: bool
    visible: float


def unpacked(data: Image) -> Image:
    """Decode a JPEG picture."""
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def read_tables(path: Path) -> list[TableTruth]:
    """The tables of one shard."""
    with np.load(path) as shard:
        views = _split(shard["view_bytes"], shard["view_sizes"])
        quads, face_up = _split(shard["quads"], shard["counts"]), _split(shard["face_up"], shard["counts"])
        labels = shard["labels"]
    return [TableTruth(*parts) for parts in zip(views, labels, quads, face_up, strict=True)]


def read_crops(path: Path) -> list[CropTruth]:
    """The card crops of one shard."""
    with np.load(path) as shard:
        rows = zip(
            _split(shard["crop_bytes"], shard["crop_sizes"]),
            shard["crop_seen"],
            shard["crop_decks"],
            shard["crop_codes"],
            shard["crop_turned"],
            shard["crop_visible"],
            strict=True,
        )
        return [CropTruth(d, s, str(n), str(c), bool(t), float(v)) for d, s, n, c, t, v in rows]


def read_faces(path: Path) -> dict[str, dict[str, Image]]:
    """The faces of the styles in one shard: deck, code, packed picture."""
    with np.load(path) as shard:
        rows = zip(
            shard["face_decks"], shard["face_codes"], _split(shard["face_bytes"], shard["face_sizes"]), strict=True
        )
        faces: dict[str, dict[str, Image]] = {}
        for deck, code, data in rows:
            faces.setdefault(str(deck), {})[str(code)] = data
        return faces


def shards_in(folder: Path) -> list[Path]:
    """The files there are now; wild tables are fewer, so they are repeated."""
    found = sorted(path for path in folder.glob("**/tables-*.npz") if not path.name.endswith(".part.npz"))
    return [path for path in found for _ in range(WILD_REPEATS if path.parent.name == WILD else 1)]


def ahead(items: Iterator[Item], depth: int = 4) -> Iterator[Item]:
    """Prefetch items in another thread; its errors are raised here."""
    queue: Queue[Item | Exception] = Queue(depth)

    def work() -> None:
        try:
            for item in items:
                queue.put(item)
        except Exception as error:  # noqa: BLE001 - raised again where the items are used
            queue.put(error)

    Thread(target=work, daemon=True).start()
    while True:
        item = queue.get()
        if isinstance(item, Exception):
            raise item
        yield item


def _split(values: NDArray[Any], sizes: NDArray[np.int64]) -> list[NDArray[Any]]:
    return np.split(values, np.cumsum(sizes)[:-1]) if len(sizes) else []
