"""The one file: read back exactly, and refused with the line that is wrong."""

from base64 import b64encode
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.colour import Colour
from calibration.drift import Landmarks
from calibration.frames import CalibrationError
from calibration.lens import Lens
from calibration.patches import PATTERN_BYTES
from calibration.plan import needed_mm, seat_table
from calibration.rig import Rig, read_rig, rig_faults, rig_text
from calibration.rigtext import line_of
from calibration.seats import Zone, rectangle
from calibration.table import TablePose
from device.plans import plan_of
from referee.rules import games

SEATING = seat_table(plan_of("kto_drugi"), 5, (1200.0, 900.0))
LENS = Lens(
    (1640, 1232), (1262.123456789, 1263.5), (815.25, 620.75), (-0.1, 0.02, 1e-05, -0.0002, 0.0), False, 0.21, 23
)
TABLE = TablePose(
    (1200.0, 900.0),
    (0.8, 0.01, -640.0, -0.012, 0.81, -500.0, 1e-06, 2.5e-06, 1.0),
    ((0, -569.0, -419.0), (1, 569.0, -419.0), (2, 569.0, 419.0), (3, -569.0, 419.0)),
    40.0,
    0.31,
)
COLOUR = Colour((2.5, 1.0, 0.7), (1.1, -0.05, -0.05, 0.0, 1.0, 0.0, 0.02, 0.03, 0.95), 3150.0, 1.9, (1.0, 1.05, 1.1))
LOOKS = b64encode(bytes(range(PATTERN_BYTES))).decode()
LANDMARKS = Landmarks(((0, -569.0, -419.0, 0.25),), ((10.5, 20.25, LOOKS), (-30.0, 40.0, LOOKS)))
RIG = Rig(LENS, TABLE, COLOUR, SEATING.seats, SEATING.zones, LANDMARKS, 'imx708 "wide" \\ żółć')
TEXT = rig_text(RIG)


def test_it_comes_back_exactly() -> None:
    assert read_rig(TEXT) == RIG
    assert rig_text(read_rig(TEXT)) == TEXT


@pytest.mark.parametrize("game", games())
@pytest.mark.parametrize("layout", ["sides", "round"])
def test_every_seating_comes_back(game: str, layout: str) -> None:
    for chairs in range(1, 13):
        table = needed_mm(plan_of(game), chairs, layout)
        seating = seat_table(plan_of(game), chairs, (table[0] + 33.3, table[1] + 7.7), layout)
        rig = Rig(table=replace(TABLE, size_mm=seating.table_mm), seats=seating.seats, zones=seating.zones)
        assert read_rig(rig_text(rig)) == rig


def test_an_empty_rig_comes_back() -> None:
    assert read_rig(rig_text(Rig())) == Rig()
    assert read_rig("version = 1") == Rig()


numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.lists(st.tuples(st.integers(0, 49), numbers, numbers, numbers), max_size=7, unique_by=lambda row: row[0]),
    st.floats(0.001, 1000),
    st.floats(900, 1e6),
    st.booleans(),
)
def test_any_text_and_number_comes_back(
    camera: str, rows: list[tuple[int, float, float, float]], gain: float, focal: float, fisheye: bool
) -> None:
    lens = replace(LENS, focal_px=(focal, focal * 1.01), distortion=(0.1, 1e-300, -0.0, 5e-324), fisheye=fisheye)
    landmarks = Landmarks(tuple(rows))
    rig = Rig(lens, None, Colour((gain, 1.0, 1 / gain)), landmarks=landmarks, camera=camera)
    assert read_rig(rig_text(rig)) == rig


def test_people_can_read_and_edit_it() -> None:
    assert "focal_px = [1262.123456789, 1263.5]  # focal length across and down" in TEXT
    assert '[[seat]]\nname = "P1"\n' in TEXT
    edited = TEXT.replace("turn_deg = 180.0  # of a card that lies upright", "turn_deg = 175 # a little askew", 1)
    assert edited != TEXT
    rig = read_rig(edited.replace("\n", "\r\n"))
    assert [seat.frame.turn_deg for seat in rig.seats] == [0, 0, 0, 175, 180]
    # What is left out is as it is by default; lists may be broken over lines, with notes.
    short = 'version = 1\n[[zone]]\nname = "pile"\npolygon_mm = [\n  [0, 0], # one\n  [50, 0],\n  [50, 50.5]\n]\n'
    assert read_rig(short).zones == (Zone("pile", ((0.0, 0.0), (50.0, 0.0), (50.0, 50.5))),)


def line(words: str, text: str = TEXT) -> int:
    """The line that words stand in."""
    return text[: text.index(words)].count("\n") + 1


