"""One browser for all pages."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
SOON_MS = 30_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = next((found for name in CHROMIUMS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("NO BROWSER: the pages were NOT tested; wanted Debian's chromium (apt install chromium)")
    expect.set_options(timeout=SOON_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()
