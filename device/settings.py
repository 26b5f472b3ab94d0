"""Settings: a documented TOML file, overridden by the environment, then by command-line options."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, get_type_hints

from calibration.rigtext import line_of
from device.cameras.source import CameraSettings
from device.plain import plain
from vision.follow.tuning import REST_S

Size = tuple[int, int]
PREFIX = "KRUPIER_"
CONFIG = "KRUPIER_CONFIG"
NOT_SETTINGS = (CONFIG, "KRUPIER_LONG")
"""Environment variables with the prefix that are not settings."""
SYSTEM_FILE = Path("/etc/krupier.toml")
MAX_FILE_BYTES = 1_000_000
"""Maximum size of a settings file to read."""
MAX_SHOWN_CHARS = 60
"""Maximum length of a value quoted in an error message."""
HEAD = """\
# Krupier's settings. A line that begins with # is a default: take the # away and change it.
# Stronger than this file: the environment (KRUPIER_CAMERA=usb:1) and the options of a command (--camera usb:1).
# Paths that do not begin with / are taken from the folder of this file; ~ is your home.
"""
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
_NAMED_SIZE = re.compile(r"([0-9]{1,5})x([0-9]{1,5})")


class SettingsError(ValueError):
    """An invalid setting; the message says where it is, what was found and what was wanted."""


@dataclass(frozen=True, slots=True)
class Key:
    """Documentation and constraints of a setting."""

    note: str
    wanted: str
    least: float | None = None
    most: float | None = None
    form: str = ""
    """Regular expression that a text must match."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings."""

    lang: str = ""
    camera: str = "usb:0"
    size: Size = (1280, 720)
    fps: float = 10.0
    exposure_us: int = 0
    gain: float = 0.0
    red_gain: float = 0.0
    blue_gain: float = 0.0
    focus_dioptres: float = -1.0
    rig: Path = Path("rig.toml")
    data: Path = Path("~/.local/share/krupier")
    recordings: Path | None = None
    record: bool = True
    recordings_limit_gb: float = 20.0
    spare_gb: float = 1.0
    history: Path | None = None
    rest_s: float = REST_S
    learn_from_play: bool = True
    threads: int = 2
    host: str = "127.0.0.1"
    port: int = 8080
    lan: bool = False

    @property
    def camera_settings(self) -> CameraSettings:
        """Settings of the camera."""
        return CameraSettings(
            self.size,
            self.fps,
            exposure_us=self.exposure_us or None,
            gain=self.gain or None,
            colour_gains=(self.red_gain, self.blue_gain) if self.red_gain and self.blue_gain else None,
            focus_dioptres=self.focus_dioptres if self.focus_dioptres >= 0 else None,
        )

    @property
    def recordings_folder(self) -> Path:
        """Folder of the recorded sessions."""
        return self.recordings or self.data / "recordings"

    @property
    def history_file(self) -> Path:
        """File of the finished games."""
        return self.history or self.data / "history.sqlite"

    @property
    def address(self) -> str:
        """Address that the dashboard listens on; an explicit host wins over `lan`."""
        return "0.0.0.0" if self.lan and self.host == "127.0.0.1" else self.host


KEYS: Mapping[str, Key] = {
    "lang": Key("language of rulings; empty: that of the system", "pl, en or empty", form="pl|en|"),
    "camera": Key("pi, usb:0, a film, a folder of pictures, a session, or sim:GAME", "the name of a camera", form=".+"),
    "size": Key("size of the camera's pictures", 'a size as "1280x720"', 160, 8192),
    "fps": Key("pictures per second", "a number", 0.5, 120),
    "exposure_us": Key("exposure of a Pi camera in microseconds; 0: measured once, then kept", "a number", 0, 1e6),
    "gain": Key("gain of a Pi camera's sensor; 0: measured once, then kept", "a number", 0, 64),
    "red_gain": Key("red gain of a Pi camera, relative to green; 0: measured once, then kept", "a number", 0, 32),
    "blue_gain": Key("blue gain of a Pi camera, relative to green; 0: measured once, then kept", "a number", 0, 32),
    "focus_dioptres": Key(
        "focus of a Pi camera in dioptres (1 over metres); -1: measured once, then kept", "a number", -1, 32
    ),
    "rig": Key("rig file that `krupier calibrate` writes", "the path of a file"),
    "data": Key("folder of everything that Krupier stores", "the path of a folder"),
    "recordings": Key("folder of recorded sessions; empty: recordings in data", "the path of a folder, or empty"),
    "record": Key("whether games are recorded", "true or false"),
    "recordings_limit_gb": Key(
        "size of all recordings above which the oldest videos are deleted; 0: no limit", "a number", 0, 1e6
    ),
    "spare_gb": Key("free disk space below which recording, but not refereeing, stops", "a number", 0, 1e6),
    "history": Key("file of finished games; empty: history.sqlite in data", "the path of a file, or empty"),
    "rest_s": Key("how long the table must be still before Krupier rules on it", "seconds", 0.1, 10),
    "learn_from_play": Key(
        "whether cards of a taught deck that were read for certain become further views of it", "true or false"
    ),
    "threads": Key("threads for the networks", "a whole number", 1, 64),
    "host": Key("address that the dashboard listens on", "an address", form="[0-9A-Za-z.:-]+"),
    "port": Key("the port of the dashboard", "a whole number", 1, 65535),
    "lan": Key("whether the local network may see the dashboard; host is then 0.0.0.0", "true or false"),
}
HINTS: Mapping[str, Any] = get_type_hints(Settings)


