"""`krupier judge`: every line of a record with its ruling, then scores, hands, winner and why."""

import json
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from device.cli.inputs import DeckFile, Lang, chosen_deck, read_text, refuse, refusing
from models.cards import Deck
from referee.match import AnyMatch, Match
from referee.record import Record, read_opening, read_record
from referee.report import report_line
from referee.rules import AnyRules, load_rules
from referee.texts import Texts, load_texts
from referee.transcript import Ruled, all_legal, judge_record
from referee.verdicts import Ruling

_STYLES = {Ruling.LEGAL: ("✓", "green"), Ruling.ILLEGAL: ("✗", "bold red"), Ruling.UNCLEAR: ("?", "bold yellow")}


def judge(
    file: Annotated[str, typer.Argument(help="A game record, or - for standard input.")],
    lang: Lang,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object per line, with the full public state.")
    ] = False,
    deck: DeckFile = None,
) -> None:
    """Judge a game record line by line.

    Exit code 0: all legal; 1: something illegal or unclear; 2: not a record.
    """
    name = "standard input" if file == "-" else file
    with refusing():
        text = read_text(file, name)
        opening = read_opening(text, name)
        own = chosen_deck(deck)
        _check_deck(opening.deck, own)
        rules = load_rules(opening.game, own)
        record = read_record(text, rules, name)
        texts = load_texts(rules.game, lang.value)
        legal = _print_json(record, rules, texts) if as_json else _print_report(record, rules, texts)
    if not legal:
        raise typer.Exit(1)


def _check_deck(wanted: str | None, given: Deck | None) -> None:
    if wanted is not None and given is None:
        refuse(f"the record was played with the deck {wanted!r}; give its file with --deck")
    if wanted is not None and given is not None and given.name != wanted:
        refuse(f"the record was played with the deck {wanted!r}, found {given.name!r}")


def _print_json(record: Record, rules: AnyRules, texts: Texts) -> bool:
    legal = True
    for ruled in judge_record(record, rules):
        json.dump(report_line(ruled, texts), sys.stdout, ensure_ascii=False)
        sys.stdout.write("\n")
        legal = all_legal(ruled)
    return legal


def _print_report(record: Record, rules: AnyRules, texts: Texts) -> bool:
    console = Console(highlight=False)
    widest = max((len(line.text.strip()) for line in record.lines if line.meaning), default=0)
    match: AnyMatch = Match.open(rules, record.opening)
    legal = True
    for ruled in judge_record(record, rules):
        console.print(_line(ruled, texts, min(widest, 36)), soft_wrap=True)
        match, legal = ruled.match, all_legal(ruled)
    console.print()
    _print_end(console, match, texts)
    return legal


def _line(ruled: Ruled, texts: Texts, width: int) -> Text:
    names = ruled.match.names
    line = Text(f"{ruled.line.number:>4}  {ruled.line.text.strip():<{width}}  ")
    verdict = ruled.verdict
    if verdict is None:
        rows = ruled.match.log
        changed = ", ".join(f"{rows[i].line} {ruled.match.verdicts[i].ruling}" for i in ruled.changed)
        line.append(
            f"! {ruled.refused}" if ruled.refused else f"→ {changed or '·'}", "bold red" if ruled.refused else "cyan"
        )
        return line
    mark, style = _STYLES[verdict.ruling]
    line.append(f"{mark} {verdict.ruling.value:<7} {verdict.rule:<6}", style)
    line.append(" " + texts.say(verdict.reason, names))
    about = ruled.match.line_about(verdict)
    if about is not None:
        line.append(f"  ⟵ {about}", style)
    return line


def _print_end(console: Console, match: AnyMatch, texts: Texts) -> None:
    names, rules = match.names, match.rules
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for title in (texts.sentences["title-hand"], texts.sentences["title-points"]):
        table.add_column(title, justify="right")
    table.add_column("")
    for row in rules.standings(match.state):
        table.add_row(Text(names[row.seat]), str(row.hand), str(row.points), Text(texts.say(row.story, names)))
    console.print(table)
    console.print()
    outcome = rules.outcome(match.state)
    if outcome is not None:
        console.print(Text(texts.say(outcome.why, names), "bold"), soft_wrap=True)
        return
    for reason in rules.todo(match.state):
        console.print(Text("▸ " + texts.say(reason, names)), soft_wrap=True)
