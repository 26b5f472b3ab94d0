"""Pairing: the caller's role, and how to get one."""

from io import BytesIO
from typing import Annotated, Any, Literal

import segno
from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, Field

from device.dashboard.bodies import READ_ERRORS, RequestBody, Word, error_responses
from device.dashboard.services.app_state import AppState
from device.dashboard.services.pairing import COOKIE, DAYS, Caller, Pairing, Role


class PairBody(RequestBody):
    """A code, and the caller's name."""

    code: Annotated[str, Field(min_length=1, max_length=20)]
    name: Annotated[Word, Field(max_length=40)] = ""


class CallerBody(BaseModel):
    """The caller."""

    role: Literal["spectator", "player", "host"]
    name: str
    join: str
    """The address for others."""
    code: str | None = None
    """The players' code, for the host only."""


def routes(app_state: AppState, pairing: Pairing) -> APIRouter:
    """The routes of pairing."""
    router = APIRouter(tags=["pairing"])
    anybody = Annotated[Caller, Depends(pairing.anybody)]

    @router.get("/api/me", responses=error_responses(*READ_ERRORS))
    def me(caller: anybody, request: Request) -> CallerBody:
        """Who the caller is."""
        return _me(caller, request)

    @router.post("/api/pair", responses={200: {"model": CallerBody}, **error_responses(403, 413, 415, 421, 422, 429)})
    def pair(body: PairBody, request: Request) -> Any:
        """Pair with the code that is shown at the rig; the answer sets a cookie."""
        address = request.client.host if request.client is not None else ""
        caller, cookie = pairing.pair(body.code, body.name, address)
        answer = JSONResponse(_me(caller, request).model_dump())
        answer.set_cookie(COOKIE, cookie, DAYS * 86400, httponly=True, samesite="strict", path="/")
        return answer

    @router.post("/api/unpair", responses={200: {"model": CallerBody}, **error_responses(403, 413, 415, 421, 422)})
    def unpair(request: Request) -> Any:
        """Become a spectator again."""
        answer = JSONResponse(_me(Caller(Role.SPECTATOR, ""), request).model_dump())
        answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
        return answer

    @router.get(
        "/api/qr.svg",
        response_class=Response,
        responses={200: {"content": {"image/svg+xml": {}}}, **error_responses(*READ_ERRORS)},
    )
    def code(caller: anybody, request: Request) -> Response:
        """The address for others as a QR code; for the host with the players' code in it."""
        return Response(_drawn(_address(caller, request)), media_type="image/svg+xml", headers={"Vary": "Cookie"})

    def _me(caller: Caller, request: Request) -> CallerBody:
        return CallerBody(role=caller.role.value, name=caller.name, join=request.app.state.join, code=_code(caller))

    def _code(caller: Caller) -> str | None:
        return pairing.codes.player if caller.role is Role.HOST else None

    def _address(caller: Caller, request: Request) -> str:
        code = _code(caller)
        return join_address(request.app.state.join, code) if code else str(request.app.state.join)

    return router


def join_address(join: str, code: str) -> str:
    """An address that pairs without typing; the part after # never leaves the browser."""
    return f"{join}/#code={code}"


def _drawn(address: str) -> bytes:
    """The QR code, always black on white: cameras need that."""
    code = segno.make(address, error="m", micro=False)
    drawn = BytesIO()
    code.save(drawn, kind="svg", scale=8, border=3, dark="#000", light="#fff", xmldecl=False, nl=False)
    return drawn.getvalue()
