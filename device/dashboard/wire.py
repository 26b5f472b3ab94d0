"""The wire: news folded into the one state that every view draws."""

from math import ceil
from typing import Any

from calibration.rig import Rig
from device.cameras.source import Health
from device.dashboard.events import Closed, Felt, Heard, Looked, Machine, Measured, News, Opened
from device.dashboard.services.catalogue import title
from device.dashboard.services.rulings import Rulings
from device.recording.journal import JournalEntry
from device.recording.lines import JSON
from device.session.events import LINES, reason_of
from device.session.game import Game
from referee.edits import Undo
from referee.texts import LANGUAGES, load_texts
from referee.verdicts import Reason

MOST_NOTES = 20
LEAST_TABLE_MM = (640.0, 448.0)
"""Of a table that nobody measured."""
_STILL = "still"


class Scene:
    """The state, part by part; a part that has not changed stays the same object, so that comparing is cheap."""

    def __init__(self, version: str) -> None:
        self._version = version
        self._opened: Opened | None = None
        self._rulings: Rulings | None = None
        self._game: dict[str, Any] | None = None
        self._lines: dict[str, dict[str, Any]] = {}
        self._table: dict[str, Any] | None = None
        self._camera: dict[str, Any] | None = None
        self._health: dict[str, Any] = {}
        self._notes: dict[str, dict[str, Any]] = {}
        self._noted = 0
        self._paused = False
        self._question: dict[str, Any] | None = None

    def state(self) -> dict[str, Any]:
        """Everything, as the API documents it."""
        return {
            "version": self._version,
            "game": self._game,
            "rulings": self._lines,
            "table": self._table,
            "camera": self._camera,
            "health": self._health,
            "notes": self._notes,
            "question": self._question,
        }

    def take(self, news: News) -> None:
        """Take in one thing that happened."""
        if isinstance(news, Heard):
            self._hear(news)
        elif isinstance(news, Looked):
            self._look(news)
        elif isinstance(news, Measured):
            self._measure(news)
        elif isinstance(news, Machine):
            heat = news.heat
            self._health = {
                **self._health,
                "temperature_c": heat.temperature_c,
                "throttled": list(heat.now),
                "disk_free_gb": news.disk_free_gb,
                "clients": news.clients,
            }
        elif isinstance(news, Felt):
            status = news.status
            if self._camera is not None:
                self._camera = {**self._camera, "health": status.health.value, "message": status.message}
        elif isinstance(news, Opened):
            self._open(news)
        else:
            self._close(news)

    def _open(self, news: Opened) -> None:
        match = news.game.match
        tongues = {tongue: load_texts(match.opening.game, tongue) for tongue in LANGUAGES}
        self._opened, self._rulings, self._paused = news, Rulings(tongues, match.names), False
        self._notes = {}
        for entry in news.past:
            if entry.kind in LINES:
                self._rulings.note(entry, pictured=False)
            elif entry.kind == "challenge":
                self._rulings.challenge(entry)
        self._table = None if not news.camera else _bare_table(news.rig)
        self._camera = {"name": news.camera, "health": Health.RUNNING.value, "message": "", "size_px": None}
        if not news.camera:
            self._camera = None
        self._draw(news.game)

    def _close(self, news: Closed) -> None:
        self._opened = self._rulings = self._game = self._table = self._camera = None
        self._lines, self._question = {}, None
        kept = ("temperature_c", "throttled", "disk_free_gb", "clients")
        self._health = {key: value for key, value in self._health.items() if key in kept}
        if news.why:
            self._note(0.0, news.why)

    def _hear(self, news: Heard) -> None:
        entry = news.entry
        if self._rulings is None:
            return
        if entry.kind in LINES:
            self._rulings.note(entry, news.pictured)
            self._question = None
            self._draw(news.game)
        elif entry.kind == "challenge":
            self._rulings.challenge(entry)
            self._draw(news.game)
        elif entry.kind == "table":
            self._lay(entry)
        elif entry.kind == "pause":
            self._paused = bool(entry.data.get("paused"))
            self._draw(news.game)
        elif entry.kind == "camera":
            if self._camera is not None:
                known = {key: entry.data.get(key) for key in ("health", "message")}
                self._camera = {**self._camera, **known}
        elif entry.kind == "question":
            self._question = self._asked(entry, news.game)
        elif entry.kind == "note":
            self._note(entry.at_s, str(entry.data.get("what")))

    def _draw(self, game: Game) -> None:
        """The game and its rulings."""
        assert self._opened is not None, "only an open game is drawn"
        assert self._rulings is not None, "only an open game is drawn"
        match, opened = game.match, self._opened
        rules, state = match.rules, match.state
        outcome = rules.outcome(state)
        say = self._rulings.say
        self._lines = self._rulings.draw(game)
        self._game = {
            "session": opened.session,
            "name": match.opening.game,
            "title": title(match.opening.game),
            "options": dict(match.opening.options),
            "deck": match.opening.deck,
            "names": list(match.opening.names),
            "guests": list(rules.guests(len(match.opening.names))),
            "camera": opened.camera,
            "recording": opened.recording,
            "paused": self._paused,
            "todo": [{"text": say(reason), "seats": _seats(reason)} for reason in rules.todo(state)],
            "standings": [
                {"seat": one.seat, "hand": one.hand, "points": one.points, "story": say(one.story)}
                for one in rules.standings(state)
            ],
            "over": None if outcome is None else {"winners": list(outcome.winners), "why": say(outcome.why)},
            "log": game.lines[-1].number if game.lines else 0,
            "undo": bool(match.log),
            "redo": bool(match.undone),
            "prompted": opened.prompted,
        }

    def _asked(self, entry: JournalEntry, game: Game) -> dict[str, Any] | None:
        """What the camera is not sure about: choices, what the referee would say of them, and what has no place."""
        choices, left = entry.data.get("choices"), entry.data.get("left")
        if not choices and not left:
            return None
        asked = [choice for choice in choices if isinstance(choice, list)] if isinstance(choices, list) else []
        return {
            "at_s": round(entry.at_s, 2),
            "choices": [self._choice(game, [str(text) for text in choice]) for choice in asked],
            "left": [self._left(one) for one in left] if isinstance(left, list) else [],
        }

    def _left(self, one: JSON) -> dict[str, str]:
        """What nothing explains, in every language; older journals keep the words themselves."""
        assert self._rulings is not None, "only an open game asks"
        return self._rulings.say(reason_of(one)) if isinstance(one, dict) else dict.fromkeys(LANGUAGES, str(one))

    def _choice(self, game: Game, texts: list[str]) -> dict[str, Any]:
        assert self._rulings is not None, "only an open game asks"
        words: list[dict[str, str]] = []
        for text in texts:
            line = game.read(text)
            if line is not None:
                if isinstance(line.meaning, Undo) and game.match.verdicts:
                    words.append({**self._rulings.say(game.match.verdicts[-1].reason), "ruling": "UNDONE"})
                game, ruled = game.judge(line)
                if ruled.verdict is not None:
                    said = self._rulings.say(ruled.verdict.reason)
                    words.append({**said, "ruling": ruled.verdict.ruling.value})
        return {"lines": texts, "words": words}

    def _lay(self, entry: JournalEntry) -> None:
        """A table that has come to rest."""
        if self._table is None:
            return
        cards, pieces = entry.data.get("cards"), entry.data.get("pieces")
        before = self._table["cards"]
        laid: dict[str, Any] = {}
        for layer, card in enumerate(cards if isinstance(cards, list) else []):
            if isinstance(card, dict):
                drawn = {"pinned": False, **card, "layer": layer}
                key = str(card.get("track"))
                laid[key] = before[key] if before.get(key) == drawn else drawn
        seen = pieces if isinstance(pieces, list) else []
        self._table = {
            **self._table,
            "cards": laid,
            "pieces": {str(number): piece for number, piece in enumerate(seen)},
            "frame": entry.data.get("frame"),
            "at_s": round(entry.at_s, 2),
        }
        if self._opened is not None and self._opened.rig is None:
            self._table["size_mm"] = _room_for(laid)

    def _look(self, news: Looked) -> None:
        if self._table is not None:
            self._table = {
                **self._table,
                "motion": news.motion,
                "frame": news.frame,
                "at_s": round(news.at_s, 2),
            }
        if self._camera is not None:
            self._camera = {**self._camera, "size_px": list(news.size_px)}

    def _measure(self, news: Measured) -> None:
        reading = news.reading
        self._health = {
            **self._health,
            "fps": round(reading.fps, 1),
            "frames": reading.frames,
            "looks": reading.looks,
            "dropped": reading.dropped,
            "p50_s": _rounded(reading.p50_s),
            "p90_s": _rounded(reading.p90_s),
            "recording": reading.recording,
            "drift_px": _rounded(news.drift_px),
        }
        if self._camera is not None and reading.camera is not None:
            self._camera = {
                **self._camera,
                "health": reading.camera.health.value,
                "message": reading.camera.message,
            }

    def _note(self, at_s: float, what: str) -> None:
        self._noted += 1
        kept = list(self._notes.items())[-(MOST_NOTES - 1) :]
        self._notes = {**dict(kept), str(self._noted): {"at_s": round(at_s, 2), "what": what}}


