"""Networks: trained weights, checked before use and run by onnxruntime. The only file that knows onnxruntime."""

import hashlib
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

# It would write to the user's home and call its makers otherwise, and looks only once: when it is loaded.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime

Array = NDArray[Any]
Shape = tuple[int | None, ...]
"""None where any size will do."""
THREADS = 2
AT_ONCE = 16
"""Things that go through a network together: more would not fit into the processor's caches."""
_REFUSALS = (
    onnxruntime.capi.onnxruntime_pybind11_state.Fail,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidArgument,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidGraph,
    onnxruntime.capi.onnxruntime_pybind11_state.InvalidProtobuf,
    onnxruntime.capi.onnxruntime_pybind11_state.NoSuchFile,
    onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented,
    onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException,
)
"""What onnxruntime raises for a model that it does not like."""


class ModelError(ValueError):
    """A model that cannot be used; the message says which, what was found and what was wanted."""


class Network:
    """One trained network."""

    def __init__(self, data: bytes, name: str, inputs: Mapping[str, Shape], threads: int = THREADS) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Threads that wait by spinning would take the processor from everything else on a small machine.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        except _REFUSALS as error:
            raise ModelError(f"{name}: not a model that onnxruntime can run: {str(error).splitlines()[0]}") from error
        found = {item.name: _shape(item.shape) for item in self._session.get_inputs()}
        if found != dict(inputs):
            raise ModelError(f"{name}: takes {_spelled(found)}; wanted {_spelled(inputs)}")
        self.notes: dict[str, str] = dict(self._session.get_modelmeta().custom_metadata_map)
        """What training wrote into the file."""

    def run(self, inputs: Mapping[str, Array]) -> list[Array]:
        """The outputs, in the model's order."""
        return [np.asarray(value) for value in self._session.run(None, dict(inputs))]

    def run_each(self, each: Mapping[str, Array]) -> list[Array]:
        """The same for many things, one after the other in each input, a few at a time."""
        count = len(next(iter(each.values())))
        parts = [
            self.run({name: rows[start : start + AT_ONCE] for name, rows in each.items()})
            for start in range(0, count, AT_ONCE)
        ]
        return [np.concatenate(values) for values in zip(*parts, strict=True)]


def load_network(path: Path, inputs: Mapping[str, Shape], threads: int = THREADS) -> Network:
    """The network in a file, if it is the one that its card speaks of."""
    return Network(_checked(path), str(path), inputs, threads)


def _checked(path: Path) -> bytes:
    """The bytes of a model, if they are the ones that its card speaks of."""
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
    return tuple(size if isinstance(size, int) else None for size in shape)


def _spelled(inputs: Mapping[str, Shape]) -> str:
    sizes = {name: " x ".join("any" if size is None else str(size) for size in shape) for name, shape in inputs.items()}
    return ", ".join(f"{name} ({shape})" for name, shape in sizes.items()) or "nothing"
