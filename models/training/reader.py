"""Training of the reader."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.cards import Deck, own_deck, own_decks
from models.crops import CROP_PX, Image
from models.training.gather import BACK, deck_templates
from models.training.looks import blurred, distant, exposed, relit
from models.training.loop import TrainingPlan, train
from models.training.reader_net import FEATURES, AgreementModule, ReaderNet, seen_cells
from models.training.shards import CropTruth, ahead, read_crops, read_faces, shards_in, unpacked
from models.training.visibility import imperfect_map

CARDS_PER_STEP, MIN_FACES = 72, 30
"""Cards per training step, and the minimum number of faces to compare them with."""
CALIBRATION_STRIDE = 4
"""Every n-th card of a batch is enough to calibrate the quantisation."""
LITTLE_SEEN = (0.15, 0.3)
"""Of cards with a smaller visible fraction than the first, only the second fraction is used: they teach little."""
HALF_SEEN, HALF_SEEN_REPEATS = 0.5, 2
"""Cards with a smaller visible fraction are harder and are drawn this many times as often."""
OWN_SHARE = 0.65
"""Share of steps with our own decks; the others teach that decks may look like anything."""
SECOND_ROUND_PERCENT = 35
"""Length of the second training round in percent of the first."""
SAME_FACE_LEVELS = 0.3
"""Mean difference below which two faces count as identical, of 255; a single star makes 1.7."""
Batch = tuple[Tensor, Tensor, Tensor, Tensor, str, Tensor]
CELLS = (22, 16)
"""Rows and columns of the features of a crop."""


class ReaderSchool(nn.Module):
    """The network, the agreement parameters, and the learnt corrections for our own decks."""

    def __init__(self) -> None:
        super().__init__()
        self.net = ReaderNet()
        self.agreement = AgreementModule()
        # A drawing shows a face at its best; real cards are blurred, worn and slightly misplaced.
        sizes = {game: 2 * (len(deck.cards) + len({card.kind for card in deck.cards})) for game, deck in _own().items()}
        self.practice = nn.ParameterDict(
            {game: nn.Parameter(torch.zeros(size, FEATURES, *CELLS)) for game, size in sizes.items()}
        )


def train_reader(samples: Path, folder: Path, steps: int, seed: int = 1) -> ReaderSchool:
    """Train on gathered samples in two rounds, the second at a lower rate; resumes from a checkpoint in the folder."""
    torch.manual_seed(seed)
    school = ReaderSchool().to(memory_format=torch.channels_last)
    batches = ahead(_batches(samples, np.random.default_rng(seed)))
    first = train(school, batches, _losses, TrainingPlan(folder, "reader", steps, rate=4e-3))
    again = TrainingPlan(folder, "reader-again", SECOND_ROUND_PERCENT * steps // 100, rate=2e-3, warm_steps=100)
    averaged = train(first.train(), batches, _losses, again)
    assert isinstance(averaged, ReaderSchool)
    return averaged


def sample_crops(samples: Path, count: int, seed: int) -> Iterator[dict[str, Image]]:
    """Some training cards, to calibrate the quantisation."""
    for cards, seen, *_ in islice(_batches(samples, np.random.default_rng(seed)), count):
        pixels = cards[::CALIBRATION_STRIDE].permute(0, 2, 3, 1).numpy().astype(np.uint8)
        yield {"crops": pixels, "seen": np.rint(255 * seen[::CALIBRATION_STRIDE, 0].numpy()).astype(np.uint8)}


def _own() -> dict[str, Deck]:
    return {game: own_deck(game) for game in own_decks()}


def _batches(samples: Path, rng: np.random.Generator) -> Iterator[Batch]:
    """Endless batches of cards of one deck against its faces."""
    own = {game: deck_templates(own_deck(game)) for game in own_decks()}
    while True:
        paths = shards_in(samples)
        chosen = [paths[index] for index in rng.permutation(len(paths))[:8]]
        crops: dict[str, list[CropTruth]] = {}
        styles: dict[str, dict[str, Image]] = {}
        for path in chosen:
            # Styles of different files may have the same name.
            origin = f"{path.parent.name} {path.stem}"
            for deck, faces in read_faces(path).items():
                styles[f"{origin} {deck}"] = {code: unpacked(data) for code, data in faces.items()}
            for crop in read_crops(path):
                if crop.visible > LITTLE_SEEN[0] or rng.random() < LITTLE_SEEN[1]:
                    crops.setdefault(crop.deck if crop.deck in own else f"{origin} {crop.deck}", []).append(crop)
        for _ in range(sum(map(len, crops.values())) // CARDS_PER_STEP):
            ours = bool(rng.random() < OWN_SHARE)
            names = [name for name in crops if (name in own) is ours] or list(crops)
            name = names[int(rng.integers(len(names)))]
            yield _batch(name, crops[name], _strangers(crops, name, rng), own.get(name) or styles[name], rng)


def _strangers(crops: dict[str, list[CropTruth]], but: str, rng: np.random.Generator) -> list[CropTruth]:
    """A few cards of another deck."""
    names = [name for name in crops if name != but]
    other = crops[names[int(rng.integers(len(names)))]]
    return [other[int(rng.integers(len(other)))] for _ in range(4)]


def _batch(
    deck: str,
    crops: list[CropTruth],
    strangers: list[CropTruth],
    templates: dict[str, Image],
    rng: np.random.Generator,
) -> Batch:
    often = np.array([HALF_SEEN_REPEATS if crop.visible < HALF_SEEN else 1 for crop in crops], float)
    count = min(len(crops), CARDS_PER_STEP - len(strangers))
    cards = [crops[index] for index in rng.choice(len(crops), count, replace=False, p=often / often.sum())]
    wanted = sorted({card.code for card in cards if card.code}) + [name for name in templates if name.startswith(BACK)]
    others = [code for code in templates if code not in wanted]
    codes = wanted + [others[index] for index in rng.permutation(len(others))[: max(0, MIN_FACES - len(wanted))]]
    places = {code: index for index, code in enumerate(templates)}
    drawn = deck in own_decks()
    faces = [_shrunk(templates[code]) for code in codes] if drawn else _faces(codes, crops, templates, rng)
    book = {code: index for index, code in enumerate(codes)}
    alike = _identical([templates[code] for code in codes])
    right = np.zeros((len(cards) + len(strangers), 2 * len(codes) + 1), bool)
    for row, card in enumerate(cards):
        if card.code:
            right[row, :-1] = alike[2 * book[card.code] + card.turned]
        elif drawn:
            right[row, :-1] = [code.startswith(BACK) for code in codes for _ in range(2)]
        else:
            right[row, -1] = True
    right[len(cards) :, -1] = True
    everybody = cards + strangers
    pixels = [_shrunk(_seen_again(unpacked(card.packed), rng)) for card in everybody]
    seen = [imperfect_map(card.seen, rng) for card in everybody]
    return (
        _tensor(np.stack(pixels)),
        torch.from_numpy(np.stack(seen)[:, None]).float() / 255,
        _tensor(np.stack([face for up in faces for face in (up, up[::-1, ::-1])])),
        torch.from_numpy(right),
        deck if drawn else "",
        torch.tensor([2 * places[code] + turned for code in codes for turned in (0, 1)]),
    )


def _faces(
    codes: list[str], crops: list[CropTruth], templates: dict[str, Image], rng: np.random.Generator
) -> list[Image]:
    """The faces as drawn or as photographed: for a taught deck there are no drawings."""
    faces = {code: templates[code] for code in codes}
    chance = rng.random()
    if chance < 0.25:
        faces = {code: blurred(relit(face, rng), rng) for code, face in faces.items()}
    elif chance < 0.55:
        for crop in crops:
            if crop.code in faces and crop.visible > 0.97:
                shot = unpacked(crop.packed)
                faces[crop.code] = shot[::-1, ::-1] if crop.turned else shot
    return [_shrunk(faces[code]) for code in codes]


def _seen_again(image: Image, rng: np.random.Generator) -> Image:
    """A card in another light, through another camera, after another game."""
    return distant(marked(blurred(exposed(relit(image, rng), rng), rng), rng), rng)


def marked(image: Image, rng: np.random.Generator) -> Image:
    """Sometimes pen strokes, scratches and crumbs."""
    if rng.random() > 0.25:
        return image
    image = image.copy()
    size = np.array(image.shape[1::-1])
    for _ in range(int(rng.integers(1, 7))):
        start = rng.uniform(0, size)
        end = start + rng.normal(0, 14, 2)
        ink = tuple(int(part) for part in rng.integers(0, 256, 3) // (3 if rng.random() < 0.6 else 1))
        points = [tuple(int(part) for part in point) for point in (start, end)]
        cv2.line(image, points[0], points[1], ink, int(rng.integers(1, 5)), cv2.LINE_AA)
    return image


def _identical(faces: list[Image]) -> NDArray[np.bool_]:
    """Which of the faces, each upright and upside down, are indistinguishable."""
    small = [np.asarray(cv2.resize(face, (24, 33), interpolation=cv2.INTER_AREA), np.float32) for face in faces]
    rows = np.stack([side.ravel() for up in small for side in (up, up[::-1, ::-1])])
    return np.stack([np.abs(rows - row).mean(1) < SAME_FACE_LEVELS for row in rows])


def _shrunk(image: Image) -> Image:
    return np.asarray(cv2.resize(image, CROP_PX, interpolation=cv2.INTER_AREA), np.uint8)


def _tensor(images: Image) -> Tensor:
    pixels = torch.from_numpy(images).permute(0, 3, 1, 2).float()
    return pixels.contiguous(memory_format=torch.channels_last)


def _losses(school: nn.Module, batch: Batch) -> dict[str, Tensor]:
    assert isinstance(school, ReaderSchool)
    cards, seen, faces, right, deck, rows = batch
    whole = torch.ones(len(faces), *seen.shape[1:])
    with torch.autocast("cpu", torch.bfloat16):
        features = school.net(torch.cat([cards, faces]), torch.cat([seen, whole]))
    features = features.float()
    known = features[len(cards) :]
    if deck:
        known = known + school.practice[deck][rows]
    scores = school.agreement(features[: len(cards)], seen_cells(seen), known)
    share = torch.log_softmax(scores, 1).masked_fill(~right, -1e9).logsumexp(1)
    return {"read": -share.clamp(min=-30).mean()}
