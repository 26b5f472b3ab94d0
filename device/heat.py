"""Heat: the machine's temperature, and whether a Raspberry Pi throttles itself because of heat or power."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

SYSTEM = Path("/sys")
_THROTTLED = "devices/platform/soc/soc:firmware/get_throttled"
_MODEL = "firmware/devicetree/base/model"
NOW = {0: "supply voltage too low", 1: "frequency capped", 2: "throttled", 3: "soft temperature limit"}
"""Bits of the firmware's throttling state; shifted up by 16 they mean the same since start-up."""
SINCE_START_SHIFT = 16

Run = Callable[[Sequence[str]], str | None]
"""Runs a command; returns its output, or None if the command is missing or fails."""


@dataclass(frozen=True, slots=True)
class Heat:
    """Temperature and throttling state of the machine; None where unknown."""

    temperature_c: float | None
    throttled: int | None
    """Bit field of the Raspberry Pi firmware."""

    @property
    def now(self) -> tuple[str, ...]:
        """Reasons for throttling now."""
        return tuple(words for bit, words in NOW.items() if (self.throttled or 0) >> bit & 1)

    @property
    def before(self) -> tuple[str, ...]:
        """Reasons for throttling since start-up."""
        return tuple(words for bit, words in NOW.items() if (self.throttled or 0) >> (bit + SINCE_START_SHIFT) & 1)


def run_quietly(command: Sequence[str]) -> str | None:
    """Output of a command; None if the command is missing or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def read_heat(system: Path = SYSTEM, run: Run = run_quietly) -> Heat:
    """The highest temperature and the throttling state; files first, since commands are slow."""
    found = [_number(zone) for zone in sorted(system.glob("class/thermal/thermal_zone*/temp"))]
    warm = [value / 1000 for value in found if value is not None and -50_000 < value < 200_000]
    said = _read(system / _THROTTLED)
    if said is None and is_pi(system):
        said = (run(("vcgencmd", "get_throttled")) or "").removeprefix("throttled=")
    return Heat(max(warm, default=None), _hex(said))


def is_pi(system: Path = SYSTEM) -> bool:
    """Whether this machine is a Raspberry Pi."""
    return "Raspberry Pi" in (_read(system / _MODEL) or "")


def model_name(system: Path = SYSTEM) -> str | None:
    """Model name of the board; None if unknown."""
    found = _read(system / _MODEL)
    return found.rstrip("\0") if found else None


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return None


def _number(path: Path) -> float | None:
    text = _read(path) or ""
    return float(text) if text.removeprefix("-").isdecimal() else None


def _hex(text: str | None) -> int | None:
    try:
        return int(text or "", 16)
    except ValueError:
        return None
