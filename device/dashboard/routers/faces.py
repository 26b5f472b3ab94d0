"""Faces: what is printed on the cards of a game, as data and as small pictures."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import Response

from device.dashboard.bodies import READ_ERRORS, error_responses
from device.dashboard.caching import IMMUTABLE, REVALIDATED, cached_response
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import AppState
from device.dashboard.services.faces import FacePicture, FacePictures
from device.dashboard.services.pairing import Pairing
from models.cards import own_deck, own_decks

_WEBP: dict[int | str, dict[str, Any]] = {200: {"content": {"image/webp": {}}}, 304: {"description": "Not modified"}}
GameName = Annotated[str, Path(max_length=40)]
DeckQuery = Annotated[str | None, Query(max_length=40, description="A taught deck; Krupier's own drawings if none.")]
WidthPx = Annotated[int, Query(ge=16, le=2048, description="The next larger of a few widths is sent.")]
Version = Annotated[str, Query(max_length=64, description="The deck's version: such an answer may be kept for ever.")]


def routes(app_state: AppState, pairing: Pairing) -> APIRouter:
    """Everything under /api/faces and /api/pieces; anybody may look."""
    router = APIRouter(tags=["faces"])
    pictures = FacePictures(lambda: app_state.settings.data)

    @router.get("/api/faces/{game}", responses=error_responses(404, *READ_ERRORS))
    def describe(game: GameName) -> dict[str, Any]:
        """The deck of the current game, else Krupier's own: texts and sizes of cards, and places of marks."""
        if game not in own_decks():
            raise Refusal(404, "no such game", game, list(own_decks()))
        runner = app_state.runner
        if runner is None or runner.deck.game != game:
            return pictures.describe(own_deck(game), None)
        return pictures.describe(runner.deck, runner.game.match.opening.deck)

    @router.get(
        "/api/faces/{game}/{code:path}.webp",
        response_class=Response,
        responses=_WEBP | error_responses(404, *READ_ERRORS),
    )
    def card(
        request: Request,
        game: GameName,
        code: Annotated[str, Path(max_length=40)],
        deck: DeckQuery = None,
        kind: Annotated[str, Query(max_length=40, description="For the code `back`: the kind of cards.")] = "",
        width: WidthPx = 160,
        v: Version = "",
    ) -> Response:
        """The face of a card, or with the code `back` its back."""
        picture = pictures.card(game, deck, code, kind, width)
        return _answer(request, picture, v == pictures.version(game, deck))

    @router.get(
        "/api/pieces/{game}/{name}.webp",
        response_class=Response,
        responses=_WEBP | error_responses(404, *READ_ERRORS),
    )
    def piece(
        request: Request,
        game: GameName,
        name: Annotated[str, Path(max_length=40)],
        width: WidthPx = 48,
        v: Version = "",
    ) -> Response:
        """A figure, a token or a board, as it lies on the table."""
        picture = pictures.piece(game, name, width)
        return _answer(request, picture, v == pictures.version(game, None))

    return router


def _answer(request: Request, picture: FacePicture, current: bool) -> Response:
    """The picture; with the current version in its address a browser may keep it for ever."""
    control = IMMUTABLE if current else REVALIDATED
    return cached_response(request, picture.data, picture.tag, "image/webp", control)
