"""The yardstick: a network the size of YOLO11n with random weights, to compare ours with.

The module writes just the ONNX bytes that onnxruntime needs, so benchmarks do not require the onnx library.
"""

from collections.abc import Mapping, Sequence
from struct import pack

import numpy as np
from numpy.typing import NDArray

Number = int | str | list[int]
SIDE_PX = 640
OPSET, IR_VERSION = 17, 8
_FLOAT, _INT64 = 1, 7
_ATTRIBUTE_INT, _ATTRIBUTE_STRING, _ATTRIBUTE_INTS = 2, 3, 7


def yolo11n_sized(seed: int = 1) -> bytes:
    """6.5 GFLOPs at 640 x 640: backbone, neck and three heads, like a common detection network."""
    graph = _Graph(np.random.default_rng(seed))
    stem = graph.conv(graph.conv("images", 3, 16, 3, 2), 16, 32, 3, 2)
    stem = graph.conv(graph.c3k2(stem, 32, 64, 0.25), 64, 64, 3, 2)
    third = graph.c3k2(stem, 64, 128, 0.25)
    fourth = graph.c3k2(graph.conv(third, 128, 128, 3, 2), 128, 128)
    fifth = graph.c3k2(graph.sppf(graph.c3k2(graph.conv(fourth, 128, 256, 3, 2), 256, 256), 256), 256, 256)
    neck4 = graph.c3k2(graph.join([graph.grow(fifth), fourth]), 384, 128)
    neck3 = graph.c3k2(graph.join([graph.grow(neck4), third]), 256, 64)
    out4 = graph.c3k2(graph.join([graph.conv(neck3, 64, 64, 3, 2), neck4]), 192, 128)
    out5 = graph.c3k2(graph.join([graph.conv(out4, 128, 128, 3, 2), fifth]), 384, 256)
    return graph.model([graph.head(neck3, 64), graph.head(out4, 128), graph.head(out5, 256)])


class _Graph:
    """Collects nodes and weights."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._nodes: list[bytes] = []
        self._weights: list[bytes] = []
        self._count = 0

    def conv(self, source: str, inputs: int, outputs: int, size: int = 1, stride: int = 1, groups: int = 1) -> str:
        """Convolution and SiLU."""
        plain = self.plain(source, inputs, outputs, size, stride, groups)
        return self._node("Mul", [plain, self._node("Sigmoid", [plain])])

    def plain(self, source: str, inputs: int, outputs: int, size: int = 1, stride: int = 1, groups: int = 1) -> str:
        """Convolution alone."""
        shape = (outputs, inputs // groups, size, size)
        spread = float(np.sqrt(2 / (shape[1] * size * size)))
        weight = self._weight((self._rng.normal(0, spread, shape)).astype(np.float32))
        bias = self._weight(np.zeros(outputs, np.float32))
        around = [size // 2] * 4
        numbers: dict[str, Number] = {
            "kernel_shape": [size, size],
            "strides": [stride] * 2,
            "pads": around,
            "group": groups,
        }
        return self._node("Conv", [source, weight, bias], numbers)

    def c3k2(self, source: str, inputs: int, outputs: int, part: float = 0.5) -> str:
        """Split, apply a bottleneck to one half, concatenate."""
        inner = int(outputs * part)
        both = self.conv(source, inputs, 2 * inner)
        halves = [self._slice(both, 0, inner), self._slice(both, inner, 2 * inner)]
        middle = max(1, inner // 2)
        bent = self.conv(self.conv(halves[1], inner, middle, 3), middle, inner, 3)
        return self.conv(self.join([*halves, self._node("Add", [halves[1], bent])]), 3 * inner, outputs)

    def sppf(self, source: str, width: int) -> str:
        """Three chained poolings, concatenated."""
        layers = [self.conv(source, width, width // 2)]
        for _ in range(3):
            numbers = {"kernel_shape": [5, 5], "strides": [1, 1], "pads": [2, 2, 2, 2]}
            layers.append(self._node("MaxPool", [layers[-1]], numbers))
        return self.conv(self.join(layers), 2 * width, width)

    def head(self, source: str, width: int) -> str:
        """Boxes and classes of one scale."""
        box = self.plain(self.conv(self.conv(source, width, 64, 3), 64, 64, 3), 64, 64)
        name = self.conv(self.conv(source, width, width, 3, 1, width), width, 80)
        name = self.plain(self.conv(self.conv(name, 80, 80, 3, 1, 80), 80, 80), 80, 80)
        return self.join([box, name])

    def join(self, sources: Sequence[str]) -> str:
        """Concatenate channels."""
        return self._node("Concat", sources, {"axis": 1})

    def grow(self, source: str) -> str:
        """Upsample by two."""
        scales = self._weight(np.array([1, 1, 2, 2], np.float32))
        return self._node("Resize", [source, "", scales], {"mode": "nearest", "nearest_mode": "floor"})

    def model(self, outputs: Sequence[str]) -> bytes:
        """The whole file."""
        graph = b"".join(_block(1, node) for node in self._nodes) + _block(2, b"yardstick")
        graph += b"".join(_block(5, weight) for weight in self._weights)
        graph += _block(11, _value("images", (1, 3, SIDE_PX, SIDE_PX)))
        sides = (SIDE_PX // 8, SIDE_PX // 16, SIDE_PX // 32)
        for name, side in zip(outputs, sides, strict=True):
            graph += _block(12, _value(name, (1, 144, side, side)))
        return _number(1, IR_VERSION) + _block(7, graph) + _block(8, _block(1, b"") + _number(2, OPSET))

    def _slice(self, source: str, start: int, end: int) -> str:
        places = [self._weight(np.array([place], np.int64)) for place in (start, end, 1)]
        return self._node("Slice", [source, *places])

    def _node(self, kind: str, sources: Sequence[str], numbers: Mapping[str, Number] | None = None) -> str:
        self._count += 1
        name = f"v{self._count}"
        node = b"".join(_block(1, source.encode()) for source in sources)
        node += _block(2, name.encode()) + _block(4, kind.encode())
        for key, value in (numbers or {}).items():
            node += _block(5, _attribute(key, value))
        self._nodes.append(node)
        return name

    def _weight(self, values: NDArray[np.float32] | NDArray[np.int64]) -> str:
        self._count += 1
        name = f"w{self._count}"
        kind = _FLOAT if values.dtype == np.float32 else _INT64
        dims = b"".join(_number(1, size) for size in values.shape)
        self._weights.append(dims + _number(2, kind) + _block(8, name.encode()) + _block(9, values.tobytes()))
        return name


def _attribute(name: str, value: Number) -> bytes:
    head = _block(1, name.encode())
    if isinstance(value, int):
        return head + _number(3, value) + _number(20, _ATTRIBUTE_INT)
    if isinstance(value, str):
        return head + _block(4, value.encode()) + _number(20, _ATTRIBUTE_STRING)
    return head + b"".join(_number(8, item) for item in value) + _number(20, _ATTRIBUTE_INTS)


def _value(name: str, shape: Sequence[int]) -> bytes:
    dims = b"".join(_block(1, _number(1, size)) for size in shape)
    return _block(1, name.encode()) + _block(2, _block(1, _number(1, _FLOAT) + _block(2, dims)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _block(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    """Encode seven bits at a time, lowest first."""
    parts = b""
    while value > 0x7F:
        parts += pack("B", value & 0x7F | 0x80)
        value >>= 7
    return parts + pack("B", value)