FAULTS = [
    ("version = 1", "version = 2", "version: found version 2; wanted version = 1"),
    ("version = 1", "version = true", "version: found version True; wanted version = 1"),
    ('camera = "', "camera = 7 #", "camera: found 7; wanted a text in quotes"),
    ("[colour]", "[color]", "color: not known here; did you mean colour?"),
    ("focal_px =", "focal =", "lens focal: not known here; did you mean focal_px?"),
    ("rms_px =", "xyzzy =", "lens xyzzy: not known here; wanted one of size_px, focal_px"),
    (
        "focal_px = [1262.123456789,",
        "focal_px = [-3,",
        "lens focal_px: found -3 and 1263.5; wanted both more than 0",
    ),
    ("focal_px = [1262.123456789,", "focal_px = [", "lens focal_px: found [1263.5]; wanted a list of 2 numbers"),
    ("focal_px = [1262.123456789,", "focal_px = [nan,", "lens focal_px 1: found nan; wanted a number"),
    ("size_px = [1640,", "size_px = [1640.5,", "lens size_px 1: found 1640.5; wanted a whole number"),
    ("size_px = [1640,", "size_px = [0,", "lens size_px: found 0 x 1232; wanted"),
    (
        "centre_px = [815.25,",
        "centre_px = [1815.25,",
        "lens centre_px: found 1815.25 and 620.75; wanted a point of the",
    ),
    ("distortion = [-0.1,", "distortion = [0, 0,", "lens distortion: found 6 numbers; wanted 4 or 5 or 8"),
    ("fisheye = false", "fisheye = true", "lens distortion: found 5 numbers; wanted 4 for a fisheye"),
    ("fisheye = false", "fisheye = 0", "lens fisheye: found 0; wanted true or false"),
    ("fisheye = false", "fisheye = 2024-05-01", "lens fisheye: found 2024-05-01; wanted true or false"),
    ("views = 23", "views = -1", "lens views: found -1; wanted 0 or more"),
    ("size_mm = [1200.0,", "size_mm = [-1200.0,", "table size_mm: found -1200 x 900; wanted 100 to 10000 mm each way"),
    ("    0.8, 0.01, -640.0,", "    0, 0, 0,", "table homography: it cannot be inverted; wanted"),
    ("    0.8, 0.01, -640.0,", "    0.8, 0.01,", "table homography: found 8 numbers; wanted 9"),
    ("    0.8, 0.01, -640.0,", "    -0.8, -0.01, 640,", "table homography: the table would be seen from below"),
    (
        "    1e-06, 2.5e-06, 1.0,",
        "    0.01, 0, -5,",
        "table homography: a part of the table would be behind the camera",
    ),
    ("markers_mm = [[0,", "markers_mm = [[1,", "table markers_mm: found ids 1, 1, 2, 3; wanted every marker once"),
    ("marker_mm = 40.0", "marker_mm = 0", "table marker_mm: found 0; wanted more than 0"),
    ("gains = [2.5,", "gains = [0,", "colour gains: found 0, 1, 0.7; wanted more than 0"),
    ("    1.1, -0.05, -0.05,", "    0, 1, 0,", "colour matrix: it makes different colours the same"),
    ("kelvin = 3150.0", "kelvin = 31", "colour kelvin: found 31; wanted 1000 to 40000, or 0 when unknown"),
    ("tone = [1.0,", "tone = [-1,", "colour tone: found -1, 1.05, 1.1; wanted about 1"),
    ('name = "P3"', 'name = "P4"', 'seat 3 name: found "P4"; wanted "P3": seats are numbered in their order'),
    ('name = "pile"', 'name = "P2"', 'zone 3 name: found "P2"; wanted a name that no other zone has'),
    ('name = "pile"', 'name = " "', 'zone 3 name: found " "; wanted a name that no other zone has'),
    ('name = "track"\n', "", "zone 2: name is missing; wanted a text in quotes"),
    ("patches = [[10.5,", 'patches = [["a",', 'landmarks patches 1 1: found "a"; wanted a number'),
    ("patches = [[10.5, 20.25,", "patches = [[10.5,", "landmarks patches 1: found [10.5, 'AAEC"),
    ('20.25, "AAEC', '20.25, "AAE', "landmarks patches: patch 1 cannot be read; wanted"),
    ('20.25, "AAEC', '20.25, "ĄAEC', "landmarks patches: patch 1 cannot be read; wanted"),
    ("markers = [[0,", "markers = [[0, 1.0, 1.0, 1.0], [0,", "landmarks markers: found ids 0, 0; wanted every marker"),
    ("distortion = [-0.1,", "distortion = [-3,", "lens distortion: this lens folds the picture over inside its frame"),
]


@pytest.mark.parametrize(("old", "new", "words"), FAULTS)
def test_a_fault_is_named_with_its_line(old: str, new: str, words: str) -> None:
    assert TEXT.count(old) == 1
    text = TEXT.replace(old, new)
    with pytest.raises(CalibrationError) as caught:
        read_rig(text, "my rig.toml")
    where, _, says = str(caught.value).partition(": ")
    assert says.startswith(words)
    key = says.split(":")[0].split()[-1]
    # The line is that of the key, or of the table that it should be in.
    lines = text.split("\n")
    named = int(where.removeprefix("my rig.toml, line "))
    assert key in lines[named - 1] or lines[named - 1].startswith(("[", "distortion", "homography", "focal", "patches"))
    if key not in ("homography", "matrix", "distortion") and not key.isdigit():
        assert abs(named - line(old)) <= 1


