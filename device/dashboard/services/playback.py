"""Recordings: their list, and the timeline of each."""

from collections.abc import Callable, Iterator
from pathlib import Path

from device.dashboard.refusals import Refusal
from device.recording.film import VIDEO
from device.recording.folder import Stored, is_running, open_folder, sessions_in
from device.recording.journal import JOURNAL, JournalEntry
from device.recording.lines import JSON
from device.recording.manifest import SessionState
from device.recording.parts import SessionError
from device.session.events import LINES, reason_of
from device.session.replay import Recorded, read_recorded
from referee.rules import games
from referee.texts import LANGUAGES, Texts, load_texts

MOST_TROUBLES = 100


class Recordings:
    """The sessions of the recordings folder, by name."""

    def __init__(self, root: Callable[[], Path]) -> None:
        """`root` returns the recordings folder, a setting that may change."""
        self._root = root

    @property
    def root(self) -> Path:
        """The recordings folder."""
        return self._root()

    def all(self) -> list[Stored]:
        """All recordings, newest first."""
        return sessions_in(self.root)[::-1]

    def find(self, name: str) -> Stored:
        """A recording of the list; Refusal 404 for any other name, so that no path is made from a request."""
        root = self.root
        known = {path.name: path for path in root.iterdir() if path.is_dir()} if root.is_dir() else {}
        path = None if name.startswith(".") else known.get(name)
        try:
            if path is not None:
                return open_folder(path)
        except SessionError:
            # Another folder, not a recording.
            pass
        raise Refusal(404, "no such recording", name, "a name from /api/recordings")


def summary_json(stored: Stored) -> dict[str, JSON]:
    """A recording in the list, without its path."""
    manifest = stored.manifest
    running = manifest.state is SessionState.OPEN and is_running(stored.path)
    state = "damaged" if stored.losses else manifest.state.value
    if manifest.state is SessionState.OPEN and not stored.losses:
        state = "running" if running else "cut"
    return {
        "name": stored.path.name,
        "began": manifest.began,
        "game": manifest.game,
        "names": list(manifest.names),
        "options": dict(manifest.options),
        "camera": manifest.camera,
        "length_s": round(manifest.length_s, 2),
        "frames": manifest.frames,
        "entries": manifest.entries,
        "bytes": stored.size,
        "state": state,
        "pinned": manifest.pinned,
        "pruned": manifest.pruned,
        "video": stored.part(VIDEO) is not None,
        "resumable": not running
        and (manifest.state is SessionState.OPEN or bool(stored.losses))
        and bool(manifest.game or stored.part(JOURNAL)),
    }


def timeline_json(stored: Stored) -> dict[str, JSON]:
    """The rulings and problems of a recording, by time."""
    recorded = read_recorded(stored)
    texts = texts_of(recorded)
    rulings: list[JSON] = [line_json(entry, texts) for entry in recorded.entries if entry.kind in LINES]
    tables: list[JSON] = [round(entry.at_s, 3) for entry in recorded.entries if entry.kind == "table"]
    troubles: list[JSON] = list(_troubles(recorded.entries))
    troubles += [{"at_s": 0.0, "what": str(loss)} for loss in recorded.losses]
    last_s = max((entry.at_s for entry in recorded.entries), default=0.0)
    return {"rulings": rulings, "tables": tables, "troubles": troubles[:MOST_TROUBLES], "last_s": last_s}


class JournalTexts:
    """The texts of a game in both languages, with the players' names."""

    def __init__(self, texts: dict[str, Texts], names: tuple[str, ...]) -> None:
        self._texts, self._names = texts, names

    def say(self, said: dict[str, JSON]) -> JSON:
        """A reason of the journal in both languages; an unknown reason is shown by its key."""
        spoken: dict[str, JSON] = {}
        for language in LANGUAGES:
            key = str(said.get("reason", ""))
            try:
                spoken[language] = self._texts[language].say(reason_of(said), self._names)
            except (KeyError, ValueError, IndexError, TypeError):
                # The journal may be older or newer than the texts.
                spoken[language] = key
        return spoken

    def rule(self, rule: str) -> JSON:
        """A rule in both languages."""
        return {language: self._texts[language].rules.get(rule, "") for language in self._texts}


def texts_of(recorded: Recorded) -> JournalTexts:
    """The texts for a recording; none for an unknown game."""
    manifest = recorded.stored.manifest
    game, names = manifest.game, manifest.names
    for entry in recorded.entries if not game else ():
        if entry.kind == "opening":
            game, said = str(entry.data.get("game")), entry.data.get("names")
            names = tuple(str(name) for name in said) if isinstance(said, list) else ()
    return JournalTexts(
        {language: load_texts(game, language) for language in LANGUAGES} if game in games() else {}, names
    )


def line_json(entry: JournalEntry, texts: JournalTexts) -> dict[str, JSON]:
    """A line of the journal for the page."""
    data = entry.data
    after, over = data.get("after"), data.get("over")
    ruled = isinstance(data.get("ruling"), str)
    return {
        "at_s": round(entry.at_s, 3),
        "frame": after if isinstance(after, int) else -1,
        "line": data.get("line"),
        "text": str(data.get("text", "")),
        "ruling": data.get("ruling"),
        "rule": data.get("rule"),
        "rule_text": texts.rule(str(data.get("rule"))) if ruled else None,
        "reason": texts.say(data) if ruled else None,
        "by": "human" if entry.kind == "input" else "camera",
        "refused": data.get("refused"),
        "over": texts.say(over) if isinstance(over, dict) else None,
    }


def _troubles(entries: tuple[JournalEntry, ...]) -> Iterator[JSON]:
    for entry in entries:
        if entry.kind == "note":
            yield {"at_s": round(entry.at_s, 3), "what": str(entry.data.get("what", ""))}
        elif entry.kind == "camera" and entry.data.get("health") != "running":
            what = f"camera {entry.data.get('health')}: {entry.data.get('message')}"
            yield {"at_s": round(entry.at_s, 3), "what": what}
