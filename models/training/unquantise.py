"""Turns the shipped 8-bit finder back into a network that can be trained further."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError
from torch import Tensor, nn

from models.training.finder_net import FinderNet
from models.training.graph import Array, Graph, Node
from models.training.pictures import PIXELS, ZERO_BYTE

UNIT = 127.5
"""Half of the range of a byte: training scales pixels to -1 to 1."""
NORM_EPSILON = 1e-5


class WeightsError(ValueError):
    """The file is not a finder of the present architecture."""


def finder_from_weights(path: Path) -> FinderNet:
    """The finder with the weights of an 8-bit file; `normalised` must follow before it is trained."""
    try:
        graph = Graph(onnx.load(str(path)))
    except DecodeError as error:
        raise WeightsError(f"{path}: not an ONNX file ({error})") from error
    convolutions = [node for node in graph.nodes if node.op_type == "Conv"]
    net = FinderNet().eval()
    layers = [module for module in net.modules() if isinstance(module, nn.Conv2d)]
    # The file computes the votes before the kinds.
    layers[-2:] = [net.votes, net.kinds]
    if len(layers) != len(convolutions):
        raise WeightsError(f"{path}: {len(convolutions)} convolutions; wanted {len(layers)}")
    norms = {id(one): other for one, other in _pairs(net)}
    for number, (layer, node) in enumerate(zip(layers, convolutions, strict=True)):
        weight, bias = _real(graph, node, 1), _real(graph, node, 2)
        if number == 0:
            weight, bias = _picture_layer(weight, bias)
        if any(layer is up[0] for up in (net.up16, net.up8, net.up4)):
            weight, bias = _in_channel_order(weight), _in_channel_order(bias)
        if weight.shape != tuple(layer.weight.shape):
            raise WeightsError(
                f"{path}: convolution {number} has the shape {weight.shape}; wanted {layer.weight.shape}"
            )
        layer.weight.data = torch.from_numpy(weight.astype(np.float32))
        shift = norms[id(layer)].bias if id(layer) in norms else layer.bias
        assert shift is not None
        shift.data = torch.from_numpy(bias.astype(np.float32))
    return net.to(memory_format=torch.channels_last)


@torch.no_grad()
def normalised(net: FinderNet, views: Tensor) -> FinderNet:
    """The same function, with normalisations that hold the statistics of some views."""
    hooks = [norm.register_forward_pre_hook(_measure) for _, norm in _pairs(net)]
    net.eval()(views)
    for hook in hooks:
        hook.remove()
    return net


def _measure(norm: nn.Module, inputs: tuple[Tensor, ...]) -> None:
    """Take mean and variance from the inputs of a normalisation that only adds its bias so far."""
    assert isinstance(norm, nn.BatchNorm2d)
    assert norm.running_mean is not None
    assert norm.running_var is not None
    values = inputs[0].float()
    norm.running_mean.copy_(values.mean((0, 2, 3)))
    norm.running_var.copy_(values.var((0, 2, 3)))
    norm.weight.data = torch.sqrt(norm.running_var + norm.eps)
    norm.bias.data = norm.bias.data + norm.running_mean


def _pairs(net: nn.Module) -> Iterator[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    """Every convolution that is followed by a normalisation, with that."""
    for block in net.modules():
        if isinstance(block, nn.Sequential) and len(block) > 1:
            first, second = block[0], block[1]
            if isinstance(first, nn.Conv2d) and isinstance(second, nn.BatchNorm2d):
                second.running_var = torch.full_like(second.weight.data, 1 - NORM_EPSILON)
                yield first, second


def _real(graph: Graph, convolution: Node, place: int) -> Array:
    """The weights or the bias of a convolution as real numbers."""
    maker = graph.maker(convolution.input[place], "DequantizeLinear")
    if maker is None:
        raise WeightsError(f"{convolution.name}: not quantised; wanted 8-bit weights")
    whole, scale = (graph.weight(name).astype(float) for name in maker.input[:2])
    return np.asarray(whole * scale.reshape(-1, *[1] * (whole.ndim - 1)))


def _picture_layer(weight: Array, bias: Array) -> tuple[Array, Array]:
    """The first convolution, which takes four pixels at a time and computes two outputs from them."""
    outputs = len(weight) // 2
    wide = weight[:outputs].reshape(outputs, PIXELS, 3, 3, 2)
    places = [divmod(column + PIXELS - 1, PIXELS) for column in range(3)]
    plain = np.stack([wide[:, pixel, :, :, block] for block, pixel in places], 3)
    return plain * UNIT, bias[:outputs] - (ZERO_BYTE - UNIT) * plain.sum((1, 2, 3))


def _in_channel_order(values: Array) -> Array:
    """Undo the sorting of channels by quarter."""
    order = np.arange(len(values)).reshape(-1, 4).T.ravel()
    plain = np.empty_like(values)
    plain[order] = values
    return plain
