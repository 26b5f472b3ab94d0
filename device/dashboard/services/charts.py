"""Charts of the history, as plain numbers that the page draws."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from datetime import date, timedelta
from pathlib import Path

from device.exports import began
from device.recording.lines import JSON
from device.store import Finished

MOST_PLAYERS = 12
BINS = 12
_DAYS, _WEEKS = 21, 26 * 7
"""Longest history that is charted by days, and by weeks; a longer one is charted by months."""


def games_json(games: Iterable[Finished]) -> list[JSON]:
    """The games as a list for the page; of a recording only its name."""
    return [
        {
            "key": game.key,
            "game": game.game,
            "began": began(game),
            "length_s": round(game.length_s, 1),
            "moves": game.moves,
            "options": dict(game.options),
            "deck": game.deck,
            "players": [asdict(player) for player in game.players],
            "recording": without_path(game).recording,
        }
        for game in games
    ]


def without_path(game: Finished) -> Finished:
    """The same game with only the name of its recording: paths stay private."""
    return game if game.recording is None else replace(game, recording=Path(game.recording).name)


def wins(games: Iterable[Finished]) -> list[JSON]:
    """Games won and played by each player, most wins first; guests of the rules do not count."""
    won: Counter[str] = Counter()
    played: Counter[str] = Counter()
    for game in games:
        for player in game.players:
            if not player.guest:
                played[player.name] += 1
                won[player.name] += player.won
    ranked = sorted(played, key=lambda name: (-won[name], -won[name] / played[name], -played[name], name))
    return [{"name": name, "won": won[name], "played": played[name]} for name in ranked[:MOST_PLAYERS]]


def over_time(games: Sequence[Finished]) -> dict[str, JSON]:
    """Games per day, week or month, without gaps."""
    days = sorted(game.began.astimezone().date() for game in games)
    if not days:
        return {"step": "day", "bars": []}
    span = (days[-1] - days[0]).days
    step = "day" if span <= _DAYS else "week" if span <= _WEEKS else "month"
    counts = Counter(_begin(day, step) for day in days)
    bars: list[JSON] = []
    at, last = _begin(days[0], step), _begin(days[-1], step)
    while at <= last:
        bars.append({"from": at.isoformat(), "games": counts[at]})
        at = _next(at, step)
    return {"step": step, "bars": bars}


def points(games: Iterable[Finished]) -> list[JSON]:
    """Histograms of points, one per game: points of different games cannot be compared."""
    made: dict[str, list[int]] = defaultdict(list)
    for game in games:
        made[game.game] += [player.points for player in game.players if not player.guest]
    return [{"game": game, "bars": _histogram(values)} for game, values in sorted(made.items()) if values]


def _histogram(values: Sequence[int]) -> list[JSON]:
    least, most = min(values), max(values)
    width = max(1, -(-(most - least + 1) // BINS))
    count = (most - least) // width + 1
    bars = Counter((value - least) // width for value in values)
    return [
        {"from": least + place * width, "to": least + (place + 1) * width - 1, "players": bars[place]}
        for place in range(count)
    ]


def _begin(day: date, step: str) -> date:
    if step == "month":
        return day.replace(day=1)
    return day if step == "day" else day - timedelta(days=day.weekday())


def _next(day: date, step: str) -> date:
    if step == "month":
        return (day.replace(day=28) + timedelta(days=4)).replace(day=1)
    return day + timedelta(days=1 if step == "day" else 7)
