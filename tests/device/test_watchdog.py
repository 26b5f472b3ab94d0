"""The watchdog: what systemd would hear."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from device.watchdog import Watchdog


class Systemd:
    """Listens as systemd does."""

    def __init__(self, address: str) -> None:
        self.door = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.door.bind("\0" + address[1:] if address.startswith("@") else address)
        self.door.setblocking(False)

    def heard(self) -> list[str]:
        words = []
        while True:
            try:
                words.append(self.door.recv(4096).decode())
            except BlockingIOError:
                return words


@pytest.fixture(params=["path", "abstract"])
def listening(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Systemd, str]]:
    address = str(tmp_path / "notify") if request.param == "path" else f"@krupier-{tmp_path.name}-{id(request)}"
    systemd = Systemd(address)
    yield systemd, address
    systemd.door.close()


def test_ready_alive_and_stopping(listening: tuple[Systemd, str]) -> None:
    systemd, address = listening
    now_s = [100.0]
    dog = Watchdog({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"}, 7, lambda: now_s[0])
    assert dog.every_s == 12.0
    assert dog.ready("waiting for\nthe camera")
    assert systemd.heard() == ["READY=1\nSTATUS=waiting for the camera"]
    assert dog.alive()
    assert not dog.alive(), "not for every frame"
    now_s[0] += 11.9
    assert not dog.alive()
    now_s[0] += 0.2
    assert dog.alive()
    assert systemd.heard() == ["WATCHDOG=1", "WATCHDOG=1"]
    assert dog.says("9.8 pictures a second")
    assert dog.stopping()
    assert systemd.heard() == ["STATUS=9.8 pictures a second", "STOPPING=1"]


@pytest.mark.parametrize("more", [{"WATCHDOG_PID": "8"}, {"WATCHDOG_USEC": "0"}, {"WATCHDOG_USEC": "soon"}])
def test_it_is_not_patted_when_nobody_waits(listening: tuple[Systemd, str], more: dict[str, str]) -> None:
    systemd, address = listening
    dog = Watchdog({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "30000000", **more}, 7)
    assert dog.every_s is None
    assert not dog.alive()
    assert systemd.heard() == []


@pytest.mark.parametrize("address", ["", "relative", "/nowhere/at/all", "@krupier-nobody-listens", "/" + 300 * "x"])
def test_without_systemd_it_is_silent(address: str) -> None:
    dog = Watchdog({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "1000"}, 7)
    assert not dog.ready()
    assert not dog.alive()


def test_a_full_door_does_not_hold_up_the_game(listening: tuple[Systemd, str]) -> None:
    _, address = listening
    dog = Watchdog({"NOTIFY_SOCKET": address}, 7)
    sent = sum(dog.says("x") for _ in range(3_000))
    assert 0 < sent < 3_000
