"""The meter: how well a session keeps up, for people and for systemd; nothing is ruled by it."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from device.cameras.source import Clock, Health, Status
from device.heat import Heat, read_heat
from device.recording.recorder import Recorder

OVER_S = 10.0
"""Frames a second are counted over so long."""
LATENCIES = 500
HEAT_S = 15.0
"""How often the machine is asked how warm it is."""


@dataclass(frozen=True, slots=True)
class MeterReading:
    """What a meter shows."""

    fps: float
    frames: int
    looks: int
    dropped: int
    p50_s: float | None
    """From the moment that nothing moved any more to the table being given and ruled on."""
    p90_s: float | None
    camera: Status | None
    heat: Heat
    recording: str

    def __str__(self) -> str:
        words = [f"{self.fps:.1f} frames/s ({self.frames}, {self.dropped} dropped)", f"{self.looks} looks"]
        if self.p50_s is not None and self.p90_s is not None:
            words.append(f"settled to ruled {self.p50_s:.2f} s p50, {self.p90_s:.2f} s p90")
        if self.camera is not None and (self.camera.health is not Health.RUNNING or self.camera.message):
            words.append(f"camera {self.camera.health}: {self.camera.message}")
        if self.heat.temperature_c is not None:
            words.append(f"{self.heat.temperature_c:.0f} °C")
        words += self.heat.now
        return ", ".join((*words, self.recording))


class Meter:
    """Counts frames, looks and waits; cheap enough for every frame."""

    def __init__(self, clock: Clock, heat: Callable[[], Heat] = read_heat) -> None:
        self._clock, self._ask_heat = clock, heat
        self._times: deque[float] = deque(maxlen=2000)
        self._latencies: deque[float] = deque(maxlen=LATENCIES)
        self._heat, self._heat_s = Heat(None, None), float("-inf")
        self._frames = 0

    def frame(self) -> None:
        """One more frame was worked on."""
        self._frames += 1
        self._times.append(self._clock())

    def settled(self, latency_s: float) -> None:
        """A table was given so long after the last movement on it."""
        self._latencies.append(latency_s)

    def read(self, camera: Status | None, dropped: int, looks: int, recorder: Recorder | None) -> MeterReading:
        """What there is to show now."""
        now_s = self._clock()
        if not 0 <= now_s - self._heat_s < HEAT_S:
            self._heat, self._heat_s = self._ask_heat(), now_s
        recent = [time_s for time_s in self._times if now_s - time_s <= OVER_S]
        over_s = now_s - recent[0] if recent else 0.0
        return MeterReading(
            (len(recent) - 1) / over_s if over_s > 0 else 0.0,
            self._frames,
            looks,
            dropped,
            percentile(self._latencies, 0.5),
            percentile(self._latencies, 0.9),
            camera,
            self._heat,
            _recording(recorder),
        )


def percentile(values: Sequence[float], part: float) -> float | None:
    """The value that so large a part of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else None


def _recording(recorder: Recorder | None) -> str:
    if recorder is None:
        return "not recorded"
    if recorder.trouble:
        return recorder.trouble
    counts = recorder.counts
    missing = f", {counts.dropped} left out" if counts.dropped else ""
    return f"{counts.stored} frames recorded, {counts.quiet} quiet{missing}"
