"""The classroom: one deck at a time is taught in it, from a camera or from pictures, and looked after."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock

from calibration.frames import Frame, Image
from calibration.rig import Rig
from device.dashboard.refusals import HouseBusyError, Refusal, refusing
from device.dashboard.services.app_state import House
from device.dashboard.services.decks import deck_json, lesson_json, question_json
from device.dashboard.services.diffs import Fit, fit_optician
from device.dashboard.services.jobs import Jobs, Stage, Step
from device.dashboard.services.preview import Watching
from device.eyes import EyeFactory
from device.recording.lines import JSON
from device.session.observer import chosen_rig
from device.teaching.corrections import learn_corrections
from device.teaching.folder import TeachingError, delete_deck, find_deck, has_deck, held, load_index, make_deck
from device.teaching.lessons import Lesson, TeachingQuestion
from device.teaching.school import School
from models.cards import DeckError, own_decks
from models.codes import FREE, from_stem
from vision.follow.gate import Gate
from vision.follow.stillness import StillnessDetector, TableState

CAMERA = "camera:"
"""How pictures of a camera are called: no file name says anything about them."""
STILL_S = 10.0
"""So long at most a table is waited for to come to rest."""
MOST_LESSONS = 60
_LOOK_S = 0.04


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture that is shown to the school."""

    name: str
    image: Image
    rig: Rig | None = None
    back: bool = False
    """All its cards lie face down."""
    cropped: bool = False
    """It is nothing but a card."""


