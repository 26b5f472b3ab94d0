"""Training the reader."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.cards import Deck, own_deck, own_decks
from models.crops import CROP_PX, SEEN_PX, Image
from models.training.gather import BACK, deck_templates
from models.training.looks import blurred, distant, exposed, relit
from models.training.loop import TrainingPlan, train
from models.training.reader_net import FEATURES, AgreementModule, ReaderNet, seen_cells
from models.training.shards import CropTruth, ahead, read_crops, read_faces, shards_in, unpacked

CARDS, FACES = 72, 30
"""Cards of one step, and the least number of faces they are compared with."""
FEWER = 4
"""One card in so many is enough to see which numbers occur."""
LITTLE_SEEN = (0.15, 0.3)
"""Of cards of which less is seen than the first, only the second part is used: there is little to learn."""
HALF_SEEN, HALF_SEEN_TIMES = 0.5, 2
"""Cards of which less is seen are harder, and come up so many times as often."""
COARSE = 0.3
"""How many maps of what is seen are as coarse as the finder's cells; the others follow from where cards lie."""
BESIDE_CELLS = 0.7
"""How far beside their places cards that hide others may be thought."""
OWN_SHARE = 0.65
"""How many steps go to our own decks; the others teach it that decks may look like anything."""
AGAIN = 35
"""How long the second round is, in percent of the first."""
ALIKE = 0.3
"""Two faces that differ by less than this on average, of 255, are the same; one star makes a difference of 1.7."""
Batch = tuple[Tensor, Tensor, Tensor, Tensor, str, Tensor]
CELLS = (22, 16)
"""Rows and columns of the features of a crop."""


class ReaderSchool(nn.Module):
    """The network, what makes scores of its features, and what practice adds to the faces of our own decks."""

    def __init__(self) -> None:
        super().__init__()
        self.net = ReaderNet()
        self.agreement = AgreementModule()
        # A drawing shows a face at its best; cards are seen blurred, worn and a little beside where they are thought.
        sizes = {game: 2 * (len(deck.cards) + len({card.kind for card in deck.cards})) for game, deck in _own().items()}
        self.practice = nn.ParameterDict(
            {game: nn.Parameter(torch.zeros(size, FEATURES, *CELLS)) for game, size in sizes.items()}
        )


