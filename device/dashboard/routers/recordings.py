"""Recordings: the list, scrubbing, comparing with today, taking one away, pinning and throwing away."""

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

from device.dashboard.forms import ACTING, READING, Form, refused
from device.dashboard.refusals import Refusal
from device.dashboard.services.app_state import House
from device.dashboard.services.diffs import Fit, diff, fit_optician
from device.dashboard.services.jobs import Jobs
from device.dashboard.services.pairing import Doors
from device.dashboard.services.playback import Reels, events, facts
from device.dashboard.services.scrub import WIDTHS, Scrubber
from device.dashboard.services.uploads import uploaded
from device.files import OutputError
from device.recording.bundle import SUFFIX, export_bundle, import_bundle
from device.recording.folder import is_running
from device.recording.parts import SessionError
from device.recording.pruning import pin
from device.recording.removal import remove

EXPORTS = "exports"
"""Where a bundle is made before it is sent; below the data folder."""

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
STALE_S = 86_400.0
_JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}
_BUNDLE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {}}}}


class Pin(Form):
    """Whether a recording is kept for ever."""

    pinned: bool


class Rerun(Form):
    """How much of a recording is run again."""

    only_rules: bool = False


def routes(house: House, doors: Doors, fit: Fit = fit_optician) -> APIRouter:
    """Everything under /api/recordings."""
    router = APIRouter(prefix="/api/recordings", tags=["recordings"])
    reels, scrubber = Reels(lambda: house.own.recordings_folder), Scrubber()
    host = [Depends(doors.host)]

    @router.get("", responses=refused(*READING))
    def list_all() -> dict[str, Any]:
        """All recordings, the newest first, and how much room they take."""
        found = reels.all()
        return {
            "recordings": [facts(stored) for stored in found],
            "bytes": sum(stored.size for stored in found),
            "limit_bytes": round(house.own.recordings_limit_gb * 1e9),
        }

    @router.post("/import", dependencies=host, status_code=201, responses=refused(400, 507, *ACTING))
    async def bring(request: Request, name: Annotated[str, Query(pattern=NAME)]) -> dict[str, Any]:
        """Bring a bundle from elsewhere, as a recording of that name; everything in it is checked first."""
        async with uploaded(request, house.own.data, f"bundle{SUFFIX}") as path:
            return await run_in_threadpool(_imported, path, reels.root, name)

    @router.get("/{name}", responses=refused(404, *READING))
    def show(name: str) -> dict[str, Any]:
        """One recording: what was ruled when, and from when to when its film is."""
        stored = reels.find(name)
        said = events(stored)
        stretches = scrubber.stretches(stored)
        times = scrubber.times(stored).at_s
        length_s = max(stored.manifest.length_s, float(str(said.pop("last_s"))), times[-1] if times else 0.0)
        return {**facts(stored), **said, "stretches": stretches, "length_s": round(length_s, 3)}

    @router.get("/{name}/frame.jpg", response_class=Response, responses=_JPEG | refused(404, *READING))
    def frame(
        name: str,
        at_s: Annotated[float, Query(ge=0, le=1e8)] = 0.0,
        width: Annotated[int, Query(ge=WIDTHS[0], le=WIDTHS[1])] = 960,
    ) -> Response:
        """The stored frame that is nearest to a moment; its own number and time are in the headers."""
        if not isfinite(at_s):
            raise Refusal(422, "that is no moment", str(at_s), "seconds from the beginning")
        shot = scrubber.shot(reels.find(name), at_s, width)
        headers = {
            "X-Frame": str(shot.index),
            "X-At-S": f"{shot.at_s:.3f}",
            "Cache-Control": "private, max-age=3600",
        }
        return Response(shot.jpeg, media_type="image/jpeg", headers=headers)

    _add_comparing(router, house, reels, doors, fit)
    _add_keeping(router, house, reels, doors)
    return router