def _bare_table(rig: Rig | None) -> dict[str, Any]:
    zones = [
        {
            "name": zone.name,
            "polygon_mm": [list(point) for point in zone.polygon_mm],
            "turn_deg": zone.turn_deg,
            "seat": seat.index if (seat := rig.seat_of(zone.name)) is not None else None,
        }
        for zone in (rig.zones if rig is not None else ())
        if rig is not None
    ]
    size_mm = rig.table.size_mm if rig is not None and rig.table is not None else LEAST_TABLE_MM
    return {
        "size_mm": list(size_mm),
        "zones": zones,
        "cards": {},
        "pieces": {},
        "motion": _STILL,
        "frame": None,
        "at_s": 0.0,
    }


def _room_for(cards: dict[str, Any]) -> list[float]:
    """A size that holds all cards, with the middle where it is."""
    corners = [point for card in cards.values() for point in card["corners_mm"]]
    wide, deep = (max((abs(point[side]) for point in corners), default=0.0) for side in (0, 1))
    width_mm, depth_mm = LEAST_TABLE_MM
    return [max(width_mm, 100.0 * ceil(wide / 50)), max(depth_mm, 100.0 * ceil(deep / 50))]


def _seats(reason: Reason) -> list[int]:
    """Whom a sentence is about."""
    seats: list[int] = []
    for key, value in reason.args:
        if key == "seat" and isinstance(value, int):
            seats.append(value)
        elif key == "seats" and isinstance(value, tuple):
            seats += [seat for seat in value if isinstance(seat, int)]
    return seats


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
