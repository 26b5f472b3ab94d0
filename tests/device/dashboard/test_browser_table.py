"""The live views in a real browser: watching, acting, sizes, languages, looks, reconnecting."""

import asyncio
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import cv2
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect

from device.dashboard.app import build
from device.dashboard.server import server_for
from device.dashboard.services.app_state import AppState
from device.dashboard.services.game_runner import GameRequest
from device.dashboard.services.pairing import Pairing
from referee.edits import Play
from referee.moves import Move
from tests.device.dashboard.conftest import SOON_MS
from tests.device.dashboard.table_side import CODES, Rooms, SmallOptician, eventually, film, rooms, save_small_rig

HOSTILE = "<img src=x onerror=hacked=1>"
NAMES = ("Ala", HOSTILE)
PHONE, TABLET, DESK, TV = (390, 844), (820, 1180), (1280, 800), (1920, 1080)
DOUBLED = (640, 400)
"""A desk at 200 % zoom."""
SMALL = (320, 640)
MOST_BYTES = 150_000
LOOKS = ({"theme": "light", "palette": "usual"}, {"theme": "dark", "palette": "distinct"})
"""All but the one that pages are opened with."""


@pytest.fixture(scope="module")
def app_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rooms]:
    """A dashboard, and a film of two cards, one of which is misread."""
    folder = tmp_path_factory.mktemp("table")
    save_small_rig(folder)
    film(folder, ((), ("9G0",), ("9G0", "5P1")))
    with rooms(folder, {"5P1": "7P2"}) as made:
        yield made


@pytest.fixture
def game(app_state: Rooms) -> Iterator[Rooms]:
    """A game in which one line is legal and the next one is not."""
    wanted = {"game": "dawaj2", "names": list(NAMES), "options": {}, "camera": str(app_state.folder / "film")}
    assert app_state.host.post("/api/game", json=wanted).status_code == 201
    eventually(lambda: len((app_state.state()["table"] or {"cards": ()})["cards"]) == 2)
    # Two cards from nowhere: when the camera has said so it has looked often enough.
    eventually(lambda: app_state.state()["question"] is not None)
    say(app_state, "P1 pass ? @ P2", "P1 draw ?")
    yield app_state
    assert app_state.host.post("/api/game/end", json={}).status_code == 200


def say(app_state: Rooms, *lines: str) -> None:
    for text in lines:
        answer = app_state.host.post("/api/game/line", json={"text": text})
        assert answer.status_code == 200, answer.text


Opener = Callable[..., Page]


