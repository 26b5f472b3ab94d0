"""The state that the pages show, part by part, as the API documents it; the pages' types are generated from it.

A member that is null counts as absent, because changes travel as JSON merge patches (RFC 7396).
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

PointMm = tuple[float, float]


class StatePart(BaseModel):
    """A part of the state; it is never changed, but replaced."""

    model_config = ConfigDict(extra="ignore", frozen=True, use_attribute_docstrings=True)


class Translation(StatePart):
    """A sentence in both languages."""

    pl: str
    en: str


class TodoState(StatePart):
    """Something that must be done now, and by which seats; seats count from 0."""

    text: Translation
    seats: list[int]


class StandingState(StatePart):
    """How a seat stands: cards in hand, points, and a sentence."""

    seat: int
    hand: int
    points: int
    story: Translation


class OutcomeState(StatePart):
    """Who won, and why the game is over."""

    winners: list[int]
    why: Translation


class GameState(StatePart):
    """The current game."""

    session: str
    name: str
    title: Translation
    options: dict[str, str]
    deck: str | None
    """The name of a taught deck; null for Krupier's own."""
    names: list[str]
    guests: list[str]
    """Players of the rules whom nobody plays, seated after the others."""
    camera: str
    recording: bool
    paused: bool
    todo: list[TodoState]
    standings: list[StandingState]
    over: OutcomeState | None
    log: int
    """The number of the last line of the record."""
    undo: bool
    redo: bool
    prompted: bool
    """Whether people declare the moves, because the camera cannot tell them."""


class ChallengeState(StatePart):
    """A challenge to a ruling: by whom, when, and whether it is still open."""

    by: str | None
    at_s: float
    open: bool


class RulingState(StatePart):
    """A line of the record with the referee's current ruling."""

    line: int
    at_s: float
    text: str
    ruling: Literal["LEGAL", "ILLEGAL", "UNCLEAR"] | None
    rule: str | None
    rule_text: Translation | None
    reason: Translation | None
    seat: int | None
    cards: list[str]
    about: int | None
    """The line that an undone or amended play refers to."""
    pinned: bool
    """Whether a person entered the move: the camera never revises it."""
    stands: bool
    """Whether a person let an illegal play stand."""
    undone: bool
    by: Literal["camera", "human"]
    frame: int | None
    evidence: bool
    """Whether there are pictures of the table before and after."""
    challenge: ChallengeState | None
    challenge_until_s: float
    changed: list[int | None]
    """Lines whose ruling this line changed."""
    refused: str | None
    """Why the line was not accepted."""
    probability: float | None = None
    """How sure the camera is of the move; absent if it is certain."""


class GuessState(StatePart):
    """A candidate for the code of a card."""

    code: str
    probability: float


class CardState(StatePart):
    """A card on the table."""

    track: int
    code: str
    """Empty for a back, and for a face that could not be read."""
    guesses: list[GuessState]
    face_up: bool
    corners_mm: list[PointMm]
    zone: str
    marks: list[str]
    """Marks that players drew: r1c2 for a crossed cell, b3 for a circled bonus."""
    pinned: bool = False
    """Whether a person named the card."""
    layer: int
    """Its place in the stack of overlapping cards, from the bottom."""
    turned_deg: float | None = None
    visible: float | None = None
    spot: str | None = None
    order: int | None = None
    looks: int | None = None


class PieceState(StatePart):
    """A figure or a token on the table."""

    kind: str
    colour: str
    x_mm: float
    y_mm: float
    zone: str | None = None
    spot: str | None = None


class ZoneState(StatePart):
    """A zone of the table; with a seat, if it belongs to a player."""

    name: str
    polygon_mm: list[PointMm]
    turn_deg: float
    seat: int | None


class PageTableState(StatePart):
    """The table as it last lay still, and whether somebody is moving something."""

    size_mm: PointMm
    zones: list[ZoneState]
    cards: dict[str, CardState]
    pieces: dict[str, PieceState]
    motion: str
    """still, changing or hand."""
    frame: int | None
    at_s: float


class CameraState(StatePart):
    """The game's camera."""

    name: str
    health: str | None
    message: str | None
    size_px: tuple[int, int] | None


class HealthState(StatePart):
    """Measurements of the machine and of the game; absent until they are known."""

    fps: float | None = None
    frames: int | None = None
    looks: int | None = None
    dropped: int | None = None
    p50_s: float | None = None
    """Median time from a still table to its ruling."""
    p90_s: float | None = None
    recording: str | None = None
    drift_px: float | None = None
    temperature_c: float | None = None
    throttled: list[str] | None = None
    disk_free_gb: float | None = None
    clients: int | None = None


class NoteState(StatePart):
    """Something that went wrong, for people."""

    at_s: float
    what: str


class ChoiceSentence(Translation):
    """What the referee would say of one line of a choice."""

    ruling: Literal["LEGAL", "ILLEGAL", "UNCLEAR", "UNDONE"]


class ChoiceState(StatePart):
    """One interpretation of the table: lines of the record, and the referee's words for them."""

    lines: list[str]
    words: list[ChoiceSentence]


class QuestionState(StatePart):
    """What the camera is not sure of: interpretations to choose from, and cards that none explains."""

    at_s: float
    choices: list[ChoiceState]
    left: list[Translation]


class PageState(StatePart):
    """Everything that the pages show."""

    number: int
    """Of the last change."""
    server: str
    """Differs between runs of the server."""
    version: str
    game: GameState | None
    rulings: dict[str, RulingState]
    """The newest lines, by number."""
    table: PageTableState | None
    camera: CameraState | None
    health: HealthState
    notes: dict[str, NoteState]
    question: QuestionState | None


class StateMessage(StatePart):
    """The whole state: the first message of /api/live, or after too many changes."""

    kind: Literal["state"]
    number: int
    state: PageState


class ChangeMessage(StatePart):
    """A numbered change of the state, as a JSON merge patch."""

    kind: Literal["change"]
    number: int
    patch: dict[str, Any]


class TickMessage(StatePart):
    """The game's time, every few seconds: a client that hears nothing has lost the connection."""

    kind: Literal["tick"]
    number: int
    now_s: float


LiveMessage = Annotated[StateMessage | ChangeMessage | TickMessage, Field(discriminator="kind")]
"""Everything that /api/live sends."""
