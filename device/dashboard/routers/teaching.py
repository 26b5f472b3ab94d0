"""Teaching: decks of one's own, shown or sent as pictures, named, counted, packed; all of it is the host's."""

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

from device.dashboard.forms import ACTING, READING, Form, Word, refused
from device.dashboard.refusals import Refusal, refusing
from device.dashboard.services.app_state import House
from device.dashboard.services.cameras import checked_camera
from device.dashboard.services.decks import entry_json
from device.dashboard.services.diffs import Fit, fit_optician
from device.dashboard.services.pairing import Doors
from device.dashboard.services.pictures import jpeg
from device.dashboard.services.teaching import Classroom, Shown, found_deck
from device.dashboard.services.uploads import uploaded
from device.sources import SourceError, read_picture
from device.teaching.folder import DECKS, VIEWS, export_deck, import_deck, taught_decks
from models.cards import LEAST_MM, MOST_MM
from models.taught import MOST_COPIES

PICTURES = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp"}
"""What may be sent, and how such files are called."""
MOST_PICTURE = 80_000_000
PACKED = "application/zip"
EXPORTS = "exports"
STALE_S = 86_400.0
NAME = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$"
VIEW = r"^[0-9]{4}$"
SHOWN = (401, 403, 404, 409, 503, *READING)
_JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}
_PNG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/png": {}}}}
_ZIP: dict[int | str, dict[str, Any]] = {200: {"content": {PACKED: {}}}}
Deck = Annotated[str, Path(pattern=NAME)]
Code = Annotated[Word, Field(min_length=1, max_length=40)]
View = Annotated[str, Field(pattern=VIEW)]
Side = Annotated[float, Field(ge=LEAST_MM, le=MOST_MM)]


class NewDeck(Form):
    """A deck to be taught; `free` where there are no rules."""

    name: Annotated[str, Field(pattern=NAME)]
    game: Annotated[Word, Field(min_length=1, max_length=40)]


class Camera(Form):
    """Which camera is looked through; null gives it back."""

    camera: Word | None


class Look(Form):
    """Whether the cards lie face down."""

    back: bool = False


class Label(Form):
    """What views show."""

    views: Annotated[list[View], Field(min_length=1, max_length=200)]
    code: Code


class Count(Form):
    """How many copies of a card there are."""

    code: Code
    copies: Annotated[int, Field(ge=1, le=MOST_COPIES)]


class Size(Form):
    """How large the cards are."""

    card_mm: Annotated[list[Side], Field(min_length=2, max_length=2)]


class OneView(Form):
    """Which view."""

    view: View


class Forgotten(Form):
    """Which view, or which card with all its views."""

    word: Code


class Nothing(Form):
    """Nothing to say."""


def routes(house: House, doors: Doors, fit: Fit = fit_optician) -> APIRouter:
    """Everything under /api/teaching."""
    router = APIRouter(prefix="/api/teaching", tags=["teaching"], dependencies=[Depends(doors.host)])
    room = Classroom(house, fit)

    @router.get("", responses=refused(*SHOWN))
    def list_all() -> dict[str, Any]:
        """All decks that were taught, and what is going on."""
        data = house.own.data
        with refusing():
            return {"decks": [entry_json(data, entry) for entry in taught_decks(data)], "now": room.now()}

    @router.get("/now", responses=refused(*SHOWN))
    def now() -> dict[str, Any]:
        """What is looked through and worked on; asking keeps the camera open."""
        return room.now()

    @router.post("/camera", responses=refused(*ACTING))
    def camera(wanted: Camera) -> dict[str, Any]:
        """Look through a camera, or give it back."""
        room.watch(None if wanted.camera is None else checked_camera(wanted.camera, house.own))
        return room.now()

    @router.get("/picture.jpg", response_class=Response, responses=_JPEG | refused(*SHOWN))
    def picture(width: Annotated[int, Query(ge=64, le=1920)] = 960) -> Response:
        """What is seen now."""
        return Response(jpeg(room.picture(), width), media_type="image/jpeg")

    @router.post("/cancel", responses=refused(*ACTING))
    def cancel(wanted: Nothing) -> dict[str, Any]:
        """Stop what is being done; what was learnt stays."""
        room.cancel()
        return room.now()

    @router.post("/import", status_code=201, responses=refused(400, 507, *ACTING))
    async def bring(request: Request, name: Annotated[str | None, Query(pattern=NAME)] = None) -> dict[str, Any]:
        """Unpack a deck that was exported; everything in it is checked first."""
        async with uploaded(request, house.own.data, "deck.zip") as path:
            return await run_in_threadpool(_imported, house.own.data, path, name)

    _add_showing(router, house, room)
    _add_changing(router, house, room)
    return router


