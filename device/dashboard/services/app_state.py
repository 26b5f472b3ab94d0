"""The state of the application: its settings, the current game, and the actions that requests may ask for."""

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
from device.dashboard.refusals import InUseError, Refusal, refusing
from device.dashboard.services.game_runner import GameRequest, GameRunner, check
from device.dashboard.services.rulings import CHALLENGE_S
from device.dashboard.wire import StateBuilder
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
"""How long a request waits for the game's thread, in seconds; reading a table may take a second or more."""

T = TypeVar("T")


class AppState:
    """Runs at most one game at a time, in its own thread; every method may be called from any thread."""

    def __init__(
        self,
        environ: Mapping[str, str],
        options: Mapping[str, object] | None = None,
        fit: Callable[[int], EyeOpener] = lambda threads: EyeFactory(threads=threads),
    ) -> None:
        """`options` come from the command line: they still override the files when the settings are reloaded."""
        self._fit = fit
        self.environ, self._options = environ, dict(options or {})
        self._settings = find_settings(environ, self._options).settings
        self.hub = Hub(StateBuilder(version("krupier")), secrets.token_hex(8))
        self.watchdog = Watchdog(environ, os.getpid())
        self.clock: Callable[[], float] = time.monotonic
        self._lock = Lock()
        """Held while a game starts or ends, or while the camera is lent."""
        self._runner: GameRunner | None = None
        self._lent: str | None = None
        self._eye_factory: tuple[int, EyeOpener] | None = None
        self.closing = False

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self._settings

    def reload_settings(self) -> None:
        """Read the settings again after a change; a running game keeps the settings it started with."""
        self._settings = find_settings(self.environ, self._options).settings

    def resolve_settings(self) -> ResolvedSettings:
        """All settings as they would be read now, and where each of them stands; SettingsError if one cannot be."""
        return find_settings(self.environ, self._options)

    def playing(self) -> bool:
        """Whether a game is running."""
        return self.runner is not None

    @property
    def runner(self) -> GameRunner | None:
        """The runner of the current game; None between games."""
        runner = self._runner
        return runner if runner is not None and runner.is_on else None

    def newest_frame(self) -> Frame | None:
        """The newest frame of the game's camera."""
        runner = self.runner
        return runner.feed.pictures.newest if runner is not None else None

    @property
    def now_s(self) -> float:
        """The game's time in seconds; 0 between games."""
        runner = self.runner
        return runner.now_s if runner is not None else 0.0

    @contextmanager
    def borrow_camera(self, name: str) -> Iterator[Source]:
        """Lend a camera, for calibrating or teaching; InUseError while a game or somebody else has it."""
        with self._lock:
            if self.playing():
                raise InUseError("a game is on", None, "end the game first: it needs the camera")
            if self._lent is not None:
                raise InUseError("the camera is in use", self._lent, "wait until it is free")
            self._lent = name
        try:
            with refusing():
                source = open_source(name, self._settings.camera_settings)
            try:
                yield source
            finally:
                source.close()
        finally:
            self._lent = None

    def check(self, game_request: GameRequest) -> None:
        """Check whether a game can start, without loading a network; Refusal if it cannot."""
        with refusing():
            check(game_request)
            if game_request.camera:
                open_source(game_request.camera, self._settings.camera_settings).close()

    def cut_off(self) -> Path | None:
        """The folder of the newest interrupted game."""
        return newest_cut_off(self._settings.recordings_folder)

    def start(self, game_request: GameRequest) -> str:
        """Start a game and return the name of its session."""
        with self._opening(), refusing():
            self._runner = GameRunner.begin(
                game_request, self._settings, self.hub, self.watchdog, self._eye_factory_for(game_request.camera)
            )
            return self._runner.session_name

    def resume(self, session: str | None) -> str:
        """Resume an interrupted game: the named one, or the newest."""
        if session is not None and not PLAIN.match(session):
            raise Refusal(422, "that is no session's name", session, "letters, digits, dots, dashes")
        with self._opening(), refusing():
            root = self._settings.recordings_folder
            path = self.cut_off() if session is None else find_session(session, root).path
            if path is None:
                raise Refusal(404, "no game was cut off", None, "a session to resume")
            if path.parent != root:
                raise Refusal(404, "no such session", session, "the name of a session in the recordings folder")
            self._runner = GameRunner.resume(path, self._settings, self.hub, self.watchdog, self._eye_factory_for)
            return self._runner.session_name

    def end(self, later: bool = False) -> str:
        """End the game, or interrupt it so that it can be resumed `later`; return the name of its session."""
        with self._lock:
            runner = self._required()
            runner.stop(later)
            self._runner = None
            return runner.session_name

    def close(self, later: bool) -> None:
        """Stop with the server: end the current game, or leave it to be resumed `later`."""
        self.closing = True
        with self._lock:
            runner = self.runner
            if runner is not None:
                runner.stop(later)
            self._runner = None

    def ask(self, do: Callable[[Session, float], T]) -> T:
        """Run `do` in the game's thread and wait for its result; errors come back as a Refusal."""
        answer = self._required().commands.ask(do)
        try:
            with refusing():
                return answer.result(ANSWER_S)
        except TooLate as error:
            raise Refusal(504, "the referee has not answered yet", None, "look whether it was done") from error
        except CancelledError as error:
            raise Refusal(409, "the game has ended", None, "a game that is on") from error

    def line(self, text: str) -> dict[str, Any]:
        """Enter a line of the record on behalf of a person; the answer has its number."""

        def hear(session: Session, now_s: float) -> dict[str, Any]:
            before = len(session.game.lines)
            session.hear(text, now_s)
            lines = session.game.lines
            return {"line": lines[-1].number if len(lines) > before else None}

        return self.ask(hear)

    def pin(self, track: int, code: str, by: str) -> dict[str, Any]:
        """Pin the code of a card that a person has named; the answer has the code that was read before."""
        runner = self._required()
        known = {card.code for card in runner.deck.cards}
        if code not in known:
            raise Refusal(422, "no such card in this deck", code, " ".join(sorted(known)))
        was = self.ask(runner.pin(track, code, by))
        return {"track": track, "code": code, "was": was.code}

    def challenge(self, line: int, by: str) -> dict[str, Any]:
        """Challenge a ruling; Refusal 409 if that comes too late or if the ruling was challenged before."""
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
        """Settle a challenge: let the play stand, or uphold the ruling."""

        def settle(session: Session, now_s: float) -> dict[str, Any]:
            index = session.game.match.index_of(line)
            entry, verdict = session.game.match.log[index], session.game.match.verdicts[index]
            if stand and verdict.ruling is not Ruling.LEGAL and not entry.stands:
                session.enter(Stand(line), now_s)
            session.challenge(line, by, now_s, settled=True)
            return {"line": line, "stand": stand}

        return self.ask(settle)

    def _required(self) -> GameRunner:
        runner = self.runner
        if runner is None:
            raise Refusal(409, "no game is on", None, "start a game first")
        return runner

    @contextmanager
    def _opening(self) -> Iterator[None]:
        with self._lock:
            if self.closing:
                raise Refusal(503, "the server stops")
            if self.playing():
                raise InUseError("a game is on", self._required().session_name, "end it first")
            if self._lent is not None:
                raise InUseError("the camera is in use", self._lent, "finish calibrating or teaching first")
            yield

    def _eye_factory_for(self, camera: str) -> EyeOpener | None:
        """The networks, loaded once; a game without a camera needs none."""
        if not camera:
            return None
        if self._eye_factory is None or self._eye_factory[0] != self._settings.threads:
            self._eye_factory = (self._settings.threads, self._fit(self._settings.threads))
        return self._eye_factory[1]
