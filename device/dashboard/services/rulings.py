"""The newest lines of the record with the referee's current rulings, in both languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from device.dashboard.page_state import ChallengeState, RulingState, Translation
from device.recording.journal import JournalEntry
from device.session.events import reason_of
from device.session.game import Game
from referee.edits import Play
from referee.match import Entry as LogEntry
from referee.moves import Move
from referee.record import Line
from referee.texts import Texts
from referee.verdicts import Reason, Verdict

MAX_LINES = 100
"""Lines that are shown: the newest ones."""
CHALLENGE_S = 30.0
"""How long after a ruling it may be challenged, in seconds."""

TextsByLanguage = Mapping[str, Texts]


@dataclass(frozen=True, slots=True)
class LineNote:
    """What the journal says of a line, beside what the match knows."""

    entry: JournalEntry
    """The line with its first ruling."""
    pictured: bool = False
    challenge: ChallengeState | None = None


@dataclass(frozen=True, slots=True)
class _Basis:
    """Everything that a shown ruling depends on; while it is equal, the ruling is reused."""

    note: LineNote
    logged: LogEntry | None
    verdict: Verdict | None
    about: int | None


class RulingLines:
    """Keeps notes of lines, and combines them with the match into what the pages show."""

    def __init__(self, texts: TextsByLanguage, names: Sequence[str]) -> None:
        self._texts, self._names = texts, tuple(names)
        self._notes: dict[int, LineNote] = {}
        self._shown: dict[str, tuple[_Basis, RulingState]] = {}

    def note(self, entry: JournalEntry, pictured: bool) -> None:
        """Keep the journal's entry of a line; `pictured` if there are pictures of it."""
        line = entry.data.get("line")
        if isinstance(line, int):
            self._notes[line] = LineNote(entry, pictured)

    def challenge(self, entry: JournalEntry) -> None:
        """A ruling was challenged, or its challenge settled."""
        line = entry.data.get("line")
        note = self._notes.get(line) if isinstance(line, int) else None
        if note is not None and isinstance(line, int):
            by, at_s = entry.data.get("by"), round(entry.at_s, 2)
            if note.challenge is not None:
                by, at_s = note.challenge.by, note.challenge.at_s
            challenge = ChallengeState(by=None if by is None else str(by), at_s=at_s, open=bool(entry.data.get("open")))
            self._notes[line] = replace(note, challenge=challenge)

    def current(self, game: Game) -> dict[str, RulingState]:
        """The newest lines by number; an unchanged one is the same object as before."""
        match = game.match
        places = {entry.line: index for index, entry in enumerate(match.log)}
        shown: dict[str, tuple[_Basis, RulingState]] = {}
        for line in game.lines[-MAX_LINES:]:
            note = self._notes.get(line.number)
            if note is None:
                continue
            index = places.get(line.number)
            verdict = None if index is None else match.verdicts[index]
            basis = _Basis(
                note,
                None if index is None else match.log[index],
                verdict,
                None if verdict is None else match.line_about(verdict),
            )
            before = self._shown.get(str(line.number))
            same = before is not None and before[0] == basis
            shown[str(line.number)] = before if before is not None and same else (basis, self._ruling(line, basis))
        self._shown = shown
        return {number: ruling for number, (_, ruling) in shown.items()}

    def say(self, reason: Reason) -> Translation:
        """A sentence in both languages."""
        return Translation(**{language: texts.say(reason, self._names) for language, texts in self._texts.items()})

    def _ruling(self, line: Line, basis: _Basis) -> RulingState:
        note, data = basis.note, basis.note.entry.data
        played = line.meaning.move if isinstance(line.meaning, Play) else None
        move: Move | None = played if basis.logged is None else basis.logged.move
        ruling = data.get("ruling") if basis.verdict is None else basis.verdict.ruling.value
        rule = data.get("rule") if basis.verdict is None else basis.verdict.rule
        reason = basis.verdict.reason if basis.verdict is not None else reason_of(data) if ruling else None
        at_s = note.entry.at_s
        shown: dict[str, Any] = {
            "line": line.number,
            "at_s": round(at_s, 2),
            "text": line.text if move is None else str(move),
            "ruling": ruling,
            "rule": rule,
            "rule_text": self._rule_text(rule),
            "reason": None if reason is None else self.say(reason),
            "seat": None if move is None else move.seat,
            "cards": [] if move is None else list(move.cards),
            "about": data.get("about") if basis.verdict is None else basis.about,
            "pinned": basis.logged is not None and basis.logged.pinned,
            "stands": basis.logged is not None and basis.logged.stands,
            "undone": move is not None and basis.logged is None,
            "by": "camera" if note.entry.kind == "ruling" else "human",
            "frame": data.get("after"),
            "evidence": note.pictured,
            "challenge": note.challenge,
            "challenge_until_s": round(at_s + CHALLENGE_S, 2),
            "changed": _changed_lines(data.get("changed")),
            "refused": data.get("refused"),
            **_doubt(data.get("probability") if basis.logged is None else basis.logged.probability),
        }
        return RulingState(**shown)

    def _rule_text(self, rule: Any) -> Translation | None:
        if not isinstance(rule, str) or any(rule not in texts.rules for texts in self._texts.values()):
            return None
        return Translation(**{language: texts.rules[rule] for language, texts in self._texts.items()})


def _changed_lines(changed: Any) -> list[Any]:
    return [one.get("line") for one in changed if isinstance(one, dict)] if isinstance(changed, list) else []


def _doubt(probability: Any) -> dict[str, float]:
    """The probability of a move; left out where the move is certain."""
    return {"probability": probability} if isinstance(probability, float) and probability < 1 else {}
