"""The teaching service: teaches one deck at a time from a camera or from pictures, and edits taught decks."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock

from calibration.frames import Frame, Image
from calibration.rig import Rig
from device.dashboard.refusals import InUseError, Refusal, refusing
from device.dashboard.services.app_state import AppState
from device.dashboard.services.decks import deck_json, doubt_json, lesson_json, question_json
from device.dashboard.services.diffs import Fit, open_eye_factory
from device.dashboard.services.jobs import Jobs, Progress, Stage
from device.dashboard.services.preview import CameraPreview
from device.eyes import EyeFactory
from device.recording.lines import JSON
from device.session.observer import chosen_rig
from device.teaching.corrections import learn_corrections
from device.teaching.folder import TeachingError, delete_deck, find_deck, has_deck, held, load_index, make_deck
from device.teaching.lessons import DoubtfulNameError, Lesson, TeachingQuestion
from device.teaching.school import School
from device.teaching.translations import texts_of
from models.cards import DeckError, own_decks
from models.codes import FREE, from_stem
from vision.follow.gate import Gate
from vision.follow.stillness import StillnessDetector, TableState

CAMERA = "camera:"
"""Prefix of the names of camera pictures: their names say nothing about the card."""
STILL_S = 10.0
"""How long to wait for the table to lie still, in seconds."""
MOST_LESSONS = 60
_LOOK_S = 0.04


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture to learn cards from."""

    name: str
    image: Image
    rig: Rig | None = None
    back: bool = False
    """Whether all its cards lie face down."""
    cropped: bool = False
    """Whether the picture is one card and nothing else."""


