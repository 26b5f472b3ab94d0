"""Uploads: a large file from a browser, written to the disk as it arrives."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from device.dashboard.refusals import Refusal

FOLDER = "uploads"
"""Below the data folder."""
SPARE = 1_000_000_000
"""Bytes that stay free for the journal of a running game."""
_PIECE = 1 << 20
_EVERY = 32 << 20


@asynccontextmanager
async def uploaded(request: Request, data: Path, name: str) -> AsyncIterator[Path]:
    """The body of a request as a file in a temporary folder; the folder is deleted afterwards."""
    try:
        folder = await run_in_threadpool(_new_folder, data / FOLDER)
    except OSError as error:
        raise Refusal(503, f"nothing can be kept here: {error.strerror}") from error
    try:
        path = folder / name
        try:
            with path.open("xb") as file:
                size = await _written(request, file, folder)
        except OSError as error:
            raise Refusal(503, f"cannot be kept: {error.strerror}") from error
        except ClientDisconnect as error:
            raise Refusal(400, "the upload broke off", None, "the whole file") from error
        if not size:
            raise Refusal(422, "the file is empty", 0, "a file with something in it")
        yield path
    finally:
        await run_in_threadpool(shutil.rmtree, folder, ignore_errors=True)


async def _written(request: Request, file: BinaryIO, folder: Path) -> int:
    size, checked = 0, -_EVERY
    pieces = bytearray()
    async for piece in request.stream():
        pieces += piece
        if len(pieces) < _PIECE and piece:
            continue
        if size - checked >= _EVERY:
            checked = size
            if shutil.disk_usage(folder).free < SPARE:
                raise Refusal(507, "the disk is nearly full", size, f"more than {SPARE} bytes free")
        await run_in_threadpool(file.write, bytes(pieces))
        size += len(pieces)
        pieces.clear()
    await run_in_threadpool(file.write, bytes(pieces))
    return size + len(pieces)


def _new_folder(uploads: Path) -> Path:
    uploads.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(dir=uploads))
