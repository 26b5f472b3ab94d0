"""Restoring: the weights of an exported 32-bit network, back in the network that they were exported from."""

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

PIXEL_UNIT = 127.5
"""By this the export divided the weights that meet the pixels, instead of the pixels."""


class RestoreError(ValueError):
    """An exported network does not fit the one that it should be restored to."""


def restore(net: nn.Module, path: Path) -> None:
    """Load an exported network; its normalisation layers only shift from now on, because export folded them."""
    graph = onnx.load(str(path)).graph
    values = {weight.name: numpy_helper.to_array(weight) for weight in graph.initializer}
    exported = [node for node in graph.node if node.op_type == "Conv"]
    layers = [layer for layer in net.modules() if isinstance(layer, nn.Conv2d | nn.BatchNorm2d)]
    convolutions = [layer for layer in layers if isinstance(layer, nn.Conv2d)]
    if len(exported) != len(convolutions):
        raise RestoreError(f"{path}: {len(exported)} convolutions; wanted {len(convolutions)}")
    unit = PIXEL_UNIT if any(name.endswith("_middle") for name in values) else 1.0
    with torch.no_grad():
        for place, (node, convolution) in enumerate(zip(exported, convolutions, strict=True)):
            weight, bias = (values[name] for name in node.input[1:3])
            if weight.shape != tuple(convolution.weight.shape):
                raise RestoreError(f"{path}: weights of {weight.shape}; wanted {tuple(convolution.weight.shape)}")
            convolution.weight.copy_(_tensor(weight * (unit if place == 0 else 1.0)))
            following = layers[layers.index(convolution) + 1 :][:1]
            if convolution.bias is not None:
                convolution.bias.copy_(_tensor(bias))
            elif following and isinstance(following[0], nn.BatchNorm2d):
                _shift_only(following[0], _tensor(bias))
        for name, parameter in net.named_parameters(recurse=False):
            if f"net.{name}" in values:
                parameter.copy_(_tensor(values[f"net.{name}"]))


def _shift_only(layer: nn.BatchNorm2d, shift: Tensor) -> None:
    """Let a normalisation layer add a shift to what it is given, as long as its statistics are fixed."""
    assert layer.running_mean is not None
    assert layer.running_var is not None
    layer.running_mean.zero_()
    layer.running_var.fill_(1 - layer.eps)
    layer.weight.fill_(1)
    layer.bias.copy_(shift)


def _tensor(values: np.ndarray) -> Tensor:
    return torch.from_numpy(np.array(values, np.float32))
