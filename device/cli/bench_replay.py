"""`krupier bench replay`: speed of a replay relative to real time, and growth of memory."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console

from device.cli.inputs import refusing

SIZE, FPS = "1280x720", 10
_PAGE = os.sysconf("SC_PAGE_SIZE")


def replay(
    minutes: Annotated[
        float, typer.Option("--minutes", min=0.1, help="Length of the video; the film is repeated.")
    ] = 1.0,
    film: Annotated[float, typer.Option("--film", min=5, help="Seconds of the simulated film.")] = 40.0,
    game: Annotated[str, typer.Option("--game", help="The game to play.")] = "dawaj2",
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="Threads for the networks.")] = 2,
) -> None:
    """Record a simulated game (1280x720, 10 frames a second), then replay it: times real time, and memory."""
    import cv2

    cv2.setNumThreads(threads)
    with refusing(), TemporaryDirectory() as folder:
        _measure(Console(highlight=False), Path(folder) / "session", 60 * minutes, film, game, threads)


def _measure(console: Console, folder: Path, video_s: float, film_s: float, game: str, threads: int) -> None:
    from calibration.frames import Frame
    from device.cameras.simulated import SimulatedFile
    from device.eyes import EyeFactory
    from device.lab.simulator.game import read_simulated_game
    from device.lab.simulator.rig import film_rig
    from device.recording.folder import create_session
    from device.recording.manifest import Manifest
    from device.recording.playback import SessionFrames
    from device.recording.recorder import Recorder
    from device.session.game import Game
    from device.session.observer import build_observer
    from device.session.session import MemoryJournal, Session
    from referee.rules import Opening, load_rules

    play = read_simulated_game(f"sim:{game}?size={SIZE}&fps={FPS}&live=0&seed=1")
    rig = film_rig(play.film())
    held = create_session(folder.parent, Manifest(game=game, names=play.players), path=folder)
    recorder = Recorder(folder, waits=True)
    for frame in SimulatedFile(play).frames():
        if frame.at_s >= film_s:
            break
        recorder.keep(frame)
    recorder.close()
    held.finish()
    eye = EyeFactory(threads=threads).open_eye(rig, game)
    observer = build_observer(eye, rig, game)
    opening = Opening(game, play.players)
    session = Session(Game.open(load_rules(game), opening), MemoryJournal(), lambda entry: None, observer)

    def shown() -> Iterator[Frame]:
        """The film in a loop; times and numbers go on."""
        first, begin_s = 0, 0.0
        while True:
            index, at_s = first, begin_s
            for frame in SessionFrames(folder).frames():
                index, at_s = first + frame.index, begin_s + frame.at_s
                yield replace(frame, index=index, at_s=at_s)
            first, begin_s = index + 1, at_s + 1 / FPS

    sizes: list[float] = []
    count, at_s, start = 0, 0.0, perf_counter()
    for frame in shown():
        if frame.at_s >= video_s:
            break
        session.see(frame)
        count, at_s = count + 1, frame.at_s
        if count % 50 == 0:
            sizes.append(_rss_mb())
    spent_s = perf_counter() - start
    console.print(
        f"{count} frames, {at_s:.0f} s of video in {spent_s:.1f} s: {at_s / spent_s:.1f} times real time, "
        f"{1e3 * spent_s / max(count, 1):.1f} ms a frame, {observer.looks} looks"
    )
    if len(sizes) >= 8:
        # Everything that is loaded on first use has been loaded by then.
        settled = sizes[len(sizes) // 4 :]
        half = len(settled) // 2
        before, after = sum(settled[:half]) / half, sum(settled[half:]) / len(settled[half:])
        console.print(f"memory: {before:.0f} MB, then {after:.0f} MB ({100 * (after / before - 1):+.1f} %)")


def _rss_mb() -> float:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * _PAGE / 1e6
