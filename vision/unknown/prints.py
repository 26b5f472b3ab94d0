"""Prints: reads number, colour and stars on a card that nobody has taught."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from models.crops import CROP_PX, Image
from models.prints import COLOURS, END_PX, NUMBERS, upper_end
from vision.look.network import THREADS, Network, load_network

Probabilities = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class PrintedEnd:
    """The reading of one end of a card: probabilities of every number, of 0 to 3 stars, and of every colour."""

    numbers: Probabilities
    no_number: float
    """The probability that there is no number."""
    stars: Probabilities
    colours: Probabilities

    def number(self, value: int) -> float:
        """The probability of a number."""
        return self.numbers[NUMBERS.index(value)] if value in NUMBERS else 0.0

    def colour(self, word: str) -> float:
        """The probability of a colour."""
        return self.colours[COLOURS.index(word)] if word in COLOURS else 0.0


@dataclass(frozen=True, slots=True)
class PrintReading:
    """The reading of both ends of a card in its crop; the lower end is read upside down."""

    upper: PrintedEnd
    lower: PrintedEnd


INPUTS = {"ends": (None, END_PX[1], END_PX[0], 3)}
"""The inputs of the network."""


class PrintReader:
    """Reads the print of any card."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def read(self, crops: Image) -> list[PrintReading]:
        """The print of whole cards, each cut out at `CROP_PX`."""
        if not len(crops):
            return []
        if crops.shape[1:3] != CROP_PX[::-1]:
            raise ValueError(f"crops of {crops.shape[2]}x{crops.shape[1]} px; wanted {CROP_PX[0]}x{CROP_PX[1]}")
        ends = [upper_end(crop) for crop in crops] + [upper_end(crop[::-1, ::-1]) for crop in crops]
        numbers, stars, colours = self._network.run({"ends": np.ascontiguousarray(np.stack(ends))})
        read = [
            PrintedEnd(tuple(number[1:]), number[0], tuple(star), tuple(colour[1:]))
            for number, star, colour in zip(numbers.tolist(), stars.tolist(), colours.tolist(), strict=True)
        ]
        return [PrintReading(upper, lower) for upper, lower in zip(read[: len(crops)], read[len(crops) :], strict=True)]


def load_prints(weights: Path, threads: int = THREADS) -> PrintReader:
    """The print reader with the network of a folder."""
    return PrintReader(load_network(weights / "prints.onnx", INPUTS, threads))
