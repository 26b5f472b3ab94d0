"""The runner of the current game: its thread, its camera, and the events that it publishes."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock, Thread

from device.cameras.source import SIMULATED
from device.dashboard.events import GameEnded, GameStarted
from device.dashboard.hub import Hub
from device.dashboard.services.event_feed import EventFeed
from device.dashboard.services.labels import CardLabel, keep_label
from device.plain import plain
from device.recording.folder import DECK
from device.recording.journal import JOURNAL, read_journal
from device.session.camera_moves import move_sources
from device.session.commands import CommandQueue
from device.session.folder import SessionFolder, begin
from device.session.folder import resume as resume_session
from device.session.game import Game
from device.session.observer import EyeOpener, WatchedCamera, chosen_rig, open_observer
from device.session.runner import SessionRunner
from device.session.session import Session
from device.settings import Settings
from device.watchdog import Watchdog
from models.cards import Deck, load_deck
from referee.moves import NotationError
from referee.record import player_names
from referee.rules import Opening, OpeningError, load_rules, opened
from vision.table import PlacedCard

STATUS_S = 2.0
"""How often the game reports its load to the pages, in seconds."""
STOP_S = 30.0
"""How long to wait for a game that is stopped, in seconds: it reads the last table and hashes its film."""
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class GameRequest:
    """A game that somebody wants to start."""

    game: str
    names: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    camera: str = ""
    """Empty for a game without a camera."""
    record: bool | None = None
    """Whether to record the video; None for what the settings say."""
    deck: Path | None = None
    """The file of a taught deck; None for Krupier's own."""


