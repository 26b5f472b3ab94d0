"""Recordings: list, scrub, compare with today's code, export, import, pin and delete."""

import shutil
import tempfile
import time
from math import isfinite
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse

from device.dashboard.bodies import ACTION_ERRORS, READ_ERRORS, RequestBody, error_responses
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import AppState
from device.dashboard.services.diffs import Fit, diff, open_eye_factory
from device.dashboard.services.jobs import Jobs
from device.dashboard.services.pairing import Pairing
from device.dashboard.services.playback import Recordings, summary_json, timeline_json
from device.dashboard.services.scrub import WIDTHS, Scrubber
from device.dashboard.services.uploads import uploaded
from device.files import OutputError
from device.recording.bundle import SUFFIX, export_bundle, import_bundle
from device.recording.folder import is_running
from device.recording.parts import SessionError
from device.recording.pruning import pin
from device.recording.removal import remove

EXPORTS = "exports"
"""The folder for bundles that are being sent, below the data folder."""

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
STALE_S = 86_400.0
_JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}
_BUNDLE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}


class PinBody(RequestBody):
    """Whether a recording is pinned: kept for ever."""

    pinned: bool


class RerunBody(RequestBody):
    """Whether only the rules are replayed, without vision."""

    only_rules: bool = False


def routes(app_state: AppState, pairing: Pairing, fit: Fit = open_eye_factory) -> APIRouter:
    """Everything under /api/recordings."""
    router = APIRouter(prefix="/api/recordings", tags=["recordings"])
    recordings, scrubber = Recordings(lambda: app_state.settings.recordings_folder), Scrubber()
    host = [Depends(pairing.host)]

    @router.get("", responses=error_responses(*READ_ERRORS))
    def list_all() -> dict[str, Any]:
        """All recordings, newest first, and the space they take."""
        found = recordings.all()
        return {
            "recordings": [summary_json(stored) for stored in found],
            "bytes": sum(stored.size for stored in found),
            "limit_bytes": round(app_state.settings.recordings_limit_gb * 1e9),
        }

    @router.post("/import", dependencies=host, status_code=201, responses=error_responses(400, 507, *ACTION_ERRORS))
    async def bring(request: Request, name: Annotated[str, Query(pattern=NAME)]) -> dict[str, Any]:
        """Import a bundle as a recording of that name; its content is checked first."""
        async with uploaded(request, app_state.settings.data, f"bundle{SUFFIX}") as path:
            return await run_in_threadpool(_imported, path, recordings.root, name)

    @router.get("/{name}", responses=error_responses(404, *READ_ERRORS))
    def show(name: str) -> dict[str, Any]:
        """One recording: its rulings by time, and the stretches that its film covers."""
        stored = recordings.find(name)
        said = timeline_json(stored)
        stretches = scrubber.stretches(stored)
        times = scrubber.times(stored).at_s
        length_s = max(stored.manifest.length_s, float(str(said.pop("last_s"))), times[-1] if times else 0.0)
        return {**summary_json(stored), **said, "stretches": stretches, "length_s": round(length_s, 3)}

    @router.get("/{name}/frame.jpg", response_class=Response, responses=_JPEG | error_responses(404, *READ_ERRORS))
    def frame(
        name: str,
        at_s: Annotated[float, Query(ge=0, le=1e8)] = 0.0,
        width: Annotated[int, Query(ge=WIDTHS[0], le=WIDTHS[1])] = 960,
    ) -> Response:
        """The stored frame nearest to a time; its index and time are in the headers."""
        if not isfinite(at_s):
            raise Refusal(422, "that is no moment", str(at_s), "seconds from the beginning")
        shot = scrubber.shot(recordings.find(name), at_s, width)
        headers = {
            "X-Frame": str(shot.index),
            "X-At-S": f"{shot.at_s:.3f}",
            "Cache-Control": "private, max-age=3600",
        }
        return Response(shot.jpeg, media_type="image/jpeg", headers=headers)

    _add_diff_routes(router, app_state, recordings, pairing, fit)
    _add_storage_routes(router, app_state, recordings, pairing)
    return router


