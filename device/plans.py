"""Plans of games: the plan.toml of a game, read for calibration, which knows no games."""

from functools import cache

from calibration.plan import Plan, PlanError, read_plan
from models.packages import PackageError, package_of, text_of


@cache
def plan_of(game: str) -> Plan:
    """The plan of a game; PlanError if there is no such game or its plan cannot be used."""
    try:
        package = package_of(game)
    except PackageError as error:
        raise PlanError(str(error)) from error
    try:
        return read_plan(game, text_of(game, "plan.toml"))
    except PlanError as error:
        raise PlanError(f"{package.label}: plan.toml: {error}") from error
