"""The watchdog: tells systemd that the program is ready and alive; does nothing without systemd."""

import socket
import time
from collections.abc import Callable, Mapping

TIMEOUT_FRACTION = 0.4
"""Interval between signs of life, as a fraction of systemd's timeout."""


class Watchdog:
    """Notifies systemd over $NOTIFY_SOCKET. Call `alive` only where work makes progress."""

    def __init__(self, environ: Mapping[str, str], pid: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._address = environ.get("NOTIFY_SOCKET", "")
        self._clock = clock
        self._last_sign_s = float("-inf")
        mine = environ.get("WATCHDOG_PID", str(pid)) == str(pid)
        waits = environ.get("WATCHDOG_USEC", "")
        self.every_s = TIMEOUT_FRACTION * int(waits) / 1e6 if mine and waits.isdecimal() and int(waits) else None
        """Seconds between signs of life; None if systemd does not expect any."""

    def ready(self, status: str = "") -> bool:
        """Report that the program has started; False if systemd does not listen."""
        return self._send("READY=1", status)

    def alive(self) -> bool:
        """Report progress. Cheap: call it for every frame, and while waiting for a lost camera."""
        now_s = self._clock()
        if self.every_s is None or now_s - self._last_sign_s < self.every_s:
            return False
        self._last_sign_s = now_s
        return self._send("WATCHDOG=1")

    def says(self, status: str) -> bool:
        """Set the text that `systemctl status` shows."""
        return self._send(status=status)

    def stopping(self) -> bool:
        """Report a regular shutdown."""
        return self._send("STOPPING=1")

    def _send(self, message: str = "", status: str = "") -> bool:
        if not self._address.startswith(("/", "@")):
            return False
        lines = [message] if message else []
        if status:
            lines.append("STATUS=" + status.replace("\n", " "))
        # A leading @ stands for the zero byte of an abstract socket address.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
                # An unresponsive systemd must not block the game.
                sender.setblocking(False)
                sender.sendto("\n".join(lines).encode("utf-8", "replace"), address)
        except OSError:
            return False
        return True
