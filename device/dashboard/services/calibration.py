"""The calibration wizard: a draft of the rig, which is written only at the end."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from threading import Event, Lock

from calibration.boards import Geometry
from calibration.colour import correct
from calibration.frames import CalibrationError, Image
from calibration.light import find_whites, judge_light
from calibration.rectify import rectifier_for
from calibration.rig import Rig
from calibration.solution import LensResult, solve_lens
from calibration.views import choose_views
from device.dashboard.refusals import Refusal, refusing
from device.dashboard.services.app_state import AppState
from device.dashboard.services.coverage import Coverage
from device.dashboard.services.jobs import Jobs, Progress, Stage
from device.dashboard.services.preview import CameraPreview
from device.files import write_whole
from device.recording.lines import JSON
from device.rig_steps import rig_state, with_colour, with_lens, with_seats, with_table
from device.rigs import load_rig, save_rig

WAVING_S = 180.0
"""Longest search for the board through a camera, in seconds."""
BACKUP = ".bak"
STRAIGHT_PX = 900
UPLOAD = "upload"
"""The name that pages show for an uploaded film."""


class CalibrationWizard:
    """Keeps the draft and the preview of the camera; any thread may call."""

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._step_lock, self._preview_lock = Lock(), Lock()
        self._preview: CameraPreview | None = None
        self._draft: Rig | None = None
        self._before: Rig | None = None
        self._jobs, self._enough = Jobs("the search for the lens"), Event()
        self._coverage: Coverage | None = None
        self._lens: JSON = None
        self._light: list[JSON] = []
        self._saved = False
        self._unread = ""
        """Why the rig file cannot be read; empty if it can."""

    @property
    def draft(self) -> Rig:
        """The rig as it would be written; it starts from the file."""
        if self._draft is None:
            path = self._app_state.settings.rig
            self._unread = ""
            try:
                self._draft = self._before = load_rig(path) if path.exists() else Rig()
            except CalibrationError as error:
                # Start from an empty rig; the unreadable file is kept beside the new one.
                self._draft = self._before = Rig()
                self._unread = str(error)
        return self._draft

    def watch(self, camera: str | None, film: Path | None = None) -> None:
        """Open a preview of a camera or an uploaded film, or close the current one."""
        with self._preview_lock:
            self._enough.set()
            if self._preview is not None:
                self._preview.close()
                self._preview = None
            if film is not None:
                self._preview = CameraPreview(self._app_state, str(film))
            elif camera is not None:
                self._preview = CameraPreview(self._app_state, camera)

    def picture(self) -> Image:
        """The newest picture of the preview."""
        preview = self._open_preview()
        newest = preview.newest
        if newest is None:
            raise Refusal(404, "there is no picture yet", preview.message or None, "a camera that gives pictures")
        return newest.image

    def straight(self) -> Image:
        """The rectified table, with the colour correction of the draft."""
        draft, frame = self.draft, self._open_preview().frame()
        if draft.lens is None or draft.table is None:
            raise Refusal(409, "the table is not known yet", None, "find the table first")
        with refusing():
            # Whole tenths, because rectification maps are cached by scale.
            scale = max(0.1, round(STRAIGHT_PX / max(draft.table.size_mm), 1))
            straight = rectifier_for(draft.lens, draft.table, scale).rectify(frame).image
            return correct(straight, draft.colour)

    def wave(self, geometry: Geometry | None) -> None:
        """Start the search for the calibration board."""
        preview = self._open_preview()
        coverage, enough = Coverage(), Event()

        def work(progress: Progress) -> JSON:
            return self._look_for_lens(preview, geometry, coverage, enough, progress)

        before = self._coverage, self._enough, self._lens
        # Set before the job starts: it may end before the next line.
        self._coverage, self._enough, self._lens = coverage, enough, None
        try:
            self._jobs.start(preview.name, work)
        except Refusal:
            self._coverage, self._enough, self._lens = before
            raise

    def finish_waving(self) -> None:
        """End the search, and solve for the lens."""
        self._enough.set()

    def stop_waving(self) -> None:
        """Cancel the search for the board."""
        self._jobs.cancel()
        self._enough.set()

    def find_table(
        self, size_mm: tuple[float, float] | None, mat: bool, corners_px: Sequence[tuple[float, float]] | None
    ) -> None:
        """Find the table by its markers, by the mat, or by given corners."""
        with self._step():
            frame = self._open_preview().frame()
            self._change(with_table(self.draft, frame, size_mm, mat, corners_px))

    def find_colour(self) -> None:
        """Measure the colour of the light with the strip."""
        with self._step():
            frame = self._open_preview().frame()
            self._light = [finding.says for finding in judge_light(frame.image, find_whites(frame.image))]
            self._change(with_colour(self.draft, frame))

    def lay_seats(self, game: str, players: int, layout: str) -> None:
        """Lay out the seats for a game."""
        with self._step():
            self._change(with_seats(self.draft, game, players, layout))

    def save(self) -> None:
        """Write the rig file; the old one is kept beside it."""
        with self._step():
            draft, path = self.draft, self._app_state.settings.rig
            if draft.table is None:
                raise CalibrationError("the table is not known yet; find it before the rig is saved")
            camera = self._preview.name if self._preview is not None else draft.camera
            draft = replace(draft, camera=camera if not camera.startswith("/") else draft.camera)
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                write_whole(path.with_name(path.name + BACKUP), path.read_bytes())
            save_rig(path, draft)
            self._draft = self._before = draft
            self._saved, self._unread = True, ""

    def discard(self, fresh: bool) -> None:
        """Drop the draft and start again from the file, or from an empty rig."""
        self.stop_waving()
        with self._step():
            self._draft = self._before = None
            self._coverage, self._lens, self._light, self._saved = None, None, [], False
            if fresh:
                before = self.draft
                self._draft, self._before = Rig(), before

    def close(self) -> None:
        """Stop the search and close the preview."""
        self.stop_waving()
        self._jobs.close()
        self.watch(None)

    def as_json(self) -> dict[str, JSON]:
        """Everything that the calibration page shows."""
        preview, draft, job = self._preview, self.draft, self._jobs.job
        on = preview is not None and preview.is_on
        newest = preview.newest if preview is not None and on else None
        waving = job is not None and job.stage is Stage.RUNNING
        rows: list[JSON] = [{"well": well, "what": what, "says": says} for well, what, says in rig_state(draft)]
        return {
            "camera": None if preview is None or not on else _called(preview),
            "live": preview is not None and preview.live,
            "message": (preview.message if preview is not None else "") or self._unread,
            "frame": -1 if newest is None else newest.index,
            "size_px": None if newest is None else [newest.image.shape[1], newest.image.shape[0]],
            "waving": waving and not self._enough.is_set(),
            "solving": waving and self._enough.is_set(),
            "coverage": None if self._coverage is None else self._coverage.as_json(),
            "lens_error": "" if job is None else job.error,
            "lens": self._lens,
            "light": list(self._light),
            "rig": rows,
            "table": _table_json(draft),
            "colour": _colour_json(draft),
            "changed": draft != self._before,
            "saved": self._saved,
            "file": self._app_state.settings.rig.name,
        }

    def _look_for_lens(
        self, preview: CameraPreview, geometry: Geometry | None, coverage: Coverage, enough: Event, progress: Progress
    ) -> JSON:
        began_s: list[float] = []

        def in_time(at_s: float) -> bool:
            progress(0.0)
            began_s.append(at_s)
            return not preview.live or at_s - began_s[0] < WAVING_S

        frames = takewhile(lambda frame: in_time(frame.at_s), preview.waved(enough))
        choice = choose_views(frames, geometry, watch=coverage.note)
        enough.set()
        progress(0.5)
        result = solve_lens(choice.views, choice.size_px)
        self._lens = lens_json(result, choice.summary)
        if result.trusted:
            with self._step_lock:
                self._change(with_lens(self.draft, result))
        return self._lens

    def _change(self, draft: Rig) -> None:
        self._draft, self._saved = draft, False

    def _open_preview(self) -> CameraPreview:
        preview = self._preview
        if preview is None or not preview.is_on:
            why = preview.message if preview is not None else None
            raise Refusal(409, "no camera is open", why or None, "open a camera or upload a film first")
        return preview

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Runs one step at a time; Refusal 409 for a second one."""
        if not self._step_lock.acquire(blocking=False):
            raise Refusal(409, "another step is being done", None, "a moment later")
        try:
            with refusing():
                yield
        except OSError as error:
            raise Refusal(503, f"the rig cannot be written: {error.strerror or error}") from error
        finally:
            self._step_lock.release()


