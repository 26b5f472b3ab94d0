"""History: finished games, charts over them, and exports."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from device.dashboard.bodies import READ_ERRORS, error_responses
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import AppState
from device.dashboard.services.charts import games_json, over_time, points, wins, without_path
from device.dashboard.services.pairing import Pairing
from device.exports import games_csv
from device.exports import games_json as exact_json
from device.store import Finished, GameHistory, StoreError
from referee.rules import games

GameFilter = Annotated[str, Query(max_length=40, description="Only this game; empty for all.")]

_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}


def routes(app_state: AppState, pairing: Pairing) -> APIRouter:
    """Everything under /api/history; anybody may look."""
    router = APIRouter(prefix="/api/history", tags=["history"])

    def found(game: str) -> list[Finished]:
        if game and game not in games():
            raise Refusal(422, "no such game", game, list(games()))
        try:
            kept = GameHistory(app_state.settings.history_file).games()
        except StoreError as error:
            # The message names the file: the terminal and the doctor tell that.
            raise Refusal(
                503, "the history cannot be read", type(error).__name__, "`krupier history` says why"
            ) from error
        return [without_path(one) for one in kept if not game or one.game == game]

    @router.get("", responses=error_responses(503, *READ_ERRORS))
    def show(game: GameFilter = "", limit: Annotated[int, Query(ge=1, le=1000)] = 200) -> dict[str, Any]:
        """The latest games, and charts over all games."""
        kept = found(game)
        return {
            "games": games_json(kept[:limit]),
            "count": len(kept),
            "wins": wins(kept),
            "over_time": over_time(kept),
            "points": points(kept),
        }

    @router.get("/games.csv", response_class=Response, responses=_CSV | error_responses(503, *READ_ERRORS))
    def as_csv(game: GameFilter = "") -> Response:
        """For spreadsheets: one row per player."""
        return _file(games_csv(found(game)), "text/csv; charset=utf-8", "krupier-history.csv")

    @router.get("/games.json", response_class=Response, responses=error_responses(503, *READ_ERRORS))
    def as_json(game: GameFilter = "") -> Response:
        """For programs: all data."""
        return _file(exact_json(found(game)) + "\n", "application/json", "krupier-history.json")

    return router


def _file(text: str, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.encode("utf-8", "replace"), media_type=kind, headers=headers)
