"""Training of the finder."""

from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.crops import CARD_PX, STRIDE_PX, Image
from models.synth.render import HAND
from models.training.finder_net import KINDS, VOTES, FinderNet
from models.training.looks import blurred, exposed, relit
from models.training.loop import TrainingPlan, train
from models.training.samples import CARD_PX as KEPT_CARD_PX
from models.training.samples import LABEL_PX
from models.training.shards import TableTruth, ahead, read_tables, shards_in, unpacked
from models.training.unquantise import normalised

REACH_PX, CARD_WIDTH_PX, CARD_HEIGHT_PX = 32.0, CARD_PX, 88.0
"""Units of the votes: distance to the middle, and width and height of a card."""
SHRINK = CARD_PX / KEPT_CARD_PX
PIECE_PX = (480, 320)
MAX_LOG_SCALE_ERROR = 0.25
"""Maximum error of an unmeasured scale, as a logarithm."""
SECOND_ROUND_PERCENT = 64
"""Length of the second training round in percent of the first."""
FURTHER_RATE = 6e-4
"""Learning rate of further training."""
NORMALISED_VIEWS = 160
"""Views from which the normalisations are measured."""
VOTE_ERROR_SCALE_PX = 5.0
"""Error at which the confidence of a vote falls to 1/e."""
Batch = tuple[Tensor, Tensor, Tensor, Tensor]


