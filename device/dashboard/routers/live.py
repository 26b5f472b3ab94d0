"""Live: the state, once or as it changes."""

import asyncio
import json
from contextlib import suppress

from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from fastapi.responses import Response

from device.dashboard.bodies import READ_ERRORS, error_responses
from device.dashboard.hub import Client
from device.dashboard.page_state import PageState
from device.dashboard.services.app_state import AppState
from device.dashboard.services.pairing import Pairing

MOST_CLIENTS = 500
FULL = 1013
"""The WebSocket close code for "try again later"."""
MOST_NUMBER = 2**53


def routes(app_state: AppState, pairing: Pairing) -> APIRouter:
    """GET /api/state and the WebSocket /api/live."""
    router = APIRouter(tags=["live"])

    @router.get("/api/state", responses={200: {"model": PageState}, **error_responses(*READ_ERRORS)})
    async def state() -> Response:
        """The whole state that the pages show, in both languages."""
        app_state.hub.fold()
        return Response(json.dumps(app_state.hub.state, ensure_ascii=False), media_type="application/json")

    @router.websocket("/api/live")
    async def live(socket: WebSocket) -> None:
        """The whole state, then every change; a client that reconnects names the server and its last number."""
        await socket.accept()
        if app_state.hub.clients >= MOST_CLIENTS:
            await socket.close(FULL)
            return
        client = app_state.hub.join(
            socket.query_params.get("server", ""), _number(socket.query_params.get("since", ""))
        )
        receiving = asyncio.create_task(_receive(socket))
        sending = asyncio.create_task(_send(app_state, client, socket))
        try:
            _, waiting = await asyncio.wait((receiving, sending), return_when=asyncio.FIRST_COMPLETED)
            for task in waiting:
                task.cancel()
            await asyncio.gather(receiving, sending, return_exceptions=True)
        finally:
            receiving.cancel()
            sending.cancel()
            app_state.hub.leave(client)

    return router


async def _send(app_state: AppState, client: Client, socket: WebSocket) -> None:
    """Send messages until the client goes away."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.send_text(await client.next() or app_state.hub.state_message())


async def _receive(socket: WebSocket) -> None:
    """Wait until the client goes away: clients have nothing to say."""
    with suppress(RuntimeError):
        while (await socket.receive())["type"] != "websocket.disconnect":
            continue


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 16 else -1
