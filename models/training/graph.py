"""An ONNX graph for rewriting: its nodes in order and its weights by name."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import helper, numpy_helper

Array = NDArray[Any]
Node = Any
"""An ONNX node."""
CHANNELS_FIRST, CHANNELS_LAST = [0, 3, 1, 2], [0, 2, 3, 1]
"""Permutations between channels-last and channels-first pictures."""


class Graph:
    """Nodes and weights; `finish` applies all changes to the model."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.nodes: list[Node] = list(model.graph.node)
        self._weights = {weight.name: weight for weight in model.graph.initializer}

    def maker(self, name: str, kind: str) -> Node | None:
        """The node that computes a value, if it is of that kind."""
        return next((node for node in self.nodes if name in node.output and node.op_type == kind), None)

    def before(self, node: Node | None, *kinds: str) -> list[Node]:
        """The chain of nodes before a node's first input, nearest first; empty if their kinds differ."""
        found: list[Node] = []
        for kind in kinds:
            node = None if node is None else self.maker(node.input[0], kind)
            found += [] if node is None else [node]
        return found if len(found) == len(kinds) else []

    def after(self, node: Node | None, kind: str) -> Node | None:
        """The only consumer of a node's output, if it is of that kind."""
        users = [] if node is None else [user for user in self.nodes if node.output[0] in user.input]
        return users[0] if len(users) == 1 and users[0].op_type == kind else None

    def leads(self, node: Node, name: str) -> bool:
        """Whether a value depends on a node's output."""
        reached = set(node.output)
        for each in self.nodes:
            if reached.intersection(each.input):
                reached.update(each.output)
        return name in reached

    def weight(self, name: str) -> Array:
        """The value of a weight."""
        return np.asarray(numpy_helper.to_array(self._weights[name]))

    def give(self, name: str, value: Array) -> str:
        """Add or replace a weight, and return its name."""
        self._weights[name] = numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)
        return name

    def replace(self, old: Sequence[Node], new: Sequence[Node]) -> None:
        """Insert nodes where the last old one was, and remove the old ones."""
        place = self.nodes.index(old[-1])
        self.nodes[place:place] = new
        self.nodes = [node for node in self.nodes if not any(node is gone for gone in old)]

    def finish(self) -> None:
        """Apply the changes to the model and drop unused nodes and weights."""
        graph = self._model.graph
        used = {value.name for value in graph.output}
        for node in reversed(list(self.nodes)):
            if used.intersection(node.output):
                used.update(node.input)
            else:
                self.nodes.remove(node)
        for held, now in (
            (graph.node, self.nodes),
            (graph.initializer, [weight for name, weight in self._weights.items() if name in used]),
            (graph.value_info, []),
        ):
            del held[:]
            held.extend(now)


def chain(start: str, *steps: tuple[str, Sequence[str], dict[str, Any]], end: str) -> list[Node]:
    """A chain of nodes, each given by its kind, further inputs and attributes."""
    names = [start, *(f"{end}_{number}" for number in range(1, len(steps))), end]
    return [
        helper.make_node(kind, [before, *others], [after], **attributes)
        for (kind, others, attributes), before, after in zip(steps, names[:-1], names[1:], strict=True)
    ]


def group_of(convolution: Node) -> int:
    """Number of groups of a convolution."""
    return next((int(each.i) for each in convolution.attribute if each.name == "group"), 1)


def need_opset(model: Any, version: int) -> None:
    """Raise the model's opset to at least `version`."""
    for entry in model.opset_import:
        if entry.domain in ("", "ai.onnx"):
            entry.version = max(entry.version, version)
