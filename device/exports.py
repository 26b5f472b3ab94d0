"""Finished games as CSV, for spreadsheets, and as JSON, for programs. Columns are only ever added, at the end."""

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
"""A row a player."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for a formula, which somebody's name must not become."""


def games_csv(games: Iterable[Finished]) -> str:
    """A line for each player of each game, below a line with the columns' names."""
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
    """All that is known of each game, exactly."""
    text = json.dumps({"games": [_game(game) for game in games]}, ensure_ascii=False, indent=1)
    # JSON may hold characters that are no good for a terminal; spelled out they mean the same.
    return "".join(letter if letter.isprintable() or letter == "\n" else json.dumps(letter)[1:-1] for letter in text)


def began(game: Finished) -> str:
    """When a game began: 2026-05-03T18:30:00Z."""
    return game.began.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _game(game: Finished) -> dict[str, Any]:
    return {**asdict(game), "began": began(game), "options": dict(game.options)}


def _cell(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
