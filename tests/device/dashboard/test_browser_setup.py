"""The setup pages in a real browser: starting a game, settings, scrubbing, and whether everybody can use them."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect

from device.recording.folder import open_folder, write_manifest
from device.store import GameHistory
from tests.device.dashboard.setup_pages import DESK, DOUBLED, PHONE, Opener, setup_pages
from tests.device.dashboard.setup_rooms import CODES, Rooms, finished, rooms
from tests.device.dashboard.table_side import eventually, served

HOSTILE = "<img src=x onerror=hacked=1>"
PARTS = ("start", "calibrate", "teach", "recordings", "history", "settings", "health")


@pytest.fixture(scope="module")
def app_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Rooms, str]]:
    """A dashboard with two recordings and some history, and its address."""
    with rooms(tmp_path_factory.mktemp("setup")) as found:
        found.recorded("00001-dawaj2")
        stored = open_folder(found.recordings / found.recorded("00002-dawaj2"))
        write_manifest(stored.path, replace(stored.manifest, names=(HOSTILE, "Bartek", "Celina")))
        found.played(20)
        game = finished(99)
        players = (replace(game.players[0], name=HOSTILE), *game.players[1:])
        GameHistory(found.app_state.settings.history_file).keep(replace(game, players=players))
        with served(found.app) as url:
            yield found, url


@pytest.fixture
def look(browser: Browser, app_state: tuple[Rooms, str]) -> Iterator[Opener]:
    """Opens a part of the setup pages."""
    with setup_pages(browser, app_state[1]) as opener:
        yield opener


def test_a_game_is_started_from_the_page(app_state: tuple[Rooms, str], look: Opener) -> None:
    page = look("start", host=False)
    chips, names = page.locator(".chip"), page.locator(".names input")
    expect(chips).to_have_count(3)
    names.nth(0).fill(HOSTILE)
    expect(chips.nth(0)).to_contain_text(HOSTILE)
    _drag(page, chips.nth(0), chips.nth(2))
    expect(names.nth(2)).to_have_value(HOSTILE)
    chips.nth(0).focus()
    page.keyboard.press("ArrowRight")
    expect(chips.nth(1)).to_be_focused()
    expect(names.nth(1)).to_have_value("Celina")
    page.get_by_role("button", name="O miejsce wcześniej").nth(1).click()
    expect(names.nth(0)).to_have_value("Celina")
    page.get_by_role("button", name="Dodaj gracza").click()
    expect(chips).to_have_count(4)
    page.get_by_label("Wariant surowy").select_option("yes")
    page.get_by_label("Kamera").select_option("")
    page.get_by_role("button", name="Zaczynamy").click()
    page.get_by_label("kod", exact=False).first.fill(CODES.host)
    page.locator("dialog button[type=submit]").click()
    page.wait_for_url(f"{app_state[1]}/")
    expect(page.locator("#title")).to_contain_text("Dawaj 2")
    game = app_state[0].app_state.hub.state["game"]
    assert game["names"] == ["Celina", "Bartek", HOSTILE, "Ala"]
    assert game["options"] == {"strict": "yes"}
    page.goto(f"{app_state[1]}/setup/")
    page.get_by_role("button", name="Zakończ grę").click()
    page.locator("dialog").get_by_role("button", name="Zakończ grę").click()
    expect(page.locator(".notice")).to_have_count(0)
    eventually(lambda: not app_state[0].app_state.playing())


def test_a_setting_is_changed_wrongly_and_rightly(app_state: tuple[Rooms, str], look: Opener) -> None:
    page = look("settings")
    fps = page.get_by_role("textbox", name="Obrazów na sekundę")
    fps.fill("999")
    page.get_by_role("button", name="Zapisz").click()
    expect(fps).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#set-fps-trouble")).to_contain_text("0.5 to 120")
    expect(fps).to_be_focused()
    assert app_state[0].app_state.settings.fps == 10
    fps.fill("15")
    page.get_by_label("Nagrywaj gry").uncheck()
    page.get_by_role("button", name="Zapisz").click()
    expect(page.locator("#toast")).to_have_text("Zapisano")
    expect(fps).to_have_value("15")
    assert (app_state[0].app_state.settings.fps, app_state[0].app_state.settings.record) == (15, False)
    page.get_by_role("button", name="Obrazów na sekundę: przywróć domyślne (10)").click()
    expect(fps).to_have_value("10")
    assert app_state[0].app_state.settings.fps == 10


def test_a_recording_is_scrubbed_compared_and_thrown_away(app_state: tuple[Rooms, str], look: Opener) -> None:
    page = look("recordings/00002-dawaj2")
    expect(page.locator(".reel-side .head")).to_contain_text(HOSTILE)
    picture = page.locator(".reel img")
    expect(picture).to_have_attribute("data-frame", "0")
    page.get_by_label("Moment nagrania").fill("4.4")
    expect(picture).to_have_attribute("data-frame", "44")
    expect(page.locator(".said li.now")).to_contain_text("0:04")
    page.get_by_role("button", name="Następne orzeczenie").click()
    expect(page.locator(".said li.now")).to_contain_text("0:06")
    page.locator(".said button").first.click()
    expect(picture).to_have_attribute("data-frame", "12")
    page.get_by_role("button", name="tylko zasady").click()
    expect(page.locator(".diff .verdict")).to_contain_text("Dziś byłoby tak samo")
    page.get_by_role("button", name="Przypnij").click()
    expect(page.get_by_role("button", name="Odepnij")).to_be_visible()
    page.locator(".reels a[href$='00001-dawaj2']").click()
    expect(page.locator(".reel-side .head")).to_contain_text("00001-dawaj2")
    page.get_by_role("button", name="Usuń").click()
    page.get_by_role("button", name="Nie", exact=True).click()
    assert (app_state[0].recordings / "00001-dawaj2").exists()
    page.get_by_role("button", name="Usuń").click()
    page.get_by_role("button", name="Usuń na zawsze").click()
    expect(page.locator(".reels a[href$='00001-dawaj2']")).to_have_count(0)
    assert not (app_state[0].recordings / "00001-dawaj2").exists()


def test_a_step_is_still_pressed_when_news_come_in_between(look: Opener) -> None:
    page = look("calibrate")
    page.get_by_role("button", name="Otwórz kamerę").click()
    expect(page.locator(".steps li.done")).to_have_count(1)
    page.locator(".steps a").nth(2).hover()
    page.mouse.down()
    for _ in range(2):
        with page.expect_response(lambda response: response.url.endswith("/api/calibration")):
            pass
    page.mouse.up()
    expect(page.locator(".steps a[aria-current=step]")).to_contain_text("Stół")


def test_history_is_drawn_and_told(look: Opener) -> None:
    page = look("history")
    expect(page.locator(".charts figure")).to_have_count(4)
    expect(page.locator(".charts table").first).to_contain_text(HOSTILE)
    page.get_by_role("button", name="Trio").click()
    expect(page.locator(".charts figure")).to_have_count(3)
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert "trio" in Path(download.value.path()).read_text("utf-8")


def test_who_only_looks_is_told_who_may(look: Opener) -> None:
    page = look("settings", host=False)
    expect(page.get_by_role("heading", name="To może tylko gospodarz")).to_be_visible()
    page.goto(page.url.replace("#settings", "#recordings"))
    expect(page.locator(".reels a").first).to_be_visible()
    expect(page.get_by_role("button", name="Usuń")).to_have_count(0)


@pytest.mark.parametrize("part", PARTS)
def test_everybody_can_use_it(look: Opener, part: str) -> None:
    page = look(part, PHONE, "light")
    _accessible(page)
    for size in (PHONE, DOUBLED, DESK):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, size
    page.emulate_media(color_scheme="dark")
    _accessible(page)


def test_the_other_language(look: Opener) -> None:
    page = look("health")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", name="The doctor")).to_be_visible()
    expect(page.locator("#tabs a").first).to_have_text("New game")


def _drag(page: Page, one: Any, other: Any) -> None:
    start, end = one.bounding_box(), other.bounding_box()
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    for share in (0.3, 0.7, 1.0):
        page.mouse.move(
            start["x"] + start["width"] / 2 + share * (end["x"] + end["width"] / 2 - start["x"] - start["width"] / 2),
            start["y"]
            + start["height"] / 2
            + share * (end["y"] + end["height"] / 2 - start["y"] - start["height"] / 2),
        )
    page.mouse.up()


def _accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    told = [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary'][:200]}" for one in found for node in one["nodes"]
    ]
    assert told == []


def test_words_are_there_in_both_languages() -> None:
    folder = Path(__file__).parents[3] / "device" / "dashboard" / "web" / "setup" / "words"
    pl, en = (json.loads((folder / f"{name}.json").read_text("utf-8")) for name in ("pl", "en"))
    assert list(pl) == list(en)
    assert all(pl.values())
    assert all(en.values())
