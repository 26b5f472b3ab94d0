"""Exporting: what is folded into the weights gives the same answers."""

from typing import Any

import numpy as np
import onnxruntime
import pytest


def answers(model: Any, pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return np.asarray(session.run(None, {"pixels": pixels})[0])


def test_dividing_the_weights_instead_of_the_pixels_changes_nothing() -> None:
    pytest.importorskip("torch")
    onnx = pytest.importorskip("onnx")
    from models.training.export import _fold_units

    rng = np.random.default_rng(1)
    values = {"unit": np.float32(127.5), "one": np.float32(1), "w": rng.normal(0, 1, (4, 3, 3, 3)).astype(np.float32)}
    node, picture = onnx.helper.make_node, (1, 3, 12, 10)
    graph = onnx.helper.make_graph(
        [
            node("Div", ["pixels", "unit"], ["divided"], name="divide"),
            node("Sub", ["divided", "one"], ["levelled"], name="subtract"),
            node("Conv", ["levelled", "w"], ["out"], name="first", pads=[1, 1, 1, 1]),
        ],
        "little",
        [onnx.helper.make_tensor_value_info("pixels", onnx.TensorProto.FLOAT, picture)],
        [onnx.helper.make_tensor_value_info("out", onnx.TensorProto.FLOAT, (1, 4, 12, 10))],
        [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in values.items()],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    pixels = rng.integers(0, 256, picture).astype(np.float32)
    before = answers(model, pixels)
    _fold_units(model.graph)
    assert [step.op_type for step in model.graph.node] == ["Sub", "Conv"]
    np.testing.assert_allclose(answers(model, pixels), before, atol=1e-4)
