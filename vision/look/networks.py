"""The four networks of a look, loaded once and shared by every eye."""

from dataclasses import dataclass
from pathlib import Path

from models.marks import CHANNELS, PATCH_PX
from vision.look.aligner import Aligner
from vision.look.finder import Finder
from vision.look.marks import MarkReader
from vision.look.network import THREADS, load_network
from vision.look.reader import Reader

WEIGHTS = Path(__file__).parents[2] / "models" / "weights"
"""Folder of the networks that come with Krupier."""
MARK_INPUTS = {"patches": (None, CHANNELS, PATCH_PX, PATCH_PX)}
"""Inputs of the network that reads marks."""


@dataclass(frozen=True, slots=True)
class Networks:
    """The networks that find, align and read cards."""

    finder: Finder
    aligner: Aligner
    reader: Reader
    marks: MarkReader


def load_networks(weights: Path = WEIGHTS, threads: int = THREADS) -> Networks:
    """Load all networks of a folder."""
    marks = load_network(weights / "marks.onnx", MARK_INPUTS, threads)
    return Networks(
        Finder(weights / "finder.onnx", threads),
        Aligner(weights / "aligner.onnx", threads),
        Reader(weights / "reader.onnx", threads),
        MarkReader(marks),
    )