def _add_diff_routes(
    router: APIRouter, app_state: AppState, recordings: Recordings, pairing: Pairing, fit: Fit
) -> None:
    """Routes that replay a recording and compare."""
    jobs, host = Jobs("a comparison"), [Depends(pairing.host)]

    @router.post("/{name}/diff", dependencies=host, status_code=202, responses=error_responses(404, *ACTION_ERRORS))
    def start_diff(name: str, wanted: RerunBody) -> dict[str, Any]:
        """Replay it with today's rules and vision, in the background."""
        stored, settings = recordings.find(name), app_state.settings
        return jobs.start(name, lambda progress: diff(stored, settings, wanted.only_rules, progress, fit)).as_json()

    @router.get("/{name}/diff", responses=error_responses(404, *READ_ERRORS))
    def diff_state(name: str) -> dict[str, Any]:
        """The progress and the result of the comparison; `stage` is "none" if there was none."""
        recordings.find(name)
        job = jobs.job
        if job is None or job.about != name:
            return {"about": name, "stage": "none", "share": 0.0, "error": "", "result": None}
        return job.as_json()

    @router.post(
        "/{name}/diff/cancel", dependencies=host, status_code=204, responses=error_responses(404, *ACTION_ERRORS)
    )
    def cancel_diff(name: str) -> None:
        """Cancel the comparison."""
        recordings.find(name)
        job = jobs.job
        if job is not None and job.about == name:
            jobs.cancel()


def _add_storage_routes(router: APIRouter, app_state: AppState, recordings: Recordings, pairing: Pairing) -> None:
    """Routes that export, pin and delete a recording."""
    exporting, host = Lock(), [Depends(pairing.host)]

    @router.get(
        "/{name}/bundle",
        dependencies=host,
        response_class=FileResponse,
        responses=_BUNDLE | error_responses(401, 403, 404, 409, *READ_ERRORS),
    )
    def bundle(name: str) -> FileResponse:
        """The recording as one file; packing takes time and space, so one at a time."""
        stored = recordings.find(name)
        if not exporting.acquire(blocking=False):
            raise Refusal(409, "another bundle is being made", None, "a moment later")
        try:
            path = _exported(stored.path, app_state.settings.data / EXPORTS)
        finally:
            exporting.release()
        task = BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True)
        return FileResponse(path, 200, filename=f"{stored.path.name}{SUFFIX}", background=task)

    @router.post("/{name}/pin", dependencies=host, responses=error_responses(404, *ACTION_ERRORS))
    def pin_one(name: str, wanted: PinBody) -> dict[str, Any]:
        """Pin or unpin a recording."""
        stored = recordings.find(name)
        if is_running(stored.path):
            # Whoever records it writes the manifest at the end, as it knew it.
            raise Refusal(409, "it is being recorded", name, "end that first")
        try:
            pin(stored, wanted.pinned)
        except (SessionError, OutputError) as error:
            raise Refusal(409, str(error), name) from error
        return summary_json(recordings.find(name))

    @router.post("/{name}/delete", dependencies=host, status_code=204, responses=error_responses(404, *ACTION_ERRORS))
    def delete(name: str) -> None:
        """Delete a recording; never a pinned or running one."""
        try:
            remove(recordings.find(name))
        except (SessionError, OutputError) as error:
            raise Refusal(409, str(error), name, "a recording that is neither pinned nor running") from error


def _imported(path: Path, root: Path, name: str) -> dict[str, Any]:
    try:
        root.mkdir(parents=True, exist_ok=True)
        return summary_json(import_bundle(path, root, name))
    except SessionError as error:
        # The temporary path stays private.
        raise Refusal(
            422, str(error).removeprefix(f"{path}: "), name, "a bundle of `krupier session export`"
        ) from error
    except OSError as error:
        what = "there is a recording of that name" if (root / name).exists() else f"cannot be kept: {error.strerror}"
        raise Refusal(409, what, name, "another name, and room on the disk") from error


def _exported(folder: Path, exports: Path) -> Path:
    place = None
    try:
        exports.mkdir(parents=True, exist_ok=True)
        for old in exports.iterdir():
            # Left over from a server that was stopped while sending.
            if time.time() - old.stat().st_mtime > STALE_S:
                shutil.rmtree(old, ignore_errors=True)
        place = Path(tempfile.mkdtemp(dir=exports))
        export_bundle(folder, place / f"{folder.name}{SUFFIX}")
    except (SessionError, OSError) as error:
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)
        raise Refusal(409, str(error), folder.name, "a recording that has ended, and room on the disk") from error
    return place / f"{folder.name}{SUFFIX}"
