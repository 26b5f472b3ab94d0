"""Doors: codes, cookies, and slowing down who guesses."""

import stat
from pathlib import Path

import pytest
from itsdangerous import URLSafeTimedSerializer

from device.dashboard.refusals import Refusal
from device.dashboard.services.pairing import (
    FORGIVEN_S,
    FREE_TRIES,
    FREE_TRIES_OF_ALL,
    MOST_WAIT_OF_ALL_S,
    MOST_WAIT_S,
    SECRET,
    Pairing,
    PairingCodes,
    Role,
    new_codes,
    own_secret,
)
from device.files import OutputError

CODES = PairingCodes("111111", "222222")


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pairing(clock: Clock) -> Pairing:
    return Pairing(b"k" * 32, CODES, clock)


def wrong(pairing: Pairing, address: str = "10.0.0.1") -> int:
    with pytest.raises(Refusal) as refusal:
        pairing.pair("999999", "Ala", address)
    return refusal.value.status


def test_each_code_opens_its_own_door(pairing: Pairing) -> None:
    for code, role in ((CODES.host, Role.HOST), (CODES.player, Role.PLAYER), (" 222 222 ", Role.PLAYER)):
        caller, cookie = pairing.pair(code, " Żaneta ", "10.0.0.1")
        assert (caller.role, caller.name) == (role, "Żaneta")
        assert pairing.known(cookie) == caller


@pytest.mark.parametrize("code", ["", "999999", "11111", "1111111", "ąęć", "\ud800"])
def test_no_other_code_does(pairing: Pairing, code: str) -> None:
    with pytest.raises(Refusal) as refusal:
        pairing.pair(code, "Ala", "10.0.0.1")
    assert refusal.value.status == 403
    assert CODES.host not in str(refusal.value.body)


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "x" * 41, "\u202egnp"])
def test_names_are_printable(pairing: Pairing, name: str) -> None:
    with pytest.raises(Refusal) as refusal:
        pairing.pair(CODES.host, name, "10.0.0.1")
    assert refusal.value.status == 422


def test_cookies_of_others_are_worth_nothing(pairing: Pairing) -> None:
    _, good = pairing.pair(CODES.host, "Ala", "10.0.0.1")
    forged = URLSafeTimedSerializer(b"x" * 32, salt="krupier dashboard").dumps(["host", "Ala"])
    other = URLSafeTimedSerializer(b"k" * 32, salt="something else").dumps(["host", "Ala"])
    old_form = URLSafeTimedSerializer(b"k" * 32, salt="krupier dashboard").dumps({"role": "host"})
    strange = URLSafeTimedSerializer(b"k" * 32, salt="krupier dashboard").dumps(["emperor", "Ala"])
    for cookie in (None, "", "a.b.c", good[:-1], "A" + good[1:], forged, other, old_form, strange):
        assert pairing.known(cookie if cookie is None else str(cookie)).role is Role.SPECTATOR, cookie


def test_cookies_end(pairing: Pairing, monkeypatch: pytest.MonkeyPatch) -> None:
    _, cookie = pairing.pair(CODES.host, "Ala", "10.0.0.1")
    monkeypatch.setattr("device.dashboard.services.pairing.DAYS", -1)
    assert pairing.known(cookie).role is Role.SPECTATOR


def test_guessing_gets_slower_and_slower(pairing: Pairing, clock: Clock) -> None:
    for _ in range(FREE_TRIES):
        assert wrong(pairing) == 403
    waits = []
    for _ in range(12):
        with pytest.raises(Refusal) as refusal:
            pairing.pair(CODES.host, "Ala", "10.0.0.1")
        assert refusal.value.status == 429, "also with the right code"
        waits.append(int(refusal.value.headers["Retry-After"]))
        clock.now_s += waits[-1]
        assert wrong(pairing) == 403
    assert waits == sorted(waits)
    assert waits[-1] >= MOST_WAIT_S
    clock.now_s += MOST_WAIT_S + 1
    assert pairing.pair(CODES.host, "Ala", "10.0.0.1")[0].role is Role.HOST


def test_one_who_errs_does_not_shut_out_the_others(pairing: Pairing) -> None:
    while wrong(pairing) == 403:
        continue
    assert pairing.pair(CODES.player, "Ala", "10.0.0.2")[0].role is Role.PLAYER


def test_many_addresses_are_slowed_down_together(pairing: Pairing, clock: Clock) -> None:
    tries = 0
    while wrong(pairing, f"10.0.1.{tries}") == 403:
        tries += 1
    assert tries == FREE_TRIES_OF_ALL
    guesses = 0
    began_s = clock.now_s
    while clock.now_s < began_s + 86400:
        clock.now_s += 1
        guesses += wrong(pairing, f"10.0.{guesses % 250}.{guesses // 250}") == 403
    assert guesses < 1.2 * 86400 / MOST_WAIT_OF_ALL_S + 40, "a day of guessing finds one code in 700"


def test_old_mistakes_are_forgiven(pairing: Pairing, clock: Clock) -> None:
    for _ in range(FREE_TRIES):
        wrong(pairing)
    clock.now_s += FORGIVEN_S + 1
    for _ in range(FREE_TRIES):
        assert wrong(pairing) == 403


def test_codes_are_new_each_time() -> None:
    drawn = [new_codes() for _ in range(20)]
    assert len({codes.host for codes in drawn}) > 15
    assert all(len(codes.host) == len(codes.player) == 6 and codes.host != codes.player for codes in drawn)
    assert new_codes("444444").host == "444444"


def test_the_secret_is_kept_and_private(tmp_path: Path) -> None:
    secret = own_secret(tmp_path / "data")
    path = tmp_path / "data" / SECRET
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    assert own_secret(tmp_path / "data") == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert own_secret(tmp_path / "data", renew=True) != secret
    path.write_bytes(b"short")
    assert len(own_secret(tmp_path / "data")) == 32


def test_a_secret_that_cannot_be_kept_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    with pytest.raises(OutputError, match=SECRET):
        own_secret(tmp_path / "data")
