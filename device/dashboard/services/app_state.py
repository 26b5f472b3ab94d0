"""The house: the one table there is, whoever plays at it, and what everybody may ask of it."""

import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as TooLate
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from calibration.frames import Frame
from device.cameras.opening import open_source
from device.cameras.source import Source
from device.dashboard.hub import Hub
from device.dashboard.refusals import HouseBusyError, Refusal, refusing
from device.dashboard.services.game_runner import Parlour, Wish, check
from device.dashboard.services.rulings import CHALLENGE_S
from device.dashboard.wire import Scene
from device.eyes import EyeFactory
from device.recording.folder import PLAIN
from device.session.folder import newest_cut_off
from device.session.named import find_session
from device.session.observer import EyeOpener
from device.session.session import Session
from device.settings import ResolvedSettings, Settings, find_settings
from device.watchdog import Watchdog
from referee.edits import Stand
from referee.verdicts import Ruling

ANSWER_S = 20.0
"""So long somebody waits for what the game's thread does; a close look at a table may take a second or more."""

T = TypeVar("T")


class House:
    """At most one game at a time, in a thread of its own; every method may be called from any thread."""

    def __init__(
        self,
        environ: Mapping[str, str],
        options: Mapping[str, object] | None = None,
        fit: Callable[[int], EyeOpener] = lambda threads: EyeFactory(threads=threads),
    ) -> None:
        """`options` are those of the command line: they stay stronger than files when settings are read again."""
        self._fit = fit
        self.environ, self._options = environ, dict(options or {})
        self._own = find_settings(environ, self._options).settings
        self.hub = Hub(Scene(version("krupier")), secrets.token_hex(8))
        self.watchdog = Watchdog(environ, os.getpid())
        self.clock: Callable[[], float] = time.monotonic
        self._lock = Lock()
        """Held while a game begins or ends, or the camera is lent."""
        self._parlour: Parlour | None = None
        self._lent: str | None = None
        self._optician: tuple[int, EyeOpener] | None = None
        self.closing = False

    @property
    def own(self) -> Settings:
        """The settings as they are now."""
        return self._own

    def read_settings(self) -> None:
        """Read the settings again: somebody has changed them. A running game keeps those it began with."""
        self._own = find_settings(self.environ, self._options).settings

    def found_settings(self) -> ResolvedSettings:
        """All settings as they would be read now, and where each of them stands; SettingsError if one cannot be."""
        return find_settings(self.environ, self._options)

    def playing(self) -> bool:
        """Whether a game is on."""
        return self.game is not None

    @property
    def game(self) -> Parlour | None:
        """The game that is on."""
        parlour = self._parlour
        return parlour if parlour is not None and parlour.is_on else None

    def newest_frame(self) -> Frame | None:
        """What the camera of the game showed last."""
        game = self.game
        return game.teller.pictures.newest if game is not None else None

    @property
    def now_s(self) -> float:
        """The time of the game, or none."""
        game = self.game
        return game.now_s if game is not None else 0.0

    @contextmanager
    def borrow_camera(self, name: str) -> Iterator[Source]:
        """A camera for calibrating; HouseBusyError while a game or somebody else has it."""
        with self._lock:
            if self.playing():
                raise HouseBusyError("a game is on", None, "end the game first: it needs the camera")
            if self._lent is not None:
                raise HouseBusyError("the camera is in use", self._lent, "wait until it is free")
            self._lent = name
        try:
            with refusing():
                source = open_source(name, self._own.camera_settings)
            try:
                yield source
            finally:
                source.close()
        finally:
            self._lent = None

    def check(self, wish: Wish) -> None:
        """Whether a game can be started so, as far as that is known without loading anything; Refusal if not."""
        with refusing():
            check(wish)
            if wish.camera:
                open_source(wish.camera, self._own.camera_settings).close()

    def cut_off(self) -> Path | None:
        """The newest game that was cut off."""
        return newest_cut_off(self._own.recordings_folder)

    def start(self, wish: Wish) -> str:
        """Begin a game; the name of its session."""
        with self._opening(), refusing():
            self._parlour = Parlour.begin(wish, self._own, self.hub, self.watchdog, self._fitted(wish.camera))
            return self._parlour.session_name

    def resume(self, session: str | None) -> str:
        """Go on with a game that was cut off: a named one, or the newest."""
        if session is not None and not PLAIN.match(session):
            raise Refusal(422, "that is no session's name", session, "letters, digits, dots, dashes")
        with self._opening(), refusing():
            root = self._own.recordings_folder
            path = self.cut_off() if session is None else find_session(session, root).path
            if path is None:
                raise Refusal(404, "no game was cut off", None, "a session to resume")
            if path.parent != root:
                raise Refusal(404, "no such session", session, "the name of a session in the recordings folder")
            self._parlour = Parlour.resume(path, self._own, self.hub, self.watchdog, self._fitted)
            return self._parlour.session_name

    def end(self, later: bool = False) -> str:
        """End the game, or break it off to be resumed; its session's name."""
        with self._lock:
            game = self._required()
            game.stop(later)
            self._parlour = None
            return game.session_name

    def close(self, later: bool) -> None:
        """The server stops; a game that is on ends, or is left to be resumed."""
        self.closing = True
        with self._lock:
            game = self.game
            if game is not None:
                game.stop(later)
            self._parlour = None

    def ask(self, do: Callable[[Session, float], T]) -> T:
        """Have something done in the game's own thread, and wait for the answer; Refusal where it is refused."""
        answer = self._required().desk.ask(do)
        try:
            with refusing():
                return answer.result(ANSWER_S)
        except TooLate as error:
            raise Refusal(504, "the referee has not answered yet", None, "look whether it was done") from error
        except CancelledError as error:
            raise Refusal(409, "the game has ended", None, "a game that is on") from error

    def line(self, text: str) -> dict[str, Any]:
        """A line of the record, said by a human: what was ruled."""

        def hear(session: Session, now_s: float) -> dict[str, Any]:
            before = len(session.game.lines)
            session.hear(text, now_s)
            lines = session.game.lines
            return {"line": lines[-1].number if len(lines) > before else None}

        return self.ask(hear)

    def pin(self, track: int, code: str, by: str) -> dict[str, Any]:
        """Which card a human says that is: what it was read as, and where it lies."""
        game = self._required()
        known = {card.code for card in game.deck.cards}
        if code not in known:
            raise Refusal(422, "no such card in this deck", code, " ".join(sorted(known)))
        was = self.ask(game.pin(track, code, by))
        return {"track": track, "code": code, "was": was.code}

    def challenge(self, line: int, by: str) -> dict[str, Any]:
        """Doubt a ruling; Refusal 409 when that comes too late or was done before."""
        now_s = self._required().now_s
        ruling = self.hub.state["rulings"].get(str(line))
        if ruling is None or ruling["ruling"] is None:
            raise Refusal(404, "no such ruling", line, "the line of a ruling that is shown")
        if ruling["challenge"] is not None:
            raise Refusal(409, "that ruling was challenged before", ruling["challenge"]["by"])
        if now_s > ruling["challenge_until_s"]:
            late = f"{now_s - ruling['at_s']:.0f} s after it was made"
            raise Refusal(409, "too late to challenge that ruling", late, f"{CHALLENGE_S:g} s")
        self.ask(lambda session, asked_s: session.challenge(line, by, asked_s))
        return {"line": line, "open": True}

    def decide(self, line: int, stand: bool, by: str) -> dict[str, Any]:
        """Settle a challenge: let the play stand, or leave everything as it was ruled."""

        def settle(session: Session, now_s: float) -> dict[str, Any]:
            index = session.game.match.index_of(line)
            entry, verdict = session.game.match.log[index], session.game.match.verdicts[index]
            if stand and verdict.ruling is not Ruling.LEGAL and not entry.stands:
                session.enter(Stand(line), now_s)
            session.challenge(line, by, now_s, settled=True)
            return {"line": line, "stand": stand}

        return self.ask(settle)

    def _required(self) -> Parlour:
        game = self.game
        if game is None:
            raise Refusal(409, "no game is on", None, "start a game first")
        return game

    @contextmanager
    def _opening(self) -> Iterator[None]:
        with self._lock:
            if self.closing:
                raise Refusal(503, "the server stops")
            if self.playing():
                raise HouseBusyError("a game is on", self._required().session_name, "end it first")
            if self._lent is not None:
                raise HouseBusyError("the camera is in use", self._lent, "finish calibrating or teaching first")
            yield

    def _fitted(self, camera: str) -> EyeOpener | None:
        """The networks, loaded once; a game without a camera needs none."""
        if not camera:
            return None
        if self._optician is None or self._optician[0] != self._own.threads:
            self._optician = (self._own.threads, self._fit(self._own.threads))
        return self._optician[1]
