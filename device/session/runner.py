"""The runner: one game from its first line to its last, with its camera, its recording and its folder."""

import time
from collections.abc import Callable, Mapping, Sequence

from device.cameras.source import Clock
from device.recording.pruning import Room
from device.recording.recorder import Recorder
from device.session.camera_moves import CameraMoveSource
from device.session.events import SessionNote
from device.session.folder import SessionFolder
from device.session.loop import FrameListener, Incoming, Loop
from device.session.meter import MeterReading
from device.session.observer import WatchedCamera
from device.session.play_learner import PlayLearner
from device.session.recall import recall
from device.session.session import MoveSource, Publish, Session
from device.settings import Settings
from device.store import GameHistory
from device.watchdog import Watchdog


class SessionRunner:
    """Owns a session's folder and perhaps a camera, and closes both in good order whatever happens."""

    def __init__(
        self,
        folder: SessionFolder,
        watched: WatchedCamera | None,
        own: Settings,
        publish: Publish,
        inbox: Incoming,
        refuse: Callable[[str, str], None],
        report: Callable[[MeterReading], None],
        watchdog: Watchdog,
        sources: Sequence[MoveSource] = (),
        status_s: float = 0.0,
        listeners: tuple[FrameListener, ...] = (),
        clock: Clock = time.monotonic,
    ) -> None:
        """Open everything; after an error nothing stays open and the session can be resumed."""
        self.folder = folder
        self._source = watched.source if watched is not None else None
        self._recorder: Recorder | None = None
        observer = watched.observer if watched is not None else None
        try:
            if self._source is not None and own.record:
                limit = round(own.recordings_limit_gb * 1e9) or None
                room = Room(folder.path.parent, limit, round(own.spare_gb * 1e9))
                self._recorder = Recorder(folder.path, waits=not self._source.live, room=room)
            history_sync = folder.history_sync(GameHistory(own.history_file))
            self._recalled = recall(folder.start, folder.entries, sources)
            game = self._recalled.game
            # A film is watched again up to the last frame in the journal.
            again = self._source is not None and not self._source.live
            left = (folder.noted_frame, folder.noted_s, folder.entries) if again else (folder.frame, folder.at_s)
            if observer is not None and self._recalled.table is not None and not again:
                # A live camera's frames of the meantime are lost.
                observer.resume(self._recalled.table)
            self.session = Session(
                game, folder.journal, publish, observer, self._recorder, sources, history_sync, *left
            )
            self._learner = self._play_learner(watched, own, sources)
            if self._learner is not None:
                listeners = (*listeners, self._learner.cards)
            self.loop = Loop(
                *(self.session, self._source, inbox, clock, watchdog, refuse, report, observer),
                *(self._recorder, status_s, listeners),
            )
        except BaseException:
            self._close(well=False)
            raise

    @property
    def has_camera(self) -> bool:
        """Whether a camera watches the table."""
        return self._source is not None

    def begin(self) -> None:
        """Write the opening, or that the session was resumed."""
        try:
            if self.folder.said:
                recalled = self._recalled
                self.session.go_on(f"resumed; {len(recalled.game.lines)} lines so far", self.folder.ruled_s)
                if not recalled.answered:
                    self.session.finish(recalled.due, recalled.after, recalled.asked)
            else:
                self.session.begin()
            for news in self.folder.news:
                self.session.trouble(news)
        except BaseException:
            self._close(well=False)
            raise

    def run(self) -> None:
        """Referee until the end, then close the session; after an interruption or an error it can be resumed."""
        well = False
        try:
            self.loop.run()
            # A machine that restarts continues the game that it was refereeing.
            well = not self.loop.later
            learnt = self._learner.learn() if well and self._learner is not None else ""
            if learnt:
                self.session.report(SessionNote(learnt))
        finally:
            self._close(well)

    def _play_learner(
        self, watched: WatchedCamera | None, own: Settings, sources: Sequence[MoveSource]
    ) -> PlayLearner | None:
        """Learns from a game with a taught deck; None if there is no taught deck or no referee to agree with."""
        camera = next((source for source in sources if isinstance(source, CameraMoveSource)), None)
        rig = self.folder.rig
        if watched is None or watched.learning is None or camera is None:
            return None
        if rig is None or rig.lens is None or rig.table is None:
            return None

        def expected() -> Mapping[str, frozenset[str]]:
            return camera.expected_codes(self.session.game.match)

        return PlayLearner(own.data, watched.learning, self.folder.path.name, (rig.lens, rig.table), expected)

    def _close(self, well: bool) -> None:
        if self._source is not None:
            self._source.close()
        if self._recorder is not None:
            self._recorder.close()
        if well:
            self.folder.close()
        else:
            self.folder.leave()
