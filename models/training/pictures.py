"""Feeds pictures to quantised networks in the fastest form: the raw bytes, four pixels of a row at a time.

Such networks are fast if channels come in fours, but pictures have three. Four pixels make twelve channels: the same
bytes in the same order, so nothing is moved.
"""

from dataclasses import dataclass

import numpy as np

from models.crops import ALIGN_PX, ALIGN_SEEN_PX
from models.training.graph import CHANNELS_FIRST, CHANNELS_LAST, Array, Graph, Node, chain

ZERO_BYTE = 128
"""The byte that represents zero. Training used 127.5; the difference becomes part of the bias."""
_COLOURS, PIXELS = 3, 4
_PICTURE_INPUT = ("Sub", "Cast", "Transpose")
"""Operators before the first convolution of a network that takes pictures."""
_PICTURE_AND_MAP_INPUT = ("DequantizeLinear", "QuantizeLinear", "Concat", "Sub", "Div", "Cast", "Transpose")
"""The same with the visibility map as a fourth channel."""


@dataclass(frozen=True, slots=True)
class _Kernel:
    """A quantised convolution: integer weights with their scale and that of the input bytes."""

    weight: Array
    bias: Array
    scale: Array
    unit: Array


def take_pictures(graph: Graph, convolution: Node) -> None:
    """Rewrite the network's first convolution, which is 3x3 with stride 2."""
    quantise = graph.after(convolution, "QuantizeLinear")
    plain, joined = graph.before(convolution, *_PICTURE_INPUT), graph.before(convolution, *_PICTURE_AND_MAP_INPUT)
    name = convolution.output[0]
    if quantise is not None and plain:
        weight, bias, middle = (graph.weight(name) for name in (*convolution.input[1:], plain[0].input[1]))
        kernel = _rounded(weight, bias, ZERO_BYTE - float(middle))
        shape = graph.give(f"{name}_shape", np.array([0, 0, -1, PIXELS * _COLOURS]))
        fours = chain(plain[-1].input[0], ("Reshape", [shape], {}), end=f"{name}_fours")
        _rewrite(graph, [*plain, convolution], quantise, fours, kernel)
    elif quantise is not None and joined:
        _rewrite(graph, [*joined, convolution], quantise, _with_map(graph, joined, name), _taken(graph, convolution))


def in_fours(weight: Array) -> Array:
    """Expand the weights of a 3x3 convolution with stride 2 to compute two outputs from blocks of four pixels.

    Channels are the colours of every pixel, then the visibility of every pixel if there is a map.
    """
    outputs, inputs = weight.shape[:2]
    wide = np.zeros((2, outputs, PIXELS, inputs, 3, 2), weight.dtype)
    for answer in range(2):
        for column in range(3):
            block, pixel = divmod(2 * answer + column + PIXELS - 1, PIXELS)
            wide[answer, :, pixel, :, :, block] = weight[:, :, :, column]
    parts = [part.reshape(2 * outputs, -1, 3, 2) for part in (wide[:, :, :, :_COLOURS], wide[:, :, :, _COLOURS:])]
    return np.concatenate(parts, 1)


def evenly_rounded(weight: Array) -> Array:
    """Round weights so that the sum for every colour is right: in uniform areas all rounding errors would add up."""
    flat = weight.reshape(*weight.shape[:2], -1)
    low = np.floor(flat)
    missing = np.rint((flat - low).sum(2, keepdims=True))
    # Round up those with the largest fraction.
    ranks = (low - flat).argsort(2).argsort(2)
    return np.asarray((low + (ranks < missing)).reshape(weight.shape))


def _rounded(weight: Array, bias: Array, off: float) -> _Kernel:
    """Quantise a convolution of pictures whose zero is shifted by `off`."""
    scale = np.abs(weight).reshape(len(weight), -1).max(1) / 127
    bias = bias + off * weight.sum((1, 2, 3), dtype=float)
    whole = evenly_rounded(weight / scale[:, None, None, None]).astype(np.int8)
    return _Kernel(whole, np.rint(bias / scale), scale, np.array(1, np.float32))


