"""The report of an evaluation, as a table and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from device.lab.evaluation.score import HIDDEN, ErrorSpread, Judged, Scored, VisionFigures, bucket_of, figures

ALL = "all"
Row = tuple[str, str, VisionFigures, bool]
"""Grouping, group, figures, and whether they describe whole tables."""


def rows_of(scored: Sequence[Scored], reads: bool = True) -> Iterator[Row]:
    """All pictures together, then by deck, by light, by material and by visible fraction."""
    yield ALL, "", figures(scored, reads=reads), True
    for name, word in (("deck", _deck), ("light", _light), ("material", _material)):
        groups = sorted({word(picture) for picture in scored} - {""})
        # A single group would repeat the total.
        for group in groups if len(groups) > 1 else ():
            yield name, group, figures([picture for picture in scored if word(picture) == group], reads=reads), True
    for bucket in dict.fromkeys(sorted((bucket_of(card) for p in scored for card in p.cards), key=_low)):
        if bucket == HIDDEN:
            continue
        yield "visible", bucket, figures(scored, bucket, reads), False


def print_report(scored: Sequence[Scored], reads: bool, console: Console) -> None:
    """Print the figures as a table."""
    rows = list(rows_of(scored, reads))
    total = rows[0][2]
    table = Table(box=None, pad_edge=False)
    for column in (
        "",
        "",
        "tables",
        "perfect",
        "invented",
        "cards",
        "found",
        "read",
        "of all",
        "way",
        "face",
        "p50",
        "p95",
        "ECE",
    ):
        table.add_column(column, justify="left" if not column else "right", no_wrap=True)
    last = ""
    for name, group, counted, whole in rows:
        if name != last and last:
            table.add_section()
        table.add_row(*_cells("" if name == last else name, group, counted, whole, reads))
        last = name
    console.print(table)
    for line in notes(total, reads):
        console.print(line)


def notes(total: VisionFigures, reads: bool) -> Iterator[str]:
    """Explanations of the table, as sentences."""
    yield (
        f"found: of the {total.cards} cards of which at least 20 % is seen; "
        f"at least 10 %: {_share(total.little_found, total.little)} of {total.little}"
    )
    if reads:
        yield (
            f"read: exact, of the readable cards that were found (of all: missed ones count too); "
            f"{total.readable_found - _wrong(total)} of {total.readable_found}, {total.readable} in all; "
            f"at least 10 % seen: {_share(total.little_exact, total.little_readable)} of {total.little_readable}"
        )
    else:
        yield "read: nothing, for no deck was given (--deck GAME or --faces DIR)"
    yield (
        f"way: wrong way up, of {total.ways} cards that have one; face: wrong side up; "
        f"invented: {total.invented}, {100 * total.invented / max(1, total.tables):.2f} in 100 tables"
    )
    for unit, spread in (("px", total.corners_px), ("mm", total.corners_mm)):
        if spread is not None:
            yield f"corners off by, in {unit}: {_spread(spread)}" + (
                " (p50 and p95 above are in mm)" if unit == "mm" else ""
            )
    if total.marks:
        yield f"marks: not as they were drawn on {total.marks_wrong} of {total.marks} cards"
    if total.hands_missed or total.hands_invented:
        yield f"under a hand: {total.hands_missed} not said, {total.hands_invented} said of cards that lie free"


def report_json(scored: Sequence[Scored], reads: bool) -> dict[str, Any]:
    """The same figures and every mistake, as JSON values."""
    groups: dict[str, Any] = {}
    for name, group, counted, whole in rows_of(scored, reads):
        values = {
            key: value
            for key, value in asdict(counted).items()
            if whole or key not in ("tables", "perfect", "invented")
        }
        if name == ALL:
            groups[ALL] = values
        else:
            groups.setdefault(f"by_{name}", {})[group] = values
    return {"reads": reads, **groups, "mistakes": [line for picture in scored for line in mistakes(picture, reads)]}


def mistakes(picture: Scored, reads: bool = True) -> Iterator[dict[str, Any]]:
    """The mistakes in one picture, card by card."""
    for card in picture.cards:
        if not card.counts:
            continue
        for what, wrong in mistakes_of(card, reads):
            if wrong:
                corners = card.truth.corners_px or card.truth.box_px
                guesses = (
                    [] if card.seen is None else [[g.code, round(g.probability, 4)] for g in card.seen.guesses[:3]]
                )
                yield {
                    "picture": picture.truth.name,
                    "what": what,
                    "code": card.truth.code,
                    "visible": card.truth.visible,
                    "guesses": guesses,
                    "where": corners,
                }
    for seen in picture.invented:
        guesses = [[guess.code, round(guess.probability, 4)] for guess in seen.guesses[:3]]
        yield {"picture": picture.truth.name, "what": "invented", "guesses": guesses, "where": seen.corners_px}


def mistakes_of(card: Judged, reads: bool = True) -> tuple[tuple[str, bool], ...]:
    """The possible mistakes about a card, and whether each was made."""
    return (
        ("missed", not card.found),
        ("wrong side up", card.face_wrong),
        ("wrong way up", card.way_wrong),
        ("misread", reads and card.found and not card.face_wrong and card.to_read and not card.exact),
    )


def _cells(name: str, group: str, counted: VisionFigures, whole: bool, reads: bool) -> tuple[str, ...]:
    corners = counted.corners_mm
    return (
        name,
        group,
        str(counted.tables) if whole else "",
        _share(counted.perfect, counted.tables) if whole else "",
        str(counted.invented) if whole else "",
        str(counted.cards),
        _share(counted.found, counted.cards),
        _share(counted.readable_found - _wrong(counted), counted.readable_found) if reads else "–",
        _share(counted.exact, counted.readable) if reads else "–",
        f"{counted.ways_wrong}",
        f"{counted.faces_wrong}",
        "–" if corners is None else f"{corners.p50:.2f}",
        "–" if corners is None else f"{corners.p95:.2f}",
        "–" if counted.ece is None else f"{counted.ece:.4f}",
    )


def _wrong(counted: VisionFigures) -> int:
    return counted.readable_found - counted.exact


def _deck(picture: Scored) -> str:
    return picture.truth.deck


def _light(picture: Scored) -> str:
    return picture.truth.light


def _material(picture: Scored) -> str:
    return picture.truth.material


def _low(bucket: str) -> float:
    number = bucket.partition("–")[0]
    return float(number) if number.isdecimal() else -1.0


def _share(part: int, whole: int) -> str:
    """A share in per cent; shows 100 only if it is complete."""
    if not whole:
        return "–"
    text = f"{100 * part / whole:.2f}"
    return "99.99" if text == "100.00" and part < whole else text


def _spread(spread: ErrorSpread) -> str:
    return f"mean {spread.mean:.2f}, p50 {spread.p50:.2f}, p95 {spread.p95:.2f}, most {spread.most:.1f}"
