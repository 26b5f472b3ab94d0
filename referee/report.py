"""Reports: rulings, tables and outcomes as plain JSON values, the same for files, logs and the dashboard."""

from typing import Any

from referee.match import AnyMatch
from referee.snapshot import to_json
from referee.texts import Texts
from referee.transcript import Ruled
from referee.verdicts import Outcome, Reason


def report_line(ruled: Ruled, texts: Texts) -> dict[str, Any]:
    """One judged line of a record with the full public state after it."""
    match, verdict = ruled.match, ruled.verdict
    report: dict[str, Any] = {"line": ruled.line.number, "text": ruled.line.text.strip()}
    if verdict is None:
        report |= {"ruling": None, "rule": None, "reason": ruled.refused, "numbers": {}, "about": None}
        report["changed"] = [_short(match, index) for index in ruled.changed]
        report["refused"] = ruled.refused is not None
    else:
        report |= {"ruling": verdict.ruling.value, "rule": verdict.rule}
        report |= {"reason": texts.say(verdict.reason, match.names), "numbers": _numbers(verdict.reason)}
        report["about"] = match.line_about(verdict)
    report["state"] = report_state(match, texts)
    return report


def report_state(match: AnyMatch, texts: Texts) -> dict[str, Any]:
    """The public state, the next tasks, the standings and the outcome."""
    rules, state, names = match.rules, match.state, match.names
    outcome = rules.outcome(state)
    return {
        "game": rules.game,
        "names": list(names),
        "table": to_json(state),
        "todo": [{"text": texts.say(reason, names), **_numbers(reason)} for reason in rules.todo(state)],
        "standings": [
            {"seat": row.seat, "hand": row.hand, "points": row.points, "story": texts.say(row.story, names)}
            for row in rules.standings(state)
        ],
        "outcome": None if outcome is None else _outcome(outcome, texts, names),
    }


def _outcome(outcome: Outcome, texts: Texts, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "winners": list(outcome.winners),
        "why": texts.say(outcome.why, names),
        "places": [list(place) for place in outcome.places],
    }


def _short(match: AnyMatch, index: int) -> dict[str, Any]:
    verdict = match.verdicts[index]
    return {"line": match.log[index].line, "ruling": verdict.ruling.value, "rule": verdict.rule}


def _numbers(reason: Reason) -> dict[str, Any]:
    return {key: to_json(value) for key, value in reason.args}
