"""`krupier session`: list, export, import and prune recordings."""

import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from device.cli.inputs import refusing
from device.cli.settings import chosen
from device.plain import plain
from device.recording.bundle import SUFFIX, export_bundle, import_bundle, open_stored
from device.recording.folder import PLAIN, Stored, is_running, sessions_in
from device.recording.journal import JOURNAL, read_journal
from device.recording.lines import Loss
from device.recording.manifest import SessionState
from device.recording.parts import SessionError
from device.recording.pruning import bytes_from, pin, prune, size_text
from device.recording.repair import repair

session = typer.Typer(help="Recorded sessions.", no_args_is_help=True)

Recordings = Annotated[Path | None, typer.Option("--recordings", help="Folder of the recordings.")]
Which = Annotated[str, typer.Argument(metavar="SESSION", help="Name, number, folder or bundle.")]
_NUMBER = re.compile(r"[0-9]{1,9}\Z")


@session.callback()
def recorded() -> None:
    """Recorded sessions."""


@session.command("list")
def list_all(
    recordings: Recordings = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """All sessions, oldest first."""
    with refusing():
        root = _root(recordings)
        found = sessions_in(root)
        if as_json:
            typer.echo(json.dumps([_facts(stored) for stored in found], indent=1, ensure_ascii=False))
            return
        if not found:
            typer.echo(f"nothing is recorded yet ({plain(str(root))})")
            return
        table = Table("session", "when", "game", "players", "length", "frames", "size", "", box=None, pad_edge=False)
        for stored in found:
            manifest = stored.manifest
            row = (stored.path.name, manifest.began[:16].replace("T", " "), manifest.game, ", ".join(manifest.names))
            table.add_row(
                *(Text(plain(word)) for word in row),
                f"{manifest.length_s / 60:.0f} min",
                str(manifest.frames),
                size_text(stored.size),
                state_of(stored),
            )
        Console(highlight=False).print(table)
        typer.echo(f"{len(found)} sessions, {size_text(sum(stored.size for stored in found))} ({plain(str(root))})")


@session.command()
def show(
    which: Which,
    recordings: Recordings = None,
    check: Annotated[bool, typer.Option("--check", help="Compare every file with its hash, and every frame.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Everything about one session; exit code 1 if part of it is lost."""
    with refusing():
        stored = _found(which, recordings)
        part = stored.part(JOURNAL)
        entries, lost = read_journal(part) if part is not None else ((), ())
        losses = [*stored.losses, *lost, *(_checked(stored) if check else ())]
        if as_json:
            said = [{"file": loss.file, "byte": loss.at, "what": loss.what} for loss in losses]
            typer.echo(json.dumps(_facts(stored) | {"losses": said}, indent=1, ensure_ascii=False))
        else:
            kinds = {kind: sum(entry.kind == kind for entry in entries) for kind in sorted({e.kind for e in entries})}
            facts: dict[str, Any] = _facts(stored) | {"journal": ", ".join(f"{n} {k}" for k, n in kinds.items())}
            table = Table(box=None, pad_edge=False, show_header=False)
            for key, value in facts.items():
                table.add_row(Text(key, "bold"), Text(plain(_words(value))))
            for name, piece in stored.parts:
                table.add_row(Text(name, "bold"), size_text(piece.size))
            Console(highlight=False).print(table)
            for loss in losses:
                typer.echo(f"lost: {plain(str(loss))}")
    if losses:
        raise typer.Exit(1)


@session.command()
def export(
    which: Which,
    output: Annotated[Path | None, typer.Option("-o", "--output", help=f"The bundle, NAME{SUFFIX}.")] = None,
    recordings: Recordings = None,
) -> None:
    """Pack a session into one file: to send it, or as a test (drop it into tests/recordings)."""
    with refusing():
        stored = _found(which, recordings)
        path = output or Path(f"{stored.path.name}{SUFFIX}")
        size = export_bundle(stored.path, path)
    typer.echo(f"{plain(str(path))}: {size_text(size)}")


@session.command("import")
def import_one(
    bundle: Annotated[Path, typer.Argument(help="A bundle of `krupier session export`.")],
    name: Annotated[str | None, typer.Option("--as", help="Import under another name.")] = None,
    recordings: Recordings = None,
) -> None:
    """Unpack a bundle; everything in it is checked first."""
    with refusing():
        root = _root(recordings)
        root.mkdir(parents=True, exist_ok=True)
        stored = import_bundle(bundle, root, name)
    typer.echo(f"{plain(str(stored.path))}: {stored.manifest.frames} frames, {stored.manifest.entries} entries")


@session.command("prune")
def prune_all(
    limit: Annotated[
        str | None, typer.Option("--limit", help="Such as 20GB; by default the one in the settings.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be deleted.")] = False,
    recordings: Recordings = None,
) -> None:
    """Delete the oldest videos until all sessions fit the limit; journals, pinned and running sessions stay."""
    with refusing():
        own = chosen(recordings=recordings)
        most = bytes_from(limit) if limit is not None else round(own.recordings_limit_gb * 1e9)
        if not most and limit is None:
            typer.echo("no limit is set (recordings_limit_gb = 0); nothing goes")
            return
        gone = prune(own.recordings_folder, most, dry_run)
        for one in gone:
            typer.echo(f"{plain(one.path.name)}: {size_text(one.freed)} {'would be' if dry_run else ''} freed")
        left = sum(stored.size for stored in sessions_in(own.recordings_folder))
        left -= sum(one.freed for one in gone) if dry_run else 0
        typer.echo(f"{size_text(left)} of {size_text(most)} {'would be' if dry_run else 'are'} used")


@session.command("pin")
def pin_one(
    which: Which,
    off: Annotated[bool, typer.Option("--off", help="Allow pruning again.")] = False,
    recordings: Recordings = None,
) -> None:
    """Protect a session from pruning."""
    with refusing():
        stored = _folder(which, recordings)
        pin(stored, not off)
    typer.echo(f"{plain(stored.path.name)}: {'may be pruned' if off else 'pinned'}")


@session.command("repair")
def repair_one(which: Which, recordings: Recordings = None) -> None:
    """Repair an interrupted or damaged session, and list what is lost."""
    with refusing():
        stored = _folder(which, recordings)
        losses = repair(stored.path)
    for loss in losses:
        typer.echo(f"lost: {plain(str(loss))}")
    typer.echo(f"{plain(stored.path.name)}: {'repaired' if losses else 'in order'}")


def state_of(stored: Stored) -> str:
    """State of a session in a word or two."""
    words = []
    if stored.losses:
        words.append("damaged")
    elif stored.manifest.state is SessionState.OPEN:
        words.append("running" if stored.path.is_dir() and is_running(stored.path) else "cut off")
    elif stored.manifest.state is SessionState.REPAIRED:
        words.append("repaired")
    words += ["pinned"] if stored.manifest.pinned else []
    words += ["video pruned"] if stored.manifest.pruned else []
    return ", ".join(words)


def _checked(stored: Stored) -> tuple[Loss, ...]:
    from device.recording.film import VIDEO
    from device.recording.playback import SessionFrames

    if stored.part(VIDEO) is None:
        return stored.check()
    film = SessionFrames(stored)
    for _ in film.frames():
        continue
    return (*stored.check(), *film.losses)


def _facts(stored: Stored) -> dict[str, Any]:
    manifest = stored.manifest
    return {
        "name": stored.path.name,
        "began": manifest.began,
        "game": manifest.game,
        "players": list(manifest.names),
        "options": dict(manifest.options),
        "deck": manifest.deck,
        "camera": manifest.camera,
        "length_s": manifest.length_s,
        "frames": manifest.frames,
        "entries": manifest.entries,
        "bytes": stored.size,
        "state": state_of(stored) or manifest.state.value,
        "krupier": manifest.krupier,
    }


def _words(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key}={item}" for key, item in value.items())
    return str(value)


def _root(recordings: Path | None) -> Path:
    return chosen(recordings=recordings).recordings_folder


def _found(which: str, recordings: Path | None) -> Stored:
    """Find a session by its name, number or path."""
    root = _root(recordings)
    if PLAIN.match(which) and (root / which).is_dir():
        return open_stored(root / which)
    if _NUMBER.match(which):
        for stored in sessions_in(root):
            if stored.manifest.number == int(which):
                return stored
    elif Path(which).exists():
        return open_stored(Path(which))
    raise SessionError(f"{which}: no such session; `krupier session list` names those in {root}")


def _folder(which: str, recordings: Path | None) -> Stored:
    stored = _found(which, recordings)
    if not stored.path.is_dir():
        raise SessionError(f"{which}: is a bundle and stays as it is; `krupier session import` it first")
    return stored
