"""Quantising: networks of bytes say what those of fractions say, with fewer steps."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

Array = np.ndarray[Any, Any]
onnx = pytest.importorskip("onnx")


def answers(path: Path, inputs: dict[str, Array]) -> Array:
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, inputs)[0])


class Network:
    """A little network that is being written."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(1)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def weight(self, value: Array) -> str:
        self.weights.append(onnx.numpy_helper.from_array(value, f"w{len(self.weights)}"))
        return str(self.weights[-1].name)

    def then(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(onnx.helper.make_node(kind, inputs, [name], name=f"n{len(self.nodes)}", **attributes))
        return name

    def convolved(self, value: str, taken: int, made: int, size: int = 1, stride: int = 1, group: int = 1) -> str:
        spread = (2 / (taken // group * size**2)) ** 0.5 / (64 if taken == 3 else 1)
        weight = self.rng.normal(0, spread, (made, taken // group, size, size)).astype(np.float32)
        bias = self.rng.normal(0, 0.1, made).astype(np.float32)
        names = [self.weight(weight), self.weight(bias)]
        around, steps = [size // 2] * 4, [stride] * 2
        return self.then("Conv", value, *names, kernel_shape=[size] * 2, pads=around, strides=steps, group=group)

    def picture(self) -> str:
        """The first half: from bytes to sixteen channels."""
        pixels = self.then("Cast", self.then("Transpose", "picture", perm=[0, 3, 1, 2]), to=onnx.TensorProto.FLOAT)
        grey = self.then("Sub", pixels, self.weight(np.array(127.5, np.float32)))
        return self.then("Relu", self.convolved(grey, 3, 16, 3, 2))

    def write(self, path: Path, inputs: dict[str, tuple[str | int, ...]]) -> None:
        last = self.nodes[-1].output[0]
        taken = [
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.UINT8, size) for name, size in inputs.items()
        ]
        made = onnx.helper.make_tensor_value_info(last, onnx.TensorProto.FLOAT, None)
        graph = onnx.helper.make_graph(self.nodes, "little", taken, [made], self.weights)
        model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
        entry = model.metadata_props.add()
        entry.key, entry.value = "agreement", "1 2 3 4"
        onnx.save(model, str(path))


def kinds_of(path: Path) -> set[str]:
    return {node.op_type for node in onnx.load(str(path)).graph.node}


def test_two_answers_from_four_pixels_are_the_answers_of_single_ones() -> None:
    from models.training.pictures import in_fours

    rng = np.random.default_rng(2)
    weight, picture = rng.integers(-9, 9, (5, 3, 3, 3)), rng.integers(0, 9, (6, 16, 3))
    wide = in_fours(weight).reshape(2, 5, 4, 3, 3, 2)
    padded = np.pad(picture, ((1, 1), (1, 1), (0, 0)))
    fours = np.pad(picture.reshape(6, 4, 4, 3), ((1, 1), (1, 0), (0, 0), (0, 0)))
    for row in range(3):
        for column in range(8):
            plain = np.einsum("oikl,kli->o", weight, padded[2 * row : 2 * row + 3, 2 * column : 2 * column + 3])
            block, answer = divmod(column, 2)
            piece = fours[2 * row : 2 * row + 3, block : block + 2]
            assert (np.einsum("opikb,kbpi->o", wide[answer], piece) == plain).all()


def test_numbers_are_rounded_so_that_their_sum_is_right() -> None:
    from models.training.pictures import evenly_rounded

    weight = np.random.default_rng(4).normal(0, 30, (16, 3, 3, 3))
    whole = evenly_rounded(weight)
    assert (whole == np.rint(whole)).all()
    assert np.abs(whole - weight).max() <= 1
    assert np.abs(whole.sum((2, 3)) - weight.sum((2, 3))).max() <= 0.5 + 1e-9


def test_cells_are_told_as_before(tmp_path: Path) -> None:
    """Down, up again by quarters of cells, and chances: the form of the finder."""
    from models.training.quantise import quantise

    net = Network()
    fine = net.picture()
    coarse = net.then("Relu", net.convolved(fine, 16, 32, 3, 2))
    grown = net.then("DepthToSpace", net.then("Relu", net.convolved(coarse, 32, 64)), blocksize=2, mode="CRD")
    net.then("Softmax", net.convolved(net.then("Add", fine, grown), 16, 4), axis=1)
    path = tmp_path / "finder.onnx"
    net.write(path, {"picture": (1, "rows", "columns", 3)})
    pictures = [{"picture": net.rng.integers(0, 256, (1, 32, 64, 3), np.uint8)} for _ in range(6)]
    before = [answers(path, each) for each in pictures]
    quantise(path, pictures)
    assert not kinds_of(path) & {"Softmax", "DepthToSpace", "Relu", "Cast", "Sub"}
    for each, wanted in zip(pictures, before, strict=True):
        assert np.abs(answers(path, each) - wanted).mean() < 0.02
    odd = {"picture": pictures[0]["picture"][:, :16, :32]}
    assert answers(path, odd).shape == (1, 4, 8, 16)


def test_features_are_as_before_and_nothing_of_what_is_hidden(tmp_path: Path) -> None:
    """A mask, convolutions of single channels whose number is odd, and a tangent: the form of the reader."""
    from models.training.quantise import quantise

    net = Network()
    fine = net.picture()
    seen = net.then("Cast", net.then("Unsqueeze", "seen", net.weight(np.array([1]))), to=onnx.TensorProto.FLOAT)
    masked = net.then("Mul", fine, net.then("Div", seen, net.weight(np.array(255, np.float32))))
    wide = net.then("Relu", net.convolved(masked, 16, 24, 3))
    mixed = net.convolved(net.convolved(wide, 24, 24, 3, group=24), 24, 24)
    net.then("Tanh", net.convolved(net.then("Add", wide, net.then("Relu", mixed)), 24, 8))
    path = tmp_path / "reader.onnx"
    net.write(path, {"picture": ("cards", 32, 32, 3), "seen": ("cards", 16, 16)})

    def handfuls() -> Iterator[dict[str, Array]]:
        for _ in range(6):
            yield {
                "picture": net.rng.integers(0, 256, (5, 32, 32, 3), np.uint8),
                "seen": (255 * (net.rng.random((5, 16, 16)) < 0.8)).astype(np.uint8),
            }

    held = list(handfuls())
    before = [answers(path, each) for each in held]
    quantise(path, held)
    model = onnx.load(str(path))
    assert {entry.key: entry.value for entry in model.metadata_props} == {"agreement": "1 2 3 4"}
    assert "Mul" not in kinds_of(path)
    singles = [node for node in model.graph.node for part in node.attribute if part.name == "group" and part.i == 32]
    assert len(singles) == 1
    for each, wanted in zip(held, before, strict=True):
        said = answers(path, each)
        assert said.shape == wanted.shape
        assert np.abs(said - wanted).mean() < 0.03
    hidden = {"picture": held[0]["picture"], "seen": np.zeros_like(held[0]["seen"])}
    other = {"picture": held[1]["picture"], "seen": hidden["seen"]}
    assert (answers(path, hidden) == answers(path, other)).all()
