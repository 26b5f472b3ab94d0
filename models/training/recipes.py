"""Recipes: each model made again from nothing, with the numbers that made the one in models/weights."""

from pathlib import Path

import torch

from models.training.export import export_finder, export_reader
from models.training.finder import train_finder
from models.training.gather import SHARD, Order, gather
from models.training.reader import train_reader

SHARDS = 53
FINDER_STEPS, READER_STEPS = 9000, 5000
DATA = "simulated tables, difficulty 0.75: our five decks and random styles; no photographs"


def make_finder(work: Path, out: Path, seed: int, steps: int = FINDER_STEPS, shards: int = SHARDS) -> Path:
    """Gather, train and export the finder; each stage goes on where it was cut off."""
    samples = _samples(work, seed, shards)
    export_finder(train_finder(samples, work, steps, seed), out / "finder.onnx", _about("finder", seed, steps, shards))
    return out / "finder.onnx"


def make_reader(work: Path, out: Path, seed: int, steps: int = READER_STEPS, shards: int = SHARDS) -> Path:
    """Gather, train and export the reader; each stage goes on where it was cut off."""
    samples = _samples(work, seed, shards)
    export_reader(train_reader(samples, work, steps, seed), out / "reader.onnx", _about("reader", seed, steps, shards))
    return out / "reader.onnx"


def _samples(work: Path, seed: int, shards: int) -> Path:
    # One thread each: on small machines the network and what feeds it get along best so.
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))
    folder = work / f"samples-{seed}"
    gather(Order(folder, seed, shards))
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
