"""A sitting: one game from its first line to its last, with its camera, its recording and its place on the disk."""

import time
from collections.abc import Callable, Sequence

from device.cameras.source import Clock
from device.recording.pruning import Room
from device.recording.recorder import Recorder
from device.session.folder import Place
from device.session.loop import Incoming, Loop, Onlooker
from device.session.meter import Reading
from device.session.opening import Outlook
from device.session.recall import recall
from device.session.session import MoveSource, Publish, Session
from device.settings import Settings
from device.store import History
from device.watchdog import Watchdog


class Sitting:
    """Takes a place and perhaps a camera, and gives both back in good order, whatever happens."""

    def __init__(
        self,
        place: Place,
        outlook: Outlook | None,
        own: Settings,
        publish: Publish,
        inbox: Incoming,
        refuse: Callable[[str, str], None],
        report: Callable[[Reading], None],
        watchdog: Watchdog,
        sources: Sequence[MoveSource] = (),
        status_s: float = 0.0,
        onlooker: Onlooker | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        """Everything is opened here; after an error nothing is, and the session can be resumed."""
        self.place = place
        self._source = outlook.source if outlook is not None else None
        self._recorder: Recorder | None = None
        lookout = outlook.lookout if outlook is not None else None
        try:
            if self._source is not None and own.record:
                limit = round(own.recordings_limit_gb * 1e9) or None
                room = Room(place.folder.path.parent, limit, round(own.spare_gb * 1e9))
                self._recorder = Recorder(place.folder.path, waits=not self._source.live, room=room)
            shelf = place.shelf(History(own.history_file))
            self._recalled = recall(place.start, place.entries, sources)
            game = self._recalled.game
            # The frames of a film can be had again: it is watched once more up to what the journal knows.
            again = self._source is not None and not self._source.live
            left = (place.noted_frame, place.noted_s, place.entries) if again else (place.frame, place.at_s)
            if lookout is not None and self._recalled.table is not None and not again:
                # What a camera would have shown meanwhile is lost.
                lookout.resume(self._recalled.table)
            self.session = Session(game, place.journal, publish, lookout, self._recorder, sources, shelf, *left)
            self.loop = Loop(
                *(self.session, self._source, inbox, clock, watchdog, refuse, report, lookout),
                *(self._recorder, status_s, onlooker),
            )
        except BaseException:
            self._put_away(well=False)
            raise

    @property
    def has_camera(self) -> bool:
        """Whether somebody looks at the table."""
        return self._source is not None

    def begin(self) -> None:
        """Say what is played, or that it goes on."""
        try:
            if self.place.said:
                recalled = self._recalled
                self.session.go_on(f"resumed; {len(recalled.game.lines)} lines so far", self.place.ruled_s)
                if not recalled.answered:
                    self.session.finish(recalled.due, recalled.after, recalled.asked)
            else:
                self.session.begin()
            for news in self.place.news:
                self.session.trouble(news)
        except BaseException:
            self._put_away(well=False)
            raise

    def run(self) -> None:
        """Referee until the end; then the session is closed, or, broken off or after an error, left to be resumed."""
        well = False
        try:
            self.loop.run()
            # A machine that is restarted goes on with the game it was refereeing.
            well = not self.loop.later
        finally:
            self._put_away(well)

    def _put_away(self, well: bool) -> None:
        if self._source is not None:
            self._source.close()
        if self._recorder is not None:
            self._recorder.close()
        if well:
            self.place.close()
        else:
            self.place.leave()
