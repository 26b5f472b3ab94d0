"""Pictures of the camera, and the evidence of rulings."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response, StreamingResponse

from device.dashboard.bodies import READ_ERRORS, error_responses
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import AppState
from device.dashboard.services.pairing import Pairing

MOST_FPS = 5.0
MOST_VIEWERS = 8
BOUNDARY = "frame"
Width = Annotated[int, Query(ge=64, le=4096)]
_JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}


class _Viewers:
    """The number of viewers of the stream."""

    def __init__(self) -> None:
        self.count = 0


def routes(app_state: AppState, pairing: Pairing) -> APIRouter:
    """The routes of pictures."""
    router = APIRouter(tags=["pictures"])
    viewers = _Viewers()

    @router.get("/api/picture.jpg", response_class=Response, responses=_JPEG | error_responses(404, *READ_ERRORS))
    def picture(width: Width = 1280, straight: Annotated[int, Query(ge=0, le=1)] = 0) -> Response:
        """The newest picture of the camera, or the rectified table."""
        return Response(_newest(app_state, width, bool(straight)), media_type="image/jpeg")

    @router.get(
        "/api/picture.mjpeg",
        response_class=StreamingResponse,
        responses={200: {"content": {"multipart/x-mixed-replace": {}}}, **error_responses(404, 429, *READ_ERRORS)},
    )
    async def moving(width: Width = 640) -> StreamingResponse:
        """The camera as a stream, up to five pictures per second."""
        if viewers.count >= MOST_VIEWERS:
            raise Refusal(429, "too many watch the picture", viewers.count, f"at most {MOST_VIEWERS}")
        await asyncio.to_thread(_newest, app_state, width)
        parts = _parts(app_state, width, viewers)
        return StreamingResponse(parts, media_type=f"multipart/x-mixed-replace; boundary={BOUNDARY}")

    @router.get(
        "/api/evidence/{line}/{when}.jpg", response_class=Response, responses=_JPEG | error_responses(404, *READ_ERRORS)
    )
    def evidence(
        line: Annotated[int, Path(ge=1, le=99999)],
        when: Literal["before", "after"],
        whole: Annotated[int, Query(ge=0, le=1)] = 0,
    ) -> Response:
        """The table before or after a ruling, cropped to the change or whole."""
        runner = app_state.runner
        data = None if runner is None else runner.feed.evidence.picture(line, when == "after", bool(whole))
        if data is None:
            raise Refusal(404, "there is no picture of that", line, "a ruling with evidence")
        return Response(data, media_type="image/jpeg", headers={"Cache-Control": "private, max-age=60"})

    return router


def _newest(app_state: AppState, width: int, straight: bool = False) -> bytes:
    runner = app_state.runner
    if runner is None:
        raise Refusal(404, "there is no picture", None, "a game with a camera")
    if straight and runner.rig is None:
        raise Refusal(404, "where the table lies is not known", None, "a game with a rig")
    return runner.feed.pictures.jpeg(width, runner.rig if straight else None)


async def _parts(app_state: AppState, width: int, viewers: _Viewers) -> AsyncIterator[bytes]:
    """Each new frame once, until the game ends."""
    viewers.count += 1
    last: object = None
    try:
        while not app_state.closing:
            frame = app_state.newest_frame()
            if frame is None:
                return
            if frame is not last:
                last = frame
                data = await asyncio.to_thread(_newest, app_state, width)
                head = f"--{BOUNDARY}\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                yield head.encode() + data + b"\r\n"
            await asyncio.sleep(1 / MOST_FPS)
    except Refusal:
        # The game has ended meanwhile.
        return
    finally:
        viewers.count -= 1
