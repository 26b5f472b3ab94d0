"""Preferences: all settings for the page, and changes that are saved together or not at all."""

from collections.abc import Callable, Mapping
from pathlib import Path

from device.dashboard.refusals import Refusal
from device.files import OutputError, write_whole
from device.recording.lines import JSON
from device.settings import (
    HINTS,
    KEYS,
    SYSTEM_FILE,
    ResolvedSettings,
    Settings,
    SettingsError,
    Size,
    config_file,
    known_key,
    toml_value,
)
from device.settings_file import save_setting

_KINDS = {bool: "switch", int: "whole", float: "number", str: "text", Size: "size"}


def preferences(found: ResolvedSettings, environ: Mapping[str, str]) -> dict[str, JSON]:
    """Every setting with its value, meaning, allowed values and origin."""
    own = str(config_file(environ))
    rows: list[JSON] = []
    for name, key in KEYS.items():
        value, origin = getattr(found.settings, name), found.origins.get(name)
        choices: list[JSON] = (
            list(key.form.split("|")) if "|" in key.form and key.form.replace("|", "").isalpha() else []
        )
        rows.append(
            {
                "name": name,
                "kind": _KINDS.get(HINTS[name], "path"),
                "value": as_text(value),
                "default": as_text(getattr(Settings(), name)),
                "note": key.note,
                "wanted": key.wanted,
                "least": key.least,
                "most": key.most,
                "choices": choices,
                "origin": origin,
                # The environment and command-line options override the file.
                "fixed": origin is not None and not origin.startswith(own) and not origin.startswith(str(SYSTEM_FILE)),
            }
        )
    return {"file": own, "settings": rows}


def as_text(value: object) -> str:
    """A setting as people write it in a field."""
    if value is None:
        return ""
    if isinstance(value, str | Path):
        return str(value)
    return toml_value(value).strip('"')


def change(path: Path, changes: Mapping[str, str | None], find: Callable[[], ResolvedSettings]) -> ResolvedSettings:
    """Save some settings; Refusal 422 names the first that cannot be, and then none of them has changed.

    `find` reads all of them again: each may be fine, but not all together.
    """
    try:
        before = path.read_bytes() if path.exists() else None
        for name in changes:
            known_key(name, name)
        for name, value in changes.items():
            try:
                save_setting(path, name, value)
            except SettingsError as error:
                _restore(path, before)
                raise _refusal(name, error) from error
        try:
            return find()
        except SettingsError as error:
            _restore(path, before)
            raise _refusal(next(iter(changes)), error) from error
    except SettingsError as error:
        raise Refusal(422, str(error), None, "the name of a setting") from error
    except OSError as error:
        what = str(error) if isinstance(error, OutputError) else f"cannot be saved: {error.strerror}"
        raise Refusal(409, what, None, "a settings file that can be written") from error


def _restore(path: Path, before: bytes | None) -> None:
    if before is None:
        path.unlink(missing_ok=True)
    else:
        write_whole(path.resolve(), before)


def _refusal(name: str, error: SettingsError) -> Refusal:
    return Refusal(422, str(error), name, KEYS[name].wanted)
