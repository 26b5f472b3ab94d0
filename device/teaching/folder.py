"""Folders of taught decks: saved atomically, listed, deleted, exported and imported."""

import fcntl
import os
import re
import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from device.files import OutputError, new_folder, write_whole
from device.sources import SourceError, read_picture
from device.teaching.features import FEATURES, kept_features
from models.cards import Deck, own_decks
from models.codes import BACK, FREE
from models.crops import Image
from models.faces import WRITTEN_ON, Faces
from models.taught import TaughtDeck, View, deck_text, read_taught, taught_text

DECKS = "decks"
INDEX, BEFORE, DECK, VIEWS, PAIRS = "views.jsonl", "views.before.jsonl", "deck.toml", "views", "pairs"
MOST_ZIP_BYTES, MAX_FILE_BYTES, MAX_FILES = 600_000_000, 100_000_000, 3100
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_PACKED = re.compile(rf"({re.escape(INDEX)}|{re.escape(DECK)}|{re.escape(FEATURES)}|{VIEWS}/[0-9]{{4}}\.png)")
_RESERVED = (FREE, "all", "styles", "taught")


class TeachingError(SourceError):
    """An invalid lesson or an unusable taught deck; the message says what was found and wanted."""


@dataclass(frozen=True, slots=True)
class TaughtEntry:
    """A taught deck in the list of decks."""

    name: str
    game: str
    views: int
    codes: int
    cards: int
    """Number of cards, copies included."""
    waiting: int
    """Views that have no name yet."""
    fault: str = ""
    """Why the deck cannot be used; empty if it can."""


def taught_decks(data: Path) -> tuple[TaughtEntry, ...]:
    """All taught decks, by name."""
    root = data / DECKS
    if not root.is_dir():
        return ()
    return tuple(_entry(path) for path in sorted(root.iterdir()) if path.is_dir() and _NAME.fullmatch(path.name))


def load_taught(data: Path, name: str) -> tuple[Deck, Faces]:
    """A taught deck for the referee and the eye; TeachingError if it is missing or no face has a name."""
    home = find_deck(data, name)
    taught = load_index(home)
    deck = taught.deck()
    if deck is None or taught.card_mm is None:
        raise TeachingError(
            f"{name}: {len(taught.views)} views, and no face has a name; wanted one: krupier teach {name} --label"
        )
    pictures = tuple((view.code, read_view(home, view)) for code in taught.codes for view in taught.of(code))
    backs = tuple(read_view(home, view) for view in taught.of(BACK))
    written_on = frozenset(card.code for card in deck.cards if card.kind == WRITTEN_ON)
    return deck, Faces(name, taught.card_mm, pictures, written_on, "", backs, kept_features(home), home)


def has_deck(data: Path, name: str) -> bool:
    """Whether there is a taught deck of this name."""
    return bool(_NAME.fullmatch(name)) and (data / DECKS / name / INDEX).is_file()


def find_deck(data: Path, name: str) -> Path:
    """The folder of a taught deck; TeachingError lists the decks there are."""
    home = data / DECKS / check_name(name)
    if not home.is_dir():
        names = ", ".join(entry.name for entry in taught_decks(data)) or "none yet"
        raise TeachingError(f"no taught deck {name!r}; there are: {names} ({data / DECKS})")
    if not (home / INDEX).is_file():
        raise TeachingError(f"{home}: is no taught deck, it has no {INDEX}; nothing was changed")
    return home


def make_deck(data: Path, name: str, game: str) -> Path:
    """Create the folder of a new deck."""
    home = data / DECKS / check_name(name)
    with new_folder(home) as part:
        (part / VIEWS).mkdir()
        write_whole(part / INDEX, taught_text(TaughtDeck(name, game)).encode())
    return home


def check_name(name: str) -> str:
    """Check the name of a deck, and return it."""
    if not _NAME.fullmatch(name):
        raise TeachingError(f"deck name {name!r}; wanted 1 to 40 letters a to z, digits, - and _, no path")
    if name.lower() in (*own_decks(), *_RESERVED):
        raise TeachingError(f"deck name {name!r} is taken by Krupier itself; wanted another, as my-{name.lower()}")
    return name


