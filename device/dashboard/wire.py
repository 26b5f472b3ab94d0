"""The wire: events of the game and of the machine, folded into the one state that every page shows."""

from collections.abc import Mapping
from math import ceil
from typing import Any, TypeVar

from pydantic import BaseModel

from calibration.rig import Rig
from device.cameras.source import Health
from device.dashboard.events import (
    CameraReported,
    DashboardEvent,
    EntryWritten,
    FrameSeen,
    GameEnded,
    GameStarted,
    LoadMeasured,
    MachineMeasured,
)
from device.dashboard.page_state import (
    CameraState,
    CardState,
    ChoiceSentence,
    ChoiceState,
    GameState,
    HealthState,
    NoteState,
    OutcomeState,
    PageTableState,
    PieceState,
    QuestionState,
    RulingState,
    StandingState,
    TodoState,
    Translation,
    ZoneState,
)
from device.dashboard.services.catalogue import title
from device.dashboard.services.rulings import RulingLines
from device.recording.journal import JournalEntry
from device.recording.lines import JSON
from device.session.events import LINES, reason_of
from device.session.game import Game
from referee.edits import Undo
from referee.texts import LANGUAGES, load_texts
from referee.verdicts import Reason

Part = TypeVar("Part", bound=BaseModel)

MAX_NOTES = 20
"""Notes that are kept; older ones are dropped."""
DEFAULT_TABLE_MM = (640.0, 448.0)
"""Smallest size that is shown of a table without a rig."""
_STILL = "still"
_MACHINE_FIELDS = frozenset({"temperature_c", "throttled", "disk_free_gb", "clients"})
"""Measurements of the machine: they outlast a game."""


