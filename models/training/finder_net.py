"""The finder's network: for every cell of the view its kind, and the position of the card it belongs to."""

from torch import Tensor, nn

KINDS = ("table", "face", "back", "hand")
"""Kinds of cells; objects that are not cards count as table."""
VOTES = 7
"""Votes of each cell: middle x and y, cos and sin of twice the rotation, log width and height, confidence."""


class ConvNormAct(nn.Sequential):
    """Convolution, normalisation, activation."""

    def __init__(self, inputs: int, outputs: int, size: int = 3, stride: int = 1, groups: int = 1) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )


class Block(nn.Module):
    """A residual block with a narrow 3x3 bottleneck."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.steps = nn.Sequential(ConvNormAct(width, inner), ConvNormAct(inner, width))

    def forward(self, values: Tensor) -> Tensor:
        return values + self.steps(values)


class FinderNet(nn.Module):
    """Encoder down to 1/32 and decoder back up to 1/4 of the view."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Sequential(ConvNormAct(3, 16, 3, 2), ConvNormAct(16, 32, 3, 2))
        self.down8 = nn.Sequential(ConvNormAct(32, 64, 3, 2), Block(64, 32), Block(64, 40))
        self.down16 = nn.Sequential(ConvNormAct(64, 104, 3, 2), Block(104, 48), Block(104, 48), Block(104, 64))
        self.down32 = nn.Sequential(ConvNormAct(104, 144, 3, 2), Block(144, 80), Block(144, 80), Block(144, 80))
        self.up16 = ConvNormAct(144, 4 * 104, 1)
        self.mix16 = nn.Sequential(Block(104, 48), Block(104, 64), Block(104, 64))
        self.up8 = ConvNormAct(104, 4 * 64, 1)
        self.mix8 = nn.Sequential(Block(64, 32), Block(64, 40), Block(64, 40))
        self.up4 = ConvNormAct(64, 4 * 32, 1)
        self.mix4 = nn.Sequential(ConvNormAct(32, 32), Block(32, 24))
        self.kinds = nn.Conv2d(32, len(KINDS), 1)
        self.votes = nn.Conv2d(32, VOTES, 1)

    def forward(self, view: Tensor) -> tuple[Tensor, Tensor]:
        """Kinds (logits) and votes of a view in BGR 0 to 255; both at a quarter of its size."""
        quarter = self.enter(view / 127.5 - 1)
        eighth = self.down8(quarter)
        sixteenth = self.down16(eighth)
        low = self.down32(sixteenth)
        sixteenth = self.mix16(sixteenth + grown(self.up16(low)))
        eighth = self.mix8(eighth + grown(self.up8(sixteenth)))
        quarter = self.mix4(quarter + grown(self.up4(eighth)))
        return self.kinds(quarter), self.votes(quarter)


def grown(values: Tensor) -> Tensor:
    """Upsample by two: four channels become the four quarters of each cell."""
    return nn.functional.pixel_shuffle(values, 2)