@contextmanager
def held(home: Path) -> Iterator[None]:
    """Lock a deck, so that nobody else teaches it meanwhile."""
    try:
        handle = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise TeachingError(f"{home}: cannot be opened: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise TeachingError(f"{home.name}: somebody else is teaching it just now; wanted to be alone") from error
    finally:
        os.close(handle)


def load_index(home: Path) -> TaughtDeck:
    """Load a deck's index; the folder's name wins over the name in the file."""
    return replace(read_taught(_text(home / INDEX), str(home / INDEX)), name=home.name)


def save(home: Path, taught: TaughtDeck) -> None:
    """Save a change, keeping the previous state for one undo. Pictures in neither state are deleted."""
    now = taught_text(taught).encode()
    before = (home / INDEX).read_bytes() if (home / INDEX).is_file() else b""
    if before != now:
        if before:
            write_whole(home / BEFORE, before)
        write_whole(home / INDEX, now)
    deck = taught.deck()
    if deck is not None:
        write_whole(home / DECK, deck_text(deck).encode())
    elif (home / DECK).exists():
        (home / DECK).unlink()
    _sweep(home, taught)


def undo(home: Path) -> TaughtDeck:
    """Undo the last change; a second undo restores it."""
    if not (home / BEFORE).is_file():
        raise TeachingError(f"{home.name}: nothing was changed yet that could be taken back")
    taught = replace(read_taught(_text(home / BEFORE), str(home / BEFORE)), name=home.name)
    lost = [view.file for view in taught.views if not (home / VIEWS / view.file).is_file()]
    if lost:
        raise TeachingError(f"{home.name}: cannot be taken back, {len(lost)} pictures are gone, as {lost[0]}")
    save(home, taught)
    return taught


def next_name(home: Path, taught: TaughtDeck) -> str:
    """The number of the next view; numbers of pictures left over from an interruption are skipped."""
    numbers = [int(view.name) for view in taught.views]
    numbers += [int(path.stem) for path in (home / VIEWS).glob("[0-9][0-9][0-9][0-9].png")]
    number = max(numbers, default=0) + 1
    if number > 9999:
        raise TeachingError(f"{home.name}: has {len(taught.views)} views; wanted fewer than 9999: forget some")
    return f"{number:04d}"


def write_view(home: Path, view: View, image: Image) -> None:
    """Save the picture of a view."""
    good, data = cv2.imencode(".png", image)
    if not good:
        raise OutputError(f"{home}: no PNG can be written here")
    (home / VIEWS).mkdir(exist_ok=True)
    write_whole(home / VIEWS / view.file, data.tobytes())


def read_view(home: Path, view: View) -> Image:
    """Read the picture of a view."""
    return np.asarray(read_picture(home / VIEWS / view.file).image, np.uint8)


def write_pair(home: Path, one: str, other: str, image: Image) -> Path:
    """Save the picture that shows two views side by side, and return its file."""
    good, data = cv2.imencode(".png", image)
    if not good:
        raise OutputError(f"{home}: no PNG can be written here")
    (home / PAIRS).mkdir(exist_ok=True)
    path = home / PAIRS / f"{min(one, other)}-{max(one, other)}.png"
    write_whole(path, data.tobytes())
    return path


def delete_deck(data: Path, name: str) -> None:
    """Delete a taught deck for good."""
    home = find_deck(data, name)
    with held(home):
        # Renaming removes the deck at once, whatever happens while its files are deleted.
        away = home.with_name(f".{name}.deleted")
        shutil.rmtree(away, ignore_errors=True)
        try:
            home.rename(away)
            shutil.rmtree(away)
        except OSError as error:
            raise OutputError(f"{home}: cannot be deleted: {error.strerror}") from error


def export_deck(data: Path, name: str, path: Path) -> int:
    """Export a taught deck to a .zip file, and return its number of views."""
    home = find_deck(data, name)
    taught = load_index(home)
    if path.suffix.lower() != ".zip" or path.is_dir():
        raise OutputError(f"{path}: cannot be written; wanted a file that ends in .zip")
    part = path.with_name(f".{path.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_STORED) as packed:
            packed.writestr(INDEX, taught_text(taught))
            for file in (DECK, FEATURES):
                if (home / file).is_file():
                    packed.write(home / file, file)
            for view in taught.views:
                packed.write(home / VIEWS / view.file, f"{VIEWS}/{view.file}")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
    return len(taught.views)


def import_deck(data: Path, path: Path, name: str | None = None) -> TaughtEntry:
    """Import an exported deck; it is checked completely before it appears."""
    try:
        packed = zipfile.ZipFile(path)
    except OSError as error:
        raise TeachingError(f"{path}: cannot be read: {error.strerror}") from error
    except zipfile.BadZipFile as error:
        raise TeachingError(f"{path}: is no .zip file or a broken one: {error}; wanted one of --export") from error
    with packed:
        members = _members(packed, path)
        taught = read_taught(_unpacked(packed, members[INDEX], path).decode("utf-8", "replace"), f"{path}: {INDEX}")
        chosen = check_name(name or taught.name)
        home = data / DECKS / chosen
        if home.exists():
            raise TeachingError(f"{chosen}: is there already; wanted another --name, or delete it first")
        with new_folder(home) as part:
            (part / VIEWS).mkdir()
            for view in taught.views:
                member = members.get(f"{VIEWS}/{view.file}")
                if member is None:
                    raise TeachingError(f"{path}: lacks {VIEWS}/{view.file}, which its list speaks of; wanted it whole")
                (part / VIEWS / view.file).write_bytes(_unpacked(packed, member, path))
                read_view(part, view)
            # Features are recomputed: an imported file is not trusted to match its pictures.
            save(part, replace(taught, name=chosen))
            (part / BEFORE).unlink(missing_ok=True)
    return _entry(home)


def _members(packed: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    infos = [info for info in packed.infolist() if not info.is_dir()]
    if len(infos) > MAX_FILES:
        raise TeachingError(f"{path}: {len(infos)} files in it; wanted {MAX_FILES} at most")
    for info in infos:
        if not _PACKED.fullmatch(info.filename):
            raise TeachingError(
                f"{path}: holds {info.filename[:80]!r}; wanted only {INDEX}, {DECK} and {VIEWS}/0001.png …"
            )
    total = sum(info.file_size for info in infos)
    if total > MOST_ZIP_BYTES or max((info.file_size for info in infos), default=0) > MAX_FILE_BYTES:
        raise TeachingError(f"{path}: {total / 1e6:.0f} MB when unpacked; wanted {MOST_ZIP_BYTES / 1e6:.0f} at most")
    members = {info.filename: info for info in infos}
    if INDEX not in members:
        raise TeachingError(f"{path}: has no {INDEX}; wanted a deck that `krupier teach NAME --export` packed")
    return members


def _unpacked(packed: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> bytes:
    try:
        with packed.open(info) as file:
            # The declared size may be wrong.
            data = file.read(info.file_size + 1)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, zlib.error) as error:
        raise TeachingError(f"{path}: {info.filename} cannot be unpacked: {error}; wanted a whole file") from error
    if len(data) != info.file_size:
        raise TeachingError(f"{path}: {info.filename} is not as large as it says; wanted a whole file")
    return data


def _entry(home: Path) -> TaughtEntry:
    try:
        taught = load_index(home)
    except (SourceError, ValueError) as error:
        return TaughtEntry(home.name, "", 0, 0, 0, 0, str(error))
    cards = sum(taught.count(code) for code in taught.codes)
    return TaughtEntry(home.name, taught.game, len(taught.views), len(taught.codes), cards, len(taught.waiting))


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise TeachingError(f"{path.parent}: is no taught deck, it has no {path.name}; nothing was changed") from error
    except OSError as error:
        raise TeachingError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise TeachingError(f"{path}: not UTF-8 text at byte {error.start}; nothing was changed") from error


def _sweep(home: Path, taught: TaughtDeck) -> None:
    """Delete pictures that neither the current nor the previous state uses."""
    kept = {view.file for view in taught.views}
    if (home / BEFORE).is_file():
        kept |= {view.file for view in read_taught(_text(home / BEFORE), str(home / BEFORE)).views}
    for path in (home / VIEWS).glob("[0-9][0-9][0-9][0-9].png"):
        if path.name not in kept:
            path.unlink(missing_ok=True)
    for path in (home / PAIRS).glob("*.png"):
        if not all(f"{name}.png" in kept for name in path.stem.split("-")):
            path.unlink(missing_ok=True)
