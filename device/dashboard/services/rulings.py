"""Rulings as the page shows them: every line with what the referee says of it now, in both languages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from device.dashboard.services.catalogue import Text
from device.recording.journal import JournalEntry
from device.session.events import reason_of
from device.session.game import Game
from referee.edits import Play
from referee.match import Entry as Logged
from referee.moves import Move
from referee.record import Line
from referee.texts import Texts
from referee.verdicts import Reason, Verdict

MOST = 100
"""So many of the newest lines are shown."""
CHALLENGE_S = 30.0
"""So long after it was made a ruling may be challenged."""

Tongues = Mapping[str, Texts]


@dataclass(frozen=True, slots=True)
class Noted:
    """What is known of a line beside the match."""

    entry: JournalEntry
    """As it was said and ruled then."""
    pictured: bool = False
    challenge: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class _Basis:
    """All that a ruling is drawn from; while it is the same, the drawing is kept."""

    noted: Noted
    logged: Logged | None
    verdict: Verdict | None
    about: int | None


class Rulings:
    """Draws the newest lines of a game."""

    def __init__(self, tongues: Tongues, names: Sequence[str]) -> None:
        self._tongues, self._names = tongues, tuple(names)
        self._noted: dict[int, Noted] = {}
        self._drawn: dict[str, tuple[_Basis, dict[str, Any]]] = {}

    def note(self, entry: JournalEntry, pictured: bool) -> None:
        """A line was said and ruled on."""
        line = entry.data.get("line")
        if isinstance(line, int):
            self._noted[line] = Noted(entry, pictured)

    def challenge(self, entry: JournalEntry) -> None:
        """Somebody doubts a ruling, or that is settled."""
        line = entry.data.get("line")
        noted = self._noted.get(line) if isinstance(line, int) else None
        if noted is not None and isinstance(line, int):
            first = noted.challenge or {"by": entry.data.get("by"), "at_s": round(entry.at_s, 2)}
            doubt = {**first, "open": bool(entry.data.get("open"))}
            self._noted[line] = replace(noted, challenge=doubt)

    def draw(self, game: Game) -> dict[str, dict[str, Any]]:
        """The newest lines, by number; those that have not changed are the same objects as before."""
        match = game.match
        places = {entry.line: index for index, entry in enumerate(match.log)}
        drawn: dict[str, tuple[_Basis, dict[str, Any]]] = {}
        for line in game.lines[-MOST:]:
            noted = self._noted.get(line.number)
            if noted is None:
                continue
            index = places.get(line.number)
            verdict = None if index is None else match.verdicts[index]
            basis = _Basis(
                noted,
                None if index is None else match.log[index],
                verdict,
                None if verdict is None else match.line_about(verdict),
            )
            before = self._drawn.get(str(line.number))
            same = before is not None and before[0] == basis
            drawn[str(line.number)] = before if before is not None and same else (basis, self._ruling(line, basis))
        self._drawn = drawn
        return {number: ruling for number, (_, ruling) in drawn.items()}

    def _ruling(self, line: Line, basis: _Basis) -> dict[str, Any]:
        noted, said = basis.noted, basis.noted.entry.data
        played = line.meaning.move if isinstance(line.meaning, Play) else None
        move: Move | None = played if basis.logged is None else basis.logged.move
        ruling = said.get("ruling") if basis.verdict is None else basis.verdict.ruling.value
        rule = said.get("rule") if basis.verdict is None else basis.verdict.rule
        reason = basis.verdict.reason if basis.verdict is not None else reason_of(said) if ruling else None
        changed = said.get("changed")
        at_s = noted.entry.at_s
        probability = said.get("probability") if basis.logged is None else basis.logged.probability
        return {
            "line": line.number,
            "at_s": round(at_s, 2),
            "text": line.text if move is None else str(move),
            "ruling": ruling,
            "rule": rule,
            "rule_text": self._rule(rule),
            "reason": None if reason is None else self.say(reason),
            "seat": None if move is None else move.seat,
            "cards": [] if move is None else list(move.cards),
            "about": said.get("about") if basis.verdict is None else basis.about,
            "pinned": basis.logged is not None and basis.logged.pinned,
            "stands": basis.logged is not None and basis.logged.stands,
            "undone": move is not None and basis.logged is None,
            "by": "camera" if noted.entry.kind == "ruling" else "human",
            "frame": said.get("after"),
            "evidence": noted.pictured,
            "challenge": noted.challenge,
            "challenge_until_s": round(at_s + CHALLENGE_S, 2),
            "changed": [one.get("line") for one in changed if isinstance(one, dict)]
            if isinstance(changed, list)
            else [],
            "refused": said.get("refused"),
            # What is certain is not mentioned.
            **({"probability": probability} if isinstance(probability, float) and probability < 1 else {}),
        }

    def say(self, reason: Reason) -> Text:
        """A sentence in every language."""
        return {tongue: texts.say(reason, self._names) for tongue, texts in self._tongues.items()}

    def _rule(self, rule: Any) -> Text | None:
        if not isinstance(rule, str) or any(rule not in texts.rules for texts in self._tongues.values()):
            return None
        return {tongue: texts.rules[rule] for tongue, texts in self._tongues.items()}
