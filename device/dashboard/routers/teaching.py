"""Teaching: teach one's own decks from a camera or pictures, edit, export and import them; for the host only."""

import shutil
import tempfile
import time
from pathlib import Path as Folder
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from device.dashboard.bodies import (
    ACTION_ERRORS,
    READ_ERRORS,
    CameraBody,
    EmptyBody,
    RequestBody,
    Word,
    error_responses,
)
from device.dashboard.refusals import Refusal, refusing
from device.dashboard.services.app_state import AppState
from device.dashboard.services.cameras import checked_camera
from device.dashboard.services.decks import entry_json
from device.dashboard.services.diffs import Fit, open_eye_factory
from device.dashboard.services.pairing import Pairing
from device.dashboard.services.pictures import jpeg
from device.dashboard.services.teaching import ShownPicture, TeachingService, found_deck
from device.dashboard.services.uploads import uploaded
from device.sources import SourceError, read_picture
from device.teaching.folder import DECKS, PAIRS, VIEWS, export_deck, import_deck, taught_decks
from models.cards import LEAST_MM, MOST_MM
from models.taught import MOST_COPIES

PICTURES = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp"}
"""Content types that may be sent, with their file suffixes."""
MOST_PICTURE = 80_000_000
PACKED = "application/zip"
EXPORTS = "exports"
STALE_S = 86_400.0
NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$"
VIEW = r"^[0-9]{4}$"
PAIR = r"^[0-9]{4}-[0-9]{4}$"
HOST_READ_ERRORS = (401, 403, 404, 409, 503, *READ_ERRORS)
_JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}
_PNG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/png": {}}}}
_ZIP: dict[int | str, dict[str, Any]] = {200: {"content": {PACKED: {}}}}
DeckName = Annotated[str, Path(pattern=NAME)]
CardCode = Annotated[Word, Field(min_length=1, max_length=40)]
ViewName = Annotated[str, Field(pattern=VIEW)]
SideMm = Annotated[float, Field(ge=LEAST_MM, le=MOST_MM)]


class NewDeckBody(RequestBody):
    """A new deck; its game is `free` if Krupier has no rules for it."""

    name: Annotated[str, Field(pattern=NAME)]
    game: Annotated[Word, Field(min_length=1, max_length=40)]


class LookBody(RequestBody):
    """Whether the cards lie face down."""

    back: bool = False


class LabelBody(RequestBody):
    """The card that some views show."""

    views: Annotated[list[ViewName], Field(min_length=1, max_length=200)]
    code: CardCode
    insist: bool = False
    """Whether the name is meant although the pictures suggest another one."""


class CountBody(RequestBody):
    """The number of copies of a card."""

    code: CardCode
    copies: Annotated[int, Field(ge=1, le=MOST_COPIES)]


class CardSizeBody(RequestBody):
    """The size of the cards."""

    card_mm: Annotated[list[SideMm], Field(min_length=2, max_length=2)]


class ViewBody(RequestBody):
    """A view."""

    view: ViewName


class ForgetBody(RequestBody):
    """A view, or a card with all its views."""

    word: CardCode


def routes(app_state: AppState, pairing: Pairing, fit: Fit = open_eye_factory) -> APIRouter:
    """Everything under /api/teaching."""
    router = APIRouter(prefix="/api/teaching", tags=["teaching"], dependencies=[Depends(pairing.host)])
    teaching = TeachingService(app_state, fit)

    @router.get("", responses=error_responses(*HOST_READ_ERRORS))
    def list_all() -> dict[str, Any]:
        """All taught decks, the preview and the running job."""
        data = app_state.settings.data
        with refusing():
            return {"decks": [entry_json(data, entry) for entry in taught_decks(data)], "now": teaching.now()}

    @router.get("/now", responses=error_responses(*HOST_READ_ERRORS))
    def now() -> dict[str, Any]:
        """The preview and the running job; asking keeps the camera open."""
        return teaching.now()

    @router.post("/camera", responses=error_responses(*ACTION_ERRORS))
    def camera(wanted: CameraBody) -> dict[str, Any]:
        """Open a camera, or close the open one."""
        teaching.watch(None if wanted.camera is None else checked_camera(wanted.camera, app_state.settings))
        return teaching.now()

    @router.get("/picture.jpg", response_class=Response, responses=_JPEG | error_responses(*HOST_READ_ERRORS))
    def picture(width: Annotated[int, Query(ge=64, le=1920)] = 960) -> Response:
        """The newest picture."""
        return Response(jpeg(teaching.picture(), width), media_type="image/jpeg")

    @router.post("/cancel", responses=error_responses(*ACTION_ERRORS))
    def cancel(wanted: EmptyBody) -> dict[str, Any]:
        """Cancel the running job; what was learnt stays."""
        teaching.cancel()
        return teaching.now()

    @router.post("/import", status_code=201, responses=error_responses(400, 507, *ACTION_ERRORS))
    async def bring(request: Request, name: Annotated[str | None, Query(pattern=NAME)] = None) -> dict[str, Any]:
        """Import an exported deck; its content is checked first."""
        async with uploaded(request, app_state.settings.data, "deck.zip") as path:
            return await run_in_threadpool(_imported, app_state.settings.data, path, name)

    _add_lesson_routes(router, app_state, teaching)
    _add_edit_routes(router, app_state, teaching)
    return router


