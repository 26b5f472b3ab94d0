"""Setup pages in a real browser, opened as the host or as somebody who only looks; none of them may complain."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, expect

from tests.device.dashboard.conftest import SOON_MS
from tests.device.dashboard.setup_rooms import CODES

PHONE, DESK, DOUBLED = (390, 844), (1280, 800), (640, 400)
Opener = Callable[..., Page]


@contextmanager
def setup_pages(browser: Browser, url: str) -> Iterator[Opener]:
    """Opens parts of the setup pages; in the end nothing was wrong with any, nor did it run what people are called."""
    contexts, troubles, pages = [], list[str](), list[Page]()

    def opened(
        part: str,
        size: tuple[int, int] = DESK,
        scheme: Any = "dark",
        host: bool = True,
        locale: str = "pl-PL",
    ) -> Page:
        viewport: Any = {"width": size[0], "height": size[1]}
        context = browser.new_context(viewport=viewport, locale=locale, color_scheme=scheme, reduced_motion="reduce")
        context.set_default_timeout(SOON_MS)
        contexts.append(context)
        if host:
            assert context.request.post(f"{url}/api/pair", data={"code": CODES.host, "name": "Hela"}).ok
        page = context.new_page()
        pages.append(page)
        page.on("console", lambda said: troubles.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(f"{url}/setup/#{part}")
        expect(page.locator("main")).to_have_attribute("data-ready", "true")
        return page

    yield opened
    # What is refused is an answer of the server, which browsers call an error.
    assert [words for words in troubles if "422" not in words] == []
    assert not any(page.evaluate("'hacked' in window") for page in pages)
    for context in contexts:
        context.close()