ZONE = next(text for text in TEXT.split("\n") if text.startswith("polygon_mm"))


@pytest.mark.parametrize(
    ("polygon", "words"),
    [
        ("[[0, 0], [50, 0]]", "found 2 corners; wanted at least 3"),
        ("[]", "found 0 corners; wanted at least 3"),
        ("[[0, 0], [50, 0], [100, 0]]", "found 0 mm²; wanted 100 or more"),
        ("[[0, 0], [90, 90], [90, 0], [0, 90]]", "its sides cross each other; wanted the corners one after the other"),
        ("[[0, 0], [50, 0], [50, 551]]", "corner 3 of P1 at 50, 551 is outside the table; wanted at most 600 to the"),
        ("[[0, 0], [50, 0, 1], [50, 5]]", "found [50, 0, 1]; wanted a list of 2 numbers"),
        ("7", "found 7; wanted a list of lists of 2 numbers"),
        ("[1, 2]", "found 1; wanted a list of 2 numbers"),
    ],
)
def test_impossible_zones_are_refused(polygon: str, words: str) -> None:
    text = TEXT.replace(ZONE, f"polygon_mm = {polygon}", 1)
    with pytest.raises(CalibrationError) as caught:
        read_rig(text)
    assert str(caught.value).startswith(f"rig.toml, line {line(ZONE)}: seat 1 polygon_mm")
    assert words in str(caught.value)


def test_a_seat_outside_the_table_is_refused() -> None:
    seats = next(text for text in TEXT.split("\n") if text.startswith("at_mm"))
    text = TEXT.replace(seats, "at_mm = [700, 0]", 1)
    with pytest.raises(
        CalibrationError, match=rf"line {line(seats)}: seat 1 at_mm: P1 sits at 700, 0, outside the table"
    ):
        read_rig(text)
    # Without a table nothing is outside.
    assert read_rig(rig_text(replace(RIG, table=None)).replace(seats, "at_mm = [700, 0]", 1)).seats[0].frame.x_mm == 700


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "rig.toml: found no version; wanted version = 1"),
        ("version = 1\nlens = 3", "rig.toml, line 2: lens: found 3; wanted a table, [lens] with its keys below"),
        ("version = 1\nseat = 3", "rig.toml, line 2: seat: found 3; wanted a list of tables, [[seat]] for each"),
        ("version = 1\n[lens]\nfocal_px = [1, 2", "rig.toml: Unclosed array"),
        (
            "version = 1\n[table]\nsize_mm = [700, 500]\nhomography = []\nmarkers_mm = [[0, 1]]",
            "rig.toml, line 5: table markers_mm 1: found [0, 1]; wanted a list of 3: a whole number, a number",
        ),
        ("version = 1\n[lens\n", "rig.toml, line 2, column 6: "),
        ("version = 1\nversion = 1\n", "rig.toml, line 2, column 12: Cannot overwrite a value"),
        ("version = 1\n[lens]\n", "rig.toml, line 2: lens: size_px is missing; wanted a list of 2 whole numbers"),
        ("version = 1\nlens = { focal = 1 }", "rig.toml, line 2: lens focal: not known here; did you mean focal_px?"),
        ("version = 1\nlens.focal = 1", "rig.toml, line 2: lens focal: not known here"),
        (
            "version = 1\nlandmarks.markers = [[1, " + "9" * 400 + ", 0, 0]]",
            "rig.toml, line 2: landmarks markers 1 2: found 999",
        ),
        ("version = 1\nrows = " + "[" * 5000, "rig.toml: lists inside lists without end"),
        ("version = 1\nrows = " + "9" * 5000, "rig.toml: Exceeds the limit"),
    ],
)
def test_other_texts_are_refused(text: str, words: str) -> None:
    with pytest.raises(CalibrationError) as caught:
        read_rig(text)
    assert str(caught.value).startswith(words)


def test_lines_are_found_under_brackets_and_notes() -> None:
    text = 'a = [ # not a [header]\n  [1],\n  [2]\n]\nb = "[c]"\n[c]\nb = 3\n[[d]]\n[[d]]\n"e" = 1\n[d.f]\ng = 1\n'
    ways = [("a",), ("b",), ("c",), ("c", "b"), ("d", 0), ("d", 1), ("d", 1, "e"), ("d", 1, "f", "g"), ("h",)]
    assert [line_of(text, way) for way in ways] == [1, 5, 6, 7, 8, 9, 10, 12, 0]


def test_a_rig_knows_its_zones() -> None:
    x, y = RIG.seats[3].zone.centre_mm
    assert RIG.zone_of((x, y)) == "P4"
    assert RIG.seat_of("P4") == RIG.seats[3]
    assert RIG.zone_of((300.0, 0.0)) == "pile"
    assert RIG.seat_of("pile") is None
    assert not list(rig_faults(RIG))
    assert list(rig_faults(Rig(zones=(rectangle("far", 0, 0, 1, 1),))))
