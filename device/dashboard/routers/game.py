"""The game: start, declare, challenge, correct, pause and end it."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field

from device.dashboard.bodies import ACTION_ERRORS, READ_ERRORS, EmptyBody, Name, RequestBody, Word, error_responses
from device.dashboard.services.app_state import AppState
from device.dashboard.services.catalogue import catalogue, declarations
from device.dashboard.services.decks import playable, to_play
from device.dashboard.services.game_runner import GameRequest
from device.dashboard.services.pairing import Caller, Pairing

OptionWord = Annotated[Word, Field(max_length=40)]
LineNumber = Annotated[int, Field(ge=1, le=99999)]


class LineBody(RequestBody):
    """A line of the record: a move, undo, redo, stand 12, amend 12 P1 …"""

    text: Annotated[Word, Field(min_length=1, max_length=2000)]


class ChallengeBody(RequestBody):
    """The ruling to challenge."""

    line: LineNumber


class DecisionBody(RequestBody):
    """The host's decision on a challenge: whether the play stands."""

    line: LineNumber
    stand: bool


class CardBody(RequestBody):
    """A person's reading of a card."""

    track: Annotated[int, Field(ge=0, le=10**9)]
    code: Annotated[Word, Field(min_length=1, max_length=20)]


class NewGameBody(RequestBody):
    """A game to start."""

    game: Annotated[Word, Field(min_length=1, max_length=40)]
    names: Annotated[list[Name], Field(min_length=1, max_length=12)]
    options: dict[OptionWord, OptionWord] = Field(default_factory=dict)
    camera: Annotated[Word, Field(max_length=400)] = ""
    """As on the command line; empty for a game without a camera."""
    record: bool | None = None
    deck: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$")] | None = None
    """A taught deck of that game; null for Krupier's own."""


class ResumeBody(RequestBody):
    """The session to resume; null for the newest interrupted one."""

    session: Annotated[Word, Field(max_length=100)] | None = None


class PauseBody(RequestBody):
    """Whether to ignore the table."""

    paused: bool


def routes(app_state: AppState, pairing: Pairing) -> APIRouter:
    """The routes of the game."""
    router = APIRouter(tags=["game"])
    player = Annotated[Caller, Depends(pairing.player)]
    host = Depends(pairing.host)

    @router.get("/api/games", responses=error_responses(*READ_ERRORS))
    def games() -> list[dict[str, Any]]:
        """All games: seats, options by the number of players, cards, verbs."""
        return catalogue()

    @router.get("/api/decks", responses=error_responses(*READ_ERRORS))
    def decks() -> dict[str, Any]:
        """The taught decks, and whether they are finished."""
        return {"decks": to_play(app_state.settings.data)}

    @router.get("/api/declarations", responses=error_responses(*READ_ERRORS))
    def may_be_declared() -> list[dict[str, Any]]:
        """Moves that may be declared now; none without a game."""
        runner = app_state.runner
        found = [] if runner is None else declarations(runner.game.match)
        return [{"verb": one.verb, "text": one.text, "label": one.label, "seat": one.seat} for one in found]

    @router.post("/api/game/line", responses=error_responses(*ACTION_ERRORS))
    def line(body: LineBody, caller: player) -> dict[str, Any]:
        """Enter a line; it is judged and kept, or refused without any change."""
        return app_state.line(body.text)

    @router.post("/api/game/challenge", responses=error_responses(404, *ACTION_ERRORS))
    def challenge(body: ChallengeBody, caller: player) -> dict[str, Any]:
        """Challenge a ruling while there is time; the host decides."""
        return app_state.challenge(body.line, caller.name or caller.role.value)

    @router.post("/api/table/card", responses=error_responses(*ACTION_ERRORS))
    def card(body: CardBody, caller: player) -> dict[str, Any]:
        """Name a card; the name holds while the card stays on the table, and its picture becomes an example."""
        return app_state.pin(body.track, body.code, caller.name or caller.role.value)

    @router.post("/api/game", status_code=201, dependencies=[host], responses=error_responses(*ACTION_ERRORS))
    def start(body: NewGameBody) -> dict[str, Any]:
        """Start a game."""
        options = tuple(body.options.items())
        deck = playable(app_state.settings.data, body.deck, body.game)
        game_request = GameRequest(body.game, tuple(body.names), options, body.camera, body.record, deck)
        return {"session": app_state.start(game_request)}

    @router.post("/api/game/resume", dependencies=[host], responses=error_responses(404, *ACTION_ERRORS))
    def resume(body: ResumeBody) -> dict[str, Any]:
        """Resume an interrupted game."""
        return {"session": app_state.resume(body.session)}

    @router.post("/api/game/end", dependencies=[host], responses=error_responses(*ACTION_ERRORS))
    def end(body: EmptyBody) -> dict[str, Any]:
        """End the game and close its session."""
        return {"session": app_state.end()}

    @router.post("/api/game/pause", dependencies=[host], responses=error_responses(*ACTION_ERRORS))
    def pause(body: PauseBody) -> dict[str, Any]:
        """Ignore the table, or watch it again."""
        app_state.ask(lambda session, now_s: session.pause(body.paused, now_s))
        return {"paused": body.paused}

    @router.post("/api/game/decide", responses=error_responses(404, *ACTION_ERRORS))
    def decide(body: DecisionBody, caller: Annotated[Caller, host]) -> dict[str, Any]:
        """Settle a challenge: let the play stand, or uphold the ruling."""
        return app_state.decide(body.line, body.stand, caller.name or caller.role.value)

    return router
