"""The dashboard as one application: routes, pages, guards, and what runs while it is up."""

import asyncio
import re
import shutil
import socket
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from device.dashboard.docs import docs
from device.dashboard.events import Machine
from device.dashboard.pages import pages
from device.dashboard.refusals import Refusal
from device.dashboard.request_limits import Guards, Upload
from device.dashboard.routers import (
    calibration,
    game,
    health,
    history,
    live,
    pairing,
    picture,
    recordings,
    settings,
    teaching,
)
from device.dashboard.services.app_state import House
from device.dashboard.services.pairing import Doors
from device.heat import read_heat
from device.teaching.folder import MOST_ZIP_BYTES

PULSE_S = 5.0
"""How often the machine is asked how it is, and everybody is told the time."""
BEATS = 5
UPLOADS = (
    Upload(re.compile(r"/api/recordings/import"), ("application/octet-stream",), 4_000_000_000),
    Upload(re.compile(r"/api/calibration/film"), tuple(calibration.FILMS), calibration.MOST_FILM),
    Upload(re.compile(r"/api/teaching/decks/[^/]+/picture"), tuple(teaching.PICTURES), teaching.MOST_PICTURE),
    Upload(re.compile(r"/api/teaching/import"), (teaching.PACKED,), MOST_ZIP_BYTES),
)
"""What may be sent that is more than a little JSON."""
ROUTES: tuple[Callable[[House, Doors], APIRouter], ...] = (
    live.routes,
    game.routes,
    picture.routes,
    pairing.routes,
    recordings.routes,
    history.routes,
    settings.routes,
    health.routes,
    calibration.routes,
    teaching.routes,
)


def build(house: House, doors: Doors, join: str = "http://localhost", hosts: Collection[str] = ()) -> ASGIApp:
    """The application; `join` is the address that people are told, `hosts` more names of this machine."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        house.hub.attach(asyncio.get_running_loop())
        pulse = asyncio.create_task(_pulse(house))
        try:
            yield
        finally:
            pulse.cancel()
            house.hub.attach(None)

    app = FastAPI(
        title="Krupier",
        summary="A referee for card games played with real cards on a real table.",
        version=house.hub.state["version"],
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        responses={422: {"description": "What was sent cannot be used"}},
    )
    app.state.join = join
    for routes in ROUTES:
        app.include_router(routes(house, doors))
    app.include_router(docs())
    app.include_router(pages(Path(__file__).parent / "web"))
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _failed)
    return Guards(app, {*own_names(), *hosts}, UPLOADS)


def own_names() -> set[str]:
    """What this machine is called."""
    name = socket.gethostname().lower()
    short = name.split(".", maxsplit=1)[0]
    return {name, short, f"{short}.local"} if short else set()


async def _pulse(house: House) -> None:
    """Tell what time it is and how the machine is; while no game is on, say that the server is alive."""
    while True:
        heat = await asyncio.to_thread(read_heat)
        house.hub.post(Machine(heat, free_gb(house.own.data), house.hub.clients))
        house.hub.tick(house.now_s)
        for _ in range(BEATS):
            # A game gives its own signs of life: one that hangs must be noticed.
            if not house.playing():
                house.watchdog.alive()
            await asyncio.sleep(PULSE_S / BEATS)


def free_gb(folder: Path) -> float | None:
    """What is free where a folder is, or would be."""
    there = next((path for path in (folder, *folder.parents) if path.exists()), None)
    try:
        return None if there is None else round(shutil.disk_usage(there).free / 1e9, 2)
    except OSError:
        return None


async def _refused(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refusal), "registered for refusals"
    return JSONResponse(error.body, error.status, error.headers)


async def _invalid(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError), "registered for requests that are not valid"
    first: dict[str, Any] = dict(error.errors()[0]) if error.errors() else {}
    where = ".".join(str(part) for part in first.get("loc", ()))
    refusal = Refusal(422, f"{where}: {first.get('msg', 'not valid')}", repr(first.get("input"))[:100], where)
    return JSONResponse(refusal.body, refusal.status)


async def _failed(_request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException), "registered for what the framework refuses"
    return JSONResponse(Refusal(error.status_code, str(error.detail)).body, error.status_code, error.headers)
