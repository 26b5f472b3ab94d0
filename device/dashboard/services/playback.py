"""Reels: the recordings there are, and what happened in each, along its time."""

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


class Reels:
    """The sessions of the recordings folder, by name."""

    def __init__(self, root: Callable[[], Path]) -> None:
        """`root` says where they are now: that is a setting."""
        self._root = root

    @property
    def root(self) -> Path:
        """Where they are."""
        return self._root()

    def all(self) -> list[Stored]:
        """All of them, the newest first."""
        return sessions_in(self.root)[::-1]

    def find(self, name: str) -> Stored:
        """One of the list; Refusal 404 for every other name, so no path is ever made of what somebody asks for."""
        root = self.root
        known = {path.name: path for path in root.iterdir() if path.is_dir()} if root.is_dir() else {}
        path = None if name.startswith(".") else known.get(name)
        try:
            if path is not None:
                return open_folder(path)
        except SessionError:
            # Something else that lies there.
            pass
        raise Refusal(404, "no such recording", name, "a name from /api/recordings")


def facts(stored: Stored) -> dict[str, JSON]:
    """What the list says about a recording; no paths."""
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


def events(stored: Stored) -> dict[str, JSON]:
    """What was ruled and what went wrong in a recording, along its time."""
    recorded = read_recorded(stored)
    voices = voices_of(recorded)
    rulings: list[JSON] = [said_json(entry, voices) for entry in recorded.entries if entry.kind in LINES]
    tables: list[JSON] = [round(entry.at_s, 3) for entry in recorded.entries if entry.kind == "table"]
    troubles: list[JSON] = list(_troubles(recorded.entries))
    troubles += [{"at_s": 0.0, "what": str(loss)} for loss in recorded.losses]
    last_s = max((entry.at_s for entry in recorded.entries), default=0.0)
    return {"rulings": rulings, "tables": tables, "troubles": troubles[:MOST_TROUBLES], "last_s": last_s}


class Voices:
    """Both languages of one game, with the names of those who play."""

    def __init__(self, texts: dict[str, Texts], names: tuple[str, ...]) -> None:
        self._texts, self._names = texts, names

    def say(self, said: dict[str, JSON]) -> JSON:
        """A reason of the journal in both languages; one that today's texts do not know by its key."""
        spoken: dict[str, JSON] = {}
        for language in LANGUAGES:
            key = str(said.get("reason", ""))
            try:
                spoken[language] = self._texts[language].say(reason_of(said), self._names)
            except (KeyError, ValueError, IndexError, TypeError):
                # A journal may be older or newer than the texts, or come from elsewhere.
                spoken[language] = key
        return spoken

    def rule(self, rule: str) -> JSON:
        """A rule in both languages."""
        return {language: self._texts[language].rules.get(rule, "") for language in self._texts}


def voices_of(recorded: Recorded) -> Voices:
    """The texts for a recording; none for a game that there is not."""
    manifest = recorded.stored.manifest
    game, names = manifest.game, manifest.names
    for entry in recorded.entries if not game else ():
        if entry.kind == "opening":
            game, said = str(entry.data.get("game")), entry.data.get("names")
            names = tuple(str(name) for name in said) if isinstance(said, list) else ()
    return Voices({language: load_texts(game, language) for language in LANGUAGES} if game in games() else {}, names)


def said_json(entry: JournalEntry, voices: Voices) -> dict[str, JSON]:
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
        "rule_text": voices.rule(str(data.get("rule"))) if ruled else None,
        "reason": voices.say(data) if ruled else None,
        "by": "human" if entry.kind == "input" else "camera",
        "refused": data.get("refused"),
        "over": voices.say(over) if isinstance(over, dict) else None,
    }


def _troubles(entries: tuple[JournalEntry, ...]) -> Iterator[JSON]:
    for entry in entries:
        if entry.kind == "note":
            yield {"at_s": round(entry.at_s, 3), "what": str(entry.data.get("what", ""))}
        elif entry.kind == "camera" and entry.data.get("health") != "running":
            what = f"camera {entry.data.get('health')}: {entry.data.get('message')}"
            yield {"at_s": round(entry.at_s, 3), "what": what}
