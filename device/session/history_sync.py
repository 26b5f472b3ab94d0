"""Keeps the history of finished games in step with one session."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from device.store import Finished, GameHistory, StoreError, finished_game
from referee.match import AnyMatch


class HistorySync:
    """Writes a game to the history when it ends and removes it when its end is undone."""

    def __init__(self, history: GameHistory, key: str, began: datetime, recording: Path | None = None) -> None:
        self._history, self._key, self._began, self._recording = history, key, began, recording
        self._kept: Finished | None = None
        self._known = False
        """Whether `_kept` is certain: an earlier run may have left an entry."""

    def follow(self, match: AnyMatch, at_s: float) -> str:
        """Bring the history in step with a match; returns what went wrong, or nothing."""
        game = finished_game(match, self._key, self._began, at_s, self._recording)
        if self._known and game is not None and self._kept is not None:
            # Lines after the end of a game do not make the game longer.
            game = replace(game, length_s=self._kept.length_s)
        if self._known and game == self._kept:
            return ""
        try:
            if game is not None:
                self._history.keep(game)
            else:
                self._history.forget(self._key)
        except StoreError as error:
            self._known = False
            return f"the history does not keep up, the game goes on: {error}"
        self._kept, self._known = game, True
        return ""