@pytest.fixture
def look(browser: Browser) -> Iterator[Opener]:
    """Opens pages; in the end none of them may have complained, nor run what players are called."""
    contexts, troubles, pages = [], list[str](), list[Page]()

    def opened(
        url: str, size: tuple[int, int] = DESK, scheme: Any = "dark", locale: str = "pl-PL", forgiven: str = ""
    ) -> Page:
        width, height = size
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale=locale, color_scheme=scheme, reduced_motion="reduce"
        )
        context.set_default_timeout(SOON_MS)
        contexts.append(context)
        page = context.new_page()
        pages.append(page)

        def complain(words: str) -> None:
            if not forgiven or forgiven not in words:
                troubles.append(words)

        page.on("console", lambda said: complain(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complain(str(error)))
        page.goto(url)
        return page

    yield opened
    assert troubles == []
    assert not any(page.evaluate("'hacked' in window") for page in pages)
    for context in contexts:
        context.close()


def paired(look: Opener, game: Rooms, path: str = "/", size: tuple[int, int] = DESK) -> Page:
    """A page of the host."""
    page = look(game.url + path, size)
    answer = page.context.request.post(f"{game.url}/api/pair", data={"code": CODES.host, "name": "Hela"})
    assert answer.ok
    page.reload()
    if path == "/":
        expect(page.locator("#role")).to_have_text("Hela")
    return page


def line(page: Page, number: int) -> Any:
    return page.locator("#ruling-list > li").nth(number)


def test_the_table_and_its_rulings_are_shown_as_they_come(game: Rooms, look: Opener) -> None:
    page = look(game.url)
    expect(page.locator('.card[data-code="9G0"]')).to_have_attribute("data-sure", "sure")
    expect(page.locator("#todo li").first).to_contain_text(HOSTILE)
    expect(page.locator("#scores .name").nth(1)).to_have_text(HOSTILE)
    expect(page.locator("#table-list li")).to_have_count(2)
    fault = line(page, 0)
    expect(fault).to_have_class("ruling illegal loud")
    expect(fault.locator(".word")).to_have_text("Niedozwolone")
    expect(fault.locator(".rule-id")).to_have_text("D2-T1")
    expect(fault.locator("blockquote")).to_contain_text("Runda ma trzy fazy")
    expect(fault.locator(".evidence img")).to_have_count(2)
    say(game, "P2 pass ? @ P1")
    expect(line(page, 0)).to_have_attribute("data-ruling", "legal")
    expect(page.locator("#told")).to_contain_text(HOSTILE)
    say(game, "P2 draw ?")
    expect(page.locator("#alarmed")).to_contain_text("Niedozwolone")
    expect(page.locator("#ruling-list > li")).to_have_count(4)


def test_what_the_camera_cannot_explain_is_said_in_the_language_of_the_page(app_state: Rooms, look: Opener) -> None:
    wanted = {"game": "dawaj2", "names": list(NAMES), "options": {}, "camera": str(app_state.folder / "film")}
    assert app_state.host.post("/api/game", json=wanted).status_code == 201
    eventually(lambda: bool((app_state.state()["question"] or {}).get("left")))
    expect(look(app_state.url).locator("ul.left li").first).to_contain_text("a nie powinno")
    expect(look(app_state.url, locale="en-GB").locator("ul.left li").first).to_contain_text("and should not")
    assert app_state.host.post("/api/game/end", json={}).status_code == 200


def test_what_the_camera_is_not_sure_of_is_shown_as_a_doubt(game: Rooms, look: Opener) -> None:
    page, tv = look(game.url), look(f"{game.url}/tv", TV, locale="en-GB")
    expect(page.locator("#ruling-list > li")).to_have_count(2)
    expect(page.locator(".probability")).to_have_count(0)
    passed, drawn = (Move.parse(text) for text in ("P2 pass ? @ P1", "P2 draw ?"))
    game.app_state.ask(lambda session, at_s: session.enter(Play(passed, probability=0.97), at_s))
    game.app_state.ask(lambda session, at_s: session.enter(Play(drawn, probability=0.82), at_s))
    chip = line(page, 0).locator(".probability")
    expect(chip).to_have_text("82\u00a0%")
    expect(chip).to_have_attribute("aria-label", "Kamera jest pewna tego ruchu na 82 %.")
    expect(page.locator("#alarmed")).to_contain_text("pewna tego ruchu na 82 %")
    expect(line(page, 1).locator(".probability")).to_have_count(0)
    expect(tv.locator("#ruling .probability")).to_have_attribute("aria-label", "The camera is 82 % sure of this move.")
    assert faults(page) == []
    say(game, "undo")
    expect(page.locator(".probability")).to_have_count(0)
    expect(tv.locator(".probability")).to_have_count(0)


def test_faults_are_said_aloud_once_somebody_wants_that(game: Rooms, look: Opener) -> None:
    page = look(game.url)
    expect(page.locator(".card")).to_have_count(2)
    page.evaluate(
        "() => { window.aloud = []; speechSynthesis.speak = (one) => aloud.push(`${one.lang} ${one.text}`); }"
    )
    say(game, "P2 draw ?")
    expect(page.locator("#ruling-list > li")).to_have_count(3)
    assert page.evaluate("aloud") == []
    page.click("#voice-button")
    say(game, "P2 draw ?")
    expect(page.locator("#ruling-list > li")).to_have_count(4)
    first, fault = page.evaluate("aloud")
    assert first == "pl-PL Głos włączony"
    assert fault.startswith("pl-PL Niedozwolone. To należy do fazy")


def test_changes_are_merged_as_rfc_7396_says(app_state: Rooms, look: Opener) -> None:
    page = look(app_state.url)
    merged = "async ([value, patch]) => (await import('/web/state.js')).applyPatch(value, patch)"
    for value, patch, wanted in (
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"a": "foo"}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({"e": 1}, {"a": 1}, {"e": 1, "a": 1}),
    ):
        assert page.evaluate(merged, [value, patch]) == wanted


