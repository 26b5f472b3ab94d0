"""Cameras that can be chosen in a browser, by name."""

import re
from importlib.util import find_spec
from pathlib import Path

from device.dashboard.refusals import Refusal
from device.recording.lines import JSON
from device.settings import Settings
from referee.rules import games

_USB = re.compile(r"usb:[0-9]{1,2}\Z")
_VIDEO = re.compile(r"video([0-9]{1,2})\Z")


def cameras(settings: Settings, devices: Path = Path("/dev")) -> list[JSON]:
    """The camera of the settings first, then those of this machine, then simulated tables."""
    names = [settings.camera]
    if find_spec("picamera2") is not None:
        names.append("pi")
    names += [f"usb:{number}" for number in sorted(_numbers(devices))]
    found: list[JSON] = [
        {"name": name, "kind": "own" if name == settings.camera else "real"} for name in dict.fromkeys(names)
    ]
    found += [{"name": f"sim:{game}", "kind": "simulated"} for game in games()]
    return found


def checked_camera(name: str, settings: Settings) -> str:
    """A camera that may be opened from a browser; Refusal 422 for paths and other names."""
    if name == settings.camera or name == "pi" or _USB.match(name) or name.startswith("sim:"):
        return name
    raise Refusal(422, "no such camera", name, "pi, usb:0, sim:GAME, or the camera of the settings")


def _numbers(devices: Path) -> list[int]:
    found = (_VIDEO.match(path.name) for path in devices.glob("video*"))
    return [int(match[1]) for match in found if match]
