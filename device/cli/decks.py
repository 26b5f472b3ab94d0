"""`krupier deck`: decks as pictures."""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from device.cli.inputs import DeckFile, GameName, chosen_deck, refusing
from device.files import new_folder
from models.cards import Card, Deck, own_deck
from referee.rules import OpeningError

decks = typer.Typer(help="Decks as pictures.", no_args_is_help=True)


@decks.callback()
def show() -> None:
    """Decks as pictures."""


@decks.command()
def export(
    game: GameName,
    output: Annotated[Path, typer.Option("-o", "--output", help="A new folder.")],
    dpi: Annotated[int, typer.Option("--dpi", min=50, max=1200)] = 300,
    deck: DeckFile = None,
) -> None:
    """Write one PNG per face, back.png, and an index.json that describes them."""
    with refusing():
        chosen = chosen_deck(deck) or own_deck(game)
        if chosen.game != game:
            raise OpeningError(f"deck {chosen.name!r} is for {chosen.game!r}, wanted one for {game!r}")
        with new_folder(output) as folder:
            index = _export(chosen, folder, dpi)
            (folder / "index.json").write_text(json.dumps(index, indent=1, ensure_ascii=False) + "\n", "utf-8")
    typer.echo(f"{output}: {len(index['cards'])} faces")


@dataclass(frozen=True, slots=True)
class Named:
    """A card and the file of its face."""

    card: Card
    file: str


def _export(deck: Deck, folder: Path, dpi: int) -> dict[str, Any]:
    from models.art.decks import art_of
    from models.art.picture import draw_png

    art = art_of(deck.game)
    kinds = list(dict.fromkeys(card.kind for card in deck.cards))
    backs = {kind: "back.png" if kind == kinds[0] else f"back-{kind}.png" for kind in kinds}
    rows = []
    for named in (Named(card, f"{file_stem(card.code)}.png") for card in deck.cards):
        size = art.size_of(named.card)
        (folder / named.file).write_bytes(draw_png(partial(art.draw_face, card=named.card), size, dpi))
        rows.append(
            {
                "file": named.file,
                "code": named.card.code,
                "kind": named.card.kind,
                "count": named.card.count,
                "back": backs[named.card.kind],
                "attributes": {key: list(v) if isinstance(v, tuple) else v for key, v in named.card.traits},
                "width_mm": size.width_mm,
                "height_mm": size.height_mm,
                "corner_mm": size.corner_mm,
            }
        )
    for kind, file in backs.items():
        card = next(card for card in deck.cards if card.kind == kind)
        (folder / file).write_bytes(draw_png(partial(art.draw_back, kind=kind), art.size_of(card), dpi))
    return {"game": deck.game, "deck": deck.name, "dpi": dpi, "backs": backs, "cards": rows}


def file_stem(code: str) -> str:
    """A card's code as a file name: letters, digits and dashes only."""
    words = {"/": "-", "+": "plus", "'": "b"}
    stem = "".join(words.get(letter, letter) for letter in code)
    return stem.replace("-", "minus", 1) if stem.startswith("-") else stem