@dataclass(frozen=True, slots=True)
class ResolvedSettings:
    """The settings, and the origin of each one that is not a default."""

    settings: Settings
    origins: Mapping[str, str]


def config_file(environ: Mapping[str, str]) -> Path:
    """The user's settings file: $KRUPIER_CONFIG, otherwise in the XDG configuration folder."""
    named = environ.get(CONFIG)
    if named:
        return Path(named)
    base = environ.get("XDG_CONFIG_HOME", "")
    # The XDG standard says to ignore relative paths.
    folder = Path(base) if base.startswith("/") else _home(environ) / ".config"
    return folder / "krupier" / "settings.toml"


def find_settings(
    environ: Mapping[str, str], options: Mapping[str, object] | None = None, system: Path = SYSTEM_FILE
) -> ResolvedSettings:
    """Resolve all settings: defaults, system file, user file, environment, options (None: not given)."""
    values: dict[str, Any] = {"data": _data_folder(environ)}
    origins: dict[str, str] = {}
    own = config_file(environ)
    if environ.get(CONFIG) and not _is_there(own):
        raise SettingsError(f"{own}: no such file; {CONFIG} names it")
    for path in dict.fromkeys((system, own)):
        if _is_there(path):
            for name, (value, where) in read_settings(path).items():
                values[name], origins[name] = value, where
    for name, text in environ.items():
        if name.startswith(PREFIX) and name not in NOT_SETTINGS:
            key = known_key(name.removeprefix(PREFIX).lower(), name, PREFIX)
            values[key], origins[key] = from_text(key, text, name), name
    for name, given in (options or {}).items():
        if given is not None:
            key = known_key(name, f"--{name}")
            where = f"--{key.replace('_', '-')}"
            made = from_text(key, given, where) if isinstance(given, str) else _checked(key, given, where)
            values[key], origins[key] = made, where
    home = _home(environ)
    paths = {name: _at_home(value, home) for name, value in values.items() if isinstance(value, Path)}
    settings = replace(Settings(), **{**values, **paths})
    if bool(settings.red_gain) != bool(settings.blue_gain):
        given = origins.get("red_gain") or origins.get("blue_gain")
        raise SettingsError(f"{given}: red_gain {settings.red_gain:g}, blue_gain {settings.blue_gain:g}; wanted both")
    return ResolvedSettings(settings, origins)


def read_settings(path: Path) -> dict[str, tuple[Any, str]]:
    """The values of a settings file, each with its file and line."""
    return read_settings_text(file_text(path), path)


def read_settings_text(text: str, path: Path) -> dict[str, tuple[Any, str]]:
    """The values in the text of a settings file."""
    try:
        # tomllib omits the line number of an error in an unterminated last line.
        data = tomllib.loads(text + "\n")
    except (ValueError, RecursionError) as error:
        at = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
        where = f"{path}, line {at[1]}, column {at[2]}" if at else str(path)
        what = str(error)[: at.start()] if at else "lists inside lists without end" if not str(error) else str(error)
        raise SettingsError(f"{where}: {what}; wanted TOML: key = value") from error
    found = {}
    for name, value in data.items():
        line = line_of(text, (name,))
        where = f"{path}, line {line}" if line else str(path)
        key = known_key(name, f"{where}: {name}")
        made = _checked(key, value, f"{where}: {key}")
        if isinstance(made, Path) and not str(made).startswith("~"):
            made = path.absolute().parent / made
        found[key] = (made, where)
    return found


