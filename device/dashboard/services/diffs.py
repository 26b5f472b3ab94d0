"""Diffs: replay a recording with today's vision and rules, and list the changes."""

from collections.abc import Callable

from device.dashboard.refusals import Refusal
from device.dashboard.services.jobs import Progress
from device.dashboard.services.playback import JournalTexts, line_json, texts_of
from device.eyes import EyeFactory
from device.recording.folder import Stored
from device.recording.journal import JournalEntry
from device.recording.lines import JSON
from device.session.events import LINES
from device.session.folder import rig_of
from device.session.observer import build_observer
from device.session.replay import ReplayChange, changes, read_recorded, replay
from device.session.table_json import table_words
from device.settings import Settings
from device.teaching.choice import faces_to_play

MOST_CHANGES = 500
MOST_LOSSES = 20

Fit = Callable[[int], EyeFactory]
"""Makes an eye factory for a number of threads; the networks are loaded when they are needed."""


def open_eye_factory(threads: int) -> EyeFactory:
    """An eye factory with Krupier's own networks."""
    return EyeFactory(threads=threads)


def diff(stored: Stored, settings: Settings, only_rules: bool, progress: Progress, fit: Fit = open_eye_factory) -> JSON:
    """Replay a recording; list every ruling and every table that differs today."""
    recorded = read_recorded(stored)
    game = recorded.game
    if game is None:
        raise Refusal(422, "no game was played in it", stored.path.name, "a recording of a game")
    observer = None
    if recorded.has_video and not only_rules:
        progress(0.0)
        rig = rig_of(stored)
        played = game.match.opening.game
        faces = faces_to_play(settings.data, game.match.opening.deck, played)
        eye = fit(settings.threads).open_eye(rig, played, faces)
        observer = build_observer(eye, rig, played, settings.rest_s)
    length_s = max((entry.at_s for entry in recorded.entries), default=0.0)
    length_s = max(length_s, stored.manifest.length_s, 0.001)
    now, losses = replay(recorded, game, observer, pace=lambda at_s: progress(at_s / length_s))
    found = changes(recorded.entries, now, tables=observer is not None)
    texts = texts_of(recorded)
    shown: list[JSON] = [_change(change, texts) for change in found[:MOST_CHANGES]]
    lost: list[JSON] = [str(loss) for loss in (*recorded.losses, *losses)]
    return {
        "changes": shown,
        "count": len(found),
        "lines": sum(entry.kind in LINES for entry in now),
        "tables": sum(entry.kind == "table" for entry in now),
        "vision": observer is not None,
        "losses": lost[:MOST_LOSSES],
    }


def _change(change: ReplayChange, texts: JournalTexts) -> JSON:
    shown = next(entry for entry in (change.now, change.was) if entry is not None)
    return {
        "line": shown.data.get("line") if shown.kind in LINES else None,
        "at_s": round(shown.at_s, 3),
        "frame": change.frame,
        "was": _said(change.was, texts),
        "now": _said(change.now, texts),
    }


def _said(entry: JournalEntry | None, texts: JournalTexts) -> JSON:
    if entry is None:
        return None
    if entry.kind == "table":
        return {"table": table_words(entry.data)}
    return line_json(entry, texts)