def _add_showing(router: APIRouter, house: House, room: Classroom) -> None:
    """Begin a deck, see what it has, show it more."""

    @router.post("/decks", status_code=201, responses=refused(*ACTING))
    def make(wanted: NewDeck) -> dict[str, Any]:
        """Begin a deck."""
        room.make(wanted.name, wanted.game)
        return room.as_json(wanted.name)

    @router.get("/decks/{name}", responses=refused(*SHOWN))
    def show(name: Deck) -> dict[str, Any]:
        """A deck: its cards and views, what is missing, what has to be asked, what the last pictures taught."""
        found_deck(house.own.data, name)
        return room.as_json(name)

    @router.post("/decks/{name}/open", status_code=202, responses=refused(404, *ACTING))
    def open_deck(name: Deck, wanted: Nothing) -> dict[str, Any]:
        """Get to know a deck again, so that answers are quick."""
        found_deck(house.own.data, name)
        room.open(name)
        return room.now()

    @router.post("/decks/{name}/look", status_code=202, responses=refused(404, *ACTING))
    def look(name: Deck, wanted: Look) -> dict[str, Any]:
        """Learn from what the camera sees, as soon as nothing moves."""
        found_deck(house.own.data, name)
        room.look(name, wanted.back)
        return room.now()

    @router.post("/decks/{name}/picture", status_code=202, responses=refused(400, 404, 507, *ACTING))
    async def send(
        request: Request,
        name: Deck,
        file: Annotated[str, Query(min_length=1, max_length=200)] = "picture",
        back: bool = False,
        cropped: bool = False,
        more: bool = False,
    ) -> dict[str, Any]:
        """Learn from a picture; `file` is what it is called and may say its card, with `more` others follow."""
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind not in PICTURES:
            raise Refusal(415, "that kind of file is not taken here", kind, " or ".join(PICTURES))
        if not file.isprintable() or "/" in file or "\\" in file:
            raise Refusal(422, "that is no name of a file", file, "one without a path")
        await run_in_threadpool(found_deck, house.own.data, name)
        async with uploaded(request, house.own.data, f"picture{PICTURES[kind]}") as path:
            image = await run_in_threadpool(_read, path, file)
        await run_in_threadpool(room.show, name, Shown(file, image, None, back, cropped), more)
        return await run_in_threadpool(room.now)

    @router.get("/decks/{name}/shown.jpg", response_class=Response, responses=_JPEG | refused(*SHOWN))
    def shown(name: Deck, width: Annotated[int, Query(ge=64, le=1920)] = 960) -> Response:
        """The picture that was shown last."""
        return Response(jpeg(room.shown(name), width), media_type="image/jpeg")

    @router.get("/decks/{name}/views/{view}.png", response_class=Response, responses=_PNG | refused(*SHOWN))
    def view_picture(name: Deck, view: Annotated[str, Path(pattern=VIEW)]) -> Response:
        """A view of a card."""
        try:
            data = (found_deck(house.own.data, name) / VIEWS / f"{view}.png").read_bytes()
        except OSError as error:
            raise Refusal(404, "no such view", view, "the number of a view of that deck") from error
        return Response(data, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})


