"""Recipes: each model made again from nothing, with the numbers that made the one in models/weights."""

from pathlib import Path

import torch

from models.training.aligner import sample_pieces, train_aligner
from models.training.export import export_aligner, export_finder, export_reader, write_card
from models.training.finder import sample_views, train_finder
from models.training.gather import SHARD, Order, gather
from models.training.quantise import quantise
from models.training.reader import sample_crops, train_reader
from models.training.shards import WILD

SHARDS = 180
FINDER_STEPS, READER_STEPS, ALIGNER_STEPS = 19000, 19000, 6000
QUANTISED_BY = 48
"""Views, or handfuls of cards, from which eight-bit scales are taken."""
QUANTISED = {"form": "8-bit weights and activations"}
CROWDED = (4, 9)
"""How many stacks, fans and heaps lie on a crowded table."""
DATA = (
    "simulated tables, difficulty 0.75, a third on wild patterns and rough grounds with all kinds of things, "
    "a sixth crowded: our five decks and random styles; no photographs"
)


def make_finder(work: Path, out: Path, seed: int, steps: int = FINDER_STEPS, shards: int = SHARDS) -> Path:
    """Gather, train and export the finder; each stage goes on where it was cut off."""
    samples, about = _samples(work, seed, shards), _about("finder", seed, steps, shards)
    export_finder(train_finder(samples, work, steps, seed), out / "finder.onnx", about)
    quantise(out / "finder.onnx", sample_views(samples, QUANTISED_BY, seed))
    write_card(out / "finder.onnx", about | QUANTISED)
    return out / "finder.onnx"


def make_reader(work: Path, out: Path, seed: int, steps: int = READER_STEPS, shards: int = SHARDS) -> Path:
    """Gather, train and export the reader; each stage goes on where it was cut off."""
    samples, about = _samples(work, seed, shards), _about("reader", seed, steps, shards)
    export_reader(train_reader(samples, work, steps, seed), out / "reader.onnx", about)
    quantise(out / "reader.onnx", sample_crops(samples, QUANTISED_BY, seed))
    write_card(out / "reader.onnx", about | QUANTISED)
    return out / "reader.onnx"


def make_aligner(work: Path, out: Path, seed: int, steps: int = ALIGNER_STEPS, shards: int = SHARDS) -> Path:
    """Gather, train and export the aligner; each stage goes on where it was cut off."""
    samples, about = _samples(work, seed, shards), _about("aligner", seed, steps, shards)
    export_aligner(train_aligner(samples, work, steps, seed), out / "aligner.onnx", about)
    quantise(out / "aligner.onnx", sample_pieces(samples, QUANTISED_BY, seed))
    write_card(out / "aligner.onnx", about | QUANTISED)
    return out / "aligner.onnx"


def _samples(work: Path, seed: int, shards: int) -> Path:
    """Tables to learn from: on what people play on, a third on wild patterns and rough grounds, a sixth crowded."""
    # One thread each: on small machines the network and what feeds it get along best so.
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))
    folder = work / f"samples-{seed}"
    wild, crowded = max(1, shards // 3), shards // 6
    gather(Order(folder / "plain", seed, max(1, shards - wild - crowded), wild=False))
    gather(Order(folder / WILD, seed + 1, wild, wild=True))
    gather(Order(folder / "crowded", seed + 2, crowded, wild=False, groups=CROWDED))
    return folder


def _about(name: str, seed: int, steps: int, shards: int) -> dict[str, str]:
    return {
        "name": name,
        "data": DATA,
        "tables": str(shards * SHARD),
        "seed": str(seed),
        "steps": str(steps),
        "rebuild": f"krupier train {name} --seed {seed} --steps {steps} --shards {shards}",
    }
