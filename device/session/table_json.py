"""Tables as the journal keeps them, and in a few words."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from device.recording.lines import JSON
from vision.table import Arm, Guess, Piece, PlacedCard, Table

SURE = 0.9
"""A card that is read with less gets a question mark."""
BACK = "▒"
UNREAD = "?"


def table_json(table: Table) -> dict[str, JSON]:
    """A table as plain values; hundredths of a millimetre and ten thousandths of a probability are enough."""
    pieces: list[JSON] = [
        {**asdict(piece), "x_mm": round(float(piece.x_mm), 2), "y_mm": round(float(piece.y_mm), 2)}
        for piece in table.pieces
    ]
    return {
        "frame": table.frame,
        "looks": table.looks,
        "cards": [_card(card) for card in table.cards],
        "pieces": pieces,
        "arms": [_arm(arm) for arm in table.arms],
        **({"hasty": True} if table.hasty else {}),
    }


def table_from_json(data: Mapping[str, Any], at_s: float) -> Table:
    """A table of the journal, as it was rounded; what older journals do not say is as usual."""
    return Table(
        at_s,
        int(data["frame"]),
        tuple(_placed(card) for card in data.get("cards", ())),
        tuple(Piece(**piece) for piece in data.get("pieces", ())),
        int(data.get("looks", 1)),
        tuple(_reached(arm) for arm in data.get("arms", ())),
        bool(data.get("hasty", False)),
    )


def lies(data: Mapping[str, Any]) -> tuple[tuple[str, str, bool, tuple[str, ...]], ...]:
    """What lies on a table of the journal as players would compare it: zone, card, side and marks, in any order."""
    cards = data.get("cards", ())
    return tuple(sorted((card["zone"], card["code"], card["face_up"], tuple(card["marks"])) for card in cards))


def table_words(data: Mapping[str, Any]) -> str:
    """A table of the journal in a line: zone by zone, bottom to top, backs and doubts marked."""
    zones: dict[str, list[str]] = {}
    for card in data.get("cards", ()):
        zones.setdefault(card["zone"] or "—", []).append(_word(card))
    return " · ".join(f"{zone}: {' '.join(words)}" for zone, words in sorted(zones.items())) or "no cards"


def _word(card: Mapping[str, Any]) -> str:
    if not card["face_up"]:
        return BACK
    sure = card["guesses"][0]["probability"] if card["guesses"] else 0.0
    marks = f"[{' '.join(card['marks'])}]" if card["marks"] else ""
    return f"{card['code'] or UNREAD}{marks}{UNREAD if card['code'] and sure < SURE else ''}"


def _card(card: PlacedCard) -> dict[str, JSON]:
    return {
        "track": card.track,
        "code": card.code,
        "guesses": [{"code": one.code, "probability": round(float(one.probability), 4)} for one in card.guesses],
        "face_up": card.face_up,
        "corners_mm": [[round(float(x), 2), round(float(y), 2)] for x, y in card.corners_mm],
        "zone": card.zone,
        "turned_deg": round(float(card.turned_deg), 1),
        "visible": round(float(card.visible), 3),
        "marks": list(card.marks),
        **({"spot": card.spot, "order": card.order} if card.spot else {}),
        **({"pinned": True} if card.pinned else {}),
        "looks": card.looks,
    }


def _placed(card: Mapping[str, Any]) -> PlacedCard:
    a, b, c, d = ((float(x), float(y)) for x, y in card["corners_mm"])
    return PlacedCard(
        card["track"],
        card["code"],
        tuple(Guess(one["code"], float(one["probability"])) for one in card["guesses"]),
        card["face_up"],
        (a, b, c, d),
        card["zone"],
        float(card["turned_deg"]),
        float(card["visible"]),
        tuple(card["marks"]),
        card.get("spot", ""),
        card.get("order", 0),
        card.get("pinned", False),
        card.get("looks", 1),
    )


def _arm(arm: Arm) -> dict[str, JSON]:
    return {
        "seats": [[name, round(float(share), 4)] for name, share in arm.seats],
        "points_mm": [[round(float(x), 2), round(float(y), 2)] for x, y in arm.points_mm],
        "from_s": round(float(arm.from_s), 3),
        "to_s": round(float(arm.to_s), 3),
        **({"over": [[zone, spot] for zone, spot in arm.over]} if arm.over else {}),
    }


def _reached(arm: Mapping[str, Any]) -> Arm:
    return Arm(
        tuple((name, float(share)) for name, share in arm["seats"]),
        tuple((float(x), float(y)) for x, y in arm["points_mm"]),
        float(arm["from_s"]),
        float(arm["to_s"]),
        tuple((zone, spot) for zone, spot in arm.get("over", ())),
    )