def train_reader(samples: Path, folder: Path, steps: int, seed: int = 1) -> ReaderSchool:
    """Train on gathered samples, in two rounds, the second more gently; goes on from a checkpoint in the folder."""
    torch.manual_seed(seed)
    school = ReaderSchool().to(memory_format=torch.channels_last)
    batches = ahead(_batches(samples, np.random.default_rng(seed)))
    first = train(school, batches, _losses, TrainingPlan(folder, "reader", steps, rate=4e-3))
    again = TrainingPlan(folder, "reader-again", AGAIN * steps // 100, rate=2e-3, warm_steps=100)
    averaged = train(first.train(), batches, _losses, again)
    assert isinstance(averaged, ReaderSchool)
    return averaged


def sample_crops(samples: Path, count: int, seed: int) -> Iterator[dict[str, Image]]:
    """Some of the cards it learnt from, to see which numbers occur in the network."""
    for cards, seen, *_ in islice(_batches(samples, np.random.default_rng(seed)), count):
        pixels = cards[::FEWER].permute(0, 2, 3, 1).numpy().astype(np.uint8)
        yield {"crops": pixels, "seen": np.rint(255 * seen[::FEWER, 0].numpy()).astype(np.uint8)}


def _own() -> dict[str, Deck]:
    return {game: own_deck(game) for game in own_decks()}


def _batches(samples: Path, rng: np.random.Generator) -> Iterator[Batch]:
    """Cards of one deck against its faces, without end."""
    own = {game: deck_templates(own_deck(game)) for game in own_decks()}
    while True:
        paths = shards_in(samples)
        chosen = [paths[index] for index in rng.permutation(len(paths))[:8]]
        crops: dict[str, list[CropTruth]] = {}
        styles: dict[str, dict[str, Image]] = {}
        for path in chosen:
            # Styles of different files may be called the same.
            origin = f"{path.parent.name} {path.stem}"
            for deck, faces in read_faces(path).items():
                styles[f"{origin} {deck}"] = {code: unpacked(data) for code, data in faces.items()}
            for crop in read_crops(path):
                if crop.visible > LITTLE_SEEN[0] or rng.random() < LITTLE_SEEN[1]:
                    crops.setdefault(crop.deck if crop.deck in own else f"{origin} {crop.deck}", []).append(crop)
        for _ in range(sum(map(len, crops.values())) // CARDS):
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
    often = np.array([HALF_SEEN_TIMES if crop.visible < HALF_SEEN else 1 for crop in crops], float)
    count = min(len(crops), CARDS - len(strangers))
    cards = [crops[index] for index in rng.choice(len(crops), count, replace=False, p=often / often.sum())]
    wanted = sorted({card.code for card in cards if card.code}) + [name for name in templates if name.startswith(BACK)]
    others = [code for code in templates if code not in wanted]
    codes = wanted + [others[index] for index in rng.permutation(len(others))[: max(0, FACES - len(wanted))]]
    places = {code: index for index, code in enumerate(templates)}
    drawn = deck in own_decks()
    faces = [_shrunk(templates[code]) for code in codes] if drawn else _faces(codes, crops, templates, rng)
    book = {code: index for index, code in enumerate(codes)}
    alike = _alike([templates[code] for code in codes])
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
    seen = [_seen(card.seen, rng) for card in everybody]
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
    """The faces as drawn, or as photographed: a taught deck knows no drawing."""
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
    """A card as it would look in another light, through another camera, after another game."""
    return distant(marked(blurred(exposed(relit(image, rng), rng), rng), rng), rng)


def marked(image: Image, rng: np.random.Generator) -> Image:
    """Pen strokes, scratches and crumbs, now and then."""
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


def _seen(seen: Image, rng: np.random.Generator) -> Image:
    """What is thought to be seen: right but for its edges, which may be coarse, beside their place, or too wide."""
    mask = np.asarray(cv2.resize(seen, SEEN_PX, interpolation=cv2.INTER_NEAREST), np.uint8)
    chance = rng.random()
    if chance < COARSE:
        return _coarse(mask, rng)
    if chance < COARSE + 0.3:
        right, down = rng.normal(0, BESIDE_CELLS, 2)
        shift = np.array([[1, 0, right], [0, 1, down]], np.float32)
        border = cv2.BORDER_REPLICATE
        return np.asarray(cv2.warpAffine(mask, shift, SEEN_PX, flags=cv2.INTER_NEAREST, borderMode=border), np.uint8)
    if chance < COARSE + 0.4:
        change = cv2.erode if rng.random() < 0.5 else cv2.dilate
        return np.asarray(change(mask, np.ones((2, 2), np.uint8), borderType=cv2.BORDER_REPLICATE), np.uint8)
    return mask


def _coarse(mask: Image, rng: np.random.Generator) -> Image:
    if rng.random() < 0.2:
        return mask
    step = int(rng.integers(2, 4))
    coarse = cv2.resize(mask, (SEEN_PX[0] // step, SEEN_PX[1] // step), interpolation=cv2.INTER_AREA)
    coarse = np.where(coarse > rng.uniform(70, 185), 255, 0).astype(np.uint8)
    return np.asarray(cv2.resize(coarse, SEEN_PX, interpolation=cv2.INTER_NEAREST), np.uint8)


def _alike(faces: list[Image]) -> NDArray[np.bool_]:
    """Which of the faces, each upright and upside down, cannot be told apart."""
    small = [np.asarray(cv2.resize(face, (24, 33), interpolation=cv2.INTER_AREA), np.float32) for face in faces]
    rows = np.stack([side.ravel() for up in small for side in (up, up[::-1, ::-1])])
    return np.stack([np.abs(rows - row).mean(1) < ALIKE for row in rows])


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