def _add_lesson_routes(router: APIRouter, app_state: AppState, teaching: TeachingService) -> None:
    """Routes that create, show and teach a deck."""

    @router.post("/decks", status_code=201, responses=error_responses(*ACTION_ERRORS))
    def make(wanted: NewDeckBody) -> dict[str, Any]:
        """Create a deck."""
        teaching.make(wanted.name, wanted.game)
        return teaching.as_json(wanted.name)

    @router.get("/decks/{name}", responses=error_responses(*HOST_READ_ERRORS))
    def show(name: DeckName) -> dict[str, Any]:
        """A deck: cards, views, missing cards, open questions and the last lessons."""
        found_deck(app_state.settings.data, name)
        return teaching.as_json(name)

    @router.post("/decks/{name}/open", status_code=202, responses=error_responses(404, *ACTION_ERRORS))
    def open_deck(name: DeckName, wanted: EmptyBody) -> dict[str, Any]:
        """Load a deck, so that edits are quick."""
        found_deck(app_state.settings.data, name)
        teaching.open(name)
        return teaching.now()

    @router.post("/decks/{name}/look", status_code=202, responses=error_responses(404, *ACTION_ERRORS))
    def look(name: DeckName, wanted: LookBody) -> dict[str, Any]:
        """Learn from the camera as soon as the table lies still."""
        found_deck(app_state.settings.data, name)
        teaching.look(name, wanted.back)
        return teaching.now()

    @router.post("/decks/{name}/picture", status_code=202, responses=error_responses(400, 404, 507, *ACTION_ERRORS))
    async def send(
        request: Request,
        name: DeckName,
        file: Annotated[str, Query(min_length=1, max_length=200)] = "picture",
        back: bool = False,
        cropped: bool = False,
        more: bool = False,
    ) -> dict[str, Any]:
        """Learn from a picture; its name `file` may say its card, with `more` others follow."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in PICTURES:
            raise Refusal(415, "that kind of file is not taken here", kind, " or ".join(PICTURES))
        if not file.isprintable() or "/" in file or "\\" in file:
            raise Refusal(422, "that is no name of a file", file, "one without a path")
        await run_in_threadpool(found_deck, app_state.settings.data, name)
        async with uploaded(request, app_state.settings.data, f"picture{PICTURES[kind]}") as path:
            image = await run_in_threadpool(_read, path, file)
        await run_in_threadpool(teaching.show, name, ShownPicture(file, image, None, back, cropped), more)
        return await run_in_threadpool(teaching.now)

    @router.get(
        "/decks/{name}/shown.jpg", response_class=Response, responses=_JPEG | error_responses(*HOST_READ_ERRORS)
    )
    def shown(name: DeckName, width: Annotated[int, Query(ge=64, le=1920)] = 960) -> Response:
        """The last picture that the deck was taught with."""
        return Response(jpeg(teaching.shown(name), width), media_type="image/jpeg")

    @router.get(
        "/decks/{name}/views/{view}.png", response_class=Response, responses=_PNG | error_responses(*HOST_READ_ERRORS)
    )
    def view_picture(name: DeckName, view: Annotated[str, Path(pattern=VIEW)]) -> Response:
        """A view of a card."""
        try:
            data = (found_deck(app_state.settings.data, name) / VIEWS / f"{view}.png").read_bytes()
        except OSError as error:
            raise Refusal(404, "no such view", view, "the number of a view of that deck") from error
        return Response(data, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})

    @router.get(
        "/decks/{name}/pairs/{pair}.png", response_class=Response, responses=_PNG | error_responses(*HOST_READ_ERRORS)
    )
    def pair_picture(name: DeckName, pair: Annotated[str, Path(pattern=PAIR)]) -> Response:
        """Two views that look alike, side by side."""
        try:
            data = (found_deck(app_state.settings.data, name) / PAIRS / f"{pair}.png").read_bytes()
        except OSError as error:
            raise Refusal(404, "no such pair of views", pair, "a pair that was doubtful") from error
        return Response(data, media_type="image/png", headers={"Cache-Control": "no-store"})


def _add_edit_routes(router: APIRouter, app_state: AppState, teaching: TeachingService) -> None:
    """Routes that edit, finish, export and delete a deck."""

    @router.post("/decks/{name}/label", responses=error_responses(404, *ACTION_ERRORS))
    def label(name: DeckName, wanted: LabelBody) -> dict[str, Any]:
        """Name the card that views show; refused if the pictures contradict, unless the person insists."""
        found_deck(app_state.settings.data, name)
        teaching.label(name, tuple(dict.fromkeys(wanted.views)), wanted.code, wanted.insist)
        return teaching.as_json(name)

    @router.post("/decks/{name}/count", responses=error_responses(404, *ACTION_ERRORS))
    def count(name: DeckName, wanted: CountBody) -> dict[str, Any]:
        """Set the number of copies of a card."""
        found_deck(app_state.settings.data, name)
        teaching.count(name, wanted.code, wanted.copies)
        return teaching.as_json(name)

    @router.post("/decks/{name}/size", responses=error_responses(404, *ACTION_ERRORS))
    def measure(name: DeckName, wanted: CardSizeBody) -> dict[str, Any]:
        """Set the size of the cards."""
        found_deck(app_state.settings.data, name)
        teaching.measure(name, (wanted.card_mm[0], wanted.card_mm[1]))
        return teaching.as_json(name)

    @router.post("/decks/{name}/turn", responses=error_responses(404, *ACTION_ERRORS))
    def turn(name: DeckName, wanted: ViewBody) -> dict[str, Any]:
        """Turn a view upside down."""
        found_deck(app_state.settings.data, name)
        teaching.turn(name, wanted.view)
        return teaching.as_json(name)

    @router.post("/decks/{name}/forget", responses=error_responses(404, *ACTION_ERRORS))
    def forget(name: DeckName, wanted: ForgetBody) -> dict[str, Any]:
        """Delete a view, or a card with all its views."""
        found_deck(app_state.settings.data, name)
        teaching.forget(name, wanted.word)
        return teaching.as_json(name)

    @router.post("/decks/{name}/undo", status_code=202, responses=error_responses(404, *ACTION_ERRORS))
    def undo(name: DeckName, wanted: EmptyBody) -> dict[str, Any]:
        """Undo the last change."""
        found_deck(app_state.settings.data, name)
        teaching.undo(name)
        return teaching.now()

    @router.post("/decks/{name}/corrections", status_code=202, responses=error_responses(404, *ACTION_ERRORS))
    def corrections(name: DeckName, wanted: EmptyBody) -> dict[str, Any]:
        """Learn from the cards that were corrected during games."""
        found_deck(app_state.settings.data, name)
        teaching.correct(name)
        return teaching.now()

    @router.post("/decks/{name}/finish", status_code=202, responses=error_responses(404, *ACTION_ERRORS))
    def finish(name: DeckName, wanted: EmptyBody) -> dict[str, Any]:
        """Store the reader's features, so that games start at once."""
        found_deck(app_state.settings.data, name)
        teaching.finish(name)
        return teaching.now()

    @router.post("/decks/{name}/delete", status_code=204, responses=error_responses(404, *ACTION_ERRORS))
    def delete(name: DeckName, wanted: EmptyBody) -> None:
        """Delete a deck."""
        found_deck(app_state.settings.data, name)
        teaching.delete(name)

    @router.get(
        "/decks/{name}/export", response_class=FileResponse, responses=_ZIP | error_responses(*HOST_READ_ERRORS)
    )
    def export(name: DeckName) -> FileResponse:
        """The deck as one file."""
        found_deck(app_state.settings.data, name)
        path = _exported(app_state.settings.data, name)
        task = BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True)
        return FileResponse(path, 200, media_type=PACKED, filename=path.name, background=task)


