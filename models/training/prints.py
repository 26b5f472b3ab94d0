"""Training of the network that reads number, colour and stars at the upper end of any card."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from models.art.pen import Size
from models.cards import own_deck
from models.crops import CROP_PX, Image
from models.faces import drawn_faces, shrunk
from models.prints import COLOURS, END_PX, MOST_STARS, NUMBERS, upper_end
from models.synth.styles import Print, random_style
from models.training.export import write_card
from models.training.finder_net import ConvNormAct
from models.training.looks import blurred, exposed, relit
from models.training.loop import TrainingPlan, train
from models.training.reader_net import Mixed
from models.training.shards import ahead

WEIGHTS = Path(__file__).parents[1] / "weights" / "prints.onnx"
STEPS, BATCH = 3000, 64
POOL_SIZE, NEW_PER_STEP = 2500, 20
"""Size of the pool of card ends that are augmented repeatedly, and how many are renewed per step."""
HELD_OUT_CARDS = 3000
"""Cards in held-out styles used for the evaluation."""
HELD_OUT_SEED = 9
PX_PER_MM = 2.2
OWN_SHARE, OTHER_END_SHARE, BACK_SHARE, TWO_NUMBERS_SHARE = 0.2, 0.3, 0.04, 0.25
"""Shares of samples with our own cards, the lower end, a back, or different numbers at both ends."""
ANSWERS = (len(NUMBERS) + 1, MOST_STARS + 1, len(COLOURS) + 1)
OFFSET_SIGMA_PX, TURN_SIGMA = 1.5, 0.012
"""Standard deviation of the cropping error."""
Batch = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class EndSample:
    """One end of a card: its picture and its content; -1 and an empty word mean nothing printed."""

    pixels: Image
    number: int = -1
    stars: int = 0
    colour: str = ""

    @property
    def answers(self) -> tuple[int, int, int]:
        """The class of each of the three answers."""
        return self.number + 1, self.stars, COLOURS.index(self.colour) + 1 if self.colour else 0


class PrintsNet(nn.Module):
    """From the end of a card to number, stars and colour."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            ConvNormAct(3, 24, 3, 2),
            ConvNormAct(24, 48, 3, 2),
            ConvNormAct(48, 80, 3, 2),
            Mixed(80),
            Mixed(80),
            ConvNormAct(80, 112, 3, 2),
            Mixed(112),
            ConvNormAct(112, 40, 1),
            nn.Flatten(),
            nn.Linear(40 * 8 * 5, 128),
            nn.ReLU(),
            nn.Linear(128, sum(ANSWERS)),
        )

    def forward(self, ends: Tensor) -> Tensor:
        """Concatenated logits of all answers; ends are BGR 0 to 255, channels first."""
        answers: Tensor = self.body(ends / 127.5 - 1)
        return answers


