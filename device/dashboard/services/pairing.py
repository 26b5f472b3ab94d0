"""Pairing: anybody may look; a code makes somebody a player, another code the host."""

import hmac
import os
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from threading import Lock

from fastapi import Request
from itsdangerous import BadSignature, URLSafeTimedSerializer

from device.dashboard.refusals import Refusal
from device.files import OutputError

COOKIE = "krupier"
DAYS = 30
SECRET = "dashboard.secret"
_SECRET_BYTES = 32
MOST_NAME = 40
FREE_TRIES, FREE_TRIES_OF_ALL = 3, 20
"""Wrong codes without a delay, from one address and from all together: people mistype."""
MOST_WAIT_S, MOST_WAIT_OF_ALL_S = 300.0, 60.0
FORGIVEN_S = 900.0
"""After this time without a wrong code, an address starts again from zero."""
_MOST_ADDRESSES = 1000


class Role(StrEnum):
    """What a caller may do."""

    SPECTATOR = "spectator"
    PLAYER = "player"
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends a request."""

    role: Role
    name: str


@dataclass(frozen=True, slots=True)
class PairingCodes:
    """The codes that the terminal shows."""

    host: str
    player: str


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Wrong codes of one address: their number, and the time of the last one."""

    count: int
    at_s: float


class Pairing:
    """Tells callers apart and pairs them; `anybody`, `player` and `host` are dependencies for routes."""

    def __init__(self, secret: bytes, codes: PairingCodes, clock: Callable[[], float]) -> None:
        self.codes = codes
        self._signer = URLSafeTimedSerializer(secret, salt="krupier dashboard")
        self._clock = clock
        self._lock = Lock()
        self._wrong: OrderedDict[str, _Wrong] = OrderedDict()
        self._wrong_of_all = _Wrong(0, 0.0)

    def anybody(self, request: Request) -> Caller:
        """Any caller; one without a valid cookie is a spectator."""
        return self.known(request.cookies.get(COOKIE))

    def player(self, request: Request) -> Caller:
        """A player or the host; Refusal 401 for spectators."""
        caller = self.anybody(request)
        if caller.role is Role.SPECTATOR:
            raise Refusal(401, "only players may do that", caller.role.value, "pair with the code shown at the rig")
        return caller

    def host(self, request: Request) -> Caller:
        """The host; Refusal 401 or 403 for others."""
        caller = self.player(request)
        if caller.role is not Role.HOST:
            raise Refusal(403, "only the host may do that", caller.role.value, "pair with the host's code")
        return caller

    def known(self, cookie: str | None) -> Caller:
        """The caller that a cookie belongs to; a spectator if it is missing, forged or too old."""
        if cookie:
            try:
                role, name = self._signer.loads(cookie, max_age=DAYS * 86400)
                return Caller(Role(role), str(name))
            except (BadSignature, ValueError, TypeError):
                # TypeError and ValueError: signed by us in an older form.
                pass
        return Caller(Role.SPECTATOR, "")

    def pair(self, code: str, name: str, address: str) -> tuple[Caller, str]:
        """Pair with a code; returns the caller and a cookie. Refusal 403 for a wrong code, 429 if it comes too soon."""
        name = name.strip()
        if len(name) > MOST_NAME or not name.isprintable():
            raise Refusal(422, "that is no name", repr(name), f"up to {MOST_NAME} printable characters")
        with self._lock:
            self._slow_down(address)
            role = self._role_of(code)
            if role is None:
                self._count(address)
                raise Refusal(403, "no such code", None, "the code shown at the rig")
            self._wrong.pop(address, None)
        caller = Caller(role, name)
        cookie = self._signer.dumps([role.value, name])
        return caller, cookie if isinstance(cookie, str) else cookie.decode("ascii")

    def _role_of(self, code: str) -> Role | None:
        given = code.strip().replace(" ", "").encode("utf-8", "surrogatepass")
        # Both are always compared, so that the time taken reveals nothing.
        host = hmac.compare_digest(given, self.codes.host.encode())
        player = hmac.compare_digest(given, self.codes.player.encode())
        return Role.HOST if host else Role.PLAYER if player else None

    def _slow_down(self, address: str) -> None:
        now_s = self._clock()
        wrong = self._wrong.get(address, _Wrong(0, 0.0))
        left_s = max(
            wrong.at_s + _wait_s(wrong.count - FREE_TRIES, MOST_WAIT_S) - now_s,
            self._wrong_of_all.at_s + _wait_s(self._wrong_of_all.count - FREE_TRIES_OF_ALL, MOST_WAIT_OF_ALL_S) - now_s,
        )
        if left_s > 0:
            after = str(int(left_s) + 1)
            raise Refusal(429, "too many wrong codes", None, f"wait {after} s", {"Retry-After": after})

    def _count(self, address: str) -> None:
        now_s = self._clock()
        wrong = self._wrong.pop(address, _Wrong(0, now_s))
        count = 0 if now_s - wrong.at_s > FORGIVEN_S else wrong.count
        self._wrong[address] = _Wrong(count + 1, now_s)
        while len(self._wrong) > _MOST_ADDRESSES:
            self._wrong.popitem(last=False)
        all_of_them = self._wrong_of_all
        forgiven = int((now_s - all_of_them.at_s) / MOST_WAIT_OF_ALL_S)
        self._wrong_of_all = _Wrong(max(0, all_of_them.count - forgiven) + 1, now_s)


def new_codes(given: str | None = None) -> PairingCodes:
    """New codes for one run of the server; a given code becomes the host's."""
    host = given or _six_digits()
    player = _six_digits()
    while player == host:
        player = _six_digits()
    return PairingCodes(host, player)


def own_secret(folder: Path, renew: bool = False) -> bytes:
    """The key that signs cookies, kept in a file that only its owner may read."""
    path = folder / SECRET
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if renew:
            path.unlink(missing_ok=True)
        if not path.exists():
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(_SECRET_BYTES))
        data = path.read_bytes()
        if len(data) < _SECRET_BYTES:
            # Truncated by a power cut: everybody has to pair again.
            path.unlink()
            return own_secret(folder)
        path.chmod(0o600)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error
    return data


def _six_digits() -> str:
    return f"{secrets.randbelow(1_000_000):06d}"


def _wait_s(over: int, most_s: float) -> float:
    return 0.0 if over < 0 else min(most_s, 2.0 ** min(over, 20))
