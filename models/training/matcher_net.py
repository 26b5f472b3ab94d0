"""The matcher's networks: whether a crop and a view show the same face, decided by the parts that differ.

The stem computes features of a crop or a view. The head compares two of them and gives the evidence, cell by cell, that
they show the same face. The evidence is summed over the visible cells: a part in which all candidates agree gives them
the same evidence, so that the parts in which they differ decide. The part that speaks most against it counts once more:
a card of another deck may agree nearly everywhere.
"""

import torch
from torch import Tensor, nn

from models.training.finder_net import ConvNormAct
from models.training.reader_net import Mixed

STEM_FEATURES = 16
"""Channels of the features that the stem computes for every cell of 4 px."""
PART_CELLS = 3
"""Width and height of a part that counts once more, in cells of 8 px of a crop."""
HEAD_WIDTHS = (24, 64)
"""Channels of the head at a quarter and at an eighth of the crop's size."""


class MatcherStem(nn.Module):
    """From a crop to features at a quarter of its size."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Sequential(ConvNormAct(3, 16, 3, 2), ConvNormAct(16, 32, 3, 2))
        self.rest = nn.Sequential(Mixed(32), Mixed(32), Mixed(32), nn.Conv2d(32, STEM_FEATURES, 1))

    def forward(self, crops: Tensor, seen: Tensor) -> Tensor:
        """Features of crops in BGR 0 to 255; `seen` is the visibility from 0 to 1 at a quarter of their size."""
        features: Tensor = self.rest(self.enter(crops / 127.5 - 1) * seen)
        return torch.tanh(features)


class MatcherHead(nn.Module):
    """From the features of a crop and of a view to the evidence that both show the same face."""

    def __init__(self) -> None:
        super().__init__()
        near, far = HEAD_WIDTHS
        self.near = nn.Sequential(ConvNormAct(2 * STEM_FEATURES + 1, near, 1), Mixed(near))
        self.far = nn.Sequential(
            ConvNormAct(near, far, 3, 2), Mixed(far), Mixed(far), Mixed(far), Mixed(far), nn.Conv2d(far, 1, 1)
        )
        self.bias = nn.Parameter(torch.tensor(0.0))
        self.worst_weight = nn.Parameter(torch.tensor(0.0))

    def forward(self, crops: Tensor, views: Tensor, seen: Tensor) -> Tensor:
        """The log odds of each pair against a card that is not in the deck; rows are pairs."""
        pairs = torch.cat([(crops - views).abs(), crops * views, seen], 1)
        evidence = self.far(self.near(pairs))
        visible = nn.functional.avg_pool2d(seen, 2, ceil_mode=True, count_include_pad=False)
        seen_evidence = evidence * visible
        total: Tensor = seen_evidence.flatten(1).sum(1)
        parts = nn.functional.avg_pool2d(seen_evidence, PART_CELLS, 1)
        worst: Tensor = parts.flatten(1).amin(1).clamp(max=0)
        return total / 16 + self.worst_weight * worst + self.bias