class PrintsGraph(nn.Module):
    """The exported network: bytes to probabilities."""

    def __init__(self, net: PrintsNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, ends: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        numbers, stars, colours = self.net(ends.permute(0, 3, 1, 2).float()).split(ANSWERS, 1)
        return numbers.softmax(1), stars.softmax(1), colours.softmax(1)


def train_prints(folder: Path, steps: int, seed: int, weights: Path = WEIGHTS) -> tuple[float, float, float]:
    """Train and write the network with its model card; accuracies of number, stars and colour in held-out styles."""
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(seed)
    batches = ahead(_batches(np.random.default_rng(seed)))
    net = train(PrintsNet(), batches, _losses, TrainingPlan(folder, "prints", steps, rate=2e-3, decay=1e-3))
    assert isinstance(net, PrintsNet)
    weights.parent.mkdir(parents=True, exist_ok=True)
    _export(net, weights)
    right = measured(net)
    write_card(weights, _about(steps, seed, right))
    return right


def measured(net: PrintsNet, count: int = HELD_OUT_CARDS) -> tuple[float, float, float]:
    """Accuracies of number, stars and colour on cards in held-out styles."""
    rng, right = np.random.default_rng(HELD_OUT_SEED), np.zeros(3)
    ends = [_photographed(_styled(rng, held_out=True), rng) for _ in range(count)]
    with torch.no_grad():
        for start in range(0, count, BATCH):
            some = ends[start : start + BATCH]
            said = net(_tensor(some)).split(ANSWERS, 1)
            for number, answer in enumerate(said):
                wanted = torch.tensor([end.answers[number] for end in some])
                right[number] += int((answer.argmax(1) == wanted).sum())
    return float(right[0] / count), float(right[1] / count), float(right[2] / count)


def _batches(rng: np.random.Generator) -> Iterator[Batch]:
    """Card ends from a slowly renewed pool: drawing a card takes longer than augmenting it."""
    pool = [_any_end(rng) for _ in range(BATCH)]
    while True:
        for place in rng.integers(len(pool), size=NEW_PER_STEP):
            if len(pool) < POOL_SIZE:
                pool.append(_any_end(rng))
            else:
                pool[int(place)] = _any_end(rng)
        ends = [_photographed(pool[int(place)], rng) for place in rng.integers(len(pool), size=BATCH)]
        yield _tensor(ends), torch.tensor([end.answers for end in ends])


def _any_end(rng: np.random.Generator) -> EndSample:
    return _of_ours(rng) if rng.random() < OWN_SHARE else _styled(rng)


def _tensor(ends: list[EndSample]) -> Tensor:
    return torch.from_numpy(np.stack([end.pixels for end in ends])).permute(0, 3, 1, 2).float()


def _losses(net: nn.Module, batch: Batch) -> dict[str, Tensor]:
    ends, wanted = batch
    names = ("number", "stars", "colour")
    said = net(ends).split(ANSWERS, 1)
    return {
        name: nn.functional.cross_entropy(answer, wanted[:, place]) * (2 if name == "number" else 1)
        for place, (name, answer) in enumerate(zip(names, said, strict=True))
    }


def _styled(rng: np.random.Generator, held_out: bool = False) -> EndSample:
    """The end of a card in a random style."""
    style = random_style(rng, held_out)
    if style.size.height_mm < 1.2 * style.size.width_mm:
        style = replace(style, size=Size(63, 88, 4))
    if rng.random() < BACK_SHARE:
        return EndSample(_crop(style.back(PX_PER_MM).pixels))
    printed = Print(int(rng.integers(len(NUMBERS))), str(rng.choice(COLOURS)), _stars(rng))
    face = _crop(style.face(printed, PX_PER_MM).pixels)
    if style.mirrored and style.middle not in ("number", "pips") and rng.random() < TWO_NUMBERS_SHARE:
        other = replace(printed, number=int(rng.integers(len(NUMBERS))))
        half = face.shape[0] // 2
        face = np.vstack([face[:half], _crop(style.face(other, PX_PER_MM).pixels)[half:]])
        return _end(face, printed) if rng.random() < 0.5 else _end(face[::-1, ::-1], other)
    if rng.random() > OTHER_END_SHARE:
        return _end(face, printed)
    if style.mirrored or style.corners == 4:
        return _end(face[::-1, ::-1], printed)
    return EndSample(np.ascontiguousarray(face[::-1, ::-1]), colour=printed.colour)


def _end(face: Image, printed: Print) -> EndSample:
    return EndSample(np.ascontiguousarray(face), printed.number, printed.stars, printed.colour)


def _of_ours(rng: np.random.Generator) -> EndSample:
    """The end of one of our own cards."""
    ends = _our_ends()
    return ends[int(rng.integers(len(ends)))]


@cache
def _our_ends() -> tuple[EndSample, ...]:
    found = []
    for game, number, stars in (("dawaj2", "digit", "stars"), ("trio", "number", ""), ("dnp", "a", "")):
        deck = own_deck(game)
        cards = {card.code: card for card in deck.cards}
        for code, picture in drawn_faces(deck).pictures:
            card, face = cards[code], shrunk(picture, CROP_PX)
            colour = card.word("colour") if game == "dawaj2" else ""
            found.append(EndSample(face, card.number(number), card.number(stars) if stars else 0, colour))
            other = card.number("b") if game == "dnp" else card.number(number)
            found.append(replace(found[-1], pixels=np.ascontiguousarray(face[::-1, ::-1]), number=other))
    return tuple(found)


def _stars(rng: np.random.Generator) -> int:
    return int(rng.integers(1, MOST_STARS + 1)) if rng.random() < 0.5 else 0


def _crop(pixels: Image) -> Image:
    return shrunk(np.ascontiguousarray(pixels[:, :, :3]), CROP_PX)


def _photographed(end: EndSample, rng: np.random.Generator) -> EndSample:
    """The end as photographed by a camera, slightly miscropped."""
    width, height = CROP_PX
    grow = 1 + rng.normal(0, 0.01)
    turn = rng.normal(0, TURN_SIGMA)
    spin = np.array([[grow, -turn], [turn, grow]])
    middle = np.array([width / 2, height / 2])
    shift = middle - spin @ middle + rng.normal(0, OFFSET_SIGMA_PX, 2)
    ground = tuple(int(part) for part in rng.integers(0, 200, 3))
    moved = cv2.warpAffine(
        end.pixels, np.column_stack([spin, shift]), CROP_PX, borderMode=cv2.BORDER_CONSTANT, borderValue=ground
    )
    seen = blurred(exposed(relit(np.asarray(moved, np.uint8), rng), rng), rng)
    if rng.random() < 0.3:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), float(rng.uniform(0.6, 1.6))), np.uint8)
    grain = rng.normal(0, rng.uniform(0, 7), (22, *seen.shape[1:])).astype(np.float32)
    noisy = np.clip(seen + np.tile(grain, (8, 1, 1)), 0, 255).astype(np.uint8)
    return replace(end, pixels=np.ascontiguousarray(upper_end(noisy)))


def _export(net: PrintsNet, path: Path) -> None:
    example = torch.zeros((1, END_PX[1], END_PX[0], 3), dtype=torch.uint8)
    axes = {name: {0: "cards"} for name in ("ends", "numbers", "stars", "colours")}
    torch.onnx.export(
        PrintsGraph(net).eval(), (example,), str(path), input_names=["ends"],
        output_names=["numbers", "stars", "colours"], opset_version=17, dynamic_axes=axes, dynamo=False,
    )  # fmt: skip


def _about(steps: int, seed: int, right: tuple[float, float, float]) -> dict[str, str]:
    return {
        "name": "prints",
        "data": "random styles and our own decks as drawn, photographed by a formula; no photographs",
        "seed": str(seed),
        "steps": str(steps),
        "held_out_numbers": f"{right[0]:.4f} of {HELD_OUT_CARDS} right, in fonts and a layout that training never saw",
        "held_out_stars": f"{right[1]:.4f}",
        "held_out_colours": f"{right[2]:.4f}",
        "rebuild": f"krupier train prints --seed {seed} --steps {steps}",
    }
