"""The rig: all results of calibration, in one file that people can read and edit."""

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

import numpy as np

from calibration.colour import Colour
from calibration.drift import Landmarks
from calibration.frames import CalibrationError
from calibration.lens import Lens
from calibration.patches import PATTERN_BYTES, SIDE
from calibration.rigtext import Way, parse, written
from calibration.seats import Point, Seat, SeatFrame, Zone, zone_of
from calibration.table import TablePose

VERSION = 1
DISTORTIONS = (4, 5, 8)
"""The numbers of distortion coefficients of a standard lens."""
KELVINS = (1000.0, 40000.0)
MOST_GAIN = 1000.0
TABLE_SIZES_MM = (100.0, 10000.0)
LEAST_AREA_MM2 = 100.0
OVER_MM = 1.0
"""Distance by which a zone may extend over the edge of the table."""
MOST_SKEW = 1e7
"""Condition number from which a homography of pixels and millimetres cannot be inverted reliably."""
ROOT = ("version", "camera", "lens", "table", "colour", "seat", "zone", "landmarks")

HEAD = """\
# The rig: what Krupier knows about its camera, lens, table, light and seats.
# Lengths are in millimetres or pixels as the names say; the table's middle is 0, 0, x goes right and y goes down
# as the camera sees it; turns are in degrees clockwise, 0 for somebody at the lower edge of the picture.
"""
NOTES = {
    "version": "of this file's form",
    "camera": "which camera this was made with",
    "size_px": "width and height of the pictures",
    "focal_px": "focal length across and down",
    "centre_px": "where the lens points",
    "distortion": "as OpenCV writes it",
    "fisheye": "which of OpenCV's two models",
    "rms_px": "how well the views agree",
    "views": "how many there were",
    "size_mm": "width and depth",
    "homography": "row by row: straightened pixels to millimetres",
    "markers_mm": "id, x, y of the middle of each",
    "marker_mm": "side of the black square",
    "error_mm": "root mean square",
    "gains": "for blue, green, red, in linear light",
    "matrix": "row by row: what then mixes blue, green, red",
    "tone": "the power of each channel",
    "kelvin": "colour of the light; 0 when unknown",
    "error": "what is left, in CIE Lab",
    "at_mm": "the middle of the edge in front of the player",
    "turn_deg": "of a card that lies upright",
    "markers": "id, x and y in mm, turn in degrees",
    "patches": "x and y in mm, and how it looks",
}
SECTIONS = {
    "lens": "The lens, found from a film of the printed board.",
    "table": "Where the table lies in the picture.",
    "colour": "The correction for the colour of the light; for reports and advice only, cards are read without it.",
    "seat": "One table for each seat, P1 first and then clockwise. Corners of the zone: three or more, in order.",
    "zone": "Parts of the table that belong to nobody.",
    "landmarks": "What is looked for to notice that the camera was bumped.",
}


@dataclass(frozen=True, slots=True)
class Rig:
    """The calibrated parts of a rig."""

    lens: Lens | None = None
    table: TablePose | None = None
    colour: Colour = field(default_factory=Colour)
    seats: tuple[Seat, ...] = ()
    zones: tuple[Zone, ...] = ()
    """Those of the seats first, then the shared ones."""
    landmarks: Landmarks = field(default_factory=Landmarks)
    camera: str = ""

    def zone_of(self, point_mm: Point) -> str:
        """The name of the zone that a point of the table belongs to, or ""."""
        return zone_of(self.zones, point_mm)

    def seat_of(self, zone: str) -> Seat | None:
        """The seat that a zone belongs to."""
        return next((seat for seat in self.seats if seat.zone.name == zone), None)


@dataclass(frozen=True, slots=True)
class _SeatForm:
    """A seat as it is written in the file."""

    name: str
    at_mm: Point
    turn_deg: float
    polygon_mm: tuple[Point, ...]


