"""Slimming: a network of whole numbers without the steps between its layers that only move or convert numbers.

Bytes stay bytes from the picture to the answer, with the channels of a cell side by side. What comes out is the same
but for rounding, of which there is less.
"""

from typing import Any

import numpy as np

from models.training.graph import CHANNELS_FIRST, CHANNELS_LAST, Graph, Node, chain, need_opset
from models.training.pictures import take_pictures

_BITWISE = 18
"""From this version on ONNX knows bits."""


def slim(model: Any) -> None:
    """Rewrite a model that was quantised."""
    graph = Graph(model)
    # A convolution of pictures is rewritten last: before that it is one that the others know.
    for kind, change in (
        ("Relu", _fold_relu),
        ("Mul", _mask_bytes),
        ("DepthToSpace", _shuffle_bytes),
        ("Softmax", _soften),
        ("Conv", take_pictures),
    ):
        for node in [node for node in graph.nodes if node.op_type == kind]:
            change(graph, node)
    if any(node.op_type == "BitwiseAnd" for node in graph.nodes):
        need_opset(model, _BITWISE)
    graph.finish()


def _fold_relu(graph: Graph, relu: Node) -> None:
    """Bytes whose zero is 0 have no negative numbers: what a convolution makes is rounded to them at once."""
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
    """Four channels become the four quarters of each cell: moved as bytes, all channels of two quarters at once."""
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
    """Sort the channels that a convolution makes by the quarter that they belong to; how many each quarter has."""
    makers = [graph.maker(name, "DequantizeLinear") for name in convolution.input[1:]]
    names = [name for maker in makers if maker is not None for name in maker.input]
    count = len(graph.weight(names[0]))
    order = np.arange(count).reshape(-1, 4).T.ravel()
    for name in dict.fromkeys(names):
        graph.give(name, graph.weight(name)[order])
    return count // 4


def _soften(graph: Graph, softmax: Node) -> None:
    """Chances by plain sums: what comes of bytes is never so large that its exponential has no number."""
    name = softmax.output[0]
    steps = [
        *chain(softmax.input[0], ("Exp", [], {}), end=f"{name}_exp"),
        *chain(f"{name}_exp", ("ReduceSum", [graph.give(f"{name}_kinds", np.array([1]))], {}), end=f"{name}_sum"),
        *chain(f"{name}_exp", ("Div", [f"{name}_sum"], {}), end=name),
    ]
    graph.replace([softmax], steps)


def _mask_bytes(graph: Graph, product: Node) -> None:
    """Where a card is not seen, which comes as bytes of 0 or 255, its bits go out."""
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
