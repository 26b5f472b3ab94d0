"""Pieces: figures on the track and tokens in front of the seats, on rendered tables whose truth is known."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import cos, dist, radians, sin

import numpy as np
import pytest

from calibration.frames import Frame
from calibration.plan import Seating, seat_players
from calibration.rig import Rig
from device.lab.simulator.rig import rig_of
from device.session.observer import PIECE_VIEW_CARD_MM, piece_finder
from models.decks.kto_drugi import art as kto_drugi
from models.synth.camera import Camera, overhead_camera
from models.synth.furniture import figure_sprite, marker_sprite, token_sprite, track_sprite
from models.synth.hands import GRIP_MM, LENGTH_MM, make_hand
from models.synth.materials import Ground, make_ground
from models.synth.render import render
from models.synth.scene import Light, Optics, Scene, Sprite, Thing
from vision.follow.spots import sort_table
from vision.look.table_view import Window
from vision.pieces.finders import PieceError, PieceFinder
from vision.sightings import Look
from vision.table import Piece, Table
from vision.watcher import Watcher

SIZE_PX = (1280, 720)
LAMP = Light(kelvin=3300.0, level=0.8, falloff=0.3, glare=0.2)
GRAIN = Optics(defocus_px=0.9, noise=4.0, jpeg=70)
SPACES = {0: 16, 1: -12, 2: 0, 3: 5, 4: -1, 5: 0}
"""Where the figure of every lane stands: also at both ends, on START and on an arrow."""
Token = tuple[str, float, float, float]
"""Its kind, where it lies as its owner sees it, and how it is turned."""


@cache
def laid(game: str, chairs: int = 6) -> tuple[Seating, Camera, Rig, PieceFinder]:
    """A table, the camera over it and who looks for pieces on it."""
    seating = seat_players(game, chairs)
    camera = overhead_camera(*SIZE_PX, seating.table_mm, 3.0, 0.3)
    rig = replace(rig_of(camera, seating.table_mm), seats=seating.seats, zones=seating.zones)
    finder = piece_finder(rig, game)
    assert finder is not None
    return seating, camera, rig, finder


@cache
def sprite(kind: str) -> Sprite:
    """A piece, the track, or a hand."""
    if kind == "hand":
        return make_hand(np.random.default_rng(2))
    if kind == "track":
        return track_sprite(1.7)
    return figure_sprite(kind, 1.7) if kind in kto_drugi.FIGURES else token_sprite(kind, 1.7)


@cache
def ground(material: str) -> Ground:
    """A table top."""
    return make_ground(material, np.random.default_rng(4))


def photo(
    game: str, under: Sequence[Thing], things: Sequence[Thing], hands: Sequence[Thing] = (), material: str = "wood"
) -> Frame:
    """A frame of a table in the light of a warm lamp."""
    seating, camera, _, _ = laid(game)
    markers = [Thing(marker_sprite(number), x, y) for number, (x, y) in enumerate(seating.markers_mm())]
    top = ground(material)
    scene = Scene(
        camera,
        top.pixels,
        (2000.0, 1500.0),
        top.gloss,
        (*markers, *under),
        (),
        tuple(things),
        tuple(hands),
        LAMP,
        GRAIN,
    )
    return Frame(0, 0.0, render(scene, np.random.default_rng(1)).image)


def on_track(
    spaces: Mapping[int, int], off_mm: tuple[float, float] = (0.0, 0.0), turn_deg: float = 0.0, moved_mm: float = 0.0
) -> tuple[list[Thing], list[Thing]]:
    """The track somewhere, and figures on it, each turned otherwise and some of them beside the middle of a space."""
    right, down = cos(radians(turn_deg)), sin(radians(turn_deg))
    figures = []
    for lane, space in spaces.items():
        x, y = kto_drugi.track_place(space, lane)
        x, y = x + moved_mm * (-1) ** lane, y + moved_mm * (-1) ** (lane // 2)
        place = off_mm[0] + x * right - y * down, off_mm[1] + x * down + y * right
        figures.append(Thing(sprite(kto_drugi.FIGURES[lane]), *place, 70.0 * lane))
    return [Thing(sprite("track"), *off_mm, turn_deg)], figures


def spots(pieces: Sequence[Piece]) -> dict[str, str]:
    """Where every seat's figure is."""
    assert {(piece.kind, piece.zone) for piece in pieces} <= {("figure", "track")}
    return {piece.colour: piece.spot for piece in pieces}


def wanted(spaces: Mapping[int, int]) -> dict[str, str]:
    """The same as it should be."""
    return {f"P{lane + 1}": str(space) for lane, space in spaces.items()}


def in_front(tokens: Mapping[int, Sequence[Token]]) -> list[Thing]:
    """Tokens in front of seats, later ones on top."""
    seating = laid("lucky_box")[0]
    things = []
    for seat, lying in tokens.items():
        frame = seating.seats[seat].frame
        for number, (kind, right_mm, away_mm, turn_deg) in enumerate(lying):
            x, y = frame.place(right_mm, away_mm)
            things.append(Thing(sprite(kind), x, y, turn_deg + frame.turn_deg, 0.2 * number))
    return things


def counted(pieces: Sequence[Piece]) -> Counter[tuple[str, str]]:
    """How many tokens of a kind lie in a zone."""
    assert {(piece.colour, piece.spot) for piece in pieces} <= {("", "tokens")}
    return Counter((piece.zone, piece.kind) for piece in pieces)


