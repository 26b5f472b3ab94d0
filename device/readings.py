"""Readings: the cards of a picture, as a table for people and as JSON for programs."""

from math import atan2, degrees
from typing import Any

from rich.table import Table
from rich.text import Text

from calibration.rig import Rig
from vision.sightings import Look, Sighting
from vision.table import FOREIGN

WAYS = "↑↗→↘↓↙←↖"
UNKNOWN = "not of this deck"
SURE_WAY_PROBABILITY = 0.95
"""Probability of the way up below which it is shown."""
_STYLES = ((0.99, "green"), (0.9, "yellow"), (0.0, "red"))


def reading_json(look: Look) -> dict[str, Any]:
    """The cards of one picture as JSON values."""
    return {"cards": [_card_json(card) for card in look.cards]}


def heading(name: str, look: Look) -> Text:
    """Name of a picture and its number of cards."""
    count = "no cards" if not look.cards else "1 card" if len(look.cards) == 1 else f"{len(look.cards)} cards"
    return Text(f"{name}: {count}", "bold")


def reading_table(look: Look, rig: Rig | None) -> Table:
    """The cards of one picture as a table, bottom to top."""
    table = Table(box=None, pad_edge=False)
    for heading in ("card", "sure", "where", "way up", "seen", "or else"):
        table.add_column(heading, justify="right" if heading in ("sure", "seen") else "left", no_wrap=True)
    for card in look.cards:
        second = card.guesses[1] if len(card.guesses) > 1 else None
        table.add_row(
            _named(card),
            _sure(card),
            _where(card, rig),
            _way_up(card),
            f"{100 * card.visible:.0f} %",
            "" if second is None else f"{second.code or UNKNOWN} {_percent(second.probability)}",
        )
    return table


def turn_deg(card: Sighting) -> float:
    """Clockwise rotation of a card in the picture, from 0 (upright) to 360."""
    (left_x, left_y), (right_x, right_y) = card.corners_px[:2]
    return degrees(atan2(right_y - left_y, right_x - left_x)) % 360.0


def _card_json(card: Sighting) -> dict[str, Any]:
    return {
        "code": card.code if card.guesses else None,
        "guesses": [{"code": guess.code, "probability": round(guess.probability, 6)} for guess in card.guesses],
        "corners": [[round(x, 2), round(y, 2)] for x, y in card.corners_px],
        "face": ("up" if card.face_up else "down") if card.side_known else "unknown",
        "visible": round(card.visible, 3),
        "found": round(card.confidence, 4),
        "under_hand": card.under_hand,
        "marks": list(card.marks),
        "alike": card.alike or None,
        "way_up": round(card.way_probability, 4) if card.face_up and card.guesses else None,
    }


def _named(card: Sighting) -> Text:
    hand = ", under a hand" if card.under_hand else ""
    if not card.side_known:
        alike = f", alike {_letter(card.alike)}" if card.alike else ""
        return Text(f"a card, side unknown{alike}{hand}", "dim")
    if not card.face_up:
        return Text(f"face down{hand}", "dim")
    if not card.guesses:
        return Text(f"face up, not read{hand}", "dim")
    marks = f"  {' '.join(card.marks)}" if card.marks else ""
    return Text(f"{card.code or UNKNOWN}{marks}{hand}", "bold" if card.code != FOREIGN else "dim")


def _letter(group: int) -> str:
    """The name of a group of equal cards: A to Z, then numbers."""
    return chr(ord("A") + group - 1) if group <= 26 else str(group)


def _sure(card: Sighting) -> Text:
    if not card.guesses:
        return Text("")
    probability = card.guesses[0].probability
    return Text(_percent(probability), next(style for least, style in _STYLES if probability >= least))


def _percent(probability: float) -> str:
    """A probability in per cent; shows 100 only for certainty."""
    text = f"{100 * probability:.1f} %"
    return "99.9 %" if text == "100.0 %" and probability < 1 else text


def _where(card: Sighting, rig: Rig | None) -> str:
    if rig is None:
        x, y = (sum(point[axis] for point in card.corners_px) / 4 for axis in (0, 1))
        return f"{x:.0f}, {y:.0f} px"
    x, y = card.centre_mm
    zone = rig.zone_of((x, y))
    return f"{zone}{' ' if zone else ''}{x:.0f}, {y:.0f} mm"


def _way_up(card: Sighting) -> str:
    if not card.face_up or not card.guesses:
        return ""
    turn = turn_deg(card)
    doubt = "" if card.way_probability >= SURE_WAY_PROBABILITY else f", {_percent(card.way_probability)}"
    return f"{WAYS[round(turn / 45) % 8]} {turn:.0f}°{doubt}"
