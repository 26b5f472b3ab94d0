"""Features of a taught deck, kept so that nobody has to learn it anew each time."""

import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from device.files import write_whole
from models.faces import Learnt

FEATURES = "features.npz"
MOST_BYTES = 400_000_000


def keep_features(home: Path, key: str, reader: str, features: NDArray[np.float32]) -> None:
    """Write what a reader made of the views of a deck; `reader` is the sha256 of its network, `key` says of what."""
    data = BytesIO()
    np.savez_compressed(data, features=features.astype(np.float16), key=np.array(key), reader=np.array(reader))
    write_whole(home / FEATURES, data.getvalue())


def kept_features(home: Path) -> Learnt | None:
    """What was kept; None if there is nothing of use, for it can be made anew."""
    path = home / FEATURES
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        with np.load(BytesIO(path.read_bytes()), allow_pickle=False) as parts:
            return Learnt(str(parts["key"]), np.asarray(parts["features"], np.float32))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
