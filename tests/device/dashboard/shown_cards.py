"""Pictures of cards to teach with: drawn faces, alone or spread on a plain ground."""

import time
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from device.teaching.folder import make_deck, save, write_view
from models.cards import own_deck
from models.crops import Image
from models.faces import drawn_faces
from models.taught import TaughtDeck, View
from tests.device.dashboard.setup_rooms import Client, wanted

SIZE_PX, PX_PER_MM = (960, 600), 2.4
AT = "/api/teaching"


@cache
def face(code: str, game: str = "trio") -> Image:
    """One card."""
    return dict(drawn_faces(own_deck(game)).pictures)[code]


def png(image: Image) -> bytes:
    """A picture as a file."""
    return cv2.imencode(".png", image)[1].tobytes()


def spread(codes: tuple[str, ...], game: str = "trio") -> Image:
    """Cards side by side on green felt, five in a row."""
    rng = np.random.default_rng(1)
    ground = np.array((70, 105, 60)) + rng.normal(0, 4, (SIZE_PX[1], SIZE_PX[0], 3))
    image = np.clip(ground, 0, 255).astype(np.uint8)
    width, height = round(63 * PX_PER_MM), round(88 * PX_PER_MM)
    for number, code in enumerate(codes):
        x, y = 40 + number % 5 * (width + 30), 50 + number // 5 * (height + 60)
        image[y : y + height, x : x + width] = cv2.resize(
            face(code, game), (width, height), interpolation=cv2.INTER_AREA
        )
    return image


def keep_deck(data: Path, name: str, codes: tuple[str, ...], game: str = "trio") -> None:
    """A deck as if it had been taught, one view of each card; an empty code is a view without a name."""
    home = make_deck(data, name, game)
    taught = TaughtDeck(name, game)
    for number, code in enumerate(codes, 1):
        image = face(code or "12", game)
        size_mm = (63.0, 88.0)
        view = View(
            f"{number:04d}", code, f"{number}.png", ((0, 0), (251, 0), (251, 351), (0, 351)), size_mm, True, 0.5
        )
        write_view(home, view, image)
        taught = taught.with_view(view)
    save(home, taught)


def done(host: Client) -> Any:
    """What came of what is being done; it is waited for."""
    for _ in range(3000):
        working = wanted(host.get(f"{AT}/now"))["working"]
        if working["stage"] != "running":
            return working
        time.sleep(0.03)
    raise AssertionError("it never ended")


def send(host: Client, deck: str, image: bytes, file: str, **more: Any) -> Any:
    """Show a picture and wait; what the deck is then."""
    answer = host.post(
        f"{AT}/decks/{deck}/picture",
        content=image,
        params={"file": file, **more},
        headers={"Content-Type": "image/png"},
    )
    wanted(answer, 202)
    working = done(host)
    assert (working["stage"], working["error"]) == ("done", "")
    return wanted(host.get(f"{AT}/decks/{deck}"))