def test_a_card_is_corrected_with_two_taps(game: Rooms, look: Opener) -> None:
    page = look(f"{game.url}/#code={CODES.player}", PHONE)
    page.fill("#pair-name", "Bartek")
    page.click("dialog button[type=submit]")
    expect(page.locator("dialog")).to_have_count(0)
    assert "code" not in page.url
    card = page.locator('.card[data-code="7P2"]')
    card.click()
    expect(page.locator("dialog .now")).to_contain_text("7 różowa, 2 gwiazdki")
    page.locator(".keys .key", has_text="5").click()
    page.locator('.keypad [data-code="5P1"]').click()
    corrected = page.locator('.card[data-code="5P1"]')
    expect(corrected).to_have_attribute("data-pinned", "")
    expect(page.locator("#toast")).to_contain_text("5 różowa")


def test_undo_redo_let_stand_and_amend(game: Rooms, look: Opener) -> None:
    page = paired(look, game)
    line(page, 0).locator("[data-key=stand]").click()
    expect(page.locator("#ruling-list .flags").first).to_contain_text("zostaje")
    page.keyboard.press("u")
    expect(page.locator(".ruling.undone .reason")).to_have_count(1)
    page.click("#redo")
    expect(page.locator(".ruling.undone")).to_have_count(0)
    say(game, "P2 draw ?")
    line(page, 0).locator("[data-key=amend]").click()
    page.fill("dialog .line-form input", "P2 pass ? @ P1")
    page.click("dialog .line-form button")
    expect(page.locator('.ruling[data-ruling="legal"] code', has_text="P2 pass ? @ P1")).to_have_count(1)


def test_declared_challenged_decided_paused(game: Rooms, look: Opener) -> None:
    page = paired(look, game)
    page.click("#declare")
    page.locator('dialog [data-text="P2 pass ? @ P1"]').click()
    expect(line(page, 0).locator("code")).to_have_text("P2 pass ? @ P1")
    challenge = line(page, 0).locator("[data-key=challenge]")
    expect(challenge.locator(".countdown")).to_contain_text(" s")
    challenge.click()
    expect(page.locator(".doubt")).to_contain_text("Hela kwestionuje")
    page.click("[data-key=decide-yes]")
    expect(page.locator(".doubt")).to_have_count(0)
    page.click("#pause")
    expect(page.locator("#todo")).to_contain_text("Przerwa")
    expect(page.locator("#status")).to_have_text("przerwa")
    page.keyboard.press("p")
    expect(page.locator("#status")).not_to_have_text("przerwa")


def test_who_is_not_paired_is_asked_for_the_code_and_a_wrong_one_is_refused(game: Rooms, look: Opener) -> None:
    page = look(game.url, forgiven="403")
    page.click("#undo")
    page.fill("#pair-code", "999 999")
    page.click("dialog button[type=submit]")
    expect(page.locator("dialog .trouble")).to_contain_text("no such code")
    assert game.state()["game"]["undo"] is True
    page.fill("#pair-code", CODES.player)
    page.click("dialog button[type=submit]")
    # What was asked for is done as soon as one is in.
    expect(page.locator(".ruling.undone")).to_have_count(1)
    expect(page.locator("#pause")).to_be_hidden()


