"""Prepares a network for 8-bit quantisation: same output, smaller quantisation error."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnxruntime.quantization.calibrate import CalibrationDataReader, create_calibrator

from models.training.graph import Graph, Node, chain, group_of

Inputs = dict[str, NDArray[Any]]
CHANNEL_MULTIPLE = 16
"""Depthwise convolutions are twice as fast if the number of channels is a multiple of this."""
TANH_LIMIT = 3.0
"""Inputs of a hyperbolic tangent are clipped here, where it is within 0.005 of one."""


class InputReader(CalibrationDataReader):
    """Feeds inputs one by one, in the form that the quantisation library expects."""

    def __init__(self, inputs: Iterator[Inputs]) -> None:
        self._inputs = inputs

    def get_next(self) -> Inputs | None:
        return next(self._inputs, None)


def ease(model: Any, inputs: Iterable[Inputs]) -> None:
    """Rewrite a floating-point model; the inputs show the value ranges inside it."""
    graph = Graph(model)
    single = [node for node in graph.nodes if node.op_type == "Conv" and group_of(node) > 1]
    reaches = _magnitudes(model, [node.output[0] for node in single], inputs)
    for node, reach in zip(single, reaches, strict=True):
        _equalise(graph, node, reach)
    for width in {group_of(node) for node in single}:
        _widen(graph, width, -width % CHANNEL_MULTIPLE)
    for node in [node for node in graph.nodes if node.op_type == "Tanh"]:
        bounds = [
            graph.give(f"{node.output[0]}_{bound}", np.array(bound, np.float32)) for bound in (-TANH_LIMIT, TANH_LIMIT)
        ]
        graph.replace([node], chain(node.input[0], ("Clip", bounds, {}), ("Tanh", [], {}), end=node.output[0]))
    graph.finish()


def _magnitudes(model: Any, names: list[str], inputs: Iterable[Inputs]) -> list[NDArray[np.float32]]:
    """Largest magnitude in every channel of some values."""
    if not names:
        return []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "plain.onnx"
        onnx.save(model, str(path))
        calibrator = create_calibrator(
            path, ["Conv"], str(Path(folder) / "watched.onnx"), extra_options={"per_channel": True}
        )
        calibrator.collect_data(InputReader(iter(inputs)))
        found = calibrator.compute_data()
    return [np.maximum(*(np.abs(np.ravel(value)) for value in found[name].range_value)) for name in names]


def _equalise(graph: Graph, single: Node, reach: NDArray[np.float32]) -> None:
    """Equalise the channels between two convolutions, since they share one 8-bit scale.

    Only half-way (square root): the weights of the second convolution compensate for the first, and they share a
    scale too.
    """
    mixing = graph.after(single, "Conv")
    if mixing is None:
        return
    part = np.sqrt((reach + 1e-6) / np.exp(np.log(reach + 1e-6).mean()))
    for name in single.input[1:]:
        weight = graph.weight(name)
        graph.give(name, weight / part.reshape(-1, *(1,) * (weight.ndim - 1)))
    graph.give(mixing.input[1], graph.weight(mixing.input[1]) * part[None, :, None, None])


def _widen(graph: Graph, width: int, more: int) -> None:
    """Add channels that are always zero wherever there are `width` channels."""
    for node in [node for node in graph.nodes if node.op_type == "Conv"]:
        weight, bias = (graph.weight(name) for name in node.input[1:])
        out, taken = (more if size == width else 0 for size in weight.shape[:2])
        graph.give(node.input[1], np.pad(weight, ((0, out), (0, taken), (0, 0), (0, 0))))
        graph.give(node.input[2], np.pad(bias, (0, out)))
        for attribute in node.attribute:
            if attribute.name == "group" and attribute.i == width:
                attribute.i += more