def _read(path: Folder, file: str) -> Any:
    try:
        return read_picture(path).image
    except SourceError as error:
        # The temporary path stays private.
        raise Refusal(422, str(error).replace(str(path), file), file, "a picture that can be read") from error


def _imported(data: Folder, path: Folder, name: str | None) -> dict[str, Any]:
    if name is not None and (data / DECKS / name).exists():
        raise Refusal(409, "there is a deck of that name", name, "another name")
    try:
        with refusing():
            return entry_json(data, import_deck(data, path, name))
    except Refusal as refusal:
        # The temporary path stays private.
        raise Refusal(refusal.status, refusal.what.replace(str(path), "the file"), name) from refusal


def _exported(data: Folder, name: str) -> Folder:
    place = None
    try:
        (data / EXPORTS).mkdir(parents=True, exist_ok=True)
        for old in (data / EXPORTS).iterdir():
            # Left over from a server that was stopped while sending.
            if time.time() - old.stat().st_mtime > STALE_S:
                shutil.rmtree(old, ignore_errors=True)
        place = Folder(tempfile.mkdtemp(dir=data / EXPORTS))
        with refusing():
            export_deck(data, name, place / f"{name}.zip")
    except (Refusal, OSError) as error:
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)
        if isinstance(error, Refusal):
            raise
        raise Refusal(503, f"cannot be packed: {error.strerror}", name, "room on the disk") from error
    return place / f"{name}.zip"
