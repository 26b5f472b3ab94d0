"""Shared by all commands: reading input, and refusing bad input clearly."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from calibration.frames import CalibrationError
from device.files import OutputError
from device.recording.journal import JournalError
from device.settings import SettingsError
from device.sources import SourceError
from device.store import StoreError
from models.art.paper import TooLargeError
from models.cards import Deck, DeckError, load_deck
from referee.moves import NotationError
from referee.record import MOST_BYTES, decode
from referee.rules import OpeningError, games
from vision.look.network import ModelError


class Language(StrEnum):
    """The languages Krupier speaks."""

    EN = "en"
    PL = "pl"


def own_language() -> Language:
    """The language of the user's locale if Krupier speaks it, otherwise English."""
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
    return Language.PL if locale.startswith("pl") else Language.EN


Lang = Annotated[Language, typer.Option("--lang", help="The language of the rulings.", default_factory=own_language)]
GameName = Annotated[str, typer.Argument(help=f"One of {', '.join(games())}.")]
GameChoice = Annotated[str | None, typer.Option("--game", help=f"One of {', '.join(games())}.")]
DeckFile = Annotated[Path | None, typer.Option("--deck", help="Your own deck file instead of Krupier's own print.")]


def refuse(message: str) -> NoReturn:
    """Print an error message and exit with code 2."""
    print(f"krupier: {message}", file=sys.stderr)
    raise typer.Exit(2)


_REFUSED = (
    CalibrationError,
    DeckError,
    JournalError,
    ModelError,
    NotationError,
    OpeningError,
    OutputError,
    SettingsError,
    SourceError,
    StoreError,
    TooLargeError,
)


@contextmanager
def refusing(translated: Callable[[str], str] = str) -> Iterator[None]:
    """Turn errors caused by bad input into a message and exit code 2."""
    try:
        yield
    except _REFUSED as error:
        refuse(translated(str(error)))


def read_text(file: str, name: str) -> str:
    """The text of a file, or of standard input for `-`; error messages call it `name`."""
    try:
        if file == "-":
            data = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(file).open("rb") as opened:
                data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        refuse(f"{name}: cannot be read: {error.strerror}")
    return decode(data, name)


def chosen_deck(path: Path | None) -> Deck | None:
    """The user's deck, if one was given."""
    return None if path is None else load_deck(path)
