"""Live: the state, once or as it changes."""

import asyncio
import json
from contextlib import suppress
from typing import Any

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from fastapi.responses import Response

from device.dashboard.forms import READING, refused
from device.dashboard.hub import Client
from device.dashboard.services.app_state import House
from device.dashboard.services.pairing import Doors

MOST_CLIENTS = 500
FULL = 1013
"""Try again later, as WebSockets say it."""
MOST_NUMBER = 2**53


def routes(house: House, doors: Doors) -> APIRouter:
    """The routes."""
    router = APIRouter(tags=["live"])

    @router.get("/api/state", responses={200: {"model": dict[str, Any]}, **refused(*READING)})
    async def state() -> Response:
        """Everything that is shown, in both languages."""
        house.hub.fold()
        return Response(json.dumps(house.hub.state, ensure_ascii=False), media_type="application/json")

    @router.websocket("/api/live")
    async def live(socket: WebSocket) -> None:
        """The whole state, then every change; a client that slept names the server and the last number it has."""
        await socket.accept()
        if house.hub.clients >= MOST_CLIENTS:
            await socket.close(FULL)
            return
        client = house.hub.join(socket.query_params.get("server", ""), _number(socket.query_params.get("since", "")))
        hearing = asyncio.create_task(_hear(socket))
        telling = asyncio.create_task(_tell(house, client, socket))
        try:
            _, waiting = await asyncio.wait((hearing, telling), return_when=asyncio.FIRST_COMPLETED)
            for task in waiting:
                task.cancel()
            await asyncio.gather(hearing, telling, return_exceptions=True)
        finally:
            hearing.cancel()
            telling.cancel()
            house.hub.leave(client)

    return router


async def _tell(house: House, client: Client, socket: WebSocket) -> None:
    """Send what there is to send; who goes away is not told."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.send_text(await client.next() or house.hub.whole())


async def _hear(socket: WebSocket) -> None:
    """Clients have nothing to say; it is only heard when they go."""
    with suppress(RuntimeError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            continue


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 16 else -1
