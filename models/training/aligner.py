"""Training of the aligner, which measures how far a card is from its detection."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.crops import ALIGN_CARD_PX, ALIGN_PX, ALIGN_UNITS, Image, align_map, to_align
from models.training.finder_net import Block, ConvNormAct
from models.training.looks import blurred, relit
from models.training.loop import TrainingPlan, train
from models.training.samples import LABEL_PX
from models.training.shards import TableTruth, ahead, read_tables, shards_in, unpacked

CARDS_PER_STEP = 64
"""Cards per training step."""
CARDS_PER_TABLE = 5
"""Cards taken from one table."""
MIN_VISIBLE_CELLS = 14
"""Minimum number of visible cells of a training card."""
OFFSET_SIGMA_PX, TURN_SIGMA_DEG, SIZE_SIGMA = 3.0, 3.0, 0.025
"""Standard deviations of the simulated detection error; the first is for a card 63 px wide."""
MAX_OFFSET_PX, MAX_TURN_DEG = 8.0, 9.0
"""Limits of the simulated detection error."""
Batch = tuple[Tensor, Tensor, Tensor]


class AlignerNet(nn.Module):
    """From a piece with a card in its middle to the card's true position."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = nn.Sequential(
            ConvNormAct(4, 16, 3, 2),
            ConvNormAct(16, 32, 3, 2),
            ConvNormAct(32, 64, 3, 2),
            Block(64, 32),
            Block(64, 32),
            ConvNormAct(64, 96, 3, 2),
            Block(96, 48),
            ConvNormAct(96, 32, 1),
        )
        self.answer = nn.Sequential(nn.Linear(32 * 7 * 5, 128), nn.ReLU(), nn.Linear(128, len(ALIGN_UNITS)))

    def forward(self, pieces: Tensor, seen: Tensor) -> Tensor:
        """Predict from pieces in BGR 0 to 255 and visibility maps 0 to 1 at a quarter of their size."""
        whole = nn.functional.interpolate(seen, scale_factor=4.0, mode="nearest")
        answer: Tensor = self.answer(self.steps(torch.cat([pieces / 127.5 - 1, whole * 2 - 1], 1)).flatten(1))
        return answer


def train_aligner(samples: Path, folder: Path, steps: int, seed: int = 1) -> AlignerNet:
    """Train on gathered samples; resumes from a checkpoint in the folder."""
    torch.manual_seed(seed)
    net = AlignerNet().to(memory_format=torch.channels_last)
    batches = ahead(_batches(samples, np.random.default_rng(seed)))
    averaged = train(net, batches, _losses, TrainingPlan(folder, "aligner", steps, rate=3e-3))
    assert isinstance(averaged, AlignerNet)
    return averaged


def sample_pieces(samples: Path, count: int, seed: int) -> Iterator[dict[str, Image]]:
    """Some training cards, to calibrate the quantisation."""
    for pieces, seen, _ in islice(_batches(samples, np.random.default_rng(seed)), count):
        pixels = pieces.permute(0, 2, 3, 1).numpy().astype(np.uint8)
        yield {"pieces": pixels, "seen": np.rint(255 * seen[:, 0].numpy()).astype(np.uint8)}


def _batches(samples: Path, rng: np.random.Generator) -> Iterator[Batch]:
    held: list[tuple[Image, Image, NDArray[np.float32]]] = []
    while True:
        paths = shards_in(samples)
        tables = [table for index in rng.permutation(len(paths))[:6] for table in read_tables(paths[index])]
        for index in rng.permutation(len(tables)):
            held += _pieces(tables[index], rng)
            while len(held) >= 3 * CARDS_PER_STEP:
                # Cards of one table look alike, so each step mixes cards of many tables.
                order = rng.permutation(len(held))
                chosen, held = [held[i] for i in order[:CARDS_PER_STEP]], [held[i] for i in order[CARDS_PER_STEP:]]
                yield _batch(chosen)


