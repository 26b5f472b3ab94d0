"""Prints: which number, colour and stars stand on a card that nobody has taught."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from models.crops import CROP_PX, Image
from models.prints import COLOURS, END_PX, NUMBERS, upper_end
from vision.look.network import THREADS, load_network

Shares = tuple[float, ...]


class Network(Protocol):
    """What runs the trained network."""

    def run(self, inputs: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
        """The answers to named inputs."""


@dataclass(frozen=True, slots=True)
class End:
    """What one end of a card says: a chance for every number, for no to three stars, for every colour."""

    numbers: Shares
    nothing: float
    """How likely there is no number."""
    stars: Shares
    colours: Shares

    def number(self, value: int) -> float:
        """How likely this number stands there."""
        return self.numbers[NUMBERS.index(value)] if value in NUMBERS else 0.0

    def colour(self, word: str) -> float:
        """How likely it is printed in this colour."""
        return self.colours[COLOURS.index(word)] if word in COLOURS else 0.0


@dataclass(frozen=True, slots=True)
class Printed:
    """Both ends of a card as they lie in its crop; the lower one as it is read upside down."""

    upper: End
    lower: End


INPUTS = {"ends": (None, END_PX[1], END_PX[0], 3)}
"""What the network wants."""


class PrintReader:
    """Reads what is printed on any card."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def read(self, crops: Image) -> list[Printed]:
        """What stands on whole cards, each cut out at `CROP_PX`."""
        if not len(crops):
            return []
        if crops.shape[1:3] != CROP_PX[::-1]:
            raise ValueError(f"crops of {crops.shape[2]}x{crops.shape[1]} px; wanted {CROP_PX[0]}x{CROP_PX[1]}")
        ends = [upper_end(crop) for crop in crops] + [upper_end(crop[::-1, ::-1]) for crop in crops]
        numbers, stars, colours = self._network.run({"ends": np.ascontiguousarray(np.stack(ends))})
        read = [
            End(tuple(number[1:]), number[0], tuple(star), tuple(colour[1:]))
            for number, star, colour in zip(numbers.tolist(), stars.tolist(), colours.tolist(), strict=True)
        ]
        return [Printed(upper, lower) for upper, lower in zip(read[: len(crops)], read[len(crops) :], strict=True)]


def load_prints(weights: Path, threads: int = THREADS) -> PrintReader:
    """The reader of prints whose network is in a folder."""
    return PrintReader(load_network(weights / "prints.onnx", INPUTS, threads))