def _taken(graph: Graph, convolution: Node) -> _Kernel:
    """The parameters of a convolution that is quantised already."""
    makers = [node for name in convolution.input for node in graph.nodes if name in node.output]
    (_, unit), (whole, scale), (bias, _) = ([maker.input[place] for place in (0, 1)] for maker in makers)
    weight = graph.weight(whole)
    off = 0.5 * weight.sum((1, 2, 3), dtype=float)
    return _Kernel(weight, np.rint(graph.weight(bias) + off), graph.weight(scale), graph.weight(unit))


def _with_map(graph: Graph, joined: list[Node], name: str) -> list[Node]:
    """Four pixels and their visibility, one byte for all four, at the scale of the picture's bytes."""
    concat = joined[_PICTURE_AND_MAP_INPUT.index("Concat")]
    (seen,) = [
        node.input[0] for node in graph.nodes if node.op_type == "Unsqueeze" and graph.leads(node, concat.output[0])
    ]
    columns, rows = ALIGN_SEEN_PX
    every = np.array([0, rows * PIXELS, columns, PIXELS])
    shape = graph.give(f"{name}_shape", np.array([0, ALIGN_PX[1], columns, PIXELS * _COLOURS]))
    spread = chain(
        seen,
        ("Unsqueeze", [graph.give(f"{name}_axes", np.array([2, 4]))], {}),
        ("Expand", [graph.give(f"{name}_each", np.array([1, 1, PIXELS, 1, PIXELS]))], {}),
        ("Reshape", [graph.give(f"{name}_every", every)], {}),
        end=f"{name}_map",
    )
    pixels = chain(
        joined[-1].input[0],
        ("Reshape", [shape], {}),
        ("Concat", [f"{name}_map"], {"axis": 3}),
        end=f"{name}_fours",
    )
    return [*spread, *pixels]


def _rewrite(graph: Graph, old: list[Node], quantise: Node, fours: list[Node], kernel: _Kernel) -> None:
    """Replace a convolution of single pixels by one of blocks of four."""
    name, wide = old[-1].output[0], in_fours(kernel.weight)
    scale = graph.give(f"{name}_scale", np.tile(kernel.scale, 2).astype(np.float32))
    unit = [
        graph.give(f"{name}_unit", kernel.unit.astype(np.float32)),
        graph.give(f"{name}_zero", np.array(ZERO_BYTE, np.uint8)),
    ]
    worth = np.tile(kernel.scale, 2).astype(np.float32) * np.float32(kernel.unit)
    weight = [scale, graph.give(f"{name}_weight_zero", np.zeros(len(wide), np.int8))]
    bias = [graph.give(f"{name}_worth", worth), graph.give(f"{name}_bias_zero", np.zeros(len(wide), np.int32))]
    values = {"weight": (wide, weight), "bias": (np.tile(kernel.bias, 2).astype(np.int32), bias)}
    back = [
        node
        for part, (value, others) in values.items()
        for node in chain(
            graph.give(f"{name}_{part}_bytes", value), ("DequantizeLinear", others, {"axis": 0}), end=f"{name}_{part}"
        )
    ]
    pairs = graph.give(f"{name}_pairs", np.array([0, 0, -1, len(wide) // 2]))
    attributes = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 1, 1, 0]}
    steps = chain(
        f"{name}_fours",
        ("Transpose", [], {"perm": CHANNELS_FIRST}),
        ("DequantizeLinear", unit, {}),
        ("Conv", [f"{name}_weight", f"{name}_bias"], attributes),
        ("QuantizeLinear", quantise.input[1:], {}),
        ("Transpose", [], {"perm": CHANNELS_LAST}),
        ("Reshape", [pairs], {}),
        ("Transpose", [], {"perm": CHANNELS_FIRST}),
        end=quantise.output[0],
    )
    graph.replace([*old, quantise], [*fours, *back, *steps])
