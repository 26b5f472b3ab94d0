"""Finished games as CSV for spreadsheets and as JSON for programs. New columns are only added at the end."""

import csv
import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC
from io import StringIO
from typing import Any

from device.store import Finished

COLUMNS = (
    *("key", "game", "began", "length_s", "moves", "options", "deck", "why"),
    *("players", "seat", "name", "points", "place", "won", "guest", "recording"),
)
"""One row per player."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Prefixes that a spreadsheet would take for a formula; a player's name must never become one."""


def games_csv(games: Iterable[Finished]) -> str:
    """A header row, then one row for each player of each game."""
    page = StringIO()
    writer = csv.writer(page, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for game in games:
        options = " ".join(f"{name}={value}" for name, value in game.options)
        first = (
            _cell(game.key),
            _cell(game.game),
            began(game),
            f"{game.length_s:.1f}",
            game.moves,
            _cell(options),
            _cell(game.deck or ""),
            _cell(game.why),
            len(game.players),
        )
        for seat, one in enumerate(game.players, 1):
            rest = (seat, _cell(one.name), one.points, one.place, int(one.won), int(one.guest))
            writer.writerow((*first, *rest, _cell(game.recording or "")))
    return page.getvalue()


def games_json(games: Iterable[Finished]) -> str:
    """Every field of each game, exactly."""
    text = json.dumps({"games": [_game(game) for game in games]}, ensure_ascii=False, indent=1)
    # JSON may contain characters that would upset a terminal; their escapes mean the same.
    return "".join(letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1] for letter in text)


def began(game: Finished) -> str:
    """Start of a game in UTC, as 2026-05-03T18:30:00Z."""
    return game.began.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _game(game: Finished) -> dict[str, Any]:
    return {**asdict(game), "began": began(game), "options": dict(game.options)}


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
