"""Easing: a network changed so that it says the same and loses less when its numbers become bytes."""

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
ROUND = 16
"""Convolutions of single channels are twice as fast if there is a multiple of this many."""
MOST = 3.0
"""What is larger says the same after a hyperbolic tangent: half a hundredth less than one."""


class Given(CalibrationDataReader):
    """Inputs one after the other, as the library asks for them."""

    def __init__(self, inputs: Iterator[Inputs]) -> None:
        self._inputs = inputs

    def get_next(self) -> Inputs | None:
        return next(self._inputs, None)


def ease(model: Any, inputs: Iterable[Inputs]) -> None:
    """Rewrite a model of fractions; the inputs show which numbers occur in it."""
    graph = Graph(model)
    single = [node for node in graph.nodes if node.op_type == "Conv" and group_of(node) > 1]
    reaches = _reaches(model, [node.output[0] for node in single], inputs)
    for node, reach in zip(single, reaches, strict=True):
        _even(graph, node, reach)
    for width in {group_of(node) for node in single}:
        _widen(graph, width, -width % ROUND)
    for node in [node for node in graph.nodes if node.op_type == "Tanh"]:
        bounds = [graph.give(f"{node.output[0]}_{bound}", np.array(bound, np.float32)) for bound in (-MOST, MOST)]
        graph.replace([node], chain(node.input[0], ("Clip", bounds, {}), ("Tanh", [], {}), end=node.output[0]))
    graph.finish()


def _reaches(model: Any, names: list[str], inputs: Iterable[Inputs]) -> list[NDArray[np.float32]]:
    """How far from zero the numbers of every channel of some values get."""
    if not names:
        return []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "plain.onnx"
        onnx.save(model, str(path))
        calibrator = create_calibrator(
            path, ["Conv"], str(Path(folder) / "watched.onnx"), extra_options={"per_channel": True}
        )
        calibrator.collect_data(Given(iter(inputs)))
        found = calibrator.compute_data()
    return [np.maximum(*(np.abs(np.ravel(value)) for value in found[name].range_value)) for name in names]


def _even(graph: Graph, single: Node, reach: NDArray[np.float32]) -> None:
    """Bring the channels between two convolutions nearer to each other: they share what a byte is worth.

    Half way, because what the first one makes smaller the weights of the second make up for, and these share as well.
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
    """Channels that are always zero, wherever there are so many."""
    for node in [node for node in graph.nodes if node.op_type == "Conv"]:
        weight, bias = (graph.weight(name) for name in node.input[1:])
        out, taken = (more if size == width else 0 for size in weight.shape[:2])
        graph.give(node.input[1], np.pad(weight, ((0, out), (0, taken), (0, 0), (0, 0))))
        graph.give(node.input[2], np.pad(bias, (0, out)))
        for attribute in node.attribute:
            if attribute.name == "group" and attribute.i == width:
                attribute.i += more