def test_every_figure_is_found_on_its_space() -> None:
    track, figures = on_track(SPACES, moved_mm=3.0)
    seating, _, _, finder = laid("kto_drugi")
    pieces = finder.find(photo("kto_drugi", track, figures))
    assert spots(pieces) == wanted(SPACES)
    # A figure is 4 mm high, so that its top seems to lie farther out than its foot.
    off = [dist((piece.x_mm, piece.y_mm), (one.x_mm, one.y_mm)) for piece, one in zip(pieces, figures, strict=True)]
    assert max(off) < 4.0
    assert spots(sort_table(Table(0.0, 0, (), pieces), seating).pieces) == wanted(SPACES)


@pytest.mark.parametrize(("off_mm", "turn_deg"), [((12.0, -9.0), 2.5), ((-6.0, 5.0), 180.0)])
def test_the_track_may_lie_askew_or_the_other_way_round(off_mm: tuple[float, float], turn_deg: float) -> None:
    track, figures = on_track(SPACES, off_mm, turn_deg)
    assert spots(laid("kto_drugi")[3].find(photo("kto_drugi", track, figures))) == wanted(SPACES)


def test_an_empty_track_has_no_figures() -> None:
    track, _ = on_track({})
    assert laid("kto_drugi")[3].find(photo("kto_drugi", track, [])) == ()


def test_a_covered_figure_is_not_told_and_the_others_are() -> None:
    track, figures = on_track(SPACES)
    hidden = figures[3]
    hand = Thing(sprite("hand"), hidden.x_mm, hidden.y_mm + LENGTH_MM / 2 - GRIP_MM - 40, 0.0, 20.0)
    found = spots(laid("kto_drugi")[3].find(photo("kto_drugi", track, figures, [hand])))
    assert "P4" not in found
    assert {"P1", "P2"} <= found.keys()
    assert found.items() <= wanted(SPACES).items()


def test_a_figure_in_a_strange_lane_is_found_there() -> None:
    track, figures = on_track({0: 3, 1: -4})
    x, y = kto_drugi.track_place(7, 4)
    astray = replace(figures[1], x_mm=x, y_mm=y)
    assert spots(laid("kto_drugi")[3].find(photo("kto_drugi", track, [figures[0], astray]))) == {"P1": "3", "P2": "7"}


def test_without_a_track_there_are_no_figures() -> None:
    _, figures = on_track(SPACES)
    finder = laid("kto_drugi")[3]
    assert finder.find(photo("kto_drugi", [], figures)) == ()
    assert finder.find(Frame(0, 0.0, np.zeros((SIZE_PX[1], SIZE_PX[0], 3), np.uint8))) == ()


@pytest.mark.parametrize("material", ["wood", "felt"])
def test_tokens_are_counted_in_every_zone(material: str) -> None:
    tokens: dict[int, list[Token]] = {
        0: [("lightning", -110.0 + 10 * number, 30.0, 40.0 * number) for number in range(5)],
        1: [("moon", 20.0, 28.0, 10.0), ("moon", 44.5, 30.0, 200.0), ("lightning", 30.0, 40.0, 0.0)],
        3: [("moon", 60.0 + 10 * number, 28.0 + number, 0.0) for number in range(4)],
        5: [("lightning", 0.0, 25.0, 77.0)],
    }
    pieces = laid("lucky_box")[3].find(photo("lucky_box", [], in_front(tokens), material=material))
    truth = Counter((f"P{seat + 1}", kind) for seat, lying in tokens.items() for kind, *_ in lying)
    assert counted(pieces) == truth


def test_a_table_without_tokens_has_none() -> None:
    finder = laid("lucky_box")[3]
    assert finder.find(photo("lucky_box", [], [])) == ()
    assert finder.find(Frame(0, 0.0, np.full((SIZE_PX[1], SIZE_PX[0], 3), 200, np.uint8))) == ()


def test_only_some_games_have_pieces() -> None:
    seating, _, rig, _ = laid("lucky_box")
    assert piece_finder(rig, "trio") is None
    assert piece_finder(None, "lucky_box") is None
    assert piece_finder(replace(rig, seats=()), "lucky_box") is None
    assert rig.lens is not None
    assert rig.table is not None
    with pytest.raises(PieceError, match="trio has no pieces; wanted one of kto_drugi, lucky_box"):
        PieceFinder("trio", Window(rig.lens, rig.table, PIECE_VIEW_CARD_MM), seating)


class Blind:
    """An eye that sees no cards."""

    def look(self, frame: Frame) -> Look:
        return Look(frame.index, frame.at_s, ())


class Told:
    """A finder that is told where the figure is."""

    def __init__(self) -> None:
        self.spot, self.asked = "1", 0

    def find(self, frame: Frame) -> tuple[Piece, ...]:
        self.asked += 1
        return (Piece("figure", "P1", 0.0, 0.0, "track", self.spot),)


def test_a_table_whose_pieces_changed_is_another_table() -> None:
    finder = Told()
    watcher = Watcher(Blind(), pieces=finder)
    tables = []
    for index in range(100):
        image = np.full((90, 160, 3), 90, np.uint8)
        # Something moves at 3 s and comes back to where it was at 6 s; only the second time the figure does, too.
        image[30:60, 20 if 30 <= index < 60 else 90 :][:, :30] = 220
        finder.spot = "1" if index < 60 else "4"
        table = watcher.observe(Frame(index, index / 10, image))
        if table is not None:
            tables.append((table.pieces[0].spot, index))
    assert [spot for spot, _ in tables] == ["1", "4"]
    assert tables[1][1] > 60
    assert finder.asked == 3