def _add_comparing(router: APIRouter, house: House, reels: Reels, doors: Doors, fit: Fit) -> None:
    """Run a recording again, and compare."""
    jobs, host = Jobs("a comparison"), [Depends(doors.host)]

    @router.post("/{name}/diff", dependencies=host, status_code=202, responses=refused(404, *ACTING))
    def start_diff(name: str, wanted: Rerun) -> dict[str, Any]:
        """Run it again with today's rules and vision, in the background."""
        stored, own = reels.find(name), house.own
        return jobs.start(name, lambda step: diff(stored, own, wanted.only_rules, step, fit)).as_json()

    @router.get("/{name}/diff", responses=refused(404, *READING))
    def diff_state(name: str) -> dict[str, Any]:
        """How far the comparison is, and what it found; `stage` is "none" when there was none of this recording."""
        reels.find(name)
        job = jobs.job
        if job is None or job.about != name:
            return {"about": name, "stage": "none", "share": 0.0, "error": "", "result": None}
        return job.as_json()

    @router.post("/{name}/diff/cancel", dependencies=host, status_code=204, responses=refused(404, *ACTING))
    def cancel_diff(name: str) -> None:
        """Stop it."""
        reels.find(name)
        job = jobs.job
        if job is not None and job.about == name:
            jobs.cancel()


def _add_keeping(router: APIRouter, house: House, reels: Reels, doors: Doors) -> None:
    """Give a recording away, keep it for ever, delete it."""
    exporting, host = Lock(), [Depends(doors.host)]

    @router.get(
        "/{name}/bundle",
        dependencies=host,
        response_class=FileResponse,
        responses=_BUNDLE | refused(401, 403, 404, 409, *READING),
    )
    def bundle(name: str) -> FileResponse:
        """The recording as one file; making it takes a while and room on the disk, so one at a time."""
        stored = reels.find(name)
        if not exporting.acquire(blocking=False):
            raise Refusal(409, "another bundle is being made", None, "a moment later")
        try:
            path = _exported(stored.path, house.own.data / EXPORTS)
        finally:
            exporting.release()
        task = BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True)
        return FileResponse(path, 200, filename=f"{stored.path.name}{SUFFIX}", background=task)

    @router.post("/{name}/pin", dependencies=host, responses=refused(404, *ACTING))
    def pin_one(name: str, wanted: Pin) -> dict[str, Any]:
        """Keep it for ever, or no longer."""
        stored = reels.find(name)
        if is_running(stored.path):
            # Whoever records it writes the manifest at the end, as it knew it.
            raise Refusal(409, "it is being recorded", name, "end that first")
        try:
            pin(stored, wanted.pinned)
        except (SessionError, OutputError) as error:
            raise Refusal(409, str(error), name) from error
        return facts(reels.find(name))

    @router.post("/{name}/delete", dependencies=host, status_code=204, responses=refused(404, *ACTING))
    def delete(name: str) -> None:
        """Throw it away for good; never one that is pinned or being recorded."""
        try:
            remove(reels.find(name))
        except (SessionError, OutputError) as error:
            raise Refusal(409, str(error), name, "a recording that is neither pinned nor running") from error


def _imported(path: Path, root: Path, name: str) -> dict[str, Any]:
    try:
        root.mkdir(parents=True, exist_ok=True)
        return facts(import_bundle(path, root, name))
    except SessionError as error:
        # Where it was kept for a moment is nobody's business.
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
            # What was being sent when the server was stopped.
            if time.time() - old.stat().st_mtime > STALE_S:
                shutil.rmtree(old, ignore_errors=True)
        place = Path(tempfile.mkdtemp(dir=exports))
        export_bundle(folder, place / f"{folder.name}{SUFFIX}")
    except (SessionError, OSError) as error:
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)
        raise Refusal(409, str(error), folder.name, "a recording that has ended, and room on the disk") from error
    return place / f"{folder.name}{SUFFIX}"