class StateBuilder:
    """Builds the state part by part; an unchanged part stays the same object, so that comparing is cheap."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._opened: GameStarted | None = None
        self._lines: RulingLines | None = None
        self._game: GameState | None = None
        self._rulings: dict[str, RulingState] = {}
        self._table: PageTableState | None = None
        self._camera: CameraState | None = None
        self._health = HealthState()
        self._notes: dict[str, NoteState] = {}
        self._note_count = 0
        self._paused = False
        self._question: QuestionState | None = None
        self._dumps = _Dumps()

    def state(self) -> dict[str, Any]:
        """Everything that PageState documents but number and server, as plain data."""
        dumps = self._dumps
        return {
            "version": self._version,
            "game": dumps.of("game", self._game),
            "rulings": dumps.of_all("rulings", self._rulings),
            "table": self._table_data(),
            "camera": dumps.of("camera", self._camera),
            "health": dumps.of("health", self._health),
            "notes": dumps.of_all("notes", self._notes),
            "question": dumps.of("question", self._question),
        }

    def apply(self, event: DashboardEvent) -> None:
        """Take in one event."""
        if isinstance(event, EntryWritten):
            self._apply_entry(event)
        elif isinstance(event, FrameSeen):
            self._apply_frame(event)
        elif isinstance(event, LoadMeasured):
            self._apply_load(event)
        elif isinstance(event, MachineMeasured):
            self._health = _updated(
                self._health,
                temperature_c=event.heat.temperature_c,
                throttled=list(event.heat.now),
                disk_free_gb=event.disk_free_gb,
                clients=event.clients,
            )
        elif isinstance(event, CameraReported):
            self._report_camera(event.status.health.value, event.status.message)
        elif isinstance(event, GameStarted):
            self._open(event)
        else:
            self._close(event)

    def _table_data(self) -> dict[str, Any] | None:
        table, dumps = self._table, self._dumps
        data = dumps.of("table", table, exclude={"cards"})
        if table is None or data is None:
            return None
        data["cards"] = dumps.of_all("cards", table.cards)
        return data

    def _open(self, event: GameStarted) -> None:
        match = event.game.match
        texts = {language: load_texts(match.opening.game, language) for language in LANGUAGES}
        self._opened, self._lines, self._paused = event, RulingLines(texts, match.names), False
        self._notes = {}
        for entry in event.past:
            if entry.kind in LINES:
                self._lines.note(entry, pictured=False)
            elif entry.kind == "challenge":
                self._lines.challenge(entry)
        self._table = self._camera = None
        if event.camera:
            self._table = _empty_table(event.rig)
            self._camera = CameraState(name=event.camera, health=Health.RUNNING.value, message="", size_px=None)
        self._update_game(event.game)

    def _close(self, event: GameEnded) -> None:
        self._opened = self._lines = self._game = self._table = self._camera = None
        self._rulings, self._question = {}, None
        known = self._health.model_dump(exclude_unset=True)
        self._health = HealthState(**{name: value for name, value in known.items() if name in _MACHINE_FIELDS})
        if event.why:
            self._add_note(0.0, event.why)

    def _apply_entry(self, event: EntryWritten) -> None:
        entry = event.entry
        if self._lines is None:
            return
        if entry.kind in LINES:
            self._lines.note(entry, event.pictured)
            self._question = None
            self._update_game(event.game)
        elif entry.kind == "challenge":
            self._lines.challenge(entry)
            self._update_game(event.game)
        elif entry.kind == "table":
            self._apply_table(entry)
        elif entry.kind == "pause":
            self._paused = bool(entry.data.get("paused"))
            self._update_game(event.game)
        elif entry.kind == "camera":
            self._report_camera(entry.data.get("health"), entry.data.get("message"))
        elif entry.kind == "question":
            self._question = self._question_of(entry, event.game)
        elif entry.kind == "note":
            self._add_note(entry.at_s, str(entry.data.get("what")))

    def _update_game(self, game: Game) -> None:
        """The game and its rulings."""
        assert self._opened is not None, "only an open game is shown"
        assert self._lines is not None, "only an open game is shown"
        match, opened, lines = game.match, self._opened, self._lines
        rules, state = match.rules, match.state
        outcome = rules.outcome(state)
        self._rulings = lines.current(game)
        self._game = GameState(
            session=opened.session,
            name=match.opening.game,
            title=Translation(**title(match.opening.game)),
            options=dict(match.opening.options),
            deck=match.opening.deck,
            names=list(match.opening.names),
            guests=list(rules.guests(len(match.opening.names))),
            camera=opened.camera,
            recording=opened.recording,
            paused=self._paused,
            todo=[TodoState(text=lines.say(reason), seats=_seats(reason)) for reason in rules.todo(state)],
            standings=[
                StandingState(seat=one.seat, hand=one.hand, points=one.points, story=lines.say(one.story))
                for one in rules.standings(state)
            ],
            over=None if outcome is None else OutcomeState(winners=list(outcome.winners), why=lines.say(outcome.why)),
            log=game.lines[-1].number if game.lines else 0,
            undo=bool(match.log),
            redo=bool(match.undone),
            prompted=opened.prompted,
        )

    def _question_of(self, entry: JournalEntry, game: Game) -> QuestionState | None:
        """What the camera is not sure of; None if nothing is left to ask."""
        choices, left = entry.data.get("choices"), entry.data.get("left")
        if not choices and not left:
            return None
        asked = [choice for choice in choices if isinstance(choice, list)] if isinstance(choices, list) else []
        return QuestionState(
            at_s=round(entry.at_s, 2),
            choices=[self._choice(game, [str(text) for text in choice]) for choice in asked],
            left=[self._unexplained(one) for one in left] if isinstance(left, list) else [],
        )

    def _unexplained(self, one: JSON) -> Translation:
        """Something that no interpretation explains; older journals have the words themselves."""
        assert self._lines is not None, "only an open game asks"
        if isinstance(one, dict):
            return self._lines.say(reason_of(one))
        return Translation(**dict.fromkeys(LANGUAGES, str(one)))

    def _choice(self, game: Game, texts: list[str]) -> ChoiceState:
        assert self._lines is not None, "only an open game asks"
        words: list[ChoiceSentence] = []
        for text in texts:
            line = game.read(text)
            if line is not None:
                if isinstance(line.meaning, Undo) and game.match.verdicts:
                    undone = self._lines.say(game.match.verdicts[-1].reason)
                    words.append(ChoiceSentence(pl=undone.pl, en=undone.en, ruling="UNDONE"))
                game, ruled = game.judge(line)
                if ruled.verdict is not None:
                    said = self._lines.say(ruled.verdict.reason)
                    words.append(ChoiceSentence(pl=said.pl, en=said.en, ruling=ruled.verdict.ruling.value))
        return ChoiceState(lines=texts, words=words)

    def _apply_table(self, entry: JournalEntry) -> None:
        """A table that lies still."""
        if self._table is None:
            return
        found, pieces = entry.data.get("cards"), entry.data.get("pieces")
        before = self._table.cards
        cards: dict[str, CardState] = {}
        for layer, data in enumerate(found if isinstance(found, list) else []):
            if isinstance(data, dict):
                card = CardState.model_validate({"pinned": False, **data, "layer": layer})
                known = before.get(str(card.track))
                cards[str(card.track)] = known if known is not None and known == card else card
        shown = [piece for piece in pieces if isinstance(piece, dict)] if isinstance(pieces, list) else []
        has_rig = self._opened is None or self._opened.rig is not None
        self._table = _updated(
            self._table,
            cards=cards,
            pieces={str(number): PieceState.model_validate(piece) for number, piece in enumerate(shown)},
            frame=entry.data.get("frame"),
            at_s=round(entry.at_s, 2),
            size_mm=self._table.size_mm if has_rig else _size_for(cards),
        )

    def _apply_frame(self, event: FrameSeen) -> None:
        if self._table is not None:
            self._table = _updated(self._table, motion=event.motion, frame=event.frame, at_s=round(event.at_s, 2))
        if self._camera is not None:
            self._camera = _updated(self._camera, size_px=event.size_px)

    def _apply_load(self, event: LoadMeasured) -> None:
        reading = event.reading
        self._health = _updated(
            self._health,
            fps=round(reading.fps, 1),
            frames=reading.frames,
            looks=reading.looks,
            dropped=reading.dropped,
            p50_s=_rounded(reading.p50_s),
            p90_s=_rounded(reading.p90_s),
            recording=reading.recording,
            drift_px=_rounded(event.drift_px),
        )
        if reading.camera is not None:
            self._report_camera(reading.camera.health.value, reading.camera.message)

    def _report_camera(self, health: JSON, message: JSON) -> None:
        if self._camera is not None:
            self._camera = _updated(self._camera, health=health, message=message)

    def _add_note(self, at_s: float, what: str) -> None:
        self._note_count += 1
        kept = list(self._notes.items())[-(MAX_NOTES - 1) :]
        self._notes = {**dict(kept), str(self._note_count): NoteState(at_s=round(at_s, 2), what=what)}


class _Dumps:
    """Models as plain data; the same model gives the same data object."""

    def __init__(self) -> None:
        self._one: dict[str, tuple[BaseModel, dict[str, Any]]] = {}
        self._all: dict[str, tuple[Mapping[str, BaseModel], dict[str, Any]]] = {}

    def of(self, part: str, model: BaseModel | None, exclude: set[str] | None = None) -> dict[str, Any] | None:
        """One model; fields that were never set are left out."""
        if model is None:
            return None
        known = self._one.get(part)
        if known is None or known[0] is not model:
            known = self._one[part] = (model, _dumped(model, exclude))
        return known[1]

    def of_all(self, part: str, models: Mapping[str, BaseModel]) -> dict[str, Any]:
        """Models by key; each unchanged one keeps its data object."""
        known = self._all.get(part)
        if known is not None and known[0] is models:
            return known[1]
        before, dumped = known if known is not None else ({}, {})
        data = {key: dumped[key] if before.get(key) is model else _dumped(model) for key, model in models.items()}
        self._all[part] = (models, data)
        return data


def _dumped(model: BaseModel, exclude: set[str] | None = None) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_unset=True, exclude=exclude)


def _updated(part: Part, **changes: Any) -> Part:
    """The part with some fields changed; everything is checked again."""
    fields = {name: getattr(part, name) for name in part.model_fields_set}
    return type(part)(**{**fields, **changes})


def _empty_table(rig: Rig | None) -> PageTableState:
    zones = [
        ZoneState(
            name=zone.name,
            polygon_mm=list(zone.polygon_mm),
            turn_deg=zone.turn_deg,
            seat=seat.index if (seat := rig.seat_of(zone.name)) is not None else None,
        )
        for zone in (rig.zones if rig is not None else ())
        if rig is not None
    ]
    size_mm = rig.table.size_mm if rig is not None and rig.table is not None else DEFAULT_TABLE_MM
    return PageTableState(size_mm=size_mm, zones=zones, cards={}, pieces={}, motion=_STILL, frame=None, at_s=0.0)


def _size_for(cards: Mapping[str, CardState]) -> tuple[float, float]:
    """A size that holds all cards, around the same middle."""
    corners = [point for card in cards.values() for point in card.corners_mm]
    wide, deep = (max((abs(point[side]) for point in corners), default=0.0) for side in (0, 1))
    width_mm, depth_mm = DEFAULT_TABLE_MM
    return max(width_mm, 100.0 * ceil(wide / 50)), max(depth_mm, 100.0 * ceil(deep / 50))


def _seats(reason: Reason) -> list[int]:
    """The seats that a sentence is about."""
    seats: list[int] = []
    for key, value in reason.args:
        if key == "seat" and isinstance(value, int):
            seats.append(value)
        elif key == "seats" and isinstance(value, tuple):
            seats += [seat for seat in value if isinstance(seat, int)]
    return seats


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
