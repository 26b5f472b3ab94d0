"""Label lists: a CSV file that maps files or views to card codes."""

import csv
from pathlib import Path

from device.teaching.folder import TeachingError
from models.codes import CodeError, spelled

MAX_LIST_BYTES = 2_000_000
"""Maximum size of a list to read."""
_HEADER_WORDS = ("file", "view", "plik", "widok", "name", "picture")
"""First words of a header line, which is skipped."""


def read_labels(path: Path, game: str) -> dict[str, str]:
    """Read a list: card codes by file name or view number."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TeachingError(f"{path}: cannot be read: {error.strerror}; wanted lines as 7.jpg,7 or 0012,7") from error
    if len(data) > MAX_LIST_BYTES:
        raise TeachingError(f"{path}: {len(data)} bytes; wanted a list of at most {MAX_LIST_BYTES // 10**6} MB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TeachingError(f"{path}: not UTF-8 text at byte {error.start}; wanted lines as 7.jpg,7") from error
    # Where numbers have decimal commas, spreadsheets separate cells with semicolons.
    first = text.partition("\n")[0]
    found: dict[str, str] = {}
    for number, row in enumerate(csv.reader(text.splitlines(), delimiter=";" if ";" in first else ","), 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (number == 1 and cells[0].lower() in _HEADER_WORDS):
            continue
        if len(cells) != 2 or not all(cells):
            raise TeachingError(f"{path}, line {number}: found {','.join(row)[:60]!r}; wanted file,code or view,code")
        if cells[0] in found:
            raise TeachingError(f"{path}, line {number}: {cells[0]!r} stands there twice; wanted each once")
        try:
            found[cells[0]] = spelled(game, cells[1])
        except CodeError as error:
            raise TeachingError(f"{path}, line {number}: {error}") from error
    return found
