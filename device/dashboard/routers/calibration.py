"""Calibration: one route per step of the wizard, the cameras, and the seating."""

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
from device.dashboard.bodies import ACTION_ERRORS, READ_ERRORS, CameraBody, RequestBody, Word, error_responses
from device.dashboard.refusals import Refusal, refusing
from device.dashboard.services.app_state import AppState
from device.dashboard.services.calibration import CalibrationWizard
from device.dashboard.services.cameras import cameras, checked_camera
from device.dashboard.services.pairing import Pairing
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
"""Content types that may be uploaded, with their file suffixes."""
MOST_FILM = 800_000_000
HOST_READ_ERRORS = (401, 403, 409, 503, *READ_ERRORS)
_JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}
Mm = Annotated[float, Field(ge=100, le=10_000)]
Px = Annotated[float, Field(ge=-100, le=20_000)]
PixelPoint = Annotated[list[Px], Field(min_length=2, max_length=2)]


class BoardBody(RequestBody):
    """The calibration board; null to recognise it."""

    board: Annotated[Word, Field(max_length=80)] | None = None


class TableBody(RequestBody):
    """The way to find the table."""

    by: Literal["markers", "mat", "corners"]
    size_mm: Annotated[list[Mm], Field(min_length=2, max_length=2)] | None = None
    corners_px: Annotated[list[PixelPoint], Field(min_length=4, max_length=4)] | None = None


class SeatsBody(RequestBody):
    """The game and the number of players to lay out seats for."""

    game: Annotated[Word, Field(max_length=40)]
    players: Annotated[int, Field(ge=1, le=12)]
    layout: Literal["sides", "round"] = "sides"


class DiscardBody(RequestBody):
    """Whether the next draft starts empty instead of from the file."""

    fresh: bool = False


def routes(app_state: AppState, pairing: Pairing) -> APIRouter:
    """Everything under /api/calibration; the wizard is for the host only."""
    router = APIRouter(prefix="/api/calibration", tags=["calibration"])
    wizard, host = CalibrationWizard(app_state), [Depends(pairing.host)]

    @router.get("/cameras", responses=error_responses(*READ_ERRORS))
    def all_cameras() -> dict[str, Any]:
        """Cameras that can be chosen."""
        return {"cameras": cameras(app_state.settings)}

    @router.get("/seating", responses=error_responses(*READ_ERRORS))
    def seating(
        game: Annotated[str, Query(max_length=40)],
        players: Annotated[int, Query(ge=1, le=12)],
        camera: Annotated[str, Query(max_length=200)] = "",
    ) -> dict[str, Any]:
        """The seating: that of the rig, or a plan for a table that is just large enough."""
        if game not in games():
            raise Refusal(422, "no such game", game, list(games()))
        with refusing():
            rules = load_rules(game)
            opened(rules, Opening(game, tuple(f"P{number + 1}" for number in range(players))))
            guests = rules.guests(players)
            chairs = players + len(guests)
            rig = None if camera.startswith("sim:") else _known_rig(app_state.settings.rig)
            measured = rig is not None and rig.table is not None and len(rig.seats) == chairs
            if rig is not None and rig.table is not None and measured:
                laid = _seating_json(rig.table.size_mm, rig.seats, rig.zones)
            else:
                plan = seat_players(plan_of(game), chairs)
                laid = _seating_json(plan.table_mm, plan.seats, plan.zones)
        return {**laid, "guests": list(guests), "measured": measured}

    @router.get("", dependencies=host, responses=error_responses(*HOST_READ_ERRORS))
    def show() -> dict[str, Any]:
        """The state of the wizard; asking keeps its camera open."""
        return wizard.as_json()

    @router.post("/camera", dependencies=host, responses=error_responses(*ACTION_ERRORS))
    def camera(wanted: CameraBody) -> dict[str, Any]:
        """Open a camera, or close the open one."""
        wizard.watch(None if wanted.camera is None else checked_camera(wanted.camera, app_state.settings))
        return wizard.as_json()

    @router.post("/film", dependencies=host, responses=error_responses(400, 507, *ACTION_ERRORS))
    async def film(request: Request) -> dict[str, Any]:
        """Upload a film or a picture instead of using a camera; the next upload replaces it."""
        suffix = FILMS.get(request.headers.get("content-type", "").partition(";")[0].strip().lower())
        if suffix is None:
            found = request.headers.get("content-type", "")
            raise Refusal(415, "that kind of file is not taken here", found, " or ".join(FILMS))
        async with uploaded(request, app_state.settings.data, f"film{suffix}") as path:
            await run_in_threadpool(_look_at, wizard, path, app_state.settings.data / FOLDER / f"film{suffix}")
        return await run_in_threadpool(wizard.as_json)

    @router.get(
        "/picture.jpg",
        dependencies=host,
        response_class=Response,
        responses=_JPEG | error_responses(404, *HOST_READ_ERRORS),
    )
    def picture(width: Annotated[int, Query(ge=64, le=1920)] = 960) -> Response:
        """The newest picture."""
        return Response(jpeg(wizard.picture(), width), media_type="image/jpeg")

    @router.get(
        "/straight.jpg",
        dependencies=host,
        response_class=Response,
        responses=_JPEG | error_responses(404, *HOST_READ_ERRORS),
    )
    def straight(width: Annotated[int, Query(ge=64, le=1920)] = 960) -> Response:
        """The rectified table, as the draft knows it."""
        return Response(jpeg(wizard.straight(), width), media_type="image/jpeg")

    _add_steps(router, wizard, pairing)
    return router


