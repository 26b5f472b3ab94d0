"""Background jobs, one of each kind at a time, with their progress and a way to cancel them."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from threading import Event, Lock, Thread, get_native_id

from device.dashboard.refusals import Refusal
from device.recording.lines import JSON

_NICER = 10
"""Niceness of a job's thread: the referee goes first."""
_LEAVE_S = 2.0


class CancelledError(Exception):
    """The job was asked to stop."""


class Stage(StrEnum):
    """The stage of a job."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Job:
    """A job as the pages show it."""

    about: str
    """Its subject, as the name of a recording."""
    stage: Stage = Stage.RUNNING
    share: float = 0.0
    """The part that is done, 0 to 1."""
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


Progress = Callable[[float], None]
"""Reports the part that is done; raises CancelledError if the job should stop."""
Work = Callable[[Progress], JSON]


class Jobs:
    """Runs one job at a time; any thread may call."""

    def __init__(self, what: str) -> None:
        """`what` names the work in refusals: a comparison, a check."""
        self._what = what
        self._lock = Lock()
        self._stop = Event()
        self._thread: Thread | None = None
        self._job: Job | None = None

    @property
    def job(self) -> Job | None:
        """The running or the last job."""
        return self._job

    def start(self, about: str, work: Work) -> Job:
        """Start a job; Refusal 409 while another one runs."""
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
        """Ask the job to stop; it does so at its next report of progress."""
        self._stop.set()

    def close(self) -> None:
        """Cancel the job and wait a little for it."""
        self._stop.set()
        thread = self._thread
        if thread is not None and thread.is_alive():
            thread.join(_LEAVE_S)

    def _run(self, job: Job, work: Work, stop: Event) -> None:
        os.setpriority(os.PRIO_PROCESS, get_native_id(), _NICER)

        def progress(share: float) -> None:
            nonlocal job
            if stop.is_set():
                raise CancelledError
            job = self._job = replace(job, share=min(1.0, max(0.0, share)))

        ended = replace(job, stage=Stage.FAILED, error="it broke off; the terminal says why")
        try:
            ended = replace(job, stage=Stage.DONE, share=1.0, result=work(progress))
        except CancelledError:
            ended = replace(job, stage=Stage.CANCELLED)
        except Refusal as error:
            ended = replace(job, stage=Stage.FAILED, error=error.what)
        except (ValueError, OSError) as error:
            # All of Krupier's own errors are one of these, and say what was found and what was wanted.
            ended = replace(job, stage=Stage.FAILED, error=str(error))
        finally:
            self._job = ended