def lens_json(result: LensResult, summary: str) -> JSON:
    """A solved lens for the page."""
    lens = result.lens
    coverage: list[JSON] = [list[JSON](row) for row in result.coverage]
    return {
        "trusted": result.trusted,
        "model": result.model.value,
        "rms_px": round(lens.rms_px, 3),
        "views": lens.views,
        "focal_px": round(lens.focal_px[0], 1),
        "sigma_focal_px": round(result.sigma_focal_px, 2),
        "width_deg": round(lens.width_deg, 1),
        "cover_share": round(result.cover_share, 2),
        "coverage": coverage,
        "advice": list[JSON](result.advice),
        "dropped": list[JSON](result.dropped),
        "summary": summary,
    }


def _table_json(rig: Rig) -> JSON:
    table = rig.table
    if table is None:
        return None
    seats = {seat.zone.name: seat.index for seat in rig.seats}
    zones: list[JSON] = [
        {
            "name": zone.name,
            "polygon_mm": [[x, y] for x, y in zone.polygon_mm],
            "turn_deg": zone.turn_deg,
            "seat": seats.get(zone.name),
        }
        for zone in rig.zones
    ]
    by = "markers" if table.markers_mm else "corners"
    return {"size_mm": list(table.size_mm), "error_mm": round(table.error_mm, 2), "by": by, "zones": zones}


def _colour_json(rig: Rig) -> JSON:
    colour = rig.colour
    return {"kelvin": round(colour.kelvin), "error": round(colour.error, 1)} if colour.kelvin else None


def _called(preview: CameraPreview) -> str:
    return UPLOAD if preview.name.startswith("/") and not preview.live else preview.name
