"""Quantisation: a network in 8-bit integers, twice as fast and a quarter of the size."""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import onnx
from onnxruntime.quantization import QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from models.training.easing import InputReader, Inputs, ease
from models.training.slim import slim


def _excluded(model: onnx.ModelProto) -> list[str]:
    """Nodes to exclude: convolutions of pictures, whose input is bytes already, and products with a constant."""
    shapes = {weight.name: tuple(weight.dims) for weight in model.graph.initializer}
    convolutions = [node for node in model.graph.node if node.op_type == "Conv" and shapes[node.input[1]][1] == 3]
    products = [node for node in model.graph.node if node.op_type == "Mul" and shapes.keys() & set(node.input)]
    return [node.name for node in convolutions + products]


def quantise(path: Path, inputs: Iterable[Inputs]) -> None:
    """Replace a model by its quantised version; the inputs calibrate the value ranges."""
    notes = {entry.key: entry.value for entry in onnx.load(str(path)).metadata_props}
    held = list(inputs)
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        # Views have dynamic sizes, which symbolic shape inference cannot handle and does not need to.
        quant_pre_process(str(path), str(plain), skip_symbolic_shape=True)
        model = onnx.load(str(plain))
        ease(model, held)
        onnx.save(model, str(plain))
        quantize_static(
            str(plain),
            str(path),
            InputReader(iter(held)),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["Conv", "Add", "Mul", "Clip"],
            nodes_to_exclude=_excluded(model),
        )
    model = onnx.load(str(path))
    slim(model)
    model.producer_name, model.producer_version = "krupier", ""
    del model.metadata_props[:]
    for key, value in notes.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, str(path))
