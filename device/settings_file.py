"""Edits the settings file line by line; comments and other lines are kept."""

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from device.files import OutputError, write_whole
from device.settings import (
    ResolvedSettings,
    Settings,
    SettingsError,
    file_text,
    from_text,
    known_key,
    read_settings_text,
    settings_text,
    toml_value,
)

_LINE = re.compile(r"(?P<off>#\s?)?(?P<key>[a-z_]+)\s*=\s*(?P<rest>.*)")
_NOTE = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|[^"'#])*?(?P<note>\s*#.*)?""")


def save_setting(path: Path, name: str, value: str | None) -> None:
    """Set one setting in a settings file, or restore its default (None); everything else stays.

    The file is replaced atomically, and concurrent writers do not overwrite each other.
    """
    key = known_key(name, name)
    path = path.resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{path.parent}: cannot be made: {error.strerror}") from error
    with _locked(path.parent):
        text = file_text(path) if path.exists() else settings_text(ResolvedSettings(Settings(), {}))
        before = read_settings_text(text, path)
        made = None if value is None else from_text(key, value, key)
        if isinstance(made, Path) and not str(made).startswith("~"):
            # A typed path is relative to the current folder, a path in the file to the file's folder.
            made = made.absolute()
        after = changed_text(text, key, None if value is None else toml_value(made))
        wanted = {other: kept for other, (kept, _) in before.items() if other != key}
        if value is not None:
            wanted[key] = made
        if {other: kept for other, (kept, _) in read_settings_text(after, path).items()} != wanted:
            raise SettingsError(f"{path}: {key} stands there in a way that cannot be changed safely; edit it by hand")
        if after != text or not path.exists():
            write_whole(path, after.encode("utf-8"))


def changed_text(text: str, key: str, value: str | None) -> str:
    """The text of a settings file with one key set to a TOML value, or to its default (None)."""
    lines = text.split("\n")
    places: dict[bool, int] = {}
    for number, line in enumerate(lines):
        found = _LINE.fullmatch(line.strip())
        if found and found["key"] == key:
            places.setdefault(bool(found["off"]), number)
    at = places.get(False, places.get(True))
    if at is None:
        if value is None:
            return text
        tail = [] if lines[-1] else [""]
        return "\n".join([*(lines[:-1] if tail else lines), f"{key} = {value}", *tail])
    if value is None:
        if places.keys() == {False, True}:
            del lines[places[False]]
        else:
            lines[at] = f"# {key} = {toml_value(getattr(Settings(), key))}"
    else:
        rest = _LINE.fullmatch(lines[at].strip())
        note = _NOTE.fullmatch(rest["rest"]) if rest else None
        lines[at] = f"{key} = {value}{(note['note'] or '') if note else ''}"
    return "\n".join(lines)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder against concurrent writers."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be opened: {error.strerror}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