class Classroom:
    """Keeps the school of the deck that is open, and who looks at the table meanwhile; any thread may call."""

    def __init__(self, house: House, fit: Fit = fit_optician, clock: Callable[[], float] = time.monotonic) -> None:
        self._house, self._fit, self._clock = house, fit, clock
        self._jobs, self._step, self._lending = Jobs("teaching"), Lock(), Lock()
        self._watching: Watching | None = None
        self._optician: EyeFactory | None = None
        self._school: School | None = None
        self._rig: Rig | None = None
        self._questions: tuple[TeachingQuestion, ...] | None = None
        self._lessons: list[dict[str, JSON]] = []
        self._number = 0
        self._doing = ""
        self._picture: Image | None = None

    @property
    def data(self) -> Path:
        """Where decks are."""
        return self._house.own.data

    # What is looked through

    def watch(self, camera: str | None) -> None:
        """Look through a camera, or give it back."""
        with self._lending:
            if self._watching is not None:
                self._watching.close()
                self._watching = None
            if camera is not None:
                self._watching = Watching(self._house, camera)

    def picture(self) -> Image:
        """What is seen now."""
        return self._seen(self._watched()).image

    def shown(self, name: str) -> Image:
        """The picture that was shown last."""
        image = self._picture
        if image is None or self._school is None or self._school.deck.name != name:
            raise Refusal(404, "no picture was shown yet", name, "look through the camera, or send one")
        return image

    def now(self) -> dict[str, JSON]:
        """What is going on; asking keeps the camera open."""
        watching, job = self._watching, self._jobs.job
        on = watching is not None and watching.is_on
        newest = watching.newest if watching is not None and on else None
        return {
            "camera": None if watching is None or not on else watching.name,
            "live": watching is not None and watching.live,
            "message": watching.message if watching is not None else "",
            "frame": -1 if newest is None else newest.index,
            "working": None if job is None else {**job.as_json(), "doing": self._doing, "number": self._number},
        }

    # What is done to a deck

    def make(self, name: str, game: str) -> None:
        """Begin a deck."""
        if game != FREE and game not in own_decks():
            raise Refusal(422, "no such game", game, [*own_decks(), FREE])
        with refusing():
            if has_deck(self.data, name):
                raise Refusal(409, "there is a deck of that name", name, "another name, or open that one")
            make_deck(self.data, name, game)

    def open(self, name: str) -> None:
        """Get to know a deck again, and what has to be asked about it."""
        self._begin("open", name, lambda school, step: None)

    def look(self, name: str, back: bool) -> None:
        """Learn from what the camera sees as soon as nothing moves."""
        watching = self._watched()
        self._seen(watching)

        def work(step: Step) -> JSON:
            frame = self._still(watching, step)
            called = f"{CAMERA} {time.strftime('%Y%m%d-%H%M%S')}"
            return self._taught(
                name, Shown(called, frame.image, self._rig_for(watching.name, frame), back), False, step
            )

        self._start("look", name, work)

    def show(self, name: str, shown: Shown, more: bool) -> None:
        """Learn from a picture; with `more` another one follows, and questions can wait."""
        self._start("picture", name, lambda step: self._taught(name, shown, more, step))

    def correct(self, name: str) -> None:
        """Learn from the cards that were corrected during games."""
        self._begin("corrections", name, lambda school, step: self._note(learn_corrections(school, self.data)))

    def undo(self, name: str) -> None:
        """Take the last change back."""
        self._begin("undo", name, lambda school, step: school.undo())

    def finish(self, name: str) -> None:
        """Keep what the reader makes of the views, so that games begin at once."""
        self._begin("finish", name, lambda school, step: school.finish())

    def cancel(self) -> None:
        """Stop what is done at the next chance."""
        self._jobs.cancel()

    def label(self, name: str, views: tuple[str, ...], code: str) -> None:
        """Say what views show, all the same."""
        with self._one_step(name) as school:
            for view in views:
                school.deck.view(view)
            for view in views:
                school.label(view, code)

    def count(self, name: str, code: str, copies: int) -> None:
        """Say how many copies of a card there are."""
        with self._one_step(name) as school:
            school.count(code, copies)

    def measure(self, name: str, card_mm: tuple[float, float]) -> None:
        """Say how large the cards are."""
        with self._one_step(name) as school:
            school.measure(card_mm)

    def turn(self, name: str, view: str) -> None:
        """Turn a view upside down."""
        with self._one_step(name) as school:
            school.turn(view)

    def forget(self, name: str, word: str) -> None:
        """Forget a view, or a card."""
        with self._one_step(name) as school:
            school.forget(word)

    def delete(self, name: str) -> None:
        """Forget a whole deck for good."""
        game = self._house.game
        if game is not None and game.game.match.opening.deck == name:
            raise HouseBusyError("a game is played with that deck", name, "end the game first")
        with self._alone(), refusing():
            if self._school is not None and self._school.deck.name == name:
                self._school, self._questions, self._lessons, self._picture = None, None, [], None
            delete_deck(self.data, name)

    def as_json(self, name: str) -> dict[str, JSON]:
        """Everything about a deck that the page shows."""
        with refusing():
            home = find_deck(self.data, name)
            taught = load_index(home)
        school = self._school
        is_open = school is not None and school.deck.name == name
        waiting = {view.name for view in taught.waiting}
        asked: list[JSON] = [
            question_json(question) for question in self._questions or () if waiting.issuperset(question.views)
        ]
        return {
            **deck_json(home, taught),
            "open": is_open and self._questions is not None,
            "questions": asked if is_open else [],
            "lessons": list[JSON](self._lessons) if is_open else [],
        }

    def close(self) -> None:
        """Give everything back."""
        self._jobs.close()
        self.watch(None)

    # Inside

    def _begin(self, doing: str, name: str, do: Callable[[School, Step], None]) -> None:
        """Do something that takes long, and ask anew what has to be asked."""

        def work(step: Step) -> JSON:
            with self._working(name, self._rig) as school:
                do(school, step)
                step(0.6)
                self._questions = school.questions()
            return None

        self._start(doing, name, work)

    def _start(self, doing: str, name: str, work: Callable[[Step], JSON]) -> None:
        before = self._doing
        # Before it starts: it may be done before the next line.
        self._doing = doing
        self._number += 1
        try:
            self._jobs.start(name, work)
        except Refusal:
            self._doing = before
            raise

    def _taught(self, name: str, shown: Shown, more: bool, step: Step) -> JSON:
        step(0.2)
        with self._working(name, shown.rig) as school:
            is_camera = shown.name.startswith(CAMERA)
            hint = "" if is_camera else from_stem(school.deck.game, Path(shown.name).stem) or ""
            self._picture = shown.image
            back = shown.back or hint == "back"
            lesson = school.show(shown.name, Frame(0, 0.0, shown.image), "", hint, back, shown.cropped)
            size_px = (shown.image.shape[1], shown.image.shape[0])
            self._note((lesson,), None if shown.cropped else size_px)
            if not more:
                step(0.7)
                self._questions = school.questions()
        return None

    def _note(self, lessons: tuple[Lesson, ...], size_px: tuple[int, int] | None = None) -> None:
        for lesson in lessons:
            self._lessons.insert(0, lesson_json(self._number, lesson, size_px))
        del self._lessons[MOST_LESSONS:]

    def _still(self, watching: Watching, step: Step) -> Frame:
        """The first frame of a table that has come to rest; of pictures, the one that is there."""
        if not watching.live:
            return watching.frame()
        gate, stillness, pause = Gate(), StillnessDetector(self._house.own.rest_s), Event()
        began_s, last = self._clock(), -1
        while self._clock() - began_s < STILL_S:
            step(0.2 * (self._clock() - began_s) / STILL_S)
            frame = self._seen(watching)
            if frame.index != last:
                last = frame.index
                if stillness.update(frame.at_s, gate.compare(frame)) is TableState.STILL:
                    return frame
            pause.wait(_LOOK_S)
        raise Refusal(409, f"something moved over the table for {STILL_S:g} s; wanted it still, hands away")

    def _rig_for(self, camera: str, frame: Frame) -> Rig | None:
        """The rig of that camera, if it was calibrated for such pictures; without one only proportions are known."""
        with refusing():
            rig = chosen_rig(self._house.own, camera)
        size = (frame.image.shape[1], frame.image.shape[0])
        if rig is None or rig.lens is None or rig.table is None or tuple(rig.lens.size_px) != size:
            return None
        return rig

    @contextmanager
    def _working(self, name: str, rig: Rig | None) -> Iterator[School]:
        """The school of a deck while something long is done with it."""
        with self._step:
            home = find_deck(self.data, name)
            with held(home):
                yield self._school_of(home, rig)

    @contextmanager
    def _one_step(self, name: str) -> Iterator[School]:
        """The school of a deck for one short thing; who comes meanwhile is told so."""
        with self._alone(), refusing():
            home = find_deck(self.data, name)
            with held(home):
                yield self._school_of(home, self._rig)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        job = self._jobs.job
        running = job is not None and job.stage is Stage.RUNNING
        if running or not self._step.acquire(blocking=False):
            raise Refusal(409, "Krupier is still looking at a picture", None if job is None else job.about, "a moment")
        try:
            yield
        finally:
            self._step.release()

    def _school_of(self, home: Path, rig: Rig | None) -> School:
        """The school that is open, if nobody else has changed its deck meanwhile."""
        school = self._school
        if self._optician is None:
            self._optician = self._fit(self._house.own.threads)
        same_deck = school is not None and school.home == home
        if school is None or not same_deck or rig != self._rig or school.deck != load_index(home):
            if not same_deck:
                self._questions, self._lessons, self._picture = None, [], None
            school = School(home, self._optician.sight, rig)
            self._school, self._rig = school, rig
        return school

    def _watched(self) -> Watching:
        watching = self._watching
        if watching is None or not watching.is_on:
            why = watching.message if watching is not None else None
            raise Refusal(409, "no camera is open", why or None, "open a camera first, or send pictures")
        return watching

    def _seen(self, watching: Watching) -> Frame:
        newest = watching.newest
        if newest is None:
            raise Refusal(409, "there is no picture yet", watching.message or None, "a camera that gives pictures")
        return newest


def found_deck(data: Path, name: str) -> Path:
    """The folder of a deck; Refusal 404 if there is none."""
    try:
        return find_deck(data, name)
    except (TeachingError, DeckError) as error:
        raise Refusal(404, "no such deck was taught", name, "the name of one of the list") from error
