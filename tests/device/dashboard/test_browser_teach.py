"""Teaching a deck in a real browser: shown, asked, answered by keyboard, counted, mended, and chosen for a game."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Route, expect

from device.teaching.folder import find_deck, load_index
from models.taught import TaughtDeck
from tests.device.dashboard.conftest import SOON_MS
from tests.device.dashboard.setup_pages import DESK, DOUBLED, PHONE, Opener, setup_pages
from tests.device.dashboard.setup_rooms import Rooms, rooms
from tests.device.dashboard.shown_cards import face, keep_deck, png
from tests.device.dashboard.table_side import eventually, served

HOSTILE = "<img/src=x/onerror=hacked()>"
TRIO = tuple(str(number) for number in range(1, 13))
NOW = "{}/api/teaching/now"
LATER_MS = 6 * SOON_MS
"""Looking at pictures takes long where other work has the processors."""


@pytest.fixture(scope="module")
def app_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Rooms, str]]:
    """A dashboard with a whole deck and one that lacks cards and names."""
    with rooms(tmp_path_factory.mktemp("teach")) as found:
        keep_deck(found.app_state.settings.data, "whole", TRIO)
        keep_deck(found.app_state.settings.data, "half", ("1", "6", "9", ""))
        with served(found.app) as url:
            yield found, url


@pytest.fixture
def look(browser: Browser, app_state: tuple[Rooms, str]) -> Iterator[Opener]:
    """Opens a part of the setup pages."""
    with setup_pages(browser, app_state[1]) as opener:
        yield opener


def test_a_deck_is_taught_on_the_page(app_state: tuple[Rooms, str], look: Opener, tmp_path: Path) -> None:
    data = app_state[0].app_state.settings.data

    def kept() -> TaughtDeck:
        return load_index(find_deck(data, "ours"))

    for number, code in enumerate(("6", "9"), 1):
        (tmp_path / f"IMG_{number:04d}.png").write_bytes(png(face(code)))
    (tmp_path / "broken.png").write_bytes(b"nothing")
    page = look("teach")
    page.get_by_label("Do jakiej gry?").select_option("free")
    page.get_by_label("Jak się nazywa?").fill("ours")
    page.get_by_role("button", name="Zaczynamy naukę").click()
    expect(page.get_by_role("heading", name="ours")).to_be_visible()
    page.get_by_role("button", name="Zdjęcia").click()
    page.get_by_label("Każde zdjęcie to jedna karta").check()
    page.locator("#teach-files").set_input_files(sorted(tmp_path.glob("*.png")))
    expect(page.get_by_text("Zostało pytań: 2")).to_be_visible(timeout=LATER_MS)
    expect(page.locator(".working")).to_be_empty(timeout=LATER_MS)
    expect(page.locator(".refused")).to_contain_text("broken.png")
    expect(page.locator(".crops .unnamed")).to_have_count(2)
    typed, ask = page.get_by_label("Wpisz kod"), page.locator(".asking")
    typed.fill(HOSTILE)
    page.keyboard.press("Enter")
    expect(ask.get_by_role("alert")).to_contain_text("potrzebne słowo", timeout=LATER_MS)
    typed.fill("six")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Zostało pytań: 1")).to_be_visible(timeout=LATER_MS)
    page.keyboard.type("six")
    page.keyboard.press("Enter")
    doubt = page.get_by_role("dialog", name="Czy na pewno?")
    expect(doubt).to_contain_text("różni się od karty, która już nazywa się six", timeout=LATER_MS)
    expect(doubt.get_by_alt_text("six i six obok siebie")).to_be_visible()
    expect(doubt.get_by_role("button", name="To mimo wszystko six")).to_be_visible()
    doubt.get_by_role("button", name="Nie, wybieram jeszcze raz").click()
    expect(ask.get_by_role("alert")).to_contain_text("różni się od karty", timeout=LATER_MS)
    typed.fill("nine")
    page.keyboard.press("Enter")
    expect(ask).to_be_hidden(timeout=LATER_MS)
    expect(page.locator(".cards .code")).to_have_text(["six", "nine"])
    page.get_by_role("button", name="six: o jedną więcej").click()
    expect(page.locator(".stepper").first).to_contain_text("×2")
    expect(page.get_by_role("button", name="six: o jedną więcej")).to_be_focused()
    assert kept().count("six") == 2

    def over_at_once(route: Route) -> None:
        route.fetch()
        eventually(lambda: kept().count("six") == 1)
        eventually(lambda: page.request.get(NOW.format(app_state[1])).json()["working"]["stage"] == "done")
        route.fulfill(response=page.request.get(NOW.format(app_state[1])))

    # What is over before it is answered is shown as well.
    page.route("**/undo", over_at_once)
    page.get_by_role("button", name="Cofnij").click()
    expect(page.locator(".stepper").first).to_contain_text("×1", timeout=LATER_MS)
    page.get_by_role("button", name="nine: widoków 1; popraw").click()
    before = kept().of("nine")[0].corners_px
    # A button may be held down while an answer comes in, and is still pressed when it is let go.
    picture, rename = page.locator("dialog li img"), page.locator("dialog").get_by_role("button", name="Popraw")
    old = picture.get_attribute("src") or ""
    page.locator("dialog").get_by_label("Kod widoku").fill("neun")
    held: list[Route] = []
    page.route("**/turn", lambda route: held.append(route))
    with page.expect_request("**/turn"):
        page.locator("dialog").get_by_role("button", name="Obróć").click()
    rename.hover()
    page.mouse.down()
    held[0].continue_()
    expect(picture).not_to_have_attribute("src", old, timeout=LATER_MS)
    page.mouse.up()
    expect(page.locator(".cards .code")).to_have_text(["six", "neun"], timeout=LATER_MS)
    assert kept().of("neun")[0].corners_px == (*before[2:], *before[:2])
    with page.expect_download() as download:
        page.get_by_role("link", name="Pobierz").click()
    packed = Path(download.value.path())
    page.get_by_role("button", name="Usuń").click()
    page.get_by_role("button", name="Nie", exact=True).click()
    page.get_by_role("button", name="Usuń").click()
    page.get_by_role("button", name="Usuń na zawsze").click()
    expect(page.locator(".deck")).to_have_count(2)
    assert not (data / "decks" / "ours").exists()
    page.locator(".bring input").set_input_files(
        {"name": "o.zip", "mimeType": "application/zip", "buffer": packed.read_bytes()}
    )
    expect(page.locator(".deck")).to_have_count(3)
    assert kept().codes == ("six", "neun")


def test_doubts_are_settled_by_one_key(app_state: tuple[Rooms, str], look: Opener) -> None:
    page = look("teach/half", locale="en-GB")
    expect(page.locator(".missing li")).to_have_text(["2", "3", "4", "5", "7", "8", "10", "11", "12"])
    guess = page.locator(".guess").first
    expect(guess).to_contain_text("12", timeout=LATER_MS)
    expect(page.locator(".working")).to_be_empty(timeout=LATER_MS)
    expect(guess).to_have_attribute("data-key", "a")
    expect(page.locator(".guess.faint").first).to_have_attribute("data-key", "2")
    page.keyboard.press("a")
    expect(page.locator(".asking")).to_be_hidden(timeout=LATER_MS)
    assert "12" in load_index(find_deck(app_state[0].app_state.settings.data, "half")).codes


def test_a_game_is_started_with_a_taught_deck(app_state: tuple[Rooms, str], look: Opener) -> None:
    page = look("start")
    page.locator("label.game", has_text="Trio").click()
    deck = page.get_by_label("Talia")
    expect(deck.locator("option")).to_have_text(["druk Krupiera", "half (niedokończona)", "whole"])
    expect(deck.locator("option").nth(1)).to_be_disabled()
    deck.select_option("whole")
    page.get_by_label("Kamera").select_option("")
    page.get_by_role("button", name="Zaczynamy").click()
    page.wait_for_url(f"{app_state[1]}/")
    expect(page.locator("#title")).to_contain_text("Trio")
    assert app_state[0].app_state.hub.state["game"]["deck"] == "whole"
    app_state[0].app_state.end()


@pytest.mark.parametrize("part", ["teach", "teach/half"])
def test_everybody_can_use_it(look: Opener, part: str) -> None:
    page = look(part, PHONE, "light")
    # Only the page of a deck has something to work on.
    expect(page.locator(".working > *")).to_have_count(0, timeout=LATER_MS)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page).response["violations"]
        assert [f"{one['id']}: {node['html'][:160]}" for one in found for node in one["nodes"]] == []
    for size in (PHONE, DOUBLED, DESK):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, size
