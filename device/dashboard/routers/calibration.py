"""Calibration: the wizard, a step a route; what cameras there are, and who sits where."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from calibration.frames import CalibrationError
from calibration.plan import seat_players
from calibration.rig import Rig
from calibration.seats import Point, Seat, Zone
from device.dashboard.forms import ACTING, READING, Form, Word, refused
from device.dashboard.refusals import Refusal, refusing
from device.dashboard.services.app_state import House
from device.dashboard.services.calibration import Wizard
from device.dashboard.services.cameras import cameras, checked_camera
from device.dashboard.services.pairing import Doors
from device.dashboard.services.pictures import jpeg
from device.dashboard.services.uploads import FOLDER, uploaded
from device.plans import plan_of
from device.rig_steps import read_geometry
from device.rigs import load_rig
from referee.rules import Opening, games, load_rules, opened

FILMS = {
    "video/mp4": ".mp4",
    "video/webm": ".webm",
    "video/quicktime": ".mov",
    "video/x-matroska": ".mkv",
    "image/jpeg": ".jpg",
    "image/png": ".png",
}
"""What may be uploaded, and how such files are called."""
MOST_FILM = 800_000_000
SHOWN = (401, 403, 409, 503, *READING)
_JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}
Mm = Annotated[float, Field(ge=100, le=10_000)]
Px = Annotated[float, Field(ge=-100, le=20_000)]
Spot = Annotated[list[Px], Field(min_length=2, max_length=2)]


class Camera(Form):
    """Which camera is looked through; null gives it back."""

    camera: Word | None


class Board(Form):
    """Which board is waved; null recognises it."""

    board: Annotated[Word, Field(max_length=80)] | None = None


class Table(Form):
    """How the table is found."""

    by: Literal["markers", "mat", "corners"]
    size_mm: Annotated[list[Mm], Field(min_length=2, max_length=2)] | None = None
    corners_px: Annotated[list[Spot], Field(min_length=4, max_length=4)] | None = None


class Seats(Form):
    """For whom the table is laid."""

    game: Annotated[Word, Field(max_length=40)]
    players: Annotated[int, Field(ge=1, le=12)]
    layout: Literal["sides", "round"] = "sides"


class Anew(Form):
    """Whether the next draft begins with nothing instead of with the file."""

    fresh: bool = False


def routes(house: House, doors: Doors) -> APIRouter:
    """Everything under /api/calibration; the wizard is the host's."""
    router = APIRouter(prefix="/api/calibration", tags=["calibration"])
    wizard, host = Wizard(house), [Depends(doors.host)]

    @router.get("/cameras", responses=refused(*READING))
    def all_cameras() -> dict[str, Any]:
        """Cameras that can be chosen."""
        return {"cameras": cameras(house.own)}

    @router.get("/seating", responses=refused(*READING))
    def seating(
        game: Annotated[str, Query(max_length=40)],
        players: Annotated[int, Query(ge=1, le=12)],
        camera: Annotated[str, Query(max_length=200)] = "",
    ) -> dict[str, Any]:
        """Where everybody sits: as the rig knows it, or as a table that is just large enough would be laid."""
        if game not in games():
            raise Refusal(422, "no such game", game, list(games()))
        with refusing():
            rules = load_rules(game)
            opened(rules, Opening(game, tuple(f"P{number + 1}" for number in range(players))))
            guests = rules.guests(players)
            chairs = players + len(guests)
            rig = None if camera.startswith("sim:") else _known_rig(house.own.rig)
            measured = rig is not None and rig.table is not None and len(rig.seats) == chairs
            if rig is not None and rig.table is not None and measured:
                laid = _seating_json(rig.table.size_mm, rig.seats, rig.zones)
            else:
                plan = seat_players(plan_of(game), chairs)
                laid = _seating_json(plan.table_mm, plan.seats, plan.zones)
        return {**laid, "guests": list(guests), "measured": measured}

    @router.get("", dependencies=host, responses=refused(*SHOWN))
    def show() -> dict[str, Any]:
        """Everything that the wizard knows; asking keeps its camera open."""
        return wizard.as_json()

    @router.post("/camera", dependencies=host, responses=refused(*ACTING))
    def camera(wanted: Camera) -> dict[str, Any]:
        """Look through a camera, or give it back."""
        wizard.watch(None if wanted.camera is None else checked_camera(wanted.camera, house.own))
        return wizard.as_json()

    @router.post("/film", dependencies=host, responses=refused(400, 507, *ACTING))
    async def film(request: Request) -> dict[str, Any]:
        """Upload a film or a picture instead of a camera; it is thrown away with the next one."""
        suffix = FILMS.get(request.headers.get("content-type", "").partition(";")[0].strip().lower())
        if suffix is None:
            found = request.headers.get("content-type", "")
            raise Refusal(415, "that kind of file is not taken here", found, " or ".join(FILMS))
        async with uploaded(request, house.own.data, f"film{suffix}") as path:
            await run_in_threadpool(_look_at, wizard, path, house.own.data / FOLDER / f"film{suffix}")
        return await run_in_threadpool(wizard.as_json)

    @router.get("/picture.jpg", dependencies=host, response_class=Response, responses=_JPEG | refused(404, *SHOWN))
    def picture(width: Annotated[int, Query(ge=64, le=1920)] = 960) -> Response:
        """What is seen now."""
        return Response(jpeg(wizard.picture(), width), media_type="image/jpeg")

    @router.get("/straight.jpg", dependencies=host, response_class=Response, responses=_JPEG | refused(404, *SHOWN))
    def straight(width: Annotated[int, Query(ge=64, le=1920)] = 960) -> Response:
        """The table straight from above, as the draft knows it."""
        return Response(jpeg(wizard.straight(), width), media_type="image/jpeg")

    _add_steps(router, wizard, doors)
    return router


