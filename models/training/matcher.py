"""Training of the matcher: episodes of one deck, taught by one view of each card, with look-alikes as candidates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.crops import Image
from models.print_alignment import aligned_print, outline_of
from models.training.episodes import Episode
from models.training.loop import TrainingPlan, train
from models.training.matcher_net import MatcherHead, MatcherStem
from models.training.restore import restore

NEAREST_CANDIDATES, RANDOM_CANDIDATES = 4, 1
"""Wrong candidates of a crop: the views most like the right one, and others."""
QUERIES_PER_STEP = 36
"""Crops of an episode that are compared in one step."""
THUMBNAIL_PX = (24, 33)
"""Size at which look-alikes are searched."""
UNALIGNED_SHARE, TRUE_ALIGNED_SHARE = 0.15, 0.5
"""Share of crops that are not aligned with a view, and of the others the share that is aligned with the right one.

Reading aligns a crop with every candidate in turn, which would take too long here.
"""
FURTHER_RATE = 7e-4
"""Learning rate where training goes on from exported networks."""
Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class MatcherFiles:
    """The exported networks of a matcher."""

    stem: Path
    head: Path


class MatcherSchool(nn.Module):
    """Both networks of the matcher."""

    def __init__(self, fixed_norms: bool = False) -> None:
        super().__init__()
        self.stem = MatcherStem()
        self.head = MatcherHead()
        self._fixed_norms = fixed_norms

    def train(self, mode: bool = True) -> "MatcherSchool":
        """Set the mode; fixed normalisation layers keep the statistics that they have."""
        super().train(mode)
        if self._fixed_norms:
            for layer in self.modules():
                if isinstance(layer, nn.BatchNorm2d):
                    layer.eval()
        return self


def train_matcher(
    episodes: Iterator[Episode], folder: Path, steps: int, seed: int, start: MatcherFiles | None = None
) -> MatcherSchool:
    """Train on endless episodes, from scratch or from exported networks; resumes from a checkpoint in the folder."""
    torch.manual_seed(seed)
    school = MatcherSchool(fixed_norms=start is not None)
    plan = TrainingPlan(folder, "matcher", steps, keep_every=100)
    if start is not None:
        restore(school.stem, start.stem)
        restore(school.head, start.head)
        plan = replace(plan, rate=FURTHER_RATE)
    school = school.to(memory_format=torch.channels_last)
    rng = np.random.default_rng(seed)
    batches = (batch_of(episode, rng) for episode in episodes)
    averaged = train(school, batches, matcher_losses, plan)
    assert isinstance(averaged, MatcherSchool)
    return averaged


def batch_of(episode: Episode, rng: np.random.Generator) -> Batch:
    """Some crops of an episode: crops, visibility, views both ways, candidates of each crop, and which are right."""
    chosen = rng.permutation(len(episode.crops))[:QUERIES_PER_STEP]
    sides = np.stack([way for view in episode.taught for way in (view, view[::-1, ::-1])])
    rows = _thumbnails(sides)
    rows_of_crops = _thumbnails(episode.crops[chosen])
    candidates, right, moved = [], [], []
    for place, query in enumerate(chosen):
        own = int(episode.face[query])
        true = [] if own < 0 else [2 * own + int(episode.turned[query])]
        likeness = rows[true[0]] if true else rows_of_crops[place]
        near = np.argsort(np.abs(rows - likeness).mean(1))
        alike = set() if not true else {side for side in range(len(sides)) if episode.alike[true[0], side]}
        wrong = [int(side) for side in near if side not in alike][:NEAREST_CANDIDATES]
        others = [int(side) for side in rng.permutation(len(sides)) if side not in alike and side not in wrong]
        sample = (true + wrong + others)[: 1 + NEAREST_CANDIDATES + RANDOM_CANDIDATES]
        candidates.append(sample)
        right.append([side in alike for side in sample] + [not true])
        moved.append(_aligned(episode.crops[query], episode.seen[query], [sides[side] for side in sample[:2]], rng))
    used = sorted({side for sample in candidates for side in sample})
    index_of = {side: index for index, side in enumerate(used)}
    return (
        _tensor(np.stack([crop for crop, _ in moved])),
        torch.from_numpy(np.stack([seen for _, seen in moved])[:, None]).float() / 255,
        _tensor(sides[used]),
        torch.tensor([[index_of[side] for side in sample] for sample in candidates]),
        torch.tensor(right),
        torch.tensor([int(episode.face[query]) < 0 for query in chosen]),
    )


def matcher_losses(school: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """The negative log probability of the right candidates, or of a stranger."""
    assert isinstance(school, MatcherSchool)
    crops, seen, sides, candidates, right, _ = batch
    scores = matcher_scores(school, crops, seen, sides, candidates)
    share = torch.log_softmax(scores, 1).masked_fill(~right, -1e9).logsumexp(1)
    return {"match": -share.clamp(min=-20).mean()}


def matcher_scores(school: MatcherSchool, crops: Tensor, seen: Tensor, sides: Tensor, candidates: Tensor) -> Tensor:
    """The log odds of every candidate, and last those of a card that is not in the deck."""
    count, each = candidates.shape
    whole = torch.ones(len(sides), *seen.shape[1:])
    with torch.autocast("cpu", torch.bfloat16):
        features = school.stem(torch.cat([crops, sides]), torch.cat([seen, whole]))
        own, other = features[:count].repeat_interleave(each, 0), features[count:][candidates.flatten()]
        scores = school.head(own, other, seen.repeat_interleave(each, 0))
    scores = scores.float().reshape(count, each)
    return torch.cat([scores, torch.zeros(count, 1)], 1)


def _aligned(crop: Image, seen: Image, sides: Sequence[Image], rng: np.random.Generator) -> tuple[Image, Image]:
    """A crop aligned with one of its first candidates, as a look-alike or the right one would align it."""
    if rng.random() < UNALIGNED_SHARE:
        return crop, seen
    side = sides[0] if rng.random() < TRUE_ALIGNED_SHARE else sides[int(rng.integers(len(sides)))]
    return aligned_print(crop, seen, outline_of(side))


def _thumbnails(images: Image) -> NDArray[np.float32]:
    """Small pictures without their overall colour, one row each."""
    small = np.stack([cv2.resize(image, THUMBNAIL_PX, interpolation=cv2.INTER_AREA) for image in images])
    values = small.astype(np.float32)
    values = values / np.maximum(values.mean((1, 2), keepdims=True), 8) * 128
    return np.asarray(values.reshape(len(values), -1), np.float32)


def _tensor(images: Image) -> Tensor:
    pixels = torch.from_numpy(np.ascontiguousarray(images)).permute(0, 3, 1, 2).float()
    return pixels.contiguous(memory_format=torch.channels_last)
