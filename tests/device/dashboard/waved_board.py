"""Somebody waves the board in front of a small camera: a film to upload, and a picture of a laid table."""

from functools import cache
from pathlib import Path

import cv2

from calibration.lens import Lens
from device.lab.simulator.film import Film, Studio
from models.cards import own_deck
from tests.calibration.films import STANDARD, careful_poses, clean_picture, grainy
from tests.referee.games_played import bot_game

SIZE_PX = (820, 616)
EVERY_S = 1.0
"""Between two pictures of the film: long enough that the board may have been moved anywhere."""


@cache
def small_lens() -> Lens:
    """66 degrees across."""
    return STANDARD.scaled(SIZE_PX)


def write_film(path: Path, poses: int | None = None) -> None:
    """A film of the waved board."""
    lens = small_lens()
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 1 / EVERY_S, SIZE_PX)
    assert writer.isOpened(), "OpenCV writes mp4"
    for number, pose in enumerate(careful_poses(lens)[:poses]):
        writer.write(grainy(clean_picture(pose, lens), number, noise=2.0))
    writer.release()


def table_picture(game: str = "trio", size_px: tuple[int, int] = SIZE_PX) -> bytes:
    """A laid table with its markers through a perfect lens, as JPEG."""
    played = bot_game(game, 0)
    film = Film(played.record, own_deck(game), Studio(size_px, difficulty=0.0, seed=2))
    good, data = cv2.imencode(".jpg", next(film.shots()).image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    assert good
    return data.tobytes()