def from_text(name: str, text: str, where: str) -> Any:
    """Parse a setting from the environment or the command line."""
    hint = HINTS[name]
    word = text.strip()
    if hint is bool:
        if word.lower() not in (*_TRUE, *_FALSE):
            raise SettingsError(f"{where}: found {_shown(text)}; wanted {KEYS[name].wanted}")
        return word.lower() in _TRUE
    if hint in (int, float):
        try:
            return _checked(name, hint(word), where)
        except ValueError as error:
            if isinstance(error, SettingsError):
                raise
            raise SettingsError(f"{where}: found {_shown(text)}; wanted {_wanted(name)}") from error
    return _checked(name, text, where)


def _checked(name: str, value: Any, where: str) -> Any:
    """Check type and range of a value, and convert it to the type of its setting."""
    hint, key = HINTS[name], KEYS[name]
    fault = SettingsError(f"{where}: found {_shown(value)}; wanted {_wanted(name)}")
    if hint is bool or isinstance(value, bool):
        if hint is bool and isinstance(value, bool):
            return value
        raise fault
    if hint in (int, float):
        number = value if isinstance(value, int) or (hint is float and isinstance(value, float)) else None
        if number is None or not (isfinite(number) if isinstance(number, float) else abs(number) < 10**9):
            raise fault
        if (key.least is not None and number < key.least) or (key.most is not None and number > key.most):
            raise fault
        return hint(number)
    if hint == Size:
        found = _NAMED_SIZE.fullmatch(value) if isinstance(value, str) else None
        sides = tuple(int(side) for side in found.groups()) if found else value
        whole = isinstance(sides, tuple | list) and len(sides) == 2 and all(type(side) is int for side in sides)
        if not whole or not all((key.least or 0) <= side <= (key.most or 0) and side % 2 == 0 for side in sides):
            raise fault
        return sides[0], sides[1]
    if isinstance(value, Path) and hint is not str:
        return value
    if not isinstance(value, str) or not value.isprintable() or not re.fullmatch(key.form or ".*", value):
        raise fault
    if hint is str:
        return value
    if not value:
        if hint is Path:
            raise fault
        return None
    return Path(value)


def settings_text(found: ResolvedSettings) -> str:
    """All settings as a settings file, with notes and the origin of each."""
    lines = [HEAD]
    for name, key in KEYS.items():
        lines.append(f"# {key.note} ({_wanted(name)})")
        origin = found.origins.get(name)
        line = f"{name} = {toml_value(getattr(found.settings, name))}"
        lines.append(f"# {line}\n" if origin is None else f"{line}  # {plain(origin)}\n")
    return "\n".join(lines)


def toml_value(value: Any) -> str:
    """Format a setting as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else repr(value)
    if isinstance(value, tuple):
        return f'"{value[0]}x{value[1]}"'
    text = "" if value is None else str(value)
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def file_text(path: Path) -> str:
    """Read the text of a settings file."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}; wanted a settings file") from error
    if len(data) > MAX_FILE_BYTES:
        raise SettingsError(f"{path}: more than {MAX_FILE_BYTES // 1_000_000} MB; wanted a settings file")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line}: not UTF-8 text; wanted a settings file") from error


def _is_there(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        # An unreadable file must not count as a missing one.
        raise SettingsError(f"{path}: cannot be read: {error.strerror}; wanted a settings file, or none") from error
    return True


def known_key(name: str, where: str, prefix: str = "") -> str:
    """Check the name of a setting; SettingsError suggests the nearest one."""
    if name in KEYS:
        return name
    near = get_close_matches(name, KEYS, 1, 0.5)
    spell = str.upper if prefix else str
    hint = f"did you mean {prefix}{spell(near[0])}?" if near else f"wanted one of {', '.join(KEYS)}"
    raise SettingsError(f"{plain(where)}: no such setting; {hint}")


def _wanted(name: str) -> str:
    key = KEYS[name]
    if key.least is None or key.most is None:
        return key.wanted
    if HINTS[name] == Size:
        return f"{key.wanted}, each side even and from {key.least:g} to {key.most:g}"
    return f"{key.wanted} from {key.least:g} to {key.most:g}"


def _shown(value: Any) -> str:
    words = "a table" if isinstance(value, dict) else toml_value(value) if isinstance(value, bool) else repr(value)
    return words if len(words) <= MAX_SHOWN_CHARS else words[: MAX_SHOWN_CHARS - 1] + "…"


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or "/")


def _data_folder(environ: Mapping[str, str]) -> Path:
    base = environ.get("XDG_DATA_HOME", "")
    return (Path(base) if base.startswith("/") else _home(environ) / ".local" / "share") / "krupier"


def _at_home(path: Path, home: Path) -> Path:
    return home / Path(*path.parts[1:]) if path.parts[:1] == ("~",) else path
