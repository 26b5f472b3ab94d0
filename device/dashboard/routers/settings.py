"""Settings: all of them with meaning and origin, and changes; for the host only."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field

from device.dashboard.bodies import ACTION_ERRORS, READ_ERRORS, RequestBody, error_responses
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import AppState
from device.dashboard.services.pairing import Pairing
from device.dashboard.services.preferences import change, preferences
from device.settings import SettingsError, config_file

SettingName = Annotated[str, Field(max_length=60)]
SettingText = Annotated[str, Field(max_length=1000)]


class ChangesBody(RequestBody):
    """Settings to save; null restores the default."""

    changes: Annotated[dict[SettingName, SettingText | None], Field(min_length=1, max_length=40)]


def routes(app_state: AppState, pairing: Pairing) -> APIRouter:
    """Everything under /api/settings."""
    router = APIRouter(prefix="/api/settings", tags=["settings"], dependencies=[Depends(pairing.host)])

    @router.get("", responses=error_responses(401, 403, 409, *READ_ERRORS))
    def show() -> dict[str, Any]:
        """All settings as the files say now."""
        try:
            return preferences(app_state.resolve_settings(), app_state.environ)
        except SettingsError as error:
            raise Refusal(409, str(error), None, "a settings file that can be read") from error

    @router.post("", responses=error_responses(*ACTION_ERRORS))
    def save(wanted: ChangesBody) -> dict[str, Any]:
        """Save some settings, all or none; the error names the invalid one."""
        found = change(config_file(app_state.environ), wanted.changes, app_state.resolve_settings)
        app_state.reload_settings()
        return preferences(found, app_state.environ)

    return router
