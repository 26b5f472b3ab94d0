"""The manifest of a session: what was played, when, with which equipment, and the hash of every file."""

import hashlib
import json
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, get_type_hints

from device.recording.parts import SessionError

MANIFEST = "manifest.json"
VERSION = 1
MAX_MANIFEST_BYTES = 4_000_000
"""Maximum size of a manifest to read."""


class SessionState(StrEnum):
    """How a session ended."""

    OPEN = "open"
    """Still running, or interrupted: it was never closed."""
    CLOSED = "closed"
    REPAIRED = "repaired"
    """Interrupted and repaired later."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a closed session: name, size and hash."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """Metadata of a session that its other files do not contain."""

    number: int = 0
    """Sessions in a folder are numbered, so a wrong clock does not change their order."""
    began: str = ""
    """Wall-clock time of the start, for display only."""
    krupier: str = ""
    """The version of Krupier that recorded the session."""
    camera: str = ""
    game: str = ""
    names: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    deck: str = ""
    """The name of a taught deck; empty for Krupier's own."""
    lossless: bool = False
    state: SessionState = SessionState.OPEN
    pinned: bool = False
    """Never pruned."""
    pruned: bool = False
    """The video was deleted to make room."""
    frames: int = 0
    entries: int = 0
    length_s: float = 0.0
    files: tuple[File, ...] = ()
    """Empty until the session is closed or repaired."""


def manifest_bytes(manifest: Manifest) -> bytes:
    """Encode a manifest, sealed with its own hash."""
    value = {field.name: getattr(manifest, field.name) for field in fields(manifest)}
    value["options"] = [list(pair) for pair in manifest.options]
    value["files"] = [{"name": file.name, "bytes": file.size, "sha256": file.sha256} for file in manifest.files]
    value = {"version": VERSION, **value}
    return (json.dumps({**value, "seal": _seal(value)}, indent=1, ensure_ascii=False) + "\n").encode()


def read_manifest(data: bytes, name: str) -> Manifest:
    """Parse a manifest; SessionError says what is wrong with it."""
    try:
        value = json.loads(data.decode("utf-8"))
    except ValueError as error:
        raise SessionError(f"{name}: is no manifest, or damaged: {error}") from error
    except RecursionError as error:
        raise SessionError(f"{name}: is no manifest: nested too deeply") from error
    if not isinstance(value, dict) or "version" not in value:
        raise SessionError(f"{name}: is no manifest; wanted one of version {VERSION}")
    if value["version"] != VERSION:
        raise SessionError(f"{name}: version {value['version']!r:.20}; this Krupier reads version {VERSION}")
    seal = value.pop("seal", None)
    if seal != _seal(value):
        raise SessionError(f"{name}: is damaged or was changed: its seal is {seal!r:.20}, wanted {_seal(value)[:16]}…")
    del value["version"]
    return _built(value, name)


def _built(value: dict[str, Any], name: str) -> Manifest:
    hints = get_type_hints(Manifest)
    if set(value) != set(hints):
        raise SessionError(f"{name}: other fields than wanted: {', '.join(sorted(set(value) ^ set(hints)))}")
    try:
        value["names"] = tuple(_as(str, item) for item in value["names"])
        value["options"] = tuple((_as(str, key), _as(str, item)) for key, item in value["options"])
        value["files"] = tuple(
            File(_as(str, file["name"]), _as(int, file["bytes"]), _as(str, file["sha256"])) for file in value["files"]
        )
        value["state"] = SessionState(value["state"])
        value["length_s"] = float(_as(int | float, value["length_s"]))
        for key, kind in hints.items():
            if kind in (bool, int, str):
                _as(kind, value[key])
    except (KeyError, TypeError, ValueError) as error:
        raise SessionError(f"{name}: is no manifest: {error}") from error
    return Manifest(**value)


def _as(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"found {value!r:.40}, wanted {getattr(kind, '__name__', kind)}")
    return value


def _seal(value: dict[str, Any]) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
