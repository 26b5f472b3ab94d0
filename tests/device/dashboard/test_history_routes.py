"""The history in the dashboard: charts and files, without where anything lies."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from device.dashboard.services.charts import over_time, points, wins
from device.store import Finished, FinishedPlayer
from tests.device.dashboard.setup_rooms import finished, rooms, wanted


def test_charts_add_up(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        found.played(12)
        answer = found.stranger.get("/api/history?limit=5")
        page = wanted(answer)
        assert (page["count"], len(page["games"])) == (12, 5)
        assert sum(bar["games"] for bar in page["over_time"]["bars"]) == 12
        assert sum(row["won"] for row in page["wins"]) == 12
        for one in page["points"]:
            assert sum(bar["players"] for bar in one["bars"]) == 18
        assert page["games"][0]["recording"] == "00011-trio"
        assert "secret" not in answer.text


def test_one_game_only(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        found.played(12)
        page = wanted(found.stranger.get("/api/history?game=trio"))
        assert {game["game"] for game in page["games"]} == {"trio"}
        assert page["count"] == 6
        assert found.stranger.get("/api/history?game=poker").status_code == 422


def test_files_to_take_away(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        found.played(2)
        table = found.stranger.get("/api/history/games.csv")
        assert table.headers["Content-Disposition"] == 'attachment; filename="krupier-history.csv"'
        assert len(table.text.splitlines()) == 1 + 2 * 3
        exact = wanted(found.stranger.get("/api/history/games.json"))
        assert len(exact["games"]) == 2
        assert "secret" not in table.text + str(exact)


def test_nothing_was_played_yet(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        page = wanted(found.stranger.get("/api/history"))
        assert page == {"games": [], "count": 0, "wins": [], "over_time": {"step": "day", "bars": []}, "points": []}


def test_a_history_that_is_none_is_said_without_its_path(tmp_path: Path) -> None:
    with rooms(tmp_path) as found:
        file = found.app_state.settings.history_file
        file.parent.mkdir(parents=True)
        file.write_text("no database", "utf-8")
        answer = found.stranger.get("/api/history")
        assert answer.status_code == 503
        assert str(tmp_path) not in answer.text
        assert file.read_text("utf-8") == "no database"


@pytest.mark.parametrize(("days", "step", "bars"), [(5, "day", 6), (100, "week", 15), (700, "month", 24)])
def test_bars_have_no_gaps(days: int, step: str, bars: int) -> None:
    first, last = finished(0), finished(1)
    began = datetime(2025, 1, 1, 12, tzinfo=UTC)
    games = [_moved(first, began), _moved(last, began + timedelta(days=days))]
    found: dict[str, Any] = over_time(games)
    assert (found["step"], len(found["bars"])) == (step, bars)
    assert [found["bars"][0]["games"], found["bars"][-1]["games"]] == [1, 1]


def test_guests_and_odd_points_count_rightly() -> None:
    players = (
        FinishedPlayer("Ala", -5, 1, True),
        FinishedPlayer("<b>x</b>", 130, 2, False),
        FinishedPlayer("Leon", 7, 3, False, guest=True),
    )
    game = Finished("k", "dawaj2", datetime(2025, 1, 1, tzinfo=UTC), 1.0, players)
    assert wins([game]) == [{"name": "Ala", "won": 1, "played": 1}, {"name": "<b>x</b>", "won": 0, "played": 1}]
    (one,) = points([game])
    assert isinstance(one, dict)
    bars: Any = one["bars"]
    assert sum(bar["players"] for bar in bars) == 2
    assert bars[0]["from"] == -5
    assert bars[-1]["from"] <= 130 <= bars[-1]["to"]


def _moved(game: Finished, began: datetime) -> Finished:
    from dataclasses import replace

    return replace(game, began=began)
