"""Repair: restores an interrupted or damaged session as far as possible, and reports the losses."""

from dataclasses import replace
from pathlib import Path

from device.files import write_whole
from device.recording.appended import MOST_LINES
from device.recording.described import StoredFrame, described_from_bytes
from device.recording.film import FRAMES, VIDEO
from device.recording.folder import open_folder, reopen_session
from device.recording.journal import JOURNAL, Journal, read_journal
from device.recording.lines import JSON, Loss, line_of
from device.recording.manifest import Manifest, SessionState
from device.recording.matroska import Cluster, walk
from device.recording.parts import file_part
from device.recording.playback import SessionFrames


def repair(path: Path) -> tuple[Loss, ...]:
    """Repair a session: cut torn ends, rebuild the frame lines from the video, recompute the hashes."""
    losses = list(open_folder(path).losses)
    session = reopen_session(path)
    try:
        if (path / JOURNAL).is_file():
            journal = Journal(path / JOURNAL)
            journal.close()
            losses += journal.losses
            if losses and not session.manifest.game:
                session.manifest = _restored_manifest(session.manifest, path)
        if (path / VIDEO).is_file():
            losses += _playback_losses(path)
            _rebuild_frame_lines(path)
        session.finish(SessionState.REPAIRED)
    finally:
        session.let_go()
    return tuple(losses)


def _playback_losses(path: Path) -> tuple[Loss, ...]:
    """All frames that cannot be decoded; only a complete playback finds them."""
    film = SessionFrames(path)
    for _ in film.frames():
        continue
    return film.losses


def _rebuild_frame_lines(path: Path) -> None:
    """Rebuild frames.jsonl from the descriptions in the video."""
    rows: list[bytes] = []
    with file_part(path / VIDEO).open() as reading:
        for found in walk(reading):
            about = described_from_bytes(found.about) if isinstance(found, Cluster) else None
            if isinstance(found, Cluster) and about is not None:
                placed = StoredFrame(about, found.at_ms, found.at, found.size, found.key)
                rows.append(line_of(len(rows), placed.as_json()))
    data = b"".join(rows)
    frames = path / FRAMES
    if not frames.is_file() or file_part(frames).read(MOST_LINES) != data:
        write_whole(frames, data)


def _restored_manifest(manifest: Manifest, path: Path) -> Manifest:
    """A damaged manifest, with game and players restored from the journal."""
    entries, _ = read_journal(path / JOURNAL)
    said: dict[str, JSON] = next((entry.data for entry in entries if entry.kind == "opening"), {})
    game, names = said.get("game"), said.get("names")
    if isinstance(game, str):
        manifest = replace(manifest, game=game)
    if isinstance(names, list):
        manifest = replace(manifest, names=tuple(str(name) for name in names))
    return manifest