def _add_steps(router: APIRouter, wizard: Wizard, doors: Doors) -> None:
    """The steps of the wizard, from the lens to the file."""
    host = [Depends(doors.host)]

    @router.post("/lens", dependencies=host, status_code=202, responses=refused(*ACTING))
    def wave(wanted: Board) -> dict[str, Any]:
        """Begin to look for the waved board."""
        with refusing():
            geometry = None if wanted.board is None else read_geometry(wanted.board)
        wizard.wave(geometry)
        return wizard.as_json()

    @router.post("/lens/finish", dependencies=host, status_code=202, responses=refused(*ACTING))
    def finish() -> dict[str, Any]:
        """Enough was seen of it: solve."""
        wizard.finish_waving()
        return wizard.as_json()

    @router.post("/lens/cancel", dependencies=host, responses=refused(*ACTING))
    def cancel() -> dict[str, Any]:
        """Forget what was seen of it."""
        wizard.stop_waving()
        return wizard.as_json()

    @router.post("/table", dependencies=host, responses=refused(*ACTING))
    def table(wanted: Table) -> dict[str, Any]:
        """Find the table in what is seen now."""
        if wanted.by == "corners" and wanted.corners_px is None:
            raise Refusal(422, "no corners", None, "four corners in pixels, clockwise from the upper left")
        corners = None if wanted.by != "corners" or not wanted.corners_px else [(x, y) for x, y in wanted.corners_px]
        size_mm = None if wanted.size_mm is None else (wanted.size_mm[0], wanted.size_mm[1])
        wizard.find_table(size_mm, wanted.by == "mat", corners)
        return wizard.as_json()

    @router.post("/colour", dependencies=host, responses=refused(*ACTING))
    def colour() -> dict[str, Any]:
        """Learn the colour of the light from the strip that is seen now."""
        wizard.find_colour()
        return wizard.as_json()

    @router.post("/seats", dependencies=host, responses=refused(*ACTING))
    def seats(wanted: Seats) -> dict[str, Any]:
        """Lay the table for a game."""
        wizard.lay_seats(wanted.game, wanted.players, wanted.layout)
        return wizard.as_json()

    @router.post("/save", dependencies=host, responses=refused(*ACTING))
    def save() -> dict[str, Any]:
        """Write the rig file; the old one is kept beside it."""
        wizard.save()
        return wizard.as_json()

    @router.post("/discard", dependencies=host, responses=refused(*ACTING))
    def discard(wanted: Anew) -> dict[str, Any]:
        """Forget the draft."""
        wizard.discard(wanted.fresh)
        return wizard.as_json()


def _look_at(wizard: Wizard, path: Path, kept: Path) -> None:
    """An uploaded film under a name that stays; the wizard lets go of the one before."""
    wizard.watch(None)
    for old in kept.parent.glob("film.*"):
        old.unlink(missing_ok=True)
    shutil.move(path, kept)
    wizard.watch(None, kept)


def _known_rig(path: Path) -> Rig | None:
    """The rig, if there is one that can be read; what is wrong with it the wizard and the doctor tell the host."""
    try:
        return load_rig(path) if path.exists() else None
    except CalibrationError:
        return None


def _seating_json(size_mm: Point, seats: Sequence[Seat], zones: Sequence[Zone]) -> dict[str, Any]:
    sat = [
        {
            "seat": seat.index,
            "at_mm": [seat.frame.x_mm, seat.frame.y_mm],
            "turn_deg": seat.frame.turn_deg,
            "polygon_mm": [list(point) for point in seat.zone.polygon_mm],
        }
        for seat in seats
    ]
    others = [{"name": z.name, "polygon_mm": [list(point) for point in z.polygon_mm]} for z in zones[len(seats) :]]
    return {"size_mm": list(size_mm), "seats": sat, "zones": others}