def sure_text(rig: Rig, name: str = "rig.toml") -> str:
    """The text of a rig, checked to read back unchanged; CalibrationError for a rig that would be refused."""
    text = rig_text(rig)
    if read_rig(text, name) != rig:
        raise CalibrationError(f"{name}: this rig would not come back as it is; nothing was written")
    return text


def rig_text(rig: Rig) -> str:
    """The text of a rig's file."""
    parts = [HEAD + "\n" + written({"version": VERSION, "camera": rig.camera}, NOTES)]
    for name, part in (("lens", rig.lens), ("table", rig.table), ("colour", rig.colour)):
        if part is not None:
            parts.append(f"# {SECTIONS[name]}\n[{name}]\n{written(asdict(part), NOTES)}")
    for number, seat in enumerate(rig.seats):
        note = "" if number else f"# {SECTIONS['seat']}\n"
        form = _SeatForm(seat.zone.name, (seat.frame.x_mm, seat.frame.y_mm), seat.frame.turn_deg, seat.zone.polygon_mm)
        parts.append(f"{note}[[seat]]\n{written(asdict(form), NOTES)}")
    for number, zone in enumerate(rig.zones[len(rig.seats) :]):
        note = "" if number else f"# {SECTIONS['zone']}\n"
        parts.append(f"{note}[[zone]]\n{written(asdict(zone), NOTES)}")
    if rig.landmarks != Landmarks():
        parts.append(f"# {SECTIONS['landmarks']}\n[landmarks]\n{written(asdict(rig.landmarks), NOTES)}")
    return "\n".join(parts)


def read_rig(text: str, name: str = "rig.toml") -> Rig:
    """A rig from the text of its file; `name` is the file's name in errors."""
    page = parse(text, name)
    version = page.data.get("version")
    if version != VERSION or isinstance(version, bool):
        found = "no version" if version is None else f"version {version!r}"
        raise page.fault(
            ("version",) if "version" in page.data else (),
            f"found {found}; wanted version = {VERSION}, which is all this Krupier can read: calibrate again",
        )
    page.refuse_unknown(page.data, ROOT, ())
    data = page.data
    lens = page.read(Lens, data["lens"], ("lens",)) if "lens" in data else None
    table = page.read(TablePose, data["table"], ("table",)) if "table" in data else None
    colour = page.read(Colour, data.get("colour", {}), ("colour",))
    forms = page.read_list(_SeatForm, data.get("seat", []), ("seat",))
    seats = tuple(
        Seat(index, Zone(form.name, form.polygon_mm, form.turn_deg), SeatFrame(*form.at_mm, form.turn_deg))
        for index, form in enumerate(forms)
    )
    zones = (*(seat.zone for seat in seats), *page.read_list(Zone, data.get("zone", []), ("zone",)))
    landmarks = page.read(Landmarks, data.get("landmarks", {}), ("landmarks",))
    camera = page.value(str, data.get("camera", ""), ("camera",))
    rig = Rig(lens, table, colour, seats, zones, landmarks, camera)
    for way, words in rig_faults(rig):
        raise page.fault(way, words)
    return rig


def rig_faults(rig: Rig) -> Iterator[tuple[Way, str]]:
    """The faults of a rig: their place in the file, and what was found and wanted."""
    if rig.lens is not None:
        yield from ((("lens", key), words) for key, words in _lens_faults(rig.lens))
    if rig.table is not None:
        yield from ((("table", key), words) for key, words in _table_faults(rig.table))
    yield from ((("colour", key), words) for key, words in _colour_faults(rig.colour))
    yield from ((("landmarks", key), words) for key, words in _landmark_faults(rig.landmarks))
    if rig.zones[: len(rig.seats)] != tuple(seat.zone for seat in rig.seats):
        yield ("zone",), "found zones that do not begin with those of the seats; wanted these first, in order"
        return
    size_mm = rig.table.size_mm if rig.table is not None else None
    names: set[str] = set()
    for number, zone in enumerate(rig.zones):
        seated = number < len(rig.seats)
        way: Way = ("seat", number) if seated else ("zone", number - len(rig.seats))
        if seated and zone.name != f"P{number + 1}":
            yield (*way, "name"), f'found "{zone.name}"; wanted "P{number + 1}": seats are numbered in their order'
        if not zone.name.strip() or zone.name in names:
            yield (*way, "name"), f'found "{zone.name}"; wanted a name that no other zone has'
        names.add(zone.name)
        yield from (((*way, key), words) for key, words in _zone_faults(zone, size_mm))
        if seated:
            yield from (((*way, key), words) for key, words in _seat_faults(rig.seats[number], size_mm))