def _add_changing(router: APIRouter, house: House, room: Classroom) -> None:
    """Correct a deck, finish it, give it away, delete it."""

    @router.post("/decks/{name}/label", responses=refused(404, *ACTING))
    def label(name: Deck, wanted: Label) -> dict[str, Any]:
        """Say what views show; refused where that contradicts what is known, and nothing changes."""
        found_deck(house.own.data, name)
        room.label(name, tuple(dict.fromkeys(wanted.views)), wanted.code)
        return room.as_json(name)

    @router.post("/decks/{name}/count", responses=refused(404, *ACTING))
    def count(name: Deck, wanted: Count) -> dict[str, Any]:
        """Say how many copies of a card there are."""
        found_deck(house.own.data, name)
        room.count(name, wanted.code, wanted.copies)
        return room.as_json(name)

    @router.post("/decks/{name}/size", responses=refused(404, *ACTING))
    def measure(name: Deck, wanted: Size) -> dict[str, Any]:
        """Say how large the cards are."""
        found_deck(house.own.data, name)
        room.measure(name, (wanted.card_mm[0], wanted.card_mm[1]))
        return room.as_json(name)

    @router.post("/decks/{name}/turn", responses=refused(404, *ACTING))
    def turn(name: Deck, wanted: OneView) -> dict[str, Any]:
        """Turn a view upside down."""
        found_deck(house.own.data, name)
        room.turn(name, wanted.view)
        return room.as_json(name)

    @router.post("/decks/{name}/forget", responses=refused(404, *ACTING))
    def forget(name: Deck, wanted: Forgotten) -> dict[str, Any]:
        """Forget a view, or a card with all its views."""
        found_deck(house.own.data, name)
        room.forget(name, wanted.word)
        return room.as_json(name)

    @router.post("/decks/{name}/undo", status_code=202, responses=refused(404, *ACTING))
    def undo(name: Deck, wanted: Nothing) -> dict[str, Any]:
        """Take the last change back."""
        found_deck(house.own.data, name)
        room.undo(name)
        return room.now()

    @router.post("/decks/{name}/corrections", status_code=202, responses=refused(404, *ACTING))
    def corrections(name: Deck, wanted: Nothing) -> dict[str, Any]:
        """Learn from the cards that were corrected during games."""
        found_deck(house.own.data, name)
        room.correct(name)
        return room.now()

    @router.post("/decks/{name}/finish", status_code=202, responses=refused(404, *ACTING))
    def finish(name: Deck, wanted: Nothing) -> dict[str, Any]:
        """Keep what the reader makes of it, so that games begin at once."""
        found_deck(house.own.data, name)
        room.finish(name)
        return room.now()

    @router.post("/decks/{name}/delete", status_code=204, responses=refused(404, *ACTING))
    def delete(name: Deck, wanted: Nothing) -> None:
        """Forget a deck for good."""
        found_deck(house.own.data, name)
        room.delete(name)

    @router.get("/decks/{name}/export", response_class=FileResponse, responses=_ZIP | refused(*SHOWN))
    def export(name: Deck) -> FileResponse:
        """The deck as one file."""
        found_deck(house.own.data, name)
        path = _exported(house.own.data, name)
        task = BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True)
        return FileResponse(path, 200, media_type=PACKED, filename=path.name, background=task)


def _read(path: Folder, file: str) -> Any:
    try:
        return read_picture(path).image
    except SourceError as error:
        # Where it was kept for a moment is nobody's business.
        raise Refusal(422, str(error).replace(str(path), file), file, "a picture that can be read") from error


def _imported(data: Folder, path: Folder, name: str | None) -> dict[str, Any]:
    if name is not None and (data / DECKS / name).exists():
        raise Refusal(409, "there is a deck of that name", name, "another name")
    try:
        with refusing():
            return entry_json(data, import_deck(data, path, name))
    except Refusal as refusal:
        # Where it was kept for a moment is nobody's business.
        raise Refusal(refusal.status, refusal.what.replace(str(path), "the file"), name) from refusal


def _exported(data: Folder, name: str) -> Folder:
    place = None
    try:
        (data / EXPORTS).mkdir(parents=True, exist_ok=True)
        for old in (data / EXPORTS).iterdir():
            # What was being sent when the server was stopped.
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
