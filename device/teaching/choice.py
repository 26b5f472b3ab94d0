"""Resolves --deck: a game's own deck, the name of a taught deck, or a deck file."""

from pathlib import Path

from device.teaching.folder import DECK, find_deck, has_deck, load_taught, taught_decks
from models.cards import DeckError, own_decks
from models.faces import Faces


def deck_to_read(data: Path, word: str | None) -> tuple[str | None, Faces | None]:
    """The game whose own deck to read, or the faces of a taught deck; neither if no deck was given."""
    if word is None or word in own_decks():
        return word, None
    if not has_deck(data, word):
        raise DeckError(f"no deck for {word!r}; there are {', '.join(own_decks())}; taught: {_names(data)}")
    return None, load_taught(data, word)[1]


def deck_to_play(data: Path, word: str | None) -> Path | None:
    """The deck file to play with, of a taught deck or any other; None for Krupier's own."""
    if word is None:
        return None
    if has_deck(data, word):
        load_taught(data, word)
        return find_deck(data, word) / DECK
    path = Path(word)
    if path.suffix or path.exists():
        return path
    raise DeckError(f"no taught deck {word!r}; there are: {_names(data)}; wanted one of them, or a deck file")


def faces_to_play(data: Path, name: str | None, game: str) -> Faces | None:
    """The faces of a deck taught for this game; None for Krupier's own deck."""
    if not name or not has_deck(data, name):
        return None
    deck, faces = load_taught(data, name)
    return faces if deck.game == game else None


def faces_of_game(data: Path, name: str, game: str) -> Faces:
    """The faces of a deck taught for this game; DeckError if there is none of that name, or it is for another game."""
    deck, faces = load_taught(data, name)
    if deck.game != game:
        raise DeckError(f"{name}: is a deck for {deck.game!r}; wanted one for {game!r}")
    return faces


def _names(data: Path) -> str:
    return ", ".join(entry.name for entry in taught_decks(data)) or "none yet"
