"""Jobs: long work beside the event loop, one of each kind at a time, with how far it is and a way to stop it."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from threading import Event, Lock, Thread, get_native_id

from device.dashboard.refusals import Refusal
from device.recording.lines import JSON

_NICER = 10
"""How much a job steps back behind the referee."""
_LEAVE_S = 2.0


class CancelledError(Exception):
    """Somebody asked a job to stop."""


class Stage(StrEnum):
    """How far a job is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Job:
    """What there is to say about a job."""

    about: str
    """What it is done to: the name of a recording."""
    stage: Stage = Stage.RUNNING
    share: float = 0.0
    """How much of it is done, 0 to 1."""
    error: str = ""
    result: JSON = None

    def as_json(self) -> dict[str, JSON]:
        """For the page."""
        return {
            "about": self.about,
            "stage": self.stage.value,
            "share": round(self.share, 3),
            "error": self.error,
            "result": self.result,
        }


Step = Callable[[float], None]
"""Says how much is done; CancelledError when it should stop."""
Work = Callable[[Step], JSON]


class Jobs:
    """Runs one job at a time; asks are answered by any thread."""

    def __init__(self, what: str) -> None:
        """`what` is what refusals call it: a comparison, a check."""
        self._what = what
        self._lock = Lock()
        self._stop = Event()
        self._thread: Thread | None = None
        self._job: Job | None = None

    @property
    def job(self) -> Job | None:
        """The last one, or that which runs."""
        return self._job

    def start(self, about: str, work: Work) -> Job:
        """Begin; Refusal 409 while another one runs."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                running = self._job.about if self._job is not None else ""
                raise Refusal(409, f"{self._what} is running already", running, "wait for it, or cancel it")
            self._stop = Event()
            self._job = job = Job(about)
            self._thread = Thread(target=self._run, args=(job, work, self._stop), name=self._what, daemon=True)
            self._thread.start()
        return job

    def cancel(self) -> None:
        """Ask it to stop; it does so at its next step."""
        self._stop.set()

    def close(self) -> None:
        """Stop, and wait a little."""
        self._stop.set()
        thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join(_LEAVE_S)

    def _run(self, job: Job, work: Work, stop: Event) -> None:
        os.setpriority(os.PRIO_PROCESS, get_native_id(), _NICER)

        def step(share: float) -> None:
            nonlocal job
            if stop.is_set():
                raise CancelledError
            job = self._job = replace(job, share=min(1.0, max(0.0, share)))

        ended = replace(job, stage=Stage.FAILED, error="it broke off; the terminal says why")
        try:
            ended = replace(job, stage=Stage.DONE, share=1.0, result=work(step))
        except CancelledError:
            ended = replace(job, stage=Stage.CANCELLED)
        except Refusal as error:
            ended = replace(job, stage=Stage.FAILED, error=error.what)
        except (ValueError, OSError) as error:
            # All of Krupier's own errors are one of them, and say what was found and what was wanted.
            ended = replace(job, stage=Stage.FAILED, error=str(error))
        finally:
            self._job = ended