def _lens_faults(lens: Lens) -> Iterator[tuple[str, str]]:
    if min(lens.size_px) < 16:
        yield "size_px", f"found {lens.size_px[0]} x {lens.size_px[1]}; wanted the size of a picture, 16 pixels or more"
        return
    if min(lens.focal_px) <= 0:
        yield "focal_px", f"found {lens.focal_px[0]:g} and {lens.focal_px[1]:g}; wanted both more than 0"
    if not all(0 <= centre <= size for centre, size in zip(lens.centre_px, lens.size_px, strict=True)):
        wanted = f"wanted a point of the picture, 0 to {lens.size_px[0]} and 0 to {lens.size_px[1]}"
        yield "centre_px", f"found {lens.centre_px[0]:g} and {lens.centre_px[1]:g}; {wanted}"
    counts = (4,) if lens.fisheye else DISTORTIONS
    if len(lens.distortion) not in counts:
        kind, wanted = "a fisheye" if lens.fisheye else "a lens", " or ".join(str(count) for count in counts)
        yield "distortion", f"found {len(lens.distortion)} numbers; wanted {wanted} for {kind}"
        return
    with np.errstate(all="ignore"):
        folds = min(lens.focal_px) > 0 and lens.folds
    if folds:
        yield "distortion", "this lens folds the picture over inside its frame; wanted one that is sane to its corners"
    if lens.rms_px < 0:
        yield "rms_px", f"found {lens.rms_px:g}; wanted 0 or more"
    if lens.views < 0:
        yield "views", f"found {lens.views}; wanted 0 or more"


def _table_faults(table: TablePose) -> Iterator[tuple[str, str]]:
    least, most = TABLE_SIZES_MM
    if not all(least <= side <= most for side in table.size_mm):
        yield "size_mm", f"found {table.size_mm[0]:g} x {table.size_mm[1]:g}; wanted {least:g} to {most:g} mm each way"
        return
    if len(table.homography) != 9:
        yield "homography", f"found {len(table.homography)} numbers; wanted 9"
        return
    # Pixels and mm are both of the order of a thousand: in thousands, all nine numbers are of one magnitude.
    scale = np.diag([1e-3, 1e-3, 1.0])
    if np.linalg.cond(scale @ table.to_mm @ np.linalg.inv(scale)) > MOST_SKEW:
        yield "homography", "it cannot be inverted; wanted one that takes every point of the table to another pixel"
        return
    half_x, half_y = table.size_mm[0] / 2, table.size_mm[1] / 2
    corners = np.array([(x, y, 1.0) for x in (-half_x, half_x) for y in (-half_y, half_y)])
    back = np.linalg.inv(table.to_mm)
    depths = corners @ back[2]
    if depths.min() <= 0 <= depths.max():
        yield "homography", "a part of the table would be behind the camera; wanted all of it in front"
    elif np.linalg.det(back) * depths[0] < 0:
        yield "homography", "the table would be seen from below, mirrored; wanted it as a camera above sees it"
    ids = [number for number, _, _ in table.markers_mm]
    if len(set(ids)) < len(ids) or any(number < 0 for number in ids):
        yield "markers_mm", f"found ids {', '.join(map(str, ids))}; wanted every marker once, from 0"
    if table.marker_mm <= 0:
        yield "marker_mm", f"found {table.marker_mm:g}; wanted more than 0"
    if table.error_mm < 0:
        yield "error_mm", f"found {table.error_mm:g}; wanted 0 or more"


