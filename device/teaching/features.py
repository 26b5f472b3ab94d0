"""Cached features of a taught deck, so that it need not be learnt again each time."""

import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from device.files import write_whole
from models.faces import Learnt

FEATURES = "features.npz"
MAX_CACHE_BYTES = 400_000_000
"""Maximum size of a cache file to read."""


def keep_features(home: Path, key: str, reader: str, features: NDArray[np.float32]) -> None:
    """Cache the features of a deck's views; `key` identifies the views, `reader` is the network's SHA-256."""
    data = BytesIO()
    np.savez_compressed(data, features=features.astype(np.float16), key=np.array(key), reader=np.array(reader))
    write_whole(home / FEATURES, data.getvalue())


def kept_features(home: Path) -> Learnt | None:
    """The cached features; None if there are none that can be used, since they can be recomputed."""
    path = home / FEATURES
    try:
        if path.stat().st_size > MAX_CACHE_BYTES:
            return None
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as parts:
            return Learnt(str(parts["key"]), np.asarray(parts["features"], np.float32))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
