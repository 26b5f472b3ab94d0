"""Health: measurements of the machine, the camera and the referee, and the doctor's checkup."""

from typing import Any

from fastapi import APIRouter, Depends

from device.dashboard.bodies import ACTION_ERRORS, READ_ERRORS, error_responses
from device.dashboard.services.app_state import AppState
from device.dashboard.services.checkup import examine
from device.dashboard.services.jobs import Jobs
from device.dashboard.services.pairing import Pairing


def routes(app_state: AppState, pairing: Pairing) -> APIRouter:
    """Everything under /api/health; the measurements are public, the checkup is for the host."""
    router = APIRouter(prefix="/api/health", tags=["health"])
    jobs = Jobs("a checkup")
    host = [Depends(pairing.host)]

    @router.get("", responses=error_responses(*READ_ERRORS))
    def show() -> dict[str, Any]:
        """The measurements that are part of the state."""
        state = app_state.hub.state
        return {key: state.get(key) for key in ("health", "camera", "notes", "version", "server")}

    @router.get("/doctor", dependencies=host, responses=error_responses(401, 403, *READ_ERRORS))
    def doctor() -> dict[str, Any]:
        """The progress and the results of the checkup; `stage` is "none" before the first one."""
        job = jobs.job
        if job is None:
            return {"about": "", "stage": "none", "share": 0.0, "error": "", "result": None}
        return job.as_json()

    @router.post("/doctor", dependencies=host, status_code=202, responses=error_responses(*ACTION_ERRORS))
    def examined() -> dict[str, Any]:
        """Check everything that a game needs."""
        return jobs.start("everything", lambda progress: examine(app_state, progress)).as_json()

    return router
