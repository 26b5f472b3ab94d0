"""Health: how the machine, the camera and the referee are, and what the doctor says."""

from typing import Any

from fastapi import APIRouter, Depends

from device.dashboard.forms import ACTING, READING, refused
from device.dashboard.services.app_state import House
from device.dashboard.services.checkup import examine
from device.dashboard.services.jobs import Jobs
from device.dashboard.services.pairing import Doors


def routes(house: House, doors: Doors) -> APIRouter:
    """Everything under /api/health; anybody may see the numbers, only the host what the doctor finds."""
    router = APIRouter(prefix="/api/health", tags=["health"])
    jobs = Jobs("a checkup")
    host = [Depends(doors.host)]

    @router.get("", responses=refused(*READING))
    def show() -> dict[str, Any]:
        """The numbers of the state, by themselves."""
        state = house.hub.state
        return {key: state.get(key) for key in ("health", "camera", "notes", "version", "server")}

    @router.get("/doctor", dependencies=host, responses=refused(401, 403, *READING))
    def doctor() -> dict[str, Any]:
        """How far the checkup is, and what it found; `stage` is "none" before the first."""
        job = jobs.job
        if job is None:
            return {"about": "", "stage": "none", "share": 0.0, "error": "", "result": None}
        return job.as_json()

    @router.post("/doctor", dependencies=host, status_code=202, responses=refused(*ACTING))
    def examined() -> dict[str, Any]:
        """Look at everything that a game needs."""
        return jobs.start("everything", lambda step: examine(house, step)).as_json()

    return router
