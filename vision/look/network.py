"""Trained networks, verified before use and run by onnxruntime. The only file that imports onnxruntime."""

import hashlib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Without this, onnxruntime writes to the user's home and sends telemetry. It reads the variable once, at import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime

Array = NDArray[Any]
Shape = tuple[int | None, ...]
"""Shape of an input; None where any size is accepted."""
THREADS = 2
"""Default number of threads of a network."""
BATCH_SIZE = 16
"""Number of samples in a batch: larger batches do not fit into the processor's caches."""
_LOAD_ERRORS = (
    onnxruntime.capi.onnxruntime_pybind11_state.Fail,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidGraph,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidProtobuf,
    onnxruntime.capi.onnxruntime_pybind11_state.NoSuchFile,
    onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented,
    onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException,
)
"""Errors that onnxruntime raises for a model that it cannot load."""


class ModelError(ValueError):
    """A model that cannot be used; the message says which, what was found and what was wanted."""


class Network:
    """One trained network."""

    def __init__(self, data: bytes, name: str, inputs: Mapping[str, Shape], threads: int = THREADS) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Spinning threads would take the processor from everything else on a small machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        except _LOAD_ERRORS as error:
            raise ModelError(f"{name}: not a model that onnxruntime can run: {str(error).splitlines()[0]}") from error
        found = {item.name: _shape(item.shape) for item in self._session.get_inputs()}
        if found != dict(inputs):
            raise ModelError(f"{name}: takes {_described(found)}; wanted {_described(inputs)}")
        self.metadata: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)
        """Metadata that training wrote into the file."""

    def run(self, inputs: Mapping[str, Array]) -> list[Array]:
        """The outputs, in the model's order."""
        return [np.asarray(value) for value in self._session.run(None, dict(inputs))]

    def run_batched(self, inputs: Mapping[str, Array]) -> list[Array]:
        """The outputs for any number of samples (rows of each input), computed in small batches."""
        count = len(next(iter(inputs.values())))
        batches = [
            self.run({name: rows[start : start + BATCH_SIZE] for name, rows in inputs.items()})
            for start in range(0, count, BATCH_SIZE)
        ]
        return [np.concatenate(values) for values in zip(*batches, strict=True)]


def load_network(path: Path, inputs: Mapping[str, Shape], threads: int = THREADS) -> Network:
    """Load a network whose checksum matches its model card."""
    return Network(_verified_bytes(path), str(path), inputs, threads)


def _verified_bytes(path: Path) -> bytes:
    """The bytes of a model file, after a check against the checksum in its model card."""
    card = path.with_suffix(".toml")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: the model cannot be read: {error.strerror}; `krupier train` makes one") from error
    try:
        wanted = tomllib.loads(card.read_text("utf-8")).get("sha256")
    except OSError as error:
        raise ModelError(f"{card}: the model card cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ModelError(f"{card}: not a model card: {error}") from error
    found = hashlib.sha256(data).hexdigest()
    if found != wanted:
        raise ModelError(f"{path}: its sha256 is {found}; its card {card.name} says {wanted}: another or a broken file")
    return data


def _shape(shape: list[Any]) -> Shape:
    """A shape with None for every symbolic dimension."""
    return tuple(size if isinstance(size, int) else None for size in shape)


def _described(inputs: Mapping[str, Shape]) -> str:
    """Names and shapes of inputs, for an error message."""
    sizes = {name: " x ".join("any" if size is None else str(size) for size in shape) for name, shape in inputs.items()}
    return ", ".join(f"{name} ({shape})" for name, shape in sizes.items()) or "nothing"
