"""The reader's network: features of a card crop, cell by cell, for comparison with every face of a deck.

A card is read by agreement: its features are multiplied by those of each face and summed over the visible cells.
Where two faces look the same they score the same, so only the differences decide; hidden cells do not count. A
feature of zero means "cannot tell", as in glare.
"""

import torch
from torch import Tensor, nn

from models.training.finder_net import ConvNormAct

FEATURES = 24


class Mixed(nn.Module):
    """A residual block: a depthwise 3x3 convolution, then a 1x1 convolution."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.steps = nn.Sequential(
            nn.Conv2d(width, width, 3, 1, 1, groups=width, bias=False),
            nn.BatchNorm2d(width),
            nn.Conv2d(width, width, 1, bias=False),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
        )

    def forward(self, values: Tensor) -> Tensor:
        return values + self.steps(values)


class ReaderNet(nn.Module):
    """From a crop to features at an eighth of its size."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Sequential(ConvNormAct(3, 16, 3, 2), ConvNormAct(16, 32, 3, 2))
        # Small print must be distinguished while there is still a cell for every two millimetres.
        self.near = nn.Sequential(Mixed(32), Mixed(32))
        self.rest = nn.Sequential(ConvNormAct(32, 72, 3, 2), *(Mixed(72) for _ in range(7)), nn.Conv2d(72, FEATURES, 1))

    def forward(self, crops: Tensor, seen: Tensor) -> Tensor:
        """Features of crops in BGR 0 to 255; `seen` is the visibility from 0 to 1 at a quarter of their size."""
        features: Tensor = self.rest(self.near(self.enter(crops / 127.5 - 1) * seen))
        return torch.tanh(features)


class AgreementModule(nn.Module):
    """Turns features of cards and faces into scores, with three parameters learnt with the network."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(-4.0))
        self.norm = nn.Parameter(torch.tensor(0.3))
        self.foreign = nn.Parameter(torch.tensor([0.4, 0.0]))

    def forward(self, cards: Tensor, seen: Tensor, faces: Tensor) -> Tensor:
        """Scores of every card against every face, and last against being none of them."""
        weighted = cards * seen
        scores = weighted.flatten(1) @ faces.flatten(1).T
        scores = scores - 0.5 * self.norm * (seen.flatten(1) @ faces.pow(2).sum(1).flatten(1).T)
        none = self.foreign[0] * (weighted * cards).flatten(1).sum(1, keepdim=True) * (1 - 0.5 * self.norm)
        scale = self.scale.exp()
        return torch.cat([scores * scale, none * scale + self.foreign[1]], 1)


def seen_cells(seen: Tensor) -> Tensor:
    """Visibility at the scale of the features."""
    return nn.functional.avg_pool2d(seen, 2, ceil_mode=True, count_include_pad=False)
