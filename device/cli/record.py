"""`krupier record`: film a table, without a referee."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from device.cameras.source import Source
from device.cli.inputs import refusing
from device.cli.settings import chosen
from device.plain import plain
from device.rigs import load_rig


def record(
    camera: Annotated[str | None, typer.Option("--camera", help="pi, usb:0, a film, a folder or sim:GAME.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="A new folder; by default the next one in the recordings.")
    ] = None,
    rig: Annotated[Path | None, typer.Option("--rig", help="The rig's file, kept with the film.")] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", min=0, help="Stop after this many seconds.")] = None,
    all_frames: Annotated[bool, typer.Option("--all-frames", help="Store quiet tables too.")] = False,
    lossless: Annotated[
        bool, typer.Option("--lossless", help="Store every pixel exactly; about 15 times as large.")
    ] = False,
    recordings: Annotated[Path | None, typer.Option("--recordings", help="Folder of the recordings.")] = None,
) -> None:
    """Film a table until Ctrl-C; `krupier replay` and `krupier read` accept the folder."""
    from device.cameras.opening import open_source
    from device.cameras.source import CameraSettings
    from device.recording.folder import create_session
    from device.recording.frame_selection import FrameSelector
    from device.recording.manifest import Manifest
    from device.recording.pruning import Room, size_text
    from device.recording.recorder import Recorder

    with refusing():
        own = chosen(camera=camera, recordings=recordings, rig=rig)
        if rig is not None or own.rig.exists():
            load_rig(own.rig)
            rig_text = own.rig.read_text("utf-8-sig")
        else:
            rig_text = ""
        source: Source = open_source(own.camera, CameraSettings(own.size, own.fps))
        limit = round(own.recordings_limit_gb * 1e9) or None
        manifest = Manifest(
            began=datetime.now().astimezone().isoformat(timespec="seconds"),
            krupier=version("krupier"),
            camera=own.camera,
            lossless=lossless,
        )
        session = create_session(own.recordings_folder, manifest, rig_text, path=out)
        typer.echo(f"{plain(str(session.path))}: recording {plain(own.camera)}; Ctrl-C ends it", err=True)
        root = session.path.parent
        room = Room(root, limit if out is None else None, round(own.spare_gb * 1e9))
        recorder, selector = (
            Recorder(session.path, lossless=lossless, waits=not source.live, room=room),
            FrameSelector(),
        )
        first_s: float | None = None
        said = ""
        try:
            with _ended_by_signal(source):
                for frame in source.frames():
                    first_s = frame.at_s if first_s is None else first_s
                    if seconds is not None and frame.at_s - first_s >= seconds:
                        break
                    recorder.keep(frame, all_frames or selector.is_worth_storing(frame))
                    news = recorder.trouble or source.status.message
                    if news and news != said:
                        typer.echo(plain(news), err=True)
                    said = news
                    if recorder.trouble:
                        break
        finally:
            source.close()
            recorder.close()
            done = session.finish()
        counts = recorder.counts
        size = sum(file.size for file in done.files)
        typer.echo(
            f"{plain(str(session.path))}: {done.length_s:.0f} s, {done.frames} frames stored, {counts.quiet} quiet, "
            f"{counts.dropped} dropped, {counts.refused} refused, {size_text(size)}"
        )
        if recorder.trouble:
            raise typer.Exit(1)


@contextmanager
def _ended_by_signal(source: Source) -> Iterator[None]:
    """Ctrl-C, or stopping the service, ends the film in good order."""

    def end(_number: int, _frame: FrameType | None) -> None:
        source.close()

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
