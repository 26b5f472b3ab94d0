"""Refusals: the one form in which the dashboard refuses a request."""

from collections.abc import Iterator
from contextlib import contextmanager

from calibration.frames import CalibrationError
from device.files import OutputError
from device.recording.journal import JournalError
from device.recording.lines import JSON
from device.settings import SettingsError
from device.sources import SourceError
from device.store import StoreError
from device.teaching.translations import in_language
from models.art.paper import TooLargeError
from models.cards import DeckError
from referee.match import LogError
from referee.moves import NotationError
from referee.rules import OpeningError
from vision.look.network import ModelError
from vision.watcher import PinError

MOST_SHOWN = 200
"""Longest quotation of what was found, in characters."""


_BAD = (CalibrationError, DeckError, NotationError, OpeningError, SettingsError, SourceError, TooLargeError)
_NOT_NOW = (LogError, PinError)
_BROKEN = (JournalError, ModelError, OutputError, StoreError)


class Refusal(Exception):  # noqa: N818 - it is no error of ours
    """A refused request: what is wrong, what was found and what was wanted, sent as JSON."""

    def __init__(
        self,
        status: int,
        what: str,
        found: JSON = None,
        wanted: JSON = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(what)
        self.status, self.what, self.found, self.wanted = status, what, found, wanted
        self.headers = headers or {}

    @property
    def body(self) -> dict[str, JSON]:
        """The JSON that the caller gets."""
        found = self.found[:MOST_SHOWN] if isinstance(self.found, str) else self.found
        said: dict[str, JSON] = {"what": self.what, "found": found, "wanted": self.wanted}
        polish = in_language(self.what, "pl")
        if polish != self.what:
            wanted = self.wanted
            said["texts"] = {"en": self.what, "pl": polish}
            said["wanted_texts"] = (
                {"en": wanted, "pl": in_language(wanted, "pl")} if isinstance(wanted, str) else wanted
            )
        return {"error": said}


class InUseError(Refusal):
    """The camera or the table is in use."""

    def __init__(self, what: str, found: JSON = None, wanted: JSON = None) -> None:
        super().__init__(409, what, found, wanted)


@contextmanager
def refusing() -> Iterator[None]:
    """Turn Krupier's own errors into refusals with the right status."""
    try:
        yield
    except _BAD as error:
        raise Refusal(422, str(error)) from error
    except _NOT_NOW as error:
        raise Refusal(409, str(error)) from error
    except _BROKEN as error:
        raise Refusal(503, str(error)) from error