class TeachingService:
    """Keeps the open deck and the preview of the camera; any thread may call."""

    def __init__(
        self, app_state: AppState, fit: Fit = open_eye_factory, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app_state, self._fit, self._clock = app_state, fit, clock
        self._jobs, self._edit_lock, self._preview_lock = Jobs("teaching"), Lock(), Lock()
        self._preview: CameraPreview | None = None
        self._eye_factory: EyeFactory | None = None
        self._school: School | None = None
        self._rig: Rig | None = None
        self._questions: tuple[TeachingQuestion, ...] | None = None
        self._lessons: list[dict[str, JSON]] = []
        self._number = 0
        self._doing = ""
        self._picture: Image | None = None

    @property
    def data(self) -> Path:
        """The data folder with the decks."""
        return self._app_state.settings.data

    def watch(self, camera: str | None) -> None:
        """Open a preview of a camera, or close the current one."""
        with self._preview_lock:
            if self._preview is not None:
                self._preview.close()
                self._preview = None
            if camera is not None:
                self._preview = CameraPreview(self._app_state, camera)

    def picture(self) -> Image:
        """The newest picture of the preview."""
        return self._newest_frame(self._open_preview()).image

    def shown(self, name: str) -> Image:
        """The last picture that the deck was taught with."""
        image = self._picture
        if image is None or self._school is None or self._school.deck.name != name:
            raise Refusal(404, "no picture was shown yet", name, "look through the camera, or send one")
        return image

    def now(self) -> dict[str, JSON]:
        """The preview and the running job; asking keeps the camera open."""
        preview, job = self._preview, self._jobs.job
        on = preview is not None and preview.is_on
        newest = preview.newest if preview is not None and on else None
        return {
            "camera": None if preview is None or not on else preview.name,
            "live": preview is not None and preview.live,
            "message": preview.message if preview is not None else "",
            "frame": -1 if newest is None else newest.index,
            "working": None
            if job is None
            else {
                **job.as_json(),
                "error_texts": dict[str, JSON](texts_of(job.error)),
                "doing": self._doing,
                "number": self._number,
            },
        }

    def make(self, name: str, game: str) -> None:
        """Create a deck."""
        if game != FREE and game not in own_decks():
            raise Refusal(422, "no such game", game, [*own_decks(), FREE])
        with refusing():
            if has_deck(self.data, name):
                raise Refusal(409, "there is a deck of that name", name, "another name, or open that one")
            make_deck(self.data, name, game)

    def open(self, name: str) -> None:
        """Load a deck and its open questions."""
        self._begin("open", name, lambda school, progress: None)

    def look(self, name: str, back: bool) -> None:
        """Learn from the camera as soon as the table lies still."""
        preview = self._open_preview()
        self._newest_frame(preview)

        def work(progress: Progress) -> JSON:
            frame = self._still(preview, progress)
            called = f"{CAMERA} {time.strftime('%Y%m%d-%H%M%S')}"
            return self._taught(
                name, ShownPicture(called, frame.image, self._rig_for(preview.name, frame), back), False, progress
            )

        self._start("look", name, work)

    def show(self, name: str, shown: ShownPicture, more: bool) -> None:
        """Learn from a picture; with `more`, another one follows and questions can wait."""
        self._start("picture", name, lambda progress: self._taught(name, shown, more, progress))

    def correct(self, name: str) -> None:
        """Learn from the cards that were corrected during games."""
        self._begin("corrections", name, lambda school, progress: self._note(learn_corrections(school, self.data)))

    def undo(self, name: str) -> None:
        """Undo the last change."""
        self._begin("undo", name, lambda school, progress: school.undo())

    def finish(self, name: str) -> None:
        """Store the reader's features of the views, so that games start at once."""
        self._begin("finish", name, lambda school, progress: school.finish())

    def cancel(self) -> None:
        """Cancel the running job."""
        self._jobs.cancel()

    def label(self, name: str, views: tuple[str, ...], code: str, insist: bool = False) -> None:
        """Name the card that some views show; Refusal 422 with both pictures if the name is doubtful."""
        with self._edit(name) as school:
            for view in views:
                school.deck.view(view)
            try:
                for view in views:
                    school.label(view, code, insist=insist, asking=True)
            except DoubtfulNameError as error:
                raise Refusal(422, str(error), doubt_json(error.doubtful), "insist, or another code") from error

    def count(self, name: str, code: str, copies: int) -> None:
        """Set the number of copies of a card."""
        with self._edit(name) as school:
            school.count(code, copies)

    def measure(self, name: str, card_mm: tuple[float, float]) -> None:
        """Set the size of the cards."""
        with self._edit(name) as school:
            school.measure(card_mm)

    def turn(self, name: str, view: str) -> None:
        """Turn a view upside down."""
        with self._edit(name) as school:
            school.turn(view)

    def forget(self, name: str, word: str) -> None:
        """Delete a view, or a card with all its views."""
        with self._edit(name) as school:
            school.forget(word)

    def delete(self, name: str) -> None:
        """Delete a whole deck."""
        runner = self._app_state.runner
        if runner is not None and runner.game.match.opening.deck == name:
            raise InUseError("a game is played with that deck", name, "end the game first")
        with self._alone(), refusing():
            if self._school is not None and self._school.deck.name == name:
                self._school, self._questions, self._lessons, self._picture = None, None, [], None
            delete_deck(self.data, name)

    def as_json(self, name: str) -> dict[str, JSON]:
        """A deck as the teaching page shows it."""
        with refusing():
            home = find_deck(self.data, name)
            taught = load_index(home)
        school = self._school
        is_open = school is not None and school.deck.name == name
        waiting = {view.name for view in taught.waiting}
        # Of views that look the same, a person may have named some as different cards.
        left = [
            replace(question, views=tuple(view for view in question.views if view in waiting))
            for question in self._questions or ()
        ]
        asked: list[JSON] = [question_json(question) for question in left if question.views]
        return {
            **deck_json(home, taught),
            "open": is_open and self._questions is not None,
            "questions": asked if is_open else [],
            "lessons": list[JSON](self._lessons) if is_open else [],
        }

    def close(self) -> None:
        """Stop the job and close the preview."""
        self._jobs.close()
        self.watch(None)

    def _begin(self, doing: str, name: str, do: Callable[[School, Progress], None]) -> None:
        """Start a job on a deck; its questions are worked out again afterwards."""

        def work(progress: Progress) -> JSON:
            with self._working(name, self._rig) as school:
                do(school, progress)
                progress(0.6)
                self._questions = school.questions()
            return None

        self._start(doing, name, work)

    def _start(self, doing: str, name: str, work: Callable[[Progress], JSON]) -> None:
        before = self._doing
        # Set before the job starts: it may end before the next line.
        self._doing = doing
        self._number += 1
        try:
            self._jobs.start(name, work)
        except Refusal:
            self._doing = before
            raise

    def _taught(self, name: str, shown: ShownPicture, more: bool, progress: Progress) -> JSON:
        progress(0.2)
        with self._working(name, shown.rig) as school:
            is_camera = shown.name.startswith(CAMERA)
            hint = "" if is_camera else from_stem(school.deck.game, Path(shown.name).stem) or ""
            self._picture = shown.image
            back = shown.back or hint == "back"
            lesson = school.show(shown.name, Frame(0, 0.0, shown.image), "", hint, back, shown.cropped)
            size_px = (shown.image.shape[1], shown.image.shape[0])
            self._note((lesson,), None if shown.cropped else size_px)
            if not more:
                progress(0.7)
                self._questions = school.questions()
        return None

    def _note(self, lessons: tuple[Lesson, ...], size_px: tuple[int, int] | None = None) -> None:
        for lesson in lessons:
            self._lessons.insert(0, lesson_json(self._number, lesson, size_px))
        del self._lessons[MOST_LESSONS:]

    def _still(self, preview: CameraPreview, progress: Progress) -> Frame:
        """The first frame of a still table; of a film, its last frame."""
        if not preview.live:
            return preview.frame()
        gate, stillness, pause = Gate(), StillnessDetector(self._app_state.settings.rest_s), Event()
        began_s, last = self._clock(), -1
        while self._clock() - began_s < STILL_S:
            progress(0.2 * (self._clock() - began_s) / STILL_S)
            frame = self._newest_frame(preview)
            if frame.index != last:
                last = frame.index
                if stillness.update(frame.at_s, gate.compare(frame)) is TableState.STILL:
                    return frame
            pause.wait(_LOOK_S)
        raise Refusal(409, f"something moved over the table for {STILL_S:g} s; wanted it still, hands away")

    def _rig_for(self, camera: str, frame: Frame) -> Rig | None:
        """The rig of the camera, if it fits the size of its pictures; without it only proportions are known."""
        with refusing():
            rig = chosen_rig(self._app_state.settings, camera)
        size = (frame.image.shape[1], frame.image.shape[0])
        if rig is None or rig.lens is None or rig.table is None or tuple(rig.lens.size_px) != size:
            return None
        return rig

    @contextmanager
    def _working(self, name: str, rig: Rig | None) -> Iterator[School]:
        """The deck's school during a job."""
        with self._edit_lock:
            home = find_deck(self.data, name)
            with held(home):
                yield self._school_of(home, rig)

    @contextmanager
    def _edit(self, name: str) -> Iterator[School]:
        """The deck's school for one short edit; Refusal 409 while a job runs."""
        with self._alone(), refusing():
            home = find_deck(self.data, name)
            with held(home):
                yield self._school_of(home, self._rig)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        job = self._jobs.job
        running = job is not None and job.stage is Stage.RUNNING
        if running or not self._edit_lock.acquire(blocking=False):
            raise Refusal(409, "Krupier is still looking at a picture", None if job is None else job.about, "a moment")
        try:
            yield
        finally:
            self._edit_lock.release()

    def _school_of(self, home: Path, rig: Rig | None) -> School:
        """The open school, or a new one if its deck was changed by somebody else."""
        school = self._school
        if self._eye_factory is None:
            self._eye_factory = self._fit(self._app_state.settings.threads)
        same_deck = school is not None and school.home == home
        if school is None or not same_deck or rig != self._rig or school.deck != load_index(home):
            if not same_deck:
                self._questions, self._lessons, self._picture = None, [], None
            school = School(home, self._eye_factory.sight, rig)
            self._school, self._rig = school, rig
        return school

    def _open_preview(self) -> CameraPreview:
        preview = self._preview
        if preview is None or not preview.is_on:
            why = preview.message if preview is not None else None
            raise Refusal(409, "no camera is open", why or None, "open a camera first, or send pictures")
        return preview

    def _newest_frame(self, preview: CameraPreview) -> Frame:
        newest = preview.newest
        if newest is None:
            raise Refusal(409, "there is no picture yet", preview.message or None, "a camera that gives pictures")
        return newest


def found_deck(data: Path, name: str) -> Path:
    """The folder of a deck; Refusal 404 if there is none."""
    try:
        return find_deck(data, name)
    except (TeachingError, DeckError) as error:
        raise Refusal(404, "no such deck was taught", name, "the name of one of the list") from error
