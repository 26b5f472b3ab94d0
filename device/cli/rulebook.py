"""`krupier rules`: the rules as the referee knows them, by ID."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from device.cli.inputs import GameName, Lang, refusing
from referee.rules import load_rules
from referee.texts import load_texts


def rules(
    game: GameName,
    lang: Lang,
) -> None:
    """Print the rules of a game, by ID."""
    with refusing():
        load_rules(game)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column()
    for rule, text in load_texts(game, lang.value).rules.items():
        table.add_row(Text(rule), Text(text))
    Console(highlight=False).print(table)
