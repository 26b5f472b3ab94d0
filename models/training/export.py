"""Export: trained networks as ONNX files, each with a model card that says how to reproduce it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from models.agreement import Agreement
from models.crops import ALIGN_PX, ALIGN_SEEN_PX, ALIGN_UNITS, CROP_PX, SEEN_PX
from models.training.aligner import AlignerNet
from models.training.finder_net import FinderNet
from models.training.matcher import MatcherSchool
from models.training.matcher_net import STEM_FEATURES, MatcherHead, MatcherStem
from models.training.reader import ReaderSchool

OPSET = 17
TEMPERATURE = 1.2
"""The reader is this much less certain about the finder's crops than about its training crops."""
PRACTICE = "practice.npz"
"""Learnt corrections of the features of our own decks' faces."""


class FinderGraph(nn.Module):
    """From the bytes of a view to probabilities and votes."""

    def __init__(self, net: FinderNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, view: Tensor) -> tuple[Tensor, Tensor]:
        kinds, votes = self.net(view.permute(0, 3, 1, 2).float())
        return kinds.softmax(1), torch.cat([votes[:, :6], votes[:, 6:].sigmoid()], 1)


class ReaderGraph(nn.Module):
    """From the bytes of crops to their features."""

    def __init__(self, school: ReaderSchool) -> None:
        super().__init__()
        self.net = school.net

    def forward(self, crops: Tensor, seen: Tensor) -> Tensor:
        features: Tensor = self.net(crops.permute(0, 3, 1, 2).float(), seen.unsqueeze(1).float() / 255)
        return features


class MatcherStemGraph(nn.Module):
    """From the bytes of crops to the features that the matcher compares."""

    def __init__(self, net: MatcherStem) -> None:
        super().__init__()
        self.net = net

    def forward(self, crops: Tensor, seen: Tensor) -> Tensor:
        features: Tensor = self.net(crops.permute(0, 3, 1, 2).float(), seen.unsqueeze(1).float() / 255)
        return features


class MatcherHeadGraph(nn.Module):
    """From the features of crops and views to the log odds that they show the same face."""

    def __init__(self, net: MatcherHead) -> None:
        super().__init__()
        self.net = net

    def forward(self, crops: Tensor, views: Tensor, seen: Tensor) -> Tensor:
        scores: Tensor = self.net(crops, views, seen.unsqueeze(1).float() / 255)
        return scores


class AlignerGraph(nn.Module):
    """From the bytes of pieces to the positions of their cards."""

    def __init__(self, net: AlignerNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, pieces: Tensor, seen: Tensor) -> Tensor:
        said = self.net(pieces.permute(0, 3, 1, 2).float(), seen.unsqueeze(1).float() / 255)
        return said * torch.tensor(ALIGN_UNITS)


def export_aligner(net: AlignerNet, path: Path, about: dict[str, str]) -> None:
    """Write the aligner."""
    pieces = torch.zeros(2, ALIGN_PX[1], ALIGN_PX[0], 3, dtype=torch.uint8)
    seen = torch.zeros(2, ALIGN_SEEN_PX[1], ALIGN_SEEN_PX[0], dtype=torch.uint8)
    axes = {name: {0: "cards"} for name in ("pieces", "seen", "lies")}
    _write(AlignerGraph(net).eval(), (pieces, seen), path, ["pieces", "seen"], ["lies"], axes, {}, about)


def export_finder(net: FinderNet, path: Path, about: dict[str, str]) -> None:
    """Write the finder."""
    view = torch.zeros(1, 320, 480, 3, dtype=torch.uint8)
    axes = {"view": {1: "height", 2: "width"}, "kinds": {2: "rows", 3: "columns"}, "votes": {2: "rows", 3: "columns"}}
    _write(FinderGraph(net).eval(), (view,), path, ["view"], ["kinds", "votes"], axes, {}, about)


def export_reader(school: ReaderSchool, path: Path, about: dict[str, str]) -> None:
    """Write the reader and the learnt corrections for our own decks."""
    crops = torch.zeros(2, CROP_PX[1], CROP_PX[0], 3, dtype=torch.uint8)
    seen = torch.zeros(2, SEEN_PX[1], SEEN_PX[0], dtype=torch.uint8)
    axes = {name: {0: "cards"} for name in ("crops", "seen", "features")}
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path.with_name(PRACTICE), **_packed(school))
    notes = {"practice": hashlib.sha256(path.with_name(PRACTICE).read_bytes()).hexdigest()}
    notes["agreement"] = str(_agreement(school))
    _write(ReaderGraph(school).eval(), (crops, seen), path, ["crops", "seen"], ["features"], axes, notes, about)


