"""Health: how the machine, the camera and the referee are, and what the doctor says."""

from typing import Any

from fastapi import APIRouter, Depends

from device.dashboard.bodies import ACTION_ERRORS, READ_ERRORS, error_responses
from device.dashboard.services.app_state import AppState
from device.dashboard.services.checkup import examine
from device.dashboard.services.jobs import Jobs
from device.dashboard.services.pairing import Pairing


def routes(app_state: AppState, pairing: Pairing) -> APIRouter:
    """Everything under /api/health; anybody may see the numbers, only the host what the doctor finds."""
    router = APIRouter(prefix="/api/health", tags=["health"])
    jobs = Jobs("a checkup")
    host = [Depends(pairing.host)]

    @router.get("", responses=error_responses(*READ_ERRORS))
    def show() -> dict[str, Any]:
        """The numbers of the state, by themselves."""
        state = app_state.hub.state
        return {key: state.get(key) for key in ("health", "camera", "notes", "version", "server")}

    @router.get("/doctor", dependencies=host, responses=error_responses(401, 403, *READ_ERRORS))
    def doctor() -> dict[str, Any]:
        """How far the checkup is, and what it found; `stage` is "none" before the first."""
        job = jobs.job
        if job is None:
            return {"about": "", "stage": "none", "share": 0.0, "error": "", "result": None}
        return job.as_json()

    @router.post("/doctor", dependencies=host, status_code=202, responses=error_responses(*ACTION_ERRORS))
    def examined() -> dict[str, Any]:
        """Look at everything that a game needs."""
        return jobs.start("everything", lambda progress: examine(app_state, progress)).as_json()

    return router