class GameRunner:
    """Runs one game in its own thread and publishes its events to the hub."""

    def __init__(
        self,
        folder: SessionFolder,
        camera: str,
        watched: WatchedCamera | None,
        settings: Settings,
        hub: Hub,
        watchdog: Watchdog,
    ):
        self._hub, self._settings, self.rig = hub, settings, folder.rig
        self.session_name = folder.path.name
        self.commands = CommandQueue()
        observer = watched.observer if watched is not None else None
        self.feed = EventFeed(hub, folder.rig, observer, lambda: self.game)
        self._stopping = Lock()
        rules = folder.game.match.rules
        sources = move_sources(rules, load_deck(folder.path / DECK), folder.rig, camera) if camera else ()
        self._session_runner = SessionRunner(
            *(folder, watched, settings, self.feed.publish, self.commands, self._refuse, self.feed.report, watchdog),
            sources=sources,
            status_s=STATUS_S,
            listeners=(self.feed,),
        )
        past = read_journal(folder.path / JOURNAL)[0] if folder.said else ()
        recording = settings.record and watched is not None
        # Without known seats the camera cannot tell whose move it sees: people declare the moves.
        self._hub.post(GameStarted(self.session_name, folder.game, folder.rig, camera, recording, not sources, past))
        self._thread = Thread(target=self._run, name="referee", daemon=True)

    @classmethod
    def begin(
        cls, request: GameRequest, settings: Settings, hub: Hub, watchdog: Watchdog, eye_factory: EyeOpener | None
    ) -> "GameRunner":
        """Start a new game; a game that cannot start leaves no empty session behind."""
        opening, camera = check(request), request.camera
        if request.record is not None:
            settings = replace(settings, record=request.record)
        rig = chosen_rig(settings, camera) if camera else None
        watched = None
        if camera:
            watched = open_observer(camera, settings, rig, request.game, eye_factory=eye_factory, deck=opening.deck)
        try:
            folder = begin(settings.recordings_folder, opening, rig, request.deck, camera)
        except BaseException:
            if watched is not None:
                watched.source.close()
            raise
        return cls._started(folder, camera, watched, settings, hub, watchdog)

    @classmethod
    def resume(
        cls,
        path: Path,
        settings: Settings,
        hub: Hub,
        watchdog: Watchdog,
        eye_factory_for: Callable[[str], EyeOpener | None],
    ) -> "GameRunner":
        """Resume an interrupted game."""
        folder = resume_session(path)
        try:
            camera = folder.recording.manifest.camera
            opening, watched = folder.game.match.opening, None
            if camera:
                start, eye_factory = (folder.frame, folder.at_s), eye_factory_for(camera)
                watched = open_observer(camera, settings, folder.rig, opening.game, *start, eye_factory, opening.deck)
        except BaseException:
            folder.leave()
            raise
        return cls._started(folder, camera, watched, settings, hub, watchdog)

    @classmethod
    def _started(
        cls,
        folder: SessionFolder,
        camera: str,
        watched: WatchedCamera | None,
        settings: Settings,
        hub: Hub,
        watchdog: Watchdog,
    ) -> "GameRunner":
        runner = cls(folder, camera, watched, settings, hub, watchdog)
        runner._session_runner.begin()
        runner._thread.start()
        return runner

    @property
    def is_on(self) -> bool:
        """Whether the game is running."""
        return self._thread.is_alive()

    @property
    def game(self) -> Game:
        """The game as it is now."""
        return self._session_runner.session.game

    @property
    def now_s(self) -> float:
        """The game's time, in seconds."""
        return self._session_runner.loop.now_s

    @property
    def deck(self) -> Deck:
        """The deck of the game, as its session keeps it."""
        return load_deck(self._session_runner.folder.path / DECK)

    def stop(self, later: bool) -> None:
        """End the game, or interrupt it to be resumed `later`; wait until everything is on the disk."""
        with self._stopping:
            self._session_runner.loop.stop(later)
            self._thread.join(STOP_S)

    def pin(self, track: int, code: str, by: str) -> Callable[[Session, float], PlacedCard]:
        """A command for the game's thread: pin the code of a card, and keep its picture as an example."""

        def pin_card(session: Session, now_s: float) -> PlacedCard:
            frame = self.feed.table_frame
            card = session.pin(track, code, by, now_s)
            if frame is not None:
                guesses = tuple((one.code, round(one.probability, 4)) for one in card.guesses)
                corners_mm = tuple((round(x, 2), round(y, 2)) for x, y in card.corners_mm)
                visible = round(card.visible, 3)
                label = CardLabel(code, card.code, by, self.session_name, track, corners_mm, guesses, visible)
                try:
                    keep_label(self._label_folder, label, frame, self.rig)
                except OSError as error:
                    session.trouble(f"the example is not kept: {error}")
            return card

        return pin_card

    def _refuse(self, text: str, why: str) -> None:
        self._session_runner.session.trouble(f"{plain(text)}: {why}")

    def _run(self) -> None:
        why = "the game was ended by an error; it can be resumed"
        try:
            self._session_runner.run()
            why = ""
        finally:
            self.commands.close()
            self.feed.close()
            self._hub.post(GameEnded(why))

    @property
    def _label_folder(self) -> Path:
        return self._settings.data / "labels" / _NOT_PLAIN.sub("_", self.deck.name)


def check(request: GameRequest) -> Opening:
    """The opening of the requested game; OpeningError, NotationError or DeckError if it cannot start."""
    names = player_names(",".join(request.names))
    if len(names) != len(request.names):
        raise NotationError(f"player names {', '.join(map(repr, request.names))}; wanted names without commas")
    taught = None if request.deck is None else load_deck(request.deck)
    opening = Opening(request.game, names, request.options, None if taught is None else taught.name)
    opened(load_rules(request.game, taught), opening)
    if request.camera.startswith(SIMULATED):
        from device.cameras.simulated import simulated_players

        # A simulated table plays its own game: it cannot be refereed as another one.
        game, players = simulated_players(request.camera)
        wanted = (request.game, len(names))
        if (game, players) != wanted:
            raise OpeningError(f"{request.camera} shows {game} for {players}; wanted {wanted[0]} for {wanted[1]}")
    return opening
