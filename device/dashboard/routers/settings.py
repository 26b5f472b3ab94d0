"""Settings: all of them with what they mean and where they come from, and changing them; for the host only."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import Field

from device.dashboard.forms import ACTING, READING, Form, refused
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import House
from device.dashboard.services.pairing import Doors
from device.dashboard.services.preferences import change, preferences
from device.settings import SettingsError, config_file

Key = Annotated[str, Field(max_length=60)]
Value = Annotated[str, Field(max_length=1000)]


class Changes(Form):
    """What is to be saved: null lets a setting be what it is by default."""

    changes: Annotated[dict[Key, Value | None], Field(min_length=1, max_length=40)]


def routes(house: House, doors: Doors) -> APIRouter:
    """Everything under /api/settings."""
    router = APIRouter(prefix="/api/settings", tags=["settings"], dependencies=[Depends(doors.host)])

    @router.get("", responses=refused(401, 403, 409, *READING))
    def show() -> dict[str, Any]:
        """All settings as they are on the disk now."""
        try:
            return preferences(house.found_settings(), house.environ)
        except SettingsError as error:
            raise Refusal(409, str(error), None, "a settings file that can be read") from error

    @router.post("", responses=refused(*ACTING))
    def save(wanted: Changes) -> dict[str, Any]:
        """Change some, all together or none; the error names the one that cannot be."""
        found = change(config_file(house.environ), wanted.changes, house.found_settings)
        house.read_settings()
        return preferences(found, house.environ)

    return router
