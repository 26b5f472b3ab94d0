"""A graph of ONNX that is being rewritten: its nodes in order and its weights by name."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import helper, numpy_helper

Array = NDArray[Any]
Node = Any
"""A node of ONNX."""
CHANNELS_FIRST, CHANNELS_LAST = [0, 3, 1, 2], [0, 2, 3, 1]
"""How the channels of pictures get before rows and columns, and behind them."""


class Graph:
    """Nodes and weights; the model changes when it is told to."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.nodes: list[Node] = list(model.graph.node)
        self._weights = {weight.name: weight for weight in model.graph.initializer}

    def maker(self, name: str, kind: str) -> Node | None:
        """The node that a value comes from, if it is of that kind."""
        return next((node for node in self.nodes if name in node.output and node.op_type == kind), None)

    def before(self, node: Node | None, *kinds: str) -> list[Node]:
        """The nodes one after the other on the way to a node's first input, the last of them first; none if others."""
        found: list[Node] = []
        for kind in kinds:
            node = None if node is None else self.maker(node.input[0], kind)
            found += [] if node is None else [node]
        return found if len(found) == len(kinds) else []

    def after(self, node: Node | None, kind: str) -> Node | None:
        """The only node that takes what a node makes, if it is of that kind."""
        users = [] if node is None else [user for user in self.nodes if node.output[0] in user.input]
        return users[0] if len(users) == 1 and users[0].op_type == kind else None

    def leads(self, node: Node, name: str) -> bool:
        """Whether a value comes from what a node makes."""
        reached = set(node.output)
        for each in self.nodes:
            if reached.intersection(each.input):
                reached.update(each.output)
        return name in reached

    def weight(self, name: str) -> Array:
        """A value that is known beforehand."""
        return np.asarray(numpy_helper.to_array(self._weights[name]))

    def give(self, name: str, value: Array) -> str:
        """Add such a value or change it; its name."""
        self._weights[name] = numpy_helper.from_array(np.ascontiguousarray(value).reshape(value.shape), name)
        return name

    def replace(self, old: Sequence[Node], new: Sequence[Node]) -> None:
        """Put nodes where the last of some others is, and take these away."""
        place = self.nodes.index(old[-1])
        self.nodes[place:place] = new
        self.nodes = [node for node in self.nodes if not any(node is gone for gone in old)]

    def finish(self) -> None:
        """Change the model: what is not used any more goes."""
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
    """Nodes one after the other: what each is, what it takes besides, its attributes."""
    names = [start, *(f"{end}_{number}" for number in range(1, len(steps))), end]
    return [
        helper.make_node(kind, [before, *others], [after], **attributes)
        for (kind, others, attributes), before, after in zip(steps, names[:-1], names[1:], strict=True)
    ]


def group_of(convolution: Node) -> int:
    """In how many groups a convolution takes its channels."""
    return next((int(each.i) for each in convolution.attribute if each.name == "group"), 1)


def need_opset(model: Any, version: int) -> None:
    """Operators as new as that."""
    for entry in model.opset_import:
        if entry.domain in ("", "ai.onnx"):
            entry.version = max(entry.version, version)