def train_finder(samples: Path, folder: Path, steps: int, seed: int = 1, batch: int = 8) -> FinderNet:
    """Train on gathered samples in two rounds, the second at a lower rate; resumes from a checkpoint in the folder."""
    torch.manual_seed(seed)
    net = FinderNet().to(memory_format=torch.channels_last)
    batches = ahead(_batches(samples, batch, np.random.default_rng(seed)))
    first = train(net, batches, _losses, TrainingPlan(folder, "finder", steps, rate=2e-3))
    again = TrainingPlan(folder, "finder-again", SECOND_ROUND_PERCENT * steps // 100, rate=1.2e-3, warm_steps=100)
    averaged = train(first.train(), batches, _losses, again)
    assert isinstance(averaged, FinderNet)
    return averaged


def train_finder_further(
    start: FinderNet, samples: Path, folder: Path, steps: int, seed: int = 1, batch: int = 8
) -> FinderNet:
    """Train a finder that has no normalisations any more; the result is the mean of before and after."""
    torch.manual_seed(seed)
    views = _views(samples, NORMALISED_VIEWS, seed)
    before = normalised(start, views)
    batches = ahead(_batches(samples, batch, np.random.default_rng(seed)))
    plan = TrainingPlan(folder, "finder-further", steps, rate=FURTHER_RATE)
    after = train(deepcopy(before), batches, _losses, plan)
    assert isinstance(after, FinderNet)
    return averaged(before, after, views)


@torch.no_grad()
def averaged(before: FinderNet, after: FinderNet, views: Tensor, share: float = 0.5) -> FinderNet:
    """The mean of two finders, `share` of it the second, with normalisations measured anew."""
    mean = deepcopy(after)
    for value, old in zip(mean.parameters(), before.parameters(), strict=True):
        value.lerp_(old, 1 - share)
    for norm in mean.modules():
        if isinstance(norm, nn.BatchNorm2d):
            norm.reset_running_stats()
            norm.momentum = None
    mean.train()
    for part in views.split(8):
        mean(part)
    return mean.eval()


def _views(samples: Path, count: int, seed: int) -> Tensor:
    """Training views as pixels, channels first."""
    found = [views["view"] for views in sample_views(samples, count, seed)]
    return torch.from_numpy(np.concatenate(found)).permute(0, 3, 1, 2).float()


def sample_views(samples: Path, count: int, seed: int) -> Iterator[dict[str, Image]]:
    """Some training views, to calibrate the quantisation."""
    rng = np.random.default_rng(seed)
    for batch in _batches(samples, 1, rng):
        if count == 0:
            return
        count -= 1
        yield {"view": batch[0].permute(0, 2, 3, 1).numpy().astype(np.uint8)}


def _batches(samples: Path, size: int, rng: np.random.Generator) -> Iterator[Batch]:
    """Endless batches of tables from a few shards at a time."""
    while True:
        paths = shards_in(samples)
        chosen = [paths[index] for index in rng.permutation(len(paths))[:6]]
        tables = [table for path in chosen for table in read_tables(path)]
        order = rng.permutation(len(tables))
        for start in range(0, len(order) - size + 1, size):
            yield _batch([tables[index] for index in order[start : start + size]], rng)


def _batch(tables: list[TableTruth], rng: np.random.Generator) -> Batch:
    views, kinds, votes, weights = [], [], [], []
    for table in tables:
        view, labels, quads = _shrunk(unpacked(table.packed), table.labels, table.quads, rng)
        view = relit(view, rng)
        view = blurred(exposed(view, rng) if rng.random() < 0.5 else view, rng)
        if rng.random() < 0.5:
            view, labels = view[:, ::-1], labels[:, ::-1]
            quads = _mirrored(quads, 0, view.shape[1])
        if rng.random() < 0.5:
            view, labels = view[::-1], labels[::-1]
            quads = _mirrored(quads, 1, view.shape[0])
        kind, vote, weight = targets(labels, quads, table.face_up)
        views.append(np.ascontiguousarray(view))
        kinds.append(kind)
        votes.append(vote)
        weights.append(weight)
    pixels = torch.from_numpy(np.stack(views)).permute(0, 3, 1, 2).float()
    return (
        pixels.contiguous(memory_format=torch.channels_last),
        torch.from_numpy(np.stack(kinds)),
        torch.from_numpy(np.stack(votes)),
        torch.from_numpy(np.stack(weights)),
    )


def _shrunk(
    view: Image, labels: Image, quads: NDArray[np.float32], rng: np.random.Generator
) -> tuple[Image, Image, NDArray[np.float32]]:
    """A piece of the view of size `PIECE_PX`, at the finder's scale or, half of the time, at a wrong one."""
    scale = SHRINK * (
        float(np.exp(rng.uniform(-MAX_LOG_SCALE_ERROR, MAX_LOG_SCALE_ERROR))) if rng.random() < 0.5 else 1.0
    )
    room = np.array(view.shape[1::-1]) * scale - PIECE_PX
    corner = np.where(room > 0, rng.uniform(0, np.maximum(room, 1)), room / 2)
    to_piece = np.array([[scale, 0, 0.5 * scale - 0.5 - corner[0]], [0, scale, 0.5 * scale - 0.5 - corner[1]]])
    # Slight blurring first preserves thin lines, as area averaging would.
    soft = cv2.GaussianBlur(view, (0, 0), 0.35 / scale)
    piece = np.asarray(cv2.warpAffine(soft, to_piece, PIECE_PX, flags=cv2.INTER_LINEAR), np.uint8)
    # For the middle of each cell of the piece, the nearest label of the stored view.
    cells = [
        ((np.arange(side // STRIDE_PX) + 0.5) * STRIDE_PX + corner[axis]) / scale / LABEL_PX
        for axis, side in enumerate(PIECE_PX)
    ]
    columns, rows = (np.floor(cell).astype(int) for cell in cells)
    inside = ((rows >= 0) & (rows < labels.shape[0]))[:, None] & ((columns >= 0) & (columns < labels.shape[1]))[None]
    found = labels[rows.clip(0, labels.shape[0] - 1)[:, None], columns.clip(0, labels.shape[1] - 1)[None, :]]
    moved = (quads + 0.5) * scale - 0.5 - corner
    return piece, np.where(inside, found, 0).astype(np.uint8), moved.astype(np.float32)


def _mirrored(quads: NDArray[np.float32], axis: int, size_px: int) -> NDArray[np.float32]:
    other = quads.copy()
    other[:, :, axis] = size_px - 1 - other[:, :, axis]
    return other


def targets(
    labels: NDArray[np.uint8], quads: NDArray[np.float32], face_up: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """Training targets: kinds, votes (channels first), and the weight of each cell's vote."""
    book = np.zeros(256, np.int64)
    book[HAND] = KINDS.index("hand")
    book[1 : len(face_up) + 1] = np.where(face_up, KINDS.index("face"), KINDS.index("back"))
    card = np.zeros((256, VOTES - 1), np.float32)
    worth = np.zeros(256, np.float32)
    counts = np.bincount(labels.ravel(), minlength=256)
    if len(quads):
        down = (quads[:, 3] + quads[:, 2] - quads[:, 0] - quads[:, 1]) / 2
        across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
        turn = 2 * np.arctan2(down[:, 1], down[:, 0])
        card[1 : len(quads) + 1] = np.column_stack(
            [
                quads.mean(1),
                np.cos(turn),
                np.sin(turn),
                np.log(np.linalg.norm(across, axis=1) / CARD_WIDTH_PX),
                np.log(np.linalg.norm(down, axis=1) / CARD_HEIGHT_PX),
            ]
        )
        # A sliver of a card matters as much as a whole card but has few cells: each gets more weight, within limits.
        worth[1 : len(quads) + 1] = np.clip(100.0 / np.maximum(counts[1 : len(quads) + 1], 1), 0.2, 1.5)
    vote = card[labels].transpose(2, 0, 1).copy()
    rows, columns = np.indices(labels.shape, np.float32)
    vote[0] = (vote[0] - (columns + 0.5) * STRIDE_PX + 0.5) / REACH_PX
    vote[1] = (vote[1] - (rows + 0.5) * STRIDE_PX + 0.5) / REACH_PX
    return book[labels], vote, worth[labels]


def _losses(net: nn.Module, batch: Batch) -> dict[str, Tensor]:
    views, kinds, votes, weights = batch
    with torch.autocast("cpu", torch.bfloat16):
        said_kinds, said_votes = net(views)
    said_kinds, said_votes = said_kinds.float(), said_votes.float()
    kind = nn.functional.cross_entropy(said_kinds, kinds, label_smoothing=0.0)
    near = partial(nn.functional.smooth_l1_loss, reduction="none", beta=0.05)
    total = weights.sum() + 1
    middle = (near(said_votes[:, :2], votes[:, :2]).sum(1) * weights).sum() / total
    turn = (near(said_votes[:, 2:4], votes[:, 2:4]).sum(1) * weights).sum() / total
    size = (near(said_votes[:, 4:6], votes[:, 4:6]).sum(1) * weights).sum() / total
    with torch.no_grad():
        off = ((said_votes[:, :2] - votes[:, :2]) * REACH_PX).pow(2).sum(1)
        off += ((said_votes[:, 2:4] - votes[:, 2:4]) * 20).pow(2).sum(1)
        right = torch.exp(-off.sqrt() / VOTE_ERROR_SCALE_PX) * (weights > 0)
    sure = nn.functional.binary_cross_entropy_with_logits(said_votes[:, 6], right, reduction="none")
    sure = (sure * (weights > 0)).sum() / ((weights > 0).sum() + 1)
    return {"kind": 2 * kind, "middle": 2 * middle, "turn": turn, "size": size, "sure": 0.2 * sure}
