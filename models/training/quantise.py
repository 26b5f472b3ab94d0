"""Quantising: a network in whole numbers of eight bits, half as slow and a quarter as large."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import onnx
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

Inputs = dict[str, NDArray[Any]]


class _Given(CalibrationDataReader):
    """Inputs one after the other, as the library asks for them."""

    def __init__(self, inputs: Iterator[Inputs]) -> None:
        self._inputs = inputs

    def get_next(self) -> Inputs | None:
        return next(self._inputs, None)


def _dear(model: onnx.ModelProto) -> list[str]:
    """Convolutions that are slower in whole numbers: those of pictures, which have three channels."""
    shapes = {weight.name: tuple(weight.dims) for weight in model.graph.initializer}
    convolutions = [node for node in model.graph.node if node.op_type == "Conv"]
    return [node.name for node in convolutions if shapes[node.input[1]][1] == 3]


def quantise(path: Path, inputs: Iterable[Inputs]) -> None:
    """Replace a model by its quantised twin; the inputs show which numbers occur in it."""
    notes = {entry.key: entry.value for entry in onnx.load(str(path)).metadata_props}
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        # The sizes of views are open, which the symbolic part cannot deal with and does not need to.
        quant_pre_process(str(path), str(plain), skip_symbolic_shape=True)
        quantize_static(
            str(plain),
            str(path),
            _Given(iter(inputs)),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["Conv", "Add"],
            nodes_to_exclude=_dear(onnx.load(str(plain))),
        )
    model = onnx.load(str(path))
    model.producer_name, model.producer_version = "krupier", ""
    for key, value in notes.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, str(path))