def export_matcher(school: MatcherSchool, stem: Path, head: Path, about: dict[str, str]) -> None:
    """Write both networks of the matcher."""
    crops = torch.zeros(2, CROP_PX[1], CROP_PX[0], 3, dtype=torch.uint8)
    seen = torch.zeros(2, SEEN_PX[1], SEEN_PX[0], dtype=torch.uint8)
    features = torch.zeros(2, STEM_FEATURES, SEEN_PX[1], SEEN_PX[0])
    axes = {name: {0: "cards"} for name in ("crops", "seen", "features")}
    graph = MatcherStemGraph(school.stem).eval()
    _write(graph, (crops, seen), stem, ["crops", "seen"], ["features"], axes, {}, about | {"name": stem.stem})
    axes = {name: {0: "pairs"} for name in ("crops", "views", "seen", "scores")}
    pair = MatcherHeadGraph(school.head).eval()
    _write(pair, (features, features, seen), head, ["crops", "views", "seen"], ["scores"], axes, {}, about)


def _agreement(school: ReaderSchool) -> Agreement:
    """The learnt agreement parameters, for use outside the network."""
    learnt = school.agreement
    share, anyway = learnt.foreign.tolist()
    return Agreement(float(learnt.scale.exp()) / TEMPERATURE, float(learnt.norm), (share, anyway / TEMPERATURE))


def _packed(school: ReaderSchool) -> dict[str, Any]:
    """The learnt corrections as bytes, with one scale per face."""
    packed: dict[str, Any] = {}
    for game, values in school.practice.items():
        added = values.detach().numpy()
        worth = np.abs(added).reshape(len(added), -1).max(1) / 127 + 1e-9
        packed[game] = np.round(added / worth[:, None, None, None]).astype(np.int8)
        packed[f"{game}-worth"] = worth.astype(np.float32)
    return packed


def _write(
    graph: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    names: list[str],
    outputs: list[str],
    axes: dict[str, dict[int, str]],
    notes: dict[str, str],
    about: dict[str, str],
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        graph,
        inputs,
        str(path),
        input_names=names,
        output_names=outputs,
        dynamic_axes=axes,
        opset_version=OPSET,
        dynamo=False,
    )
    model = onnx.load(str(path))
    _fold_units(model.graph)
    model.producer_name, model.producer_version = "krupier", ""
    for key, value in notes.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, value
    onnx.save(model, str(path))
    write_card(path, about | {"parameters": str(sum(value.numel() for value in graph.parameters()))})


def _fold_units(graph: onnx.GraphProto) -> None:
    """Scale the first weights instead of every pixel: x / 127.5 - 1 becomes x - 127.5."""
    values = {weight.name: weight for weight in graph.initializer}
    made = {name: node for node in graph.node for name in node.output}
    values |= {name: node.attribute[0].t for name, node in made.items() if node.op_type == "Constant"}
    for subtract in [node for node in graph.node if node.op_type == "Sub" and node.input[1] in values]:
        divide = made.get(subtract.input[0])
        users = [node for node in graph.node if subtract.output[0] in node.input]
        if divide is None or divide.op_type != "Div" or [node.op_type for node in users] != ["Conv"]:
            continue
        unit, one = (numpy_helper.to_array(values[name]) for name in (divide.input[1], subtract.input[1]))
        weight = values[users[0].input[1]]
        weight.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weight) / unit, weight.name))
        middle = numpy_helper.from_array(np.asarray(unit * one, np.float32), f"{subtract.name}_middle")
        graph.initializer.append(middle)
        subtract.input[:] = [divide.input[0], middle.name]
        graph.node.remove(divide)


def write_card(path: Path, about: dict[str, str]) -> None:
    """Write the model card: the file's hash and further information."""
    lines = ["# The card of a model: what it is, what it learnt from, how to make it again."]
    lines.append(f'sha256 = "{hashlib.sha256(path.read_bytes()).hexdigest()}"')
    lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in about.items()]
    path.with_suffix(".toml").write_text("\n".join(lines) + "\n", "utf-8")
