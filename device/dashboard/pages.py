"""Pages: the files of the web folder with their ETags, and nothing else of the disk."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response

from device.dashboard.caching import cached_response, entity_tag
from device.dashboard.refusals import Refusal

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".webp": "image/webp",
    ".ico": "image/x-icon",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
"""Files of other types are not served."""
NAMED = {
    "": "index.html",
    "tv": "tv.html",
    "overlay": "overlay.html",
    "setup": "setup/index.html",
    "setup/": "setup/index.html",
}
"""Pages with an address of their own."""


class PageFiles:
    """Serves the files of a folder; a file is read again when it changes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._read: dict[Path, tuple[tuple[int, int], bytes, str]] = {}

    def answer(self, name: str, request: Request) -> Response:
        """A file, or 304 if the browser has it already; Refusal 404 for anything else."""
        path = self._path(name)
        if path is None:
            raise Refusal(404, "no such page", name, "a page of the dashboard")
        data, tag = self._content(path)
        return cached_response(request, data, tag, TYPES[path.suffix])

    def _path(self, name: str) -> Path | None:
        """The file of that name inside the folder; links that lead out are not followed."""
        if "\0" in name or "\\" in name:
            return None
        path = (self._folder / name).resolve()
        inside = path.is_relative_to(self._folder) and not any(part.startswith(".") for part in Path(name).parts)
        return path if inside and path.suffix in TYPES and path.is_file() else None

    def _content(self, path: Path) -> tuple[bytes, str]:
        there = path.stat()
        mark = (there.st_mtime_ns, there.st_size)
        known = self._read.get(path)
        if known is None or known[0] != mark:
            data = path.read_bytes()
            known = self._read[path] = (mark, data, entity_tag(data))
        return known[1], known[2]


def pages(folder: Path) -> APIRouter:
    """The pages /, /tv, /overlay and /setup, and their files below /web."""
    page_files = PageFiles(folder)
    router = APIRouter(include_in_schema=False)

    @router.api_route("/web/{name:path}", methods=["GET", "HEAD"])
    def file(name: str, request: Request) -> Any:
        """A file that a page needs."""
        return page_files.answer(name, request)

    @router.api_route("/favicon.ico", methods=["GET", "HEAD"])
    def icon() -> Any:
        """There is none, but browsers ask for it."""
        return Response(status_code=204, headers={"Cache-Control": "max-age=86400"})

    def view(name: str) -> Callable[[Request], Response]:
        def page(request: Request) -> Response:
            """A view."""
            return page_files.answer(name, request)

        return page

    for path, name in NAMED.items():
        router.add_api_route(f"/{path}", view(name), methods=["GET", "HEAD"], response_model=None)
    return router