def _batch(cards: list[tuple[Image, Image, NDArray[np.float32]]]) -> Batch:
    pixels = torch.from_numpy(np.stack([card[0] for card in cards])).permute(0, 3, 1, 2).float()
    seen = torch.from_numpy(np.stack([card[1] for card in cards]))[:, None].float() / 255
    return (
        pixels.contiguous(memory_format=torch.channels_last),
        seen,
        torch.from_numpy(np.stack([card[2] for card in cards])),
    )


def _pieces(table: TableTruth, rng: np.random.Generator) -> list[tuple[Image, Image, NDArray[np.float32]]]:
    """Crops of some cards of a table at imprecise positions, with the error of each."""
    view = blurred(relit(unpacked(table.packed), rng), rng)
    counts = np.bincount(table.labels.ravel(), minlength=256)[1 : len(table.quads) + 1]
    worth = np.flatnonzero(counts >= MIN_VISIBLE_CELLS)
    found = []
    for index in rng.permutation(worth)[:CARDS_PER_TABLE]:
        quad = table.quads[index].astype(float)
        if rng.random() < 0.5:
            quad = np.roll(quad, 2, axis=0)
        across, down = (quad[1] + quad[2] - quad[0] - quad[3]) / 2, (quad[3] + quad[2] - quad[0] - quad[1]) / 2
        width = float(np.hypot(*across))
        unit = width / ALIGN_CARD_PX
        # The less of a card is visible, the worse its detection.
        hidden = float(np.clip(1.4 - counts[index] / 200, 0.5, 1.3))
        off = np.clip(rng.normal(0, OFFSET_SIGMA_PX * hidden, 2), -MAX_OFFSET_PX, MAX_OFFSET_PX)
        turn = np.deg2rad(np.clip(rng.normal(0, TURN_SIGMA_DEG * hidden), -MAX_TURN_DEG, MAX_TURN_DEG))
        size = float(np.exp(rng.normal(0, SIZE_SIGMA)))
        spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        thought = spin @ down
        sideways = np.array([thought[1], -thought[0]]) / np.hypot(*thought)
        ahead_px = thought / np.hypot(*thought)
        # In the piece, the card is off by this much to the right and down.
        middle = quad.mean(0) - (sideways * off[0] + ahead_px * off[1]) * unit * size
        matrix = to_align(middle, thought, width * size)
        piece = cv2.warpAffine(view, matrix, ALIGN_PX, flags=cv2.INTER_LINEAR)
        seen = align_map(_imperfect_map(table.labels, int(index) + 1, rng), matrix, LABEL_PX)
        answer = np.array([off[0], off[1], -turn, -np.log(size)]) / ALIGN_UNITS
        found.append((np.asarray(piece, np.uint8), seen, answer.astype(np.float32)))
    return found


def _imperfect_map(labels: Image, number: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """The visibility map of an imperfect finder: half of the time it loses some cells or takes some of others."""
    seen = labels == number
    if rng.random() < 0.5:
        return seen
    near = cv2.dilate(seen.astype(np.uint8), np.ones((3, 3), np.uint8)) > cv2.erode(
        seen.astype(np.uint8), np.ones((3, 3), np.uint8)
    )
    wrong = np.asarray(near & (rng.random(seen.shape) < rng.uniform(0.05, 0.5)))
    rows, columns = np.nonzero(seen)
    if rng.random() < 0.4:
        # A whole corner of the card is attributed to another card.
        place = int(rng.integers(len(rows)))
        wrong[max(0, rows[place] - 2) : rows[place] + 3, max(0, columns[place] - 2) : columns[place] + 3] = True
        wrong &= seen | near
    return np.asarray(seen ^ wrong)


def _losses(net: nn.Module, batch: Batch) -> dict[str, Tensor]:
    pieces, seen, answers = batch
    with torch.autocast("cpu", torch.bfloat16):
        said = net(pieces, seen)
    off = nn.functional.smooth_l1_loss(said.float(), answers, reduction="none", beta=0.1).mean(0)
    return {"right": off[0], "down": off[1], "turn": off[2], "size": 0.5 * off[3]}
