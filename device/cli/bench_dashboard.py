"""`krupier bench dashboard`: how fast a hundred clients receive a ruling, and what they cost the referee."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic, perf_counter, sleep
from typing import Annotated, Any

import typer
from rich.console import Console

from device.cli.inputs import refusing

GAME, SIZE, FPS = "dawaj2", "1280x720", 10
SKIPPED_FILM_S, FILM_LENGTH_S = 2.0, 5.0
"""The part of a simulated film that is replayed."""
LINE_EVERY_FRAMES = 10
"""Frames between two typed lines."""
_LINE = re.compile(r'"rulings":\{"(\d+)":\{"line"')
CLIENTS = "from device.cli.bench_dashboard import follow; follow()"
JOIN_S = 60.0


def dashboard(
    clients: Annotated[
        int, typer.Option("--clients", min=1, max=400, help="Number of clients, in a process of their own.")
    ] = 100,
    rounds: Annotated[int, typer.Option("--rounds", min=1, help="Rounds without and with clients.")] = 3,
    threads: Annotated[int, typer.Option("--threads", min=1, max=64, help="Threads for the networks.")] = 2,
) -> None:
    """Referee a simulated film, in turns without and with many clients: delays and cost."""
    with refusing(), TemporaryDirectory() as folder:
        _measure(Console(highlight=False), Path(folder), clients, rounds, threads)


def follow() -> None:
    """Body of the clients' process: receive until standard input ends, then print when each line arrived."""
    url, count = sys.argv[1], int(sys.argv[2])
    print(json.dumps(asyncio.run(_follow(url, count))), flush=True)


async def _follow(url: str, count: int) -> dict[str, list[float]]:
    import websockets

    came: dict[str, list[float]] = {}

    async def one(joined: asyncio.Semaphore) -> None:
        async with joined:
            socket = await websockets.connect(url, compression=None, max_size=None, proxy=None)
        first = True
        try:
            async for message in socket:
                now_s = monotonic()
                if first:
                    first = False
                    print("joined", flush=True)
                found = _LINE.search(message if isinstance(message, str) else "")
                if found is not None and '"kind":"change"' in message[:20]:
                    came.setdefault(found[1], []).append(now_s)
        finally:
            await socket.close()

    joined = asyncio.Semaphore(10)
    tasks = [asyncio.create_task(one(joined)) for _ in range(count)]
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return came


def _measure(console: Console, folder: Path, clients: int, rounds: int, threads: int) -> None:
    from device.dashboard.app import build
    from device.dashboard.services.app_state import AppState
    from device.dashboard.services.pairing import Pairing, new_codes

    app_state = AppState({"HOME": str(folder)}, {"threads": threads})
    table = _BenchTable(app_state, threads)
    table.play()
    alone, followed, delays = [], [], []
    with _served(build(app_state, Pairing(b"bench" * 8, new_codes(), monotonic))) as url:
        for _ in range(rounds):
            alone.append(table.play())
            with _clients(f"ws{url.removeprefix('http')}/api/live", clients) as came:
                table.said_s.clear()
                followed.append(table.play())
                # The last messages are still on their way.
                sleep(1.0)
            late = {line: [at_s - table.said_s[int(line)] for at_s in times] for line, times in came.items()}
            delays += [delay for times in late.values() for delay in times]
            missing = clients * len(table.said_s) - sum(map(len, late.values()))
    delays.sort()
    ratios = [with_s / without_s for with_s, without_s in zip(followed, alone, strict=True)]
    p50, p99 = (1e3 * delays[int(part * (len(delays) - 1))] for part in (0.5, 0.99))
    console.print(
        f"{clients} clients, {len(delays)} rulings received: {p50:.1f} ms p50, {p99:.1f} ms p99, "
        f"{1e3 * delays[-1]:.1f} ms at most; {missing} not received one by one in the last round"
    )
    console.print(
        f"{table.frames} frames and {table.lines} lines: busy {median(alone):.2f} s with nobody, "
        f"{median(followed):.2f} s with {clients} clients; slower by {100 * (median(ratios) - 1):+.1f} % (rounds: "
        f"{', '.join(f'{100 * (ratio - 1):+.1f} %' for ratio in ratios)})"
    )


class _BenchTable:
    """A film in memory, and everything that a frame goes through in a watched game."""

    def __init__(self, app_state: Any, threads: int) -> None:
        from device.cameras.simulated import SimulatedFile
        from device.eyes import EyeFactory
        from device.lab.simulator.game import read_simulated_game
        from device.lab.simulator.rig import film_rig

        play = read_simulated_game(f"sim:{GAME}?size={SIZE}&fps={FPS}&live=0&seed=1")
        self._hub, self._rig = app_state.hub, film_rig(play.film())
        self._opening, self._record = play.record().opening, play.record()
        self._eye = EyeFactory(threads=threads).open_eye(self._rig, GAME)
        self._film = []
        for frame in SimulatedFile(play).frames():
            if frame.at_s >= SKIPPED_FILM_S + FILM_LENGTH_S:
                break
            if frame.at_s >= SKIPPED_FILM_S:
                self._film.append(frame)
        self.said_s: dict[int, float] = {}
        """When each line was passed to the hub."""
        self.frames = len(self._film)
        self.lines = self.frames // LINE_EVERY_FRAMES

    def play(self) -> float:
        """Referee the film once, and return how long the referee was busy."""
        from device.dashboard.events import GameEnded, GameStarted
        from device.dashboard.services.event_feed import EventFeed
        from device.recording.journal import JournalEntry
        from device.session.events import LINES
        from device.session.game import Game
        from device.session.observer import build_observer
        from device.session.session import MemoryJournal, Session
        from referee.rules import load_rules

        observer = build_observer(self._eye, self._rig, GAME)
        feed = EventFeed(self._hub, self._rig, observer, lambda: session.game)

        def publish(entry: JournalEntry) -> None:
            if entry.kind in LINES:
                self.said_s[int(str(entry.data["line"]))] = monotonic()
            feed.publish(entry)

        session = Session(Game.open(load_rules(GAME), self._opening), MemoryJournal(), publish, observer)
        self._hub.post(GameStarted("bench", session.game, self._rig, "film", False, True))
        said = (line.text for line in self._record.lines if line.meaning is not None)
        began_s, busy_s = perf_counter(), 0.0
        for number, frame in enumerate(self._film, 1):
            # At the pace of a camera, so that the cost of the clients spreads over the time between frames.
            sleep(max(0.0, began_s + number / FPS - perf_counter()))
            start = perf_counter()
            feed.coming(frame)
            feed.seen(frame, session.see(frame))
            if number % LINE_EVERY_FRAMES == 0:
                session.hear(next(said), frame.at_s)
            busy_s += perf_counter() - start
        sleep(0.2)
        feed.close()
        self._hub.post(GameEnded())
        return busy_s


@contextmanager
def _served(app: Any) -> Iterator[str]:
    """Serve the dashboard in a thread beside the referee's, as in a game; yields its address."""
    from device.dashboard.server import listening, server_for
    from device.settings import Settings

    server = server_for(app)
    with listening(Settings(), 0) as listener:
        thread = Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def _clients(url: str, count: int) -> Iterator[dict[str, list[float]]]:
    """Many clients in another process; the result is filled with arrival times when they have ended."""
    came: dict[str, list[float]] = {}
    command = [sys.executable, "-c", CLIENTS, url, str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None, "asked for"
        assert child.stdout is not None, "asked for"
        for _ in range(count):
            child.stdout.readline()
        yield came
        child.stdin.close()
        came.update(json.loads(child.stdout.readline()))
