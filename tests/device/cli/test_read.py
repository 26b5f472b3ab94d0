"""`krupier read`: what is printed and drawn, and what is refused."""

import json
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest
from PIL import Image as Pillow
from typer.testing import CliRunner, Result

from calibration.frames import Frame, Image
from calibration.rig import Rig
from device.cli.app import app
from device.faces import load_faces
from device.readings import turn_deg
from device.sources import SourceError, cut_short, read_picture
from models.faces import Faces
from vision.sightings import Look, Sighting
from vision.table import Guess, Quad

WHERE: Quad = ((100.0, 60.0), (163.0, 60.0), (163.0, 148.0), (100.0, 148.0))
LYING: Quad = ((300.0, 60.0), (300.0, 123.0), (212.0, 123.0), (212.0, 60.0))


class BrightEye:
    """Sees one card and one back wherever it is bright, and nothing in the dark."""

    def look(self, frame: Frame) -> Look:
        assert frame.image.dtype == np.uint8
        assert frame.image.ndim == 3
        if frame.image.mean() < 5:
            return Look(frame.index, frame.at_s, ())
        guesses = (Guess("7B1", 0.93), Guess("9B1", 0.05))
        card = Sighting(WHERE, WHERE, True, 0.998, 0.8765, False, guesses, ("r1c2",))
        back = Sighting(LYING, LYING, False, 0.9, 1.0, True)
        return Look(frame.index, frame.at_s, (card, back))


@pytest.fixture(autouse=True)
def bright_eye(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def opened(_rig: Rig | None, _deck: str | None, _faces: Faces | None = None) -> BrightEye:
        return BrightEye()

    monkeypatch.setattr("device.cli.read.EyeFactory", lambda: SimpleNamespace(open_eye=opened))
    monkeypatch.chdir(tmp_path)


def krupier(*words: str) -> Result:
    return CliRunner().invoke(app, ["read", *words], env={"COLUMNS": "100", "LANG": "C"})


def picture(level: int = 120, size: tuple[int, int] = (400, 240)) -> Image:
    return np.full((size[1], size[0], 3), level, np.uint8)


def test_a_picture_as_a_table() -> None:
    cv2.imwrite("one.png", picture())
    result = krupier("one.png")
    assert result.exit_code == 0, result.output
    assert "one.png: 2 cards" in result.stdout
    first = next(line for line in result.stdout.splitlines() if "7B1" in line)
    assert first.split() == ["7B1", "r1c2", "93.0", "%", "132,", "104", "px", "↑", "0°", "88", "%", "9B1", "5.0", "%"]
    assert "face down, under a hand" in result.stdout


def test_a_picture_as_json() -> None:
    cv2.imwrite("one.png", picture())
    result = krupier("one.png", "--json")
    assert result.exit_code == 0, result.output
    cards = json.loads(result.stdout)["images"]["one.png"]["cards"]
    assert cards[0] == {
        "code": "7B1",
        "guesses": [{"code": "7B1", "probability": 0.93}, {"code": "9B1", "probability": 0.05}],
        "corners": [[100.0, 60.0], [163.0, 60.0], [163.0, 148.0], [100.0, 148.0]],
        "face": "up",
        "visible": 0.876,
        "found": 0.998,
        "under_hand": False,
        "marks": ["r1c2"],
        "alike": None,
        "way_up": 1.0,
    }
    assert (cards[1]["code"], cards[1]["guesses"], cards[1]["face"], cards[1]["under_hand"]) == (None, [], "down", True)


def test_a_folder_is_read_in_order_and_drawn_into_a_new_folder() -> None:
    Path("in").mkdir()
    cv2.imwrite("in/b.png", picture())
    cv2.imwrite("in/a.jpg", picture(0))
    Path("in/notes.txt").write_text("no picture")
    result = krupier("in", "--json", "--draw", "out")
    assert result.exit_code == 0, result.output
    images = json.loads(result.stdout)["images"]
    assert list(images) == ["a.jpg", "b.png"]
    assert images["a.jpg"] == {"cards": []}
    assert sorted(path.name for path in Path("out").iterdir()) == ["a.jpg", "b.png"]
    assert not np.array_equal(read_picture(Path("out/b.png")).image, picture())
    assert krupier("in", "--draw", "out").exit_code == 2, "nothing that is there is overwritten"


def test_a_picture_is_drawn_beside_and_never_over_itself() -> None:
    cv2.imwrite("one.png", picture())
    before = Path("one.png").read_bytes()
    assert krupier("one.png", "--draw", "two.jpg").exit_code == 0
    assert read_picture(Path("two.jpg")).image.shape == (240, 400, 3)
    result = krupier("one.png", "--draw", "./one.png")
    assert result.exit_code == 2
    assert "stays as it is" in result.stderr
    assert Path("one.png").read_bytes() == before


@pytest.mark.parametrize(("source", "out"), [("one.png", "out.mp4"), ("one.png", "out"), ("film.avi", "out.png")])
def test_drawings_go_into_fitting_files(source: str, out: str) -> None:
    cv2.imwrite("one.png", picture())
    film("film.avi", 2)
    result = krupier(source, "--draw", out)
    assert result.exit_code == 2
    assert f"{out}: cannot be drawn to; wanted a file that ends in" in result.stderr
    assert not Path(out).exists()


def film(name: str, frames: int, fps: float = 4.0) -> None:
    writer = cv2.VideoWriter(name, cv2.VideoWriter.fourcc(*"MJPG"), fps, (400, 240))
    for _ in range(frames):
        writer.write(picture())
    writer.release()


def test_a_film_is_looked_at_every_now_and_then() -> None:
    film("film.avi", 9)
    result = krupier("film.avi", "--json", "--every", "1", "--draw", "drawn.mp4")
    assert result.exit_code == 0, result.output
    images = json.loads(result.stdout)["images"]
    assert {name: found["at_s"] for name, found in images.items()} == {"000000": 0.0, "000004": 1.0, "000008": 2.0}
    drawn = cv2.VideoCapture("drawn.mp4")
    assert drawn.get(cv2.CAP_PROP_FRAME_COUNT) == 3
    assert drawn.get(cv2.CAP_PROP_FPS) == pytest.approx(1.0)
    drawn.release()
    assert sorted(path.name for path in Path().iterdir()) == ["drawn.mp4", "film.avi"], "nothing half done is left"
    every = krupier("film.avi", "--json", "--every", "0")
    assert len(json.loads(every.stdout)["images"]) == 9


def test_words_of_the_command_line_that_are_refused() -> None:
    cv2.imwrite("one.png", picture())
    for words, message in (
        (("one.png", "--deck", "poker"), "no deck for 'poker'"),
        (("one.png", "--rig", "rig.toml"), "rig.toml: cannot be read"),
        (("one.png", "--faces", "faces"), "faces: no such folder"),
        (("one.png", "--draw", "no/such/place.png"), "no/such/place.png: cannot be written"),
        (("nowhere.jpg",), "nowhere.jpg: no such file or folder"),
    ):
        result = krupier(*words)
        assert result.exit_code == 2, words
        assert message in result.stderr
        assert "Traceback" not in result.output


def encoded(suffix: str, level: int = 120) -> bytes:
    noisy = np.random.default_rng(1).integers(0, level, (240, 400, 3)).astype(np.uint8)
    return cv2.imencode(suffix, noisy)[1].tobytes()


def saved(mode: str, form: str, level: int = 128) -> bytes:
    data = BytesIO()
    Pillow.new(mode, (400, 240), tuple([level] * len(Pillow.new(mode, (1, 1)).getbands()))).save(data, form)
    return data.getvalue()


def huge_png() -> bytes:
    """A few bytes that ask for gigabytes."""
    head = (60000).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    chunks = b"\x89PNG\r\n\x1a\n"
    for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(b"")), (b"IEND", b"")):
        chunks += len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    return chunks