def test_everything_can_be_done_with_keys(game: Rooms, look: Opener) -> None:
    page = paired(look, game)
    expect(page.locator(".card")).to_have_count(2)
    page.keyboard.press("g")
    expect(page.locator('.card[data-code="9G0"]')).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator('.card[data-code="7P2"]')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("dialog h2")).to_have_text("Która to karta?")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("dialog kbd").last).to_have_text("?")
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("s")
    expect(page.locator("#ruling-list .flags").first).to_contain_text("zostaje")
    for theme in ("dark", "light", "auto"):
        page.keyboard.press("t")
        expect(page.locator("html")).to_have_attribute("data-theme", theme)
    page.keyboard.press("b")
    expect(page.locator("html")).to_have_attribute("data-palette", "distinct")


def test_the_language_is_switched_and_remembered(game: Rooms, look: Opener) -> None:
    page = look(game.url)
    expect(page.locator("#undo")).to_have_text("Cofnij")
    page.click("#menu-button")
    page.locator("dialog [data-value=en]").click()
    expect(page.locator("#undo")).to_have_text("Undo")
    expect(line(page, 0).locator(".word")).to_have_text("Illegal")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.reload()
    expect(page.locator("#undo")).to_have_text("Undo")
    english = look(game.url, locale="de-DE")
    expect(english.locator("#rulings-title")).to_have_text("Rulings")


def test_the_camera_is_shown_beside_and_under_the_drawing(game: Rooms, look: Opener) -> None:
    page = look(game.url)
    page.click("#camera-button")
    expect(page.locator("#camera-picture")).to_have_js_property("naturalWidth", 160)
    page.click("#camera-button")
    expect(page.locator(".table .photo image")).to_have_count(1)
    expect(page.locator("#camera")).to_be_hidden()
    page.click("#camera-button")
    expect(page.locator(".table .photo image")).to_have_count(0)


def test_the_drawing_can_be_turned(game: Rooms, look: Opener) -> None:
    page = look(game.url)
    expect(page.locator(".table")).to_have_attribute("viewBox", "-440 -265 880 530")
    page.keyboard.press("o")
    expect(page.locator(".table")).to_have_attribute("viewBox", "-265 -440 530 880")


def test_nothing_is_wider_than_the_screen(game: Rooms, look: Opener) -> None:
    page = look(game.url)
    expect(page.locator(".card")).to_have_count(2)
    for width, height in (PHONE, TABLET, DESK, DOUBLED, SMALL):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        buttons = page.locator("#actions button:visible")
        assert max(buttons.evaluate_all("all => all.map(one => one.scrollWidth - one.clientWidth)")) <= 0
        lowest = buttons.first.bounding_box()
        assert lowest is not None
        assert lowest["y"] + lowest["height"] <= height, "actions stay within reach"


def test_the_television_shows_everything_at_once(game: Rooms, look: Opener) -> None:
    page = look(f"{game.url}/tv", TV)
    expect(page.locator("#ruling")).to_contain_text("Niedozwolone")
    expect(page.locator(".card")).to_have_count(2)
    expect(page.locator("#qr")).to_have_js_property("complete", True)
    expect(page.locator("#join-code")).to_be_hidden()
    heights = page.evaluate("[document.documentElement.scrollHeight, innerHeight]")
    assert heights[0] <= heights[1]
    size = page.locator("#todo li").first.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
    assert size > 45
    host = paired(look, game, "/tv", TV)
    expect(host.locator("#join-code")).to_have_text(CODES.player)


def test_the_overlay_is_a_lower_third_on_nothing(game: Rooms, look: Opener) -> None:
    page = look(f"{game.url}/overlay", TV)
    expect(page.locator("#scores")).to_contain_text(HOSTILE)
    expect(page.locator("#ruling")).to_be_hidden()
    say(game, "P2 draw ?")
    expect(page.locator("#ruling")).to_contain_text("Niedozwolone")
    shot = cv2.imdecode(np.frombuffer(page.screenshot(omit_background=True), np.uint8), cv2.IMREAD_UNCHANGED)
    assert shot is not None
    assert shot.shape == (1080, 1920, 4)
    assert not shot[:600, :, 3].any()
    assert (shot[700:, :, 3] == 255).any()


