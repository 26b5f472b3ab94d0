"""Simplifies a quantised network: removes steps between layers that only move or convert numbers.

Values stay bytes from the picture to the result, with the channels of a cell side by side. The output is the same
apart from rounding, of which there is less.
"""

from typing import Any

import numpy as np

from models.training.graph import CHANNELS_FIRST, CHANNELS_LAST, Graph, Node, chain, need_opset
from models.training.pictures import take_pictures

_BITWISE = 18
"""First opset with bitwise operators."""


def slim(model: Any) -> None:
    """Rewrite a quantised model."""
    graph = Graph(model)
    # Convolutions of pictures come last: the other rewrites match their original form.
    for kind, change in (
        ("Relu", _fold_relu),
        ("Mul", _mask_bytes),
        ("DepthToSpace", _shuffle_bytes),
        ("Softmax", _expand_softmax),
        ("Conv", take_pictures),
    ):
        for node in [node for node in graph.nodes if node.op_type == kind]:
            change(graph, node)
    if any(node.op_type == "BitwiseAnd" for node in graph.nodes):
        need_opset(model, _BITWISE)
    graph.finish()


def _fold_relu(graph: Graph, relu: Node) -> None:
    """Unsigned bytes with zero point 0 cannot be negative, so quantising a convolution's output replaces the ReLU."""
    rounded = graph.before(relu, "DequantizeLinear", "QuantizeLinear")
    convolutions = graph.before(rounded[-1] if rounded else relu, "Conv")
    last = graph.after(relu, "QuantizeLinear") or graph.after(graph.after(relu, "DepthToSpace"), "QuantizeLinear")
    if not convolutions or last is None or graph.weight(last.input[2]) != 0:
        return
    graph.replace([*rounded, relu], [])
    for user in graph.nodes:
        if user.input[0] == relu.output[0]:
            user.input[0] = convolutions[0].output[0]


def _shuffle_bytes(graph: Graph, shuffle: Node) -> None:
    """Rearrange four channels into the four quarters of each cell as bytes, all channels of two quarters at once."""
    convolutions, quantise = graph.before(shuffle, "Conv"), graph.after(shuffle, "QuantizeLinear")
    back = graph.after(quantise, "DequantizeLinear")
    if not convolutions or quantise is None or back is None:
        return
    channels = _quarters_first(graph, convolutions[0])
    name = shuffle.output[0]
    steps = chain(
        shuffle.input[0],
        ("QuantizeLinear", quantise.input[1:], {}),
        ("Transpose", [], {"perm": CHANNELS_LAST}),
        ("Squeeze", [graph.give(f"{name}_one", np.array([0]))], {}),
        ("Reshape", [graph.give(f"{name}_halves", np.array([0, 0, 2, 2 * channels]))], {}),
        ("Transpose", [], {"perm": [0, 2, 1, 3]}),
        ("Reshape", [graph.give(f"{name}_rows", np.array([1, -1, 0, 2 * channels]))], {}),
        ("Reshape", [graph.give(f"{name}_columns", np.array([0, 0, -1, channels]))], {}),
        ("Transpose", [], {"perm": CHANNELS_FIRST}),
        ("DequantizeLinear", back.input[1:], {}),
        end=back.output[0],
    )
    graph.replace([shuffle, quantise, back], steps)


def _quarters_first(graph: Graph, convolution: Node) -> int:
    """Sort the output channels of a convolution by quarter, and return the number of channels per quarter."""
    makers = [graph.maker(name, "DequantizeLinear") for name in convolution.input[1:]]
    names = [name for maker in makers if maker is not None for name in maker.input]
    count = len(graph.weight(names[0]))
    order = np.arange(count).reshape(-1, 4).T.ravel()
    for name in dict.fromkeys(names):
        graph.give(name, graph.weight(name)[order])
    return count // 4


def _expand_softmax(graph: Graph, softmax: Node) -> None:
    """Softmax without subtracting the maximum: dequantised bytes are too small for their exponential to overflow."""
    name = softmax.output[0]
    steps = [
        *chain(softmax.input[0], ("Exp", [], {}), end=f"{name}_exp"),
        *chain(f"{name}_exp", ("ReduceSum", [graph.give(f"{name}_kinds", np.array([1]))], {}), end=f"{name}_sum"),
        *chain(f"{name}_exp", ("Div", [f"{name}_sum"], {}), end=name),
    ]
    graph.replace([softmax], steps)


def _mask_bytes(graph: Graph, product: Node) -> None:
    """Apply the visibility map, bytes of 0 or 255, as a bit mask."""
    rounded = graph.before(product, "DequantizeLinear", "QuantizeLinear", "Conv")
    maker = graph.maker(product.input[1], "DequantizeLinear")
    ways = graph.before(maker, "QuantizeLinear", "Div", "Cast", "Unsqueeze")
    quantise = graph.after(product, "QuantizeLinear")
    if not rounded or not ways or quantise is None:
        return
    name = quantise.output[0]
    seen = chain(ways[-1].input[0], ("Unsqueeze", [graph.give(f"{name}_last", np.array([3]))], {}), end=f"{name}_seen")
    masked = chain(
        rounded[-1].output[0],
        ("QuantizeLinear", quantise.input[1:], {}),
        ("Transpose", [], {"perm": CHANNELS_LAST}),
        ("BitwiseAnd", [f"{name}_seen"], {}),
        ("Transpose", [], {"perm": CHANNELS_FIRST}),
        end=name,
    )
    graph.replace([*rounded[:2], *ways, maker, product, quantise], [*seen, *masked])