BAD: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "empty": ("bad.jpg", lambda: b"", "the file is empty"),
    "text": ("bad.jpg", lambda: b"seven of spades", "is no picture that can be read (15 bytes)"),
    "cut JPEG": ("bad.jpg", lambda: encoded(".jpg")[:9000], "ends too early (9000 bytes)"),
    "head of a JPEG": ("bad.jpg", lambda: encoded(".jpg")[:100], "ends too early"),
    "cut PNG": ("bad.png", lambda: encoded(".png")[:9000], "ends too early"),
    "cut WebP": ("bad.webp", lambda: encoded(".webp")[:4000], "ends too early"),
    "cut BMP": ("bad.bmp", lambda: encoded(".bmp")[:4000], "ends too early"),
    "cut TIFF": ("bad.tif", lambda: encoded(".tif")[:100], "is no picture that can be read"),
    "broken PNG": ("bad.png", lambda: b"\x89PNG\r\n\x1a\n" + b"\0" * 90 + b"IEND", "is no picture that can be read"),
    "huge": ("bad.png", huge_png, "60000 x 60000 pixels; wanted at most 64 megapixels"),
    "tiny": ("bad.png", lambda: cv2.imencode(".png", picture(9, (3, 5)))[1].tobytes(), "3 x 5 pixels; wanted at least"),
    "text as video": ("bad.mp4", lambda: b"not a film", "is no video that can be read"),
    "empty video": ("bad.mp4", lambda: b"", "is no video that can be read"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_are_named_and_refused(kind: str) -> None:
    name, made, message = BAD[kind]
    Path(name).write_bytes(made())
    result = krupier(name, "--json")
    assert result.exit_code == 2, result.output
    assert f"krupier: {name}" in result.stderr
    assert message in result.stderr
    assert "wanted" in result.stderr or "copy it again" in result.stderr
    assert "Traceback" not in result.output
    assert not result.stdout


def test_a_folder_without_pictures_or_with_a_bad_one() -> None:
    Path("in").mkdir()
    Path("in/notes.txt").write_text("no picture")
    result = krupier("in")
    assert result.exit_code == 2
    assert "in: no pictures in it; wanted .png" in result.stderr
    Path("in/bad.png").write_bytes(b"no picture")
    result = krupier("in", "--draw", "out")
    assert result.exit_code == 2
    assert "in/bad.png" in result.stderr
    assert not Path("out").exists()


def test_a_black_picture_is_an_empty_table() -> None:
    cv2.imwrite("night.png", picture(0))
    result = krupier("night.png", "--draw", "drawn.png")
    assert result.exit_code == 0, result.output
    assert "night.png: no cards" in result.stdout
    assert np.array_equal(read_picture(Path("drawn.png")).image, picture(0))


def test_twelve_megapixels() -> None:
    cv2.imwrite("large.jpg", picture(120, (4000, 3000)))
    result = krupier("large.jpg", "--draw", "drawn.jpg")
    assert result.exit_code == 0, result.output
    assert read_picture(Path("drawn.jpg")).image.shape == (3000, 4000, 3)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("grey.png", saved("L", "PNG")),
        ("grey.jpg", saved("L", "JPEG")),
        ("alpha.png", saved("RGBA", "PNG", 255)),
        ("grey-alpha.png", saved("LA", "PNG", 255)),
        ("palette.png", saved("P", "PNG")),
        ("one-bit.png", saved("1", "PNG", 1)),
        ("deep.png", cv2.imencode(".png", np.full((240, 400, 3), 128 * 257, np.uint16))[1].tobytes()),
        ("deep-alpha.png", cv2.imencode(".png", np.full((240, 400, 4), 65535, np.uint16))[1].tobytes()),
        ("deep-grey.tif", cv2.imencode(".tiff", np.full((240, 400), 128 * 257, np.uint16))[1].tobytes()),
        ("cmyk.jpg", saved("CMYK", "JPEG")),
        ("cmyk.tif", saved("CMYK", "TIFF")),
        ("plain.webp", saved("RGB", "WEBP")),
    ],
)
def test_every_way_to_store_a_picture(name: str, data: bytes) -> None:
    Path(name).write_bytes(data)
    image = read_picture(Path(name)).image
    assert image.shape == (240, 400, 3)
    assert image.dtype == np.uint8
    result = krupier(name, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["images"][name].keys() == {"cards"}


def test_colours_of_a_cmyk_picture_are_right() -> None:
    data = BytesIO()
    Pillow.new("CMYK", (64, 64), (0, 255, 255, 0)).save(data, "JPEG", quality=95)
    Path("red.jpg").write_bytes(data.getvalue())
    blue, green, red = read_picture(Path("red.jpg")).image[32, 32]
    assert red > 180
    assert max(blue, green) < 70


def test_what_is_transparent_is_black() -> None:
    clear = np.full((32, 32, 4), 200, np.uint8)
    clear[:, :16, 3], clear[:, 16:, 3] = 0, 255
    cv2.imwrite("clear.png", clear)
    image = read_picture(Path("clear.png")).image
    assert image[:, :16].max() == 0
    assert image[:, 16:].min() == 200


def test_an_animation_gives_its_first_picture() -> None:
    frames = [Pillow.new("RGB", (400, 240), (level, level, level)) for level in (0, 200)]
    for name in ("moving.webp", "moving.png", "pages.tif"):
        frames[0].save(name, save_all=True, append_images=frames[1:])
        assert read_picture(Path(name)).image.mean() < 5, name


def test_a_preview_inside_a_cut_picture_does_not_save_it() -> None:
    whole = encoded(".jpg")
    preview = b"\xff\xe1" + (2 + 30).to_bytes(2, "big") + b"Exif\0\0" + b"\xff\xd8 small \xff\xd9".ljust(24, b"\0")
    assert not cut_short(whole[:2] + preview + whole[2:])
    assert cut_short(whole[:2] + preview + whole[2:-200])
    assert not cut_short(whole + b"what some telephones append")


def test_faces_to_teach_from() -> None:
    Path("deck/faces").mkdir(parents=True)
    for code in ("r5", "b7", "back"):
        cv2.imwrite(f"deck/faces/{code}.png", picture(200, (63, 88)))
    faces = load_faces(Path("deck/faces"))
    assert (faces.deck, [code for code, _ in faces.pictures]) == ("deck", ["b7", "r5"])
    assert faces.card_mm == pytest.approx((63, 88))
    cv2.imwrite("deck/faces/r5.jpg", picture(200, (63, 88)))
    with pytest.raises(SourceError, match="2 pictures of 'r5'"):
        load_faces(Path("deck/faces"))


def test_which_way_a_card_lies() -> None:
    assert turn_deg(Sighting(WHERE, WHERE, True, 1.0, 1.0)) == pytest.approx(0)
    assert turn_deg(Sighting(LYING, LYING, True, 1.0, 1.0)) == pytest.approx(90)