def _add_steps(router: APIRouter, wizard: CalibrationWizard, pairing: Pairing) -> None:
    """The steps of the wizard, from the lens to the file."""
    host = [Depends(pairing.host)]

    @router.post("/lens", dependencies=host, status_code=202, responses=error_responses(*ACTION_ERRORS))
    def wave(wanted: BoardBody) -> dict[str, Any]:
        """Start the search for the calibration board."""
        with refusing():
            geometry = None if wanted.board is None else read_geometry(wanted.board)
        wizard.wave(geometry)
        return wizard.as_json()

    @router.post("/lens/finish", dependencies=host, status_code=202, responses=error_responses(*ACTION_ERRORS))
    def finish() -> dict[str, Any]:
        """End the search and solve for the lens."""
        wizard.finish_waving()
        return wizard.as_json()

    @router.post("/lens/cancel", dependencies=host, responses=error_responses(*ACTION_ERRORS))
    def cancel() -> dict[str, Any]:
        """Cancel the search."""
        wizard.stop_waving()
        return wizard.as_json()

    @router.post("/table", dependencies=host, responses=error_responses(*ACTION_ERRORS))
    def table(wanted: TableBody) -> dict[str, Any]:
        """Find the table in the newest picture."""
        if wanted.by == "corners" and wanted.corners_px is None:
            raise Refusal(422, "no corners", None, "four corners in pixels, clockwise from the upper left")
        corners = None if wanted.by != "corners" or not wanted.corners_px else [(x, y) for x, y in wanted.corners_px]
        size_mm = None if wanted.size_mm is None else (wanted.size_mm[0], wanted.size_mm[1])
        wizard.find_table(size_mm, wanted.by == "mat", corners)
        return wizard.as_json()

    @router.post("/colour", dependencies=host, responses=error_responses(*ACTION_ERRORS))
    def colour() -> dict[str, Any]:
        """Measure the colour of the light with the strip in the newest picture."""
        wizard.find_colour()
        return wizard.as_json()

    @router.post("/seats", dependencies=host, responses=error_responses(*ACTION_ERRORS))
    def seats(wanted: SeatsBody) -> dict[str, Any]:
        """Lay out the seats for a game."""
        wizard.lay_seats(wanted.game, wanted.players, wanted.layout)
        return wizard.as_json()

    @router.post("/save", dependencies=host, responses=error_responses(*ACTION_ERRORS))
    def save() -> dict[str, Any]:
        """Write the rig file; the old one is kept beside it."""
        wizard.save()
        return wizard.as_json()

    @router.post("/discard", dependencies=host, responses=error_responses(*ACTION_ERRORS))
    def discard(wanted: DiscardBody) -> dict[str, Any]:
        """Drop the draft."""
        wizard.discard(wanted.fresh)
        return wizard.as_json()


def _look_at(wizard: CalibrationWizard, path: Path, kept: Path) -> None:
    """Move an uploaded film to its place and open it; the film before it is deleted."""
    wizard.watch(None)
    for old in kept.parent.glob("film.*"):
        old.unlink(missing_ok=True)
    shutil.move(path, kept)
    wizard.watch(None, kept)


def _known_rig(path: Path) -> Rig | None:
    """The rig, if its file can be read; the wizard and the doctor show the host what is wrong with it."""
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
