"""Training of the network that finds marks on Lucky Box cards."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.cards import own_deck
from models.crops import Image
from models.marks import CHANNELS, LEAST_SEEN, PATCH_PX, cut_patches, seen_shares
from models.training.export import write_card
from models.training.gather import deck_templates
from models.training.looks import blurred, relit
from models.training.loop import TrainingPlan, train
from models.training.marked import SHARD, CutOut, gathered, joined
from models.training.shards import ahead

WEIGHTS = Path(__file__).parents[1] / "weights" / "marks.onnx"
STEPS = 3000
"""Training steps of the network in models/weights."""
SHARDS, CALIBRATION_SHARDS, HELD_OUT = 9, 1, 3
"""Numbers of files for training, for temperature calibration, and for evaluation."""
HELD_OUT_SEED = 7
MIN_TRAINING_VISIBLE = 0.25
"""Places with a smaller visible fraction are not used for training."""
BATCH = 32
"""Cards per training step."""

Floats = NDArray[np.float32]
Truth = NDArray[np.bool_]
Batch = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Figures:
    """Accuracy of the mark detection."""

    places: int
    exact_places: float
    cards: int
    exact_cards: float
    """Fraction of cards whose visible places are all right."""
    ece: float
    missed: float
    """Fraction of the marks that are missed."""
    invented: float
    """Fraction of the empty places where a mark is reported."""


class MarkNet(nn.Module):
    """Three small convolutions over a patch and its clean print, then one hidden layer."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for inside, outside in ((CHANNELS, 12), (12, 24), (24, 32)):
            layers += [nn.Conv2d(inside, outside, 3, 2, 1, bias=False), nn.BatchNorm2d(outside), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.Flatten(), nn.Linear(32 * 16, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, patches: Tensor) -> Tensor:
        """Log-odds of a mark for patches of bytes."""
        return torch.as_tensor(self.body(patches.float() / 255))[:, 0]


class Answer(nn.Module):
    """The exported network: returns probabilities, with the input scaling folded into the first layer."""

    def __init__(self, network: MarkNet, heat: float) -> None:
        super().__init__()
        self.body = deepcopy(network.body)
        first, last = self.body[0], self.body[-1]
        assert isinstance(first, nn.Conv2d)
        assert isinstance(last, nn.Linear)
        first.weight.data /= 255
        last.weight.data /= heat
        last.bias.data /= heat

    def forward(self, patches: Tensor) -> Tensor:
        """Probability of a mark in each patch."""
        return torch.sigmoid(self.body(patches.float())[:, 0])


def train_marks(folder: Path, steps: int, seed: int, weights: Path = WEIGHTS) -> Figures:
    """Gather cards, train, and write the network with its model card; resumes after an interruption.

    The figures are for tables with materials and lamps that training never sees.
    """
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(seed)
    shards = [gathered(folder, seed, number) for number in range(SHARDS + CALIBRATION_SHARDS)]
    templates = box_templates()
    batches = ahead(_batches(joined(shards[:SHARDS]), templates, np.random.default_rng(seed)))
    network = train(MarkNet(), batches, _losses, TrainingPlan(folder, "marks", steps, rate=4e-3, decay=1e-3))
    assert isinstance(network, MarkNet)
    odds, truth, seen = judged(partial(_odds, network), joined(shards[SHARDS:]), templates)
    heat = best_heat(odds[seen], truth[seen])
    weights.parent.mkdir(parents=True, exist_ok=True)
    export(Answer(network, heat), weights)
    unseen = joined([gathered(folder, HELD_OUT_SEED, number, held_out=True) for number in range(HELD_OUT)])
    odds, truth, seen = judged(partial(_odds, network), unseen, templates)
    found = figures(odds / heat, truth, seen)
    write_card(weights, _about(steps, seed, found))
    return found


def box_templates() -> dict[str, Image]:
    """The clean face of every card."""
    return deck_templates(own_deck("lucky_box"))


def judged(look: Callable[[Image], Floats], cards: CutOut, templates: dict[str, Image]) -> tuple[Floats, Truth, Truth]:
    """Log-odds, truth and visibility for every card and place."""
    odds, seen = [], []
    for number in range(len(cards)):
        patches = cut_patches(cards.pixels[number], cards.seen[number], templates[str(cards.codes[number])])
        odds.append(look(patches))
        seen.append(seen_shares(patches) >= LEAST_SEEN)
    return np.stack(odds), cards.truth, np.stack(seen)


def figures(odds: Floats, truth: Truth, seen: Truth) -> Figures:
    """Accuracy of log-odds against the truth."""
    right = ((odds > 0) == truth) | ~seen
    some = seen.any(1)
    probability = 1 / (1 + np.exp(-odds[seen].astype(np.float64)))
    return Figures(
        int(seen.sum()),
        float(right[seen].mean()),
        int(some.sum()),
        float(right[some].all(1).mean()),
        expected_calibration_error(np.maximum(probability, 1 - probability), right[seen]),
        float(1 - right[seen & truth].mean()),
        float(1 - right[seen & ~truth].mean()),
    )


def expected_calibration_error(sure: NDArray[np.float64], right: Truth, bins: int = 15) -> float:
    """Expected calibration error over bins of equal width from 0.5 to 1."""
    which = np.minimum((bins * (2 * sure - 1)).astype(int), bins - 1)
    gaps = [abs(sure[which == one].sum() - right[which == one].sum()) for one in range(bins)]
    return float(sum(gaps) / max(1, len(sure)))


def best_heat(odds: Floats, truth: Truth) -> float:
    """The temperature by which to divide log-odds so that they are calibrated."""
    heats = np.exp(np.linspace(np.log(0.4), np.log(4), 60))
    signed = np.where(truth, odds, -odds).astype(np.float64)
    return float(heats[int(np.argmin([np.logaddexp(0, -signed / heat).mean() for heat in heats]))])


def export(answer: Answer, path: Path) -> None:
    """Write the network as an ONNX file that accepts any number of patches."""
    example = torch.zeros((1, CHANNELS, PATCH_PX, PATCH_PX), dtype=torch.uint8)
    torch.onnx.export(
        answer, (example,), str(path), input_names=["patches"], output_names=["marked"], opset_version=17,
        dynamic_axes={"patches": {0: "places"}, "marked": {0: "places"}}, dynamo=False,
    )  # fmt: skip


def _about(steps: int, seed: int, found: Figures) -> dict[str, str]:
    return {
        "name": "marks",
        "data": "simulated Lucky Box cards, difficulty 0.75, drawn on in many ways; no photographs",
        "tables": str(SHARDS * SHARD),
        "seed": str(seed),
        "steps": str(steps),
        "held_out_places": f"{found.exact_places:.4f} of {found.places} exact",
        "held_out_cards": f"{found.exact_cards:.4f} of {found.cards} exact",
        "held_out_missed": f"{found.missed:.4f}",
        "held_out_invented": f"{found.invented:.4f}",
        "held_out_ece": f"{found.ece:.4f}",
        "rebuild": f"krupier train marks --seed {seed} --steps {steps}",
    }


def _losses(network: nn.Module, batch: Batch) -> dict[str, Tensor]:
    patches, truth = batch
    return {"marks": nn.functional.binary_cross_entropy_with_logits(network(patches), truth)}


def _batches(cards: CutOut, templates: dict[str, Image], rng: np.random.Generator) -> Iterator[Batch]:
    """Randomly varied patches of some cards, and whether they are marked."""
    while True:
        patches, truth = [], []
        for number in rng.integers(len(cards), size=BATCH):
            crop, seen = _varied(cards.pixels[number], rng), _imperfect_map(cards.seen[number], rng)
            cut_out = cut_patches(crop, seen, templates[str(cards.codes[number])])
            kept = seen_shares(cut_out) >= MIN_TRAINING_VISIBLE
            patches.append(cut_out[kept])
            truth.append(cards.truth[number][kept])
        yield torch.from_numpy(np.concatenate(patches)), torch.from_numpy(np.concatenate(truth).astype(np.float32))


def _varied(crop: Image, rng: np.random.Generator) -> Image:
    """The same crop slightly displaced, under another lamp, out of focus, grainy."""
    shift = np.column_stack([np.eye(2) + rng.normal(0, 0.006, (2, 2)), rng.normal(0, 0.5, 2)]).astype(np.float32)
    crop = np.asarray(cv2.warpAffine(crop, shift, crop.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)
    crop = blurred(relit(crop, rng) if rng.random() < 0.6 else crop, rng)
    grain = rng.normal(0, rng.uniform(0, 6), (33, *crop.shape[1:])).astype(np.float32)
    return np.clip(crop + np.tile(grain, (4, 1, 1)), 0, 255).astype(np.uint8)


def _imperfect_map(seen: Image, rng: np.random.Generator) -> Image:
    """The visibility map of an imperfect finder: shifted by a cell, or sometimes blind to occlusion."""
    if rng.random() < 0.08:
        return np.full_like(seen, 255)
    return np.asarray(np.roll(seen, rng.integers(-1, 2, 2), (0, 1)), np.uint8)


def _odds(network: nn.Module, patches: Image) -> Floats:
    with torch.no_grad():
        return np.asarray(network(torch.from_numpy(patches)).numpy(), np.float32)