def _colour_faults(colour: Colour) -> Iterator[tuple[str, str]]:
    if not all(0 < gain <= MOST_GAIN for gain in colour.gains):
        yield (
            "gains",
            f"found {', '.join(f'{gain:g}' for gain in colour.gains)}; wanted more than 0, {MOST_GAIN:g} at most",
        )
    if len(colour.matrix) != 9:
        yield "matrix", f"found {len(colour.matrix)} numbers; wanted 9"
    elif abs(np.linalg.det(np.array(colour.matrix).reshape(3, 3))) < 1e-3:
        yield "matrix", "it makes different colours the same; wanted one near 1 0 0, 0 1 0, 0 0 1"
    if not all(0.2 <= power <= 5 for power in colour.tone):
        yield "tone", f"found {', '.join(f'{power:g}' for power in colour.tone)}; wanted about 1, 0.2 to 5"
    if colour.kelvin and not KELVINS[0] <= colour.kelvin <= KELVINS[1]:
        yield "kelvin", f"found {colour.kelvin:g}; wanted {KELVINS[0]:g} to {KELVINS[1]:g}, or 0 when unknown"
    if colour.error < 0:
        yield "error", f"found {colour.error:g}; wanted 0 or more"


def _landmark_faults(landmarks: Landmarks) -> Iterator[tuple[str, str]]:
    ids = [marker[0] for marker in landmarks.markers]
    if len(set(ids)) < len(ids):
        yield "markers", f"found ids {', '.join(map(str, ids))}; wanted every marker once"
    for number, (_, _, looks) in enumerate(landmarks.patches):
        try:
            size = len(b64decode(looks, validate=True))
        except ValueError:
            size = 0
        if size != PATTERN_BYTES:
            yield "patches", f"patch {number + 1} cannot be read; wanted {SIDE} x {SIDE} pixels as Krupier writes them"
            return


def _zone_faults(zone: Zone, size_mm: Point | None) -> Iterator[tuple[str, str]]:
    if len(zone.polygon_mm) < 3:
        yield "polygon_mm", f"found {len(zone.polygon_mm)} corners; wanted at least 3"
        return
    if zone.crossed:
        yield "polygon_mm", "its sides cross each other; wanted the corners one after the other around the zone"
    elif zone.area_mm2 < LEAST_AREA_MM2:
        yield "polygon_mm", f"found {zone.area_mm2:g} mm²; wanted {LEAST_AREA_MM2:g} or more: corners in one line?"
    if not -360 <= zone.turn_deg <= 360:
        yield "turn_deg", f"found {zone.turn_deg:g}; wanted -360 to 360"
    for number, corner in enumerate(zone.polygon_mm):
        if size_mm is not None and _outside(corner, size_mm):
            where = f"corner {number + 1} of {zone.name} at {corner[0]:g}, {corner[1]:g}"
            yield "polygon_mm", f"{where} is outside the table; {_reach(size_mm)}"
            return


def _seat_faults(seat: Seat, size_mm: Point | None) -> Iterator[tuple[str, str]]:
    if seat.frame.turn_deg != seat.zone.turn_deg:
        yield "turn_deg", f"found {seat.frame.turn_deg:g} and, for its zone, {seat.zone.turn_deg:g}; wanted one turn"
    if size_mm is not None and _outside((seat.frame.x_mm, seat.frame.y_mm), size_mm):
        found = f"{seat.zone.name} sits at {seat.frame.x_mm:g}, {seat.frame.y_mm:g}, outside the table"
        yield "at_mm", f"{found}; {_reach(size_mm)}"


def _outside(point: Point, size_mm: Point) -> bool:
    return any(abs(place) > side / 2 + OVER_MM for place, side in zip(point, size_mm, strict=True))


def _reach(size_mm: Point) -> str:
    return f"wanted at most {size_mm[0] / 2:g} to the left and right, {size_mm[1] / 2:g} up and down"
