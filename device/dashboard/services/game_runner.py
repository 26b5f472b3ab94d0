"""The parlour: a game that is on, in a thread of its own, and everything that is shown of it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock, Thread

from device.cameras.source import SIMULATED
from device.dashboard.events import Closed, Opened
from device.dashboard.hub import Hub
from device.dashboard.services.event_feed import Teller
from device.dashboard.services.labels import Label, keep_label
from device.plain import plain
from device.recording.folder import DECK
from device.recording.journal import JOURNAL, read_journal
from device.session.camera_moves import move_sources
from device.session.commands import CommandQueue
from device.session.folder import SessionFolder, begin
from device.session.folder import resume as found_again
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
PLAIN_NAME = re.compile(r"[^A-Za-z0-9_-]")
LEAVE_S = 30.0
"""So long at most a game that is stopped is waited for: the last look, and hashing its film."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A game as somebody wants it."""

    game: str
    names: tuple[str, ...]
    options: tuple[tuple[str, str], ...] = ()
    camera: str = ""
    """Empty for a game without one."""
    record: bool | None = None
    """None: as the settings say."""
    deck: Path | None = None


class Parlour:
    """Runs a runner; what happens in it is told to the hub."""

    def __init__(
        self,
        place: SessionFolder,
        camera: str,
        watched: WatchedCamera | None,
        own: Settings,
        hub: Hub,
        watchdog: Watchdog,
    ):
        self._hub, self._own, self.rig = hub, own, place.rig
        self.session_name = place.path.name
        self.desk = CommandQueue()
        observer = watched.observer if watched is not None else None
        self.teller = Teller(hub, place.rig, observer, lambda: self.game)
        self._stopping = Lock()
        match = place.game.match
        sources = move_sources(match.rules, load_deck(place.path / DECK), place.rig, camera) if camera else ()
        self.runner = SessionRunner(
            *(place, watched, own, self.teller.publish, self.desk, self._refuse, self.teller.report, watchdog),
            sources=sources,
            status_s=STATUS_S,
            listeners=(self.teller,),
        )
        past = read_journal(place.path / JOURNAL)[0] if place.said else ()
        recording = own.record and watched is not None
        # Where nobody knows the seats moves cannot be explained from what the camera sees: people say them.
        self._hub.post(Opened(self.session_name, place.game, place.rig, camera, recording, not sources, past))
        self._thread = Thread(target=self._run, name="referee", daemon=True)

    @classmethod
    def begin(cls, wish: Wish, own: Settings, hub: Hub, watchdog: Watchdog, eye_factory: EyeOpener | None) -> "Parlour":
        """A new game; what cannot work leaves no empty session behind."""
        opening = check(wish)
        if wish.record is not None:
            own = replace(own, record=wish.record)
        rig = chosen_rig(own, wish.camera) if wish.camera else None
        watched = None
        if wish.camera:
            watched = open_observer(wish.camera, own, rig, wish.game, eye_factory=eye_factory, deck=opening.deck)
        try:
            place = begin(own.recordings_folder, opening, rig, wish.deck, wish.camera)
        except BaseException:
            if watched is not None:
                watched.source.close()
            raise
        return cls._opened(place, wish.camera, watched, own, hub, watchdog)

    @classmethod
    def resume(
        cls, path: Path, own: Settings, hub: Hub, watchdog: Watchdog, fitted: Callable[[str], EyeOpener | None]
    ) -> "Parlour":
        """A game that was cut off."""
        place = found_again(path)
        try:
            camera = place.recording.manifest.camera
            opening, watched = place.game.match.opening, None
            if camera:
                frames = (place.frame, place.at_s)
                watched = open_observer(camera, own, place.rig, opening.game, *frames, fitted(camera), opening.deck)
        except BaseException:
            place.leave()
            raise
        return cls._opened(place, camera, watched, own, hub, watchdog)

    @classmethod
    def _opened(
        cls,
        place: SessionFolder,
        camera: str,
        watched: WatchedCamera | None,
        own: Settings,
        hub: Hub,
        watchdog: Watchdog,
    ) -> "Parlour":
        made = cls(place, camera, watched, own, hub, watchdog)
        made.runner.begin()
        made._thread.start()
        return made

    @property
    def is_on(self) -> bool:
        """Whether it goes on."""
        return self._thread.is_alive()

    @property
    def game(self) -> Game:
        """The game as it is now."""
        return self.runner.session.game

    @property
    def now_s(self) -> float:
        """The time of the game."""
        return self.runner.loop.now_s

    @property
    def deck(self) -> Deck:
        """The deck that is played with."""
        return load_deck(self.runner.folder.path / DECK)

    def stop(self, later: bool) -> None:
        """End it and wait until everything is on the disk, or break it off to be resumed."""
        with self._stopping:
            self.runner.loop.stop(later)
            self._thread.join(LEAVE_S)

    def pin(self, track: int, code: str, by: str) -> Callable[[Session, float], PlacedCard]:
        """What has to be done to name a card: it is pinned, and kept as an example."""

        def name_it(session: Session, now_s: float) -> PlacedCard:
            frame = self.teller.table_frame
            card = session.pin(track, code, by, now_s)
            if frame is not None:
                guesses = tuple((one.code, round(one.probability, 4)) for one in card.guesses)
                corners = tuple((round(x, 2), round(y, 2)) for x, y in card.corners_mm)
                label = Label(code, card.code, by, self.session_name, track, corners, guesses, round(card.visible, 3))
                try:
                    keep_label(self._labels, label, frame, self.rig)
                except OSError as error:
                    session.trouble(f"the example is not kept: {error}")
            return card

        return name_it

    def _refuse(self, text: str, why: str) -> None:
        self.runner.session.trouble(f"{plain(text)}: {why}")

    def _run(self) -> None:
        why = "the game was ended by an error; it can be resumed"
        try:
            self.runner.run()
            why = ""
        finally:
            self.desk.close()
            self.teller.close()
            self._hub.post(Closed(why))

    @property
    def _labels(self) -> Path:
        return self._own.data / "labels" / PLAIN_NAME.sub("_", self.deck.name)


def check(wish: Wish) -> Opening:
    """How the game would be opened; OpeningError, NotationError or DeckError if it cannot be."""
    names = player_names(",".join(wish.names))
    if len(names) != len(wish.names):
        raise NotationError(f"player names {', '.join(map(repr, wish.names))}; wanted names without commas")
    taught = None if wish.deck is None else load_deck(wish.deck)
    opening = Opening(wish.game, names, wish.options, None if taught is None else taught.name)
    opened(load_rules(wish.game, taught), opening)
    if wish.camera.startswith(SIMULATED):
        from device.cameras.simulated import simulated_players

        # A simulated table plays its own game: another one cannot be refereed at it.
        game, players = simulated_players(wish.camera)
        if (game, players) != (wish.game, len(wish.names)):
            raise OpeningError(f"{wish.camera} shows {game} for {players}; wanted {wish.game} for {len(wish.names)}")
    return opening
