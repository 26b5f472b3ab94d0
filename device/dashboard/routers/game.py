"""The game: what there is to play, starting, saying, doubting, correcting, ending."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path
from pydantic import Field

from device.dashboard.forms import ACTING, READING, Form, Name, Word, refused
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import House
from device.dashboard.services.catalogue import catalogue, declarations, faces
from device.dashboard.services.decks import playable, to_play
from device.dashboard.services.game_runner import Wish
from device.dashboard.services.pairing import Caller, Doors
from models.cards import own_deck, own_decks

Choice = Annotated[Word, Field(max_length=40)]
Line = Annotated[int, Field(ge=1, le=99999)]


class Said(Form):
    """A line of the record: a move, undo, redo, stand 12, amend 12 P1 …"""

    text: Annotated[Word, Field(min_length=1, max_length=2000)]


class Doubt(Form):
    """Which ruling is doubted."""

    line: Line


class Decision(Form):
    """How a challenge is settled: whether the play counts, whatever the referee said of it."""

    line: Line
    stand: bool


class Reading(Form):
    """Which card a human says that is."""

    track: Annotated[int, Field(ge=0, le=10**9)]
    code: Annotated[Word, Field(min_length=1, max_length=20)]


class NewGame(Form):
    """A game to be started."""

    game: Annotated[Word, Field(min_length=1, max_length=40)]
    names: Annotated[list[Name], Field(min_length=1, max_length=12)]
    options: dict[Choice, Choice] = Field(default_factory=dict)
    camera: Annotated[Word, Field(max_length=400)] = ""
    """As on the command line; empty for a game without one."""
    record: bool | None = None
    deck: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$")] | None = None
    """One of the taught decks of that game; Krupier's own print if none is named."""


class Resumed(Form):
    """Which session goes on; the newest that was cut off if none is named."""

    session: Annotated[Word, Field(max_length=100)] | None = None


class Pause(Form):
    """Whether the table is looked at."""

    paused: bool


class Nothing(Form):
    """Nothing to say."""


def routes(house: House, doors: Doors) -> APIRouter:
    """The routes."""
    router = APIRouter(tags=["game"])
    player = Annotated[Caller, Depends(doors.player)]
    host = Depends(doors.host)

    @router.get("/api/games", responses=refused(*READING))
    def games() -> list[dict[str, Any]]:
        """All games: seats, options by the number of players, cards, verbs."""
        return catalogue()

    @router.get("/api/decks", responses=refused(*READING))
    def decks() -> dict[str, Any]:
        """Decks that were taught for games, and whether they are finished."""
        return {"decks": to_play(house.own.data)}

    @router.get("/api/faces/{game}", responses=refused(404, *READING))
    def printed(game: Annotated[str, Path(max_length=40)]) -> dict[str, Any]:
        """What is printed on the cards of a game: of the deck that it is played with now, else of Krupier's own."""
        if game not in own_decks():
            raise Refusal(404, "no such game", game, list(own_decks()))
        played = house.game
        deck = own_deck(game) if played is None or played.deck.game != game else played.deck
        return {"game": game, "deck": deck.name, "faces": faces(deck)}

    @router.get("/api/declarations", responses=refused(*READING))
    def may_be_declared() -> list[dict[str, Any]]:
        """Moves that may be declared now; none while no game is on."""
        game = house.game
        found = [] if game is None else declarations(game.game.match)
        return [{"verb": one.verb, "text": one.text, "label": one.label, "seat": one.seat} for one in found]

    @router.post("/api/game/line", responses=refused(*ACTING))
    def line(form: Said, caller: player) -> dict[str, Any]:
        """Say a line; it is judged and kept, or refused and nothing has changed."""
        return house.line(form.text)

    @router.post("/api/game/challenge", responses=refused(404, *ACTING))
    def challenge(form: Doubt, caller: player) -> dict[str, Any]:
        """Doubt a ruling while there is time; the host decides."""
        return house.challenge(form.line, caller.name or caller.role.value)

    @router.post("/api/table/card", responses=refused(*ACTING))
    def card(form: Reading, caller: player) -> dict[str, Any]:
        """Say which card that is; it stays so as long as the card lies there, and is kept as an example."""
        return house.pin(form.track, form.code, caller.name or caller.role.value)

    @router.post("/api/game", status_code=201, dependencies=[host], responses=refused(*ACTING))
    def start(form: NewGame) -> dict[str, Any]:
        """Start a game."""
        options = tuple(form.options.items())
        deck = playable(house.own.data, form.deck, form.game)
        wish = Wish(form.game, tuple(form.names), options, form.camera, form.record, deck)
        return {"session": house.start(wish)}

    @router.post("/api/game/resume", dependencies=[host], responses=refused(404, *ACTING))
    def resume(form: Resumed) -> dict[str, Any]:
        """Go on with a game that was cut off."""
        return {"session": house.resume(form.session)}

    @router.post("/api/game/end", dependencies=[host], responses=refused(*ACTING))
    def end(form: Nothing) -> dict[str, Any]:
        """End the game and close its session."""
        return {"session": house.end()}

    @router.post("/api/game/pause", dependencies=[host], responses=refused(*ACTING))
    def pause(form: Pause) -> dict[str, Any]:
        """Look away from the table, or look at it again."""
        house.ask(lambda session, now_s: session.pause(form.paused, now_s))
        return {"paused": form.paused}

    @router.post("/api/game/decide", responses=refused(404, *ACTING))
    def decide(form: Decision, caller: Annotated[Caller, host]) -> dict[str, Any]:
        """Settle a challenge: let the play stand, or leave things as the referee ruled."""
        return house.decide(form.line, form.stand, caller.name or caller.role.value)

    return router
