"""The watchdog: tells systemd that the program is ready and alive, and is silent where there is no systemd."""

import socket
import time
from collections.abc import Callable, Mapping

SHARE = 0.4
"""A sign of life is given after this part of the time that systemd waits for one."""


class Watchdog:
    """Speaks to systemd over $NOTIFY_SOCKET; pat it wherever the work goes on, and nowhere else."""

    def __init__(self, environ: Mapping[str, str], pid: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._address = environ.get("NOTIFY_SOCKET", "")
        self._clock = clock
        self._patted_s = float("-inf")
        mine = environ.get("WATCHDOG_PID", str(pid)) == str(pid)
        waits = environ.get("WATCHDOG_USEC", "")
        self.every_s = SHARE * int(waits) / 1e6 if mine and waits.isdecimal() and int(waits) else None
        """How often it wants to be patted; None if nobody waits for it."""

    def ready(self, status: str = "") -> bool:
        """The program has started; False where nobody listens."""
        return self._send("READY=1", status)

    def alive(self) -> bool:
        """The work goes on. Cheap: call it for every frame, and while waiting for a camera that is lost."""
        now_s = self._clock()
        if self.every_s is None or now_s - self._patted_s < self.every_s:
            return False
        self._patted_s = now_s
        return self._send("WATCHDOG=1")

    def says(self, status: str) -> bool:
        """What `systemctl status` shows."""
        return self._send(status=status)

    def stopping(self) -> bool:
        """The program ends of its own will."""
        return self._send("STOPPING=1")

    def _send(self, message: str = "", status: str = "") -> bool:
        if not self._address.startswith(("/", "@")):
            return False
        lines = [message] if message else []
        if status:
            lines.append("STATUS=" + status.replace("\n", " "))
        # A leading @ stands for the zero byte of an abstract address.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                # systemd that does not listen must not hold up the game.
                sender.setblocking(False)
                sender.sendto("\n".join(lines).encode("utf-8", "replace"), address)
        except OSError:
            return False
        return True