def test_nobody_is_left_out(game: Rooms, look: Opener) -> None:
    page = paired(look, game, size=PHONE)
    page.locator(".ruling .more").last.click()
    found = faults(page)
    page.locator('.card[data-code="9G0"]').click()
    expect(page.locator("dialog")).to_have_count(1)
    found += faults(page)
    for path in ("/tv", "/overlay?ruling=always"):
        other = look(game.url + path, TV)
        expect(other.locator("#ruling")).to_contain_text("Niedozwolone")
        found += faults(other)
    assert found == []


def faults(page: Page) -> list[str]:
    """What an accessibility checker calls serious; contrast is measured in every look."""
    said = list(Axe().run(page).response["violations"])
    for look in LOOKS:
        page.evaluate("look => Object.assign(document.documentElement.dataset, look)", look)
        said += page.evaluate("axe.run({runOnly: ['color-contrast'], resultTypes: ['violations']})")["violations"]
    return [
        f"{one['id']}: {node['target']} {node['any'][0]['message'] if node['any'] else ''}"
        for one in said
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def test_a_card_is_the_picture_that_the_server_draws(game: Rooms, look: Opener) -> None:
    page = look(game.url)
    picture = page.locator('.card[data-code="9G0"] image')
    expect(picture).to_have_attribute("href", re.compile(r"^/api/faces/dawaj2/9G0\.webp\?"))
    # It fails where the server has no such picture.
    picture.evaluate("image => image.decode()")


def test_the_first_page_is_light(game: Rooms, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    bodies: dict[str, int] = {}
    page.on("response", lambda answer: bodies.update({answer.url: len(answer.body())}))
    page.goto(game.url)
    expect(page.locator(".card")).to_have_count(2)
    # No polling here: a second look would need eval, which the page's own policy forbids.
    page.evaluate("document.fonts.ready.then(() => null)")
    context.close()
    assert all(url.startswith(game.url) for url in bodies), "nothing comes from elsewhere"
    assert sum(bodies.values()) < MOST_BYTES, sorted((size, url.removeprefix(game.url)) for url, size in bodies.items())


def test_a_page_without_a_game_says_so(app_state: Rooms, look: Opener) -> None:
    page = look(app_state.url, PHONE)
    expect(page.locator("#welcome h2")).to_have_text("Teraz nikt nie gra")
    expect(page.locator("#welcome a")).to_have_attribute("href", "/setup/")
    expect(page.locator("#actions")).to_be_hidden()


def test_it_reconnects_after_the_server_was_started_again(tmp_path: Path, look: Opener) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with at_port(tmp_path, port) as first:
        first.start(GameRequest("dawaj2", NAMES, (), "", None))
        first.line("P1 pass ? @ P2")
        page = look(f"http://127.0.0.1:{port}", forgiven="WebSocket")
        expect(page.locator("#ruling-list > li")).to_have_count(1)
        expect(page.locator("#status")).to_have_text("na żywo")
    expect(page.locator("#status")).to_have_text("brak połączenia")
    with at_port(tmp_path, port) as second:
        second.resume(None)
        expect(page.locator("#status")).to_have_text("na żywo")
        second.line("P2 pass ? @ P1")
        expect(page.locator("#ruling-list > li")).to_have_count(2)


@contextmanager
def at_port(folder: Path, port: int) -> Iterator[AppState]:
    """A dashboard behind one and the same address; a game that is on when it closes can be resumed."""
    environ = {"HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder)}
    app_state = AppState(environ, {}, lambda threads: SmallOptician())
    server = server_for(build(app_state, Pairing(b"s" * 32, CODES, monotonic)))
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        thread = Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        try:
            eventually(lambda: server.started)
            yield app_state
        finally:
            app_state.close(later=True)
            server.should_exit = True
            thread.join()
