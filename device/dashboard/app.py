"""The dashboard as one ASGI application: routes, pages, request limits, and a pulse while it runs."""

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
from device.dashboard.events import MachineMeasured
from device.dashboard.pages import pages
from device.dashboard.refusals import Refusal
from device.dashboard.request_limits import RequestLimits, UploadLimit
from device.dashboard.routers import (
    calibration,
    faces,
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
from device.dashboard.services.app_state import AppState
from device.dashboard.services.pairing import Pairing
from device.heat import read_heat
from device.teaching.folder import MOST_ZIP_BYTES

PULSE_S = 5.0
"""How often the machine is measured and clients get a tick, in seconds."""
BEATS = 5
UPLOADS = (
    UploadLimit(re.compile(r"/api/recordings/import"), ("application/octet-stream",), 4_000_000_000),
    UploadLimit(re.compile(r"/api/calibration/film"), tuple(calibration.FILMS), calibration.MOST_FILM),
    UploadLimit(re.compile(r"/api/teaching/decks/[^/]+/picture"), tuple(teaching.PICTURES), teaching.MOST_PICTURE),
    UploadLimit(re.compile(r"/api/teaching/import"), (teaching.PACKED,), MOST_ZIP_BYTES),
)
"""Requests that may be larger than a little JSON."""
ROUTES: tuple[Callable[[AppState, Pairing], APIRouter], ...] = (
    live.routes,
    game.routes,
    faces.routes,
    picture.routes,
    pairing.routes,
    recordings.routes,
    history.routes,
    settings.routes,
    health.routes,
    calibration.routes,
    teaching.routes,
)


def build(
    app_state: AppState, pairing: Pairing, join: str = "http://localhost", hosts: Collection[str] = ()
) -> ASGIApp:
    """Build the application; `join` is its address for people, `hosts` are further names of this machine."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        app_state.hub.attach(asyncio.get_running_loop())
        pulse = asyncio.create_task(_pulse(app_state))
        try:
            yield
        finally:
            pulse.cancel()
            app_state.hub.attach(None)

    app = FastAPI(
        title="Krupier",
        summary="A referee for card games played with real cards on a real table.",
        version=app_state.hub.state["version"],
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        responses={422: {"description": "What was sent cannot be used"}},
    )
    app.state.join = join
    for routes in ROUTES:
        app.include_router(routes(app_state, pairing))
    app.include_router(docs())
    app.include_router(pages(Path(__file__).parent / "web"))
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _failed)
    return RequestLimits(app, {*own_names(), *hosts}, UPLOADS)


def own_names() -> set[str]:
    """The names of this machine."""
    name = socket.gethostname().lower()
    short = name.split(".", maxsplit=1)[0]
    return {name, short, f"{short}.local"} if short else set()


async def _pulse(app_state: AppState) -> None:
    """Measure the machine and send ticks; without a game, also report to the watchdog."""
    while True:
        heat = await asyncio.to_thread(read_heat)
        app_state.hub.post(MachineMeasured(heat, free_gb(app_state.settings.data), app_state.hub.clients))
        app_state.hub.tick(app_state.now_s)
        for _ in range(BEATS):
            # A running game reports to the watchdog itself, so that a hanging one is noticed.
            if not app_state.playing():
                app_state.watchdog.alive()
            await asyncio.sleep(PULSE_S / BEATS)


def free_gb(folder: Path) -> float | None:
    """Free space in GB where a folder is or would be."""
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
