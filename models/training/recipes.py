"""Recipes: train each model from scratch, with the settings of the one in models/weights."""

import hashlib
from dataclasses import replace
from pathlib import Path

import torch

from models.training.aligner import sample_pieces, train_aligner
from models.training.episodes import episodes_in_process
from models.training.export import export_aligner, export_finder, export_matcher, export_reader, write_card
from models.training.finder import sample_views, train_finder, train_finder_further
from models.training.gather import SHARD, Order, gather
from models.training.matcher import MatcherFiles, train_matcher
from models.training.quantise import quantise
from models.training.reader import sample_crops, train_reader
from models.training.shards import WILD
from models.training.unquantise import finder_from_weights

SHARDS = 180
FINDER_STEPS, READER_STEPS, ALIGNER_STEPS, MATCHER_STEPS = 19000, 19000, 6000, 3700
FURTHER_STEPS, FURTHER_SHARDS = 5000, 84
"""Steps and files of tables with which a shipped finder is trained further."""
FURTHER_FOREIGN_SHARES = (0.75, 0.3)
"""Share of tables with a foreign deck: on wild grounds and floors, and on ordinary tables and floors."""
MATCHER_SEED = 700_000
"""Added to the seed of a run to get that of its episodes."""
CALIBRATION_BATCHES = 48
"""Batches of samples used to calibrate the 8-bit scales."""
QUANTISED = {"form": "8-bit weights and activations"}
CROWDED_GROUPS = (4, 9)
"""Range of the number of stacks, fans and heaps on a crowded table."""
DATA = (
    "simulated tables, difficulty 0.75, a third on wild patterns and rough grounds with all kinds of things, "
    "a sixth crowded: our five decks and random styles; no photographs"
)


FURTHER_DATA = (
    "simulated tables, difficulty 0.75: foreign decks in five families, our five decks and random styles, on wild "
    "patterns, rough grounds, floors and ordinary tables; no photographs"
)


def make_finder(work: Path, out: Path, seed: int, steps: int = FINDER_STEPS, shards: int = SHARDS) -> Path:
    """Gather, train and export the finder; each stage resumes after an interruption."""
    samples, about = _samples(work, seed, shards), _about("finder", seed, steps, shards)
    export_finder(train_finder(samples, work, steps, seed), out / "finder.onnx", about)
    quantise(out / "finder.onnx", sample_views(samples, CALIBRATION_BATCHES, seed))
    write_card(out / "finder.onnx", about | QUANTISED)
    return out / "finder.onnx"


def make_finder_further(
    work: Path, out: Path, start: Path, seed: int, steps: int = FURTHER_STEPS, shards: int = FURTHER_SHARDS
) -> Path:
    """Train a shipped finder further, on foreign decks and floors among other tables; each stage resumes."""
    samples = _further_samples(work, seed, shards)
    about = _about("finder", seed, steps, shards) | {
        "data": FURTHER_DATA,
        "rebuild": f"krupier train finder --from {start.name} --seed {seed} --steps {steps} --shards {shards}",
    }
    net = train_finder_further(finder_from_weights(start), samples, work, steps, seed)
    export_finder(net, out / "finder.onnx", about)
    quantise(out / "finder.onnx", sample_views(samples, CALIBRATION_BATCHES, seed))
    write_card(out / "finder.onnx", about | QUANTISED)
    return out / "finder.onnx"


def make_reader(work: Path, out: Path, seed: int, steps: int = READER_STEPS, shards: int = SHARDS) -> Path:
    """Gather, train and export the reader; each stage resumes after an interruption."""
    samples, about = _samples(work, seed, shards), _about("reader", seed, steps, shards)
    export_reader(train_reader(samples, work, steps, seed), out / "reader.onnx", about)
    quantise(out / "reader.onnx", sample_crops(samples, CALIBRATION_BATCHES, seed))
    write_card(out / "reader.onnx", about | QUANTISED)
    return out / "reader.onnx"


def make_matcher(work: Path, out: Path, seed: int, steps: int = MATCHER_STEPS, start: Path | None = None) -> Path:
    """Train and export both networks of the matcher, perhaps from those in a folder; training resumes."""
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))
    about = {
        "name": "matcher",
        "data": "synthetic views of foreign decks in six families, strangers with parts of two faces; no photographs",
        "seed": str(seed),
        "steps": str(steps),
        "rebuild": f"krupier train matcher --seed {seed} --steps {steps}",
        "form": "32-bit",
    }
    files = None if start is None else MatcherFiles(start / "matcher-stem.onnx", start / "matcher.onnx")
    if files is not None:
        hashes = [hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in (files.stem, files.head)]
        about["rebuild"] += " --from FOLDER"
        about["from"] = f"the matcher-stem.onnx and matcher.onnx whose sha256 begin with {hashes[0]} and {hashes[1]}"
    school = train_matcher(episodes_in_process(MATCHER_SEED + seed), work, steps, seed, files)
    export_matcher(school, out / "matcher-stem.onnx", out / "matcher.onnx", about)
    return out / "matcher.onnx"


def make_aligner(work: Path, out: Path, seed: int, steps: int = ALIGNER_STEPS, shards: int = SHARDS) -> Path:
    """Gather, train and export the aligner; each stage resumes after an interruption."""
    samples, about = _samples(work, seed, shards), _about("aligner", seed, steps, shards)
    export_aligner(train_aligner(samples, work, steps, seed), out / "aligner.onnx", about)
    quantise(out / "aligner.onnx", sample_pieces(samples, CALIBRATION_BATCHES, seed))
    write_card(out / "aligner.onnx", about | QUANTISED)
    return out / "aligner.onnx"


def _samples(work: Path, seed: int, shards: int) -> Path:
    """Training tables: realistic ones, a third on wild patterns and rough grounds, a sixth crowded."""
    # Half of the threads each: on small machines training and sample loading get along best this way.
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))
    folder = work / f"samples-{seed}"
    wild, crowded = max(1, shards // 3), shards // 6
    gather(Order(folder / "plain", seed, max(1, shards - wild - crowded), wild=False))
    gather(Order(folder / WILD, seed + 1, wild, wild=True))
    gather(Order(folder / "crowded", seed + 2, crowded, wild=False, groups=CROWDED_GROUPS))
    return folder


def _further_samples(work: Path, seed: int, shards: int) -> Path:
    """Tables with foreign decks on all kinds of ground, two sevenths on ordinary tables, a seventh crowded."""
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))
    folder = work / f"further-{seed}"
    plain, crowded = max(1, 2 * shards // 7), max(1, shards // 7)
    often, seldom = FURTHER_FOREIGN_SHARES
    wild = Order(folder / "foreign", seed, max(1, shards - plain - crowded), foreign_share=often, floors=True)
    gather(replace(wild, style_share=0.5))
    gather(Order(folder / "plain", seed + 1, plain, wild=False, foreign_share=seldom, floors=True))
    gather(Order(folder / "crowded", seed + 2, crowded, wild=False, groups=CROWDED_GROUPS))
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
