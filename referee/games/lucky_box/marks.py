"""The marks of one player's turn of Lucky Box: their words, whether they are right, and what they change."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from referee.games.lucky_box.state import MOST_STARS, SECOND, Box, Player, PlayerStep
from referee.games.lucky_box.turn import (
    ANY,
    BoxFace,
    Explanation,
    distance,
    endings,
    explain,
    reaches,
)
from referee.moves import HIDDEN, Move
from referee.verdicts import Verdict, illegal, legal, unclear

STAR_ROWS = ("star1", "star2", "star3", "star4")
COUNTS = frozenset(("spend", "light", "moon", *STAR_ROWS))


@dataclass(frozen=True, slots=True)
class Turn:
    """A player's turn: the seat, the player, the round and the turned number."""

    seat: int
    player: Player
    round: int
    number: int


class Marks:
    """The cells of a deck by name (49:r2c3 is row 2, column 3 of card 49) and the rules of marking them."""

    def __init__(self, faces: dict[str, BoxFace]) -> None:
        self._face = {code + second: face for code, face in faces.items() for second in ("", SECOND)}
        self.cells = {
            f"{name}:r{cell // 3 + 1}c{cell % 3 + 1}": (name, cell) for name in self._face for cell in range(9)
        }
        self._word = {place: word for word, place in self.cells.items()}
        self._rank = {word: rank for rank, word in enumerate(self.cells)}

    def order(self, word: str) -> int:
        """By card, then reading order; what could not be read comes last."""
        return self._rank.get(word, len(self._rank))

    def matching(self, boxes: Iterable[Box], number: int) -> str | None:
        """The first open cell with the number (or with any)."""
        for box in boxes:
            left = self._face[box.name].where[number] & ~box.crossed
            if left:
                return self._word[box.name, (left & -left).bit_length() - 1]
        return None

    def moves(self, turn: Turn) -> Iterator[Move]:
        """Every legal turn, played forward from the number."""
        player, number = turn.player, turn.number
        faces = [self._face[box.name] for box in player.boxes]
        before = tuple(box.crossed for box in player.boxes)
        if not any(face.where[number] & ~crossed for face, crossed in zip(faces, before, strict=True)):
            yield Move(turn.seat, "skip")
        given: dict[tuple[int, ...], set[int]] = {}
        for target in range(1, 10):
            spends = [
                spend
                for spend in range(player.lightning + 1)
                if (spend > 0) == (target != number)
                and any((number + shift - target) % 9 == 0 for shift in range(-spend, spend + 1, 2))
            ]
            for after, won in endings(faces, before, target) if spends else ():
                # Turns that begin with different numbers can end alike; with the same spend they are one move.
                known = given.setdefault(after, set())
                for spend in spends:
                    if spend not in known:
                        known.add(spend)
                        yield self._move(turn, after, won, spend)

    def _move(self, turn: Turn, after: tuple[int, ...], won: str, spend: int) -> Move:
        words = [
            self._word[box.name, cell]
            for box, crossed in zip(turn.player.boxes, after, strict=True)
            for cell in range(9)
            if (crossed & ~box.crossed) >> cell & 1
        ]
        counts = {
            "light": won.count("L") + 2 * won.count("D"),
            "moon": won.count("M"),
            "spend": spend,
            STAR_ROWS[turn.round - 1]: min(won.count("S"), MOST_STARS - turn.player.stars[turn.round - 1]),
        }
        stated = tuple((name, number) for name, number in sorted(counts.items()) if number)
        return Move(turn.seat, "mark", tuple(sorted(words, key=self.order)), None, stated)

    def judge(self, turn: Turn, move: Move) -> Verdict:
        """What the referee says of a whole turn, from the marks, the tokens and the stars."""
        seat, player = turn.seat, turn.player
        spend = dict(move.counts).get("spend", 0)
        if spend > player.lightning:
            return illegal(move, "LB-3", "spends-too-many", seat=seat, spend=spend, held=player.lightning)
        before = {box.name: box.crossed for box in player.boxes}
        after = dict(before)
        for word in move.cards:
            if word == HIDDEN:
                continue
            name, cell = self.cells[word]
            if name not in before:
                return illegal(move, "LB-2", "not-owned", seat=seat, card=name)
            if after[name] >> cell & 1:
                key = "crossed-before" if before[name] >> cell & 1 else "crossed-twice"
                return illegal(move, "LB-2", key, seat=seat, cell=word)
            after[name] |= 1 << cell
        if HIDDEN in move.cards:
            return unclear(move, "LB-2", "unread", seat=seat)
        paid = [
            (name, line, bonus)
            for name, crossed in after.items()
            if crossed != before[name]
            for line, bonus in self._face[name].lines
            if crossed & line == line and before[name] & line != line
        ]
        return self._judge_chain(turn, move, spend, after, paid)

    def _judge_chain(
        self, turn: Turn, move: Move, spend: int, after: dict[str, int], paid: Sequence[tuple[str, int, str]]
    ) -> Verdict:
        places = [self.cells[word] for word in move.cards]
        values = [self._face[name].grid[cell] for name, cell in places]
        # The dearest start first: a spend is wasteful only if no start needs it.
        starts = [mark for mark, value in enumerate(values) if reaches(turn.number, value, spend)]
        starts.sort(key=lambda mark: -distance(turn.number, values[mark]))
        if not starts:
            return self._wrong_start(turn, move, values, spend)
        lines = [
            (
                sum(1 << mark for mark, (own, cell) in enumerate(places) if own == name and line >> cell & 1),
                ANY if bonus == "?" else int(bonus),
            )
            for name, line, bonus in paid
            if bonus in "123456789?"
        ]
        boxes = [Box(name, crossed) for name, crossed in after.items()] if lines else []
        open_kinds = sum(1 << kind for kind in range(10) if lines and self.matching(boxes, kind))
        found = explain(values, lines, starts, open_kinds)
        if found.start is None:
            return self._unexplained(turn, move, values, boxes, found)
        return self._judge_gains(turn, move, "".join(bonus for _, _, bonus in paid), values[found.start])

    def _wrong_start(self, turn: Turn, move: Move, values: Sequence[int], spend: int) -> Verdict:
        number, value = turn.number, values[0]
        if not spend:
            return illegal(move, "LB-2", "wrong-number", seat=turn.seat, cell=move.cards[0], value=value, number=number)
        target = next((value for value in values if value != number), None)
        if target is None:
            return illegal(move, "LB-3", "spends-for-nothing", seat=turn.seat, spend=spend, number=number)
        least = distance(number, target)
        return illegal(
            move, "LB-3", "spends-wrong", seat=turn.seat, spend=spend, number=number, target=target, least=least
        )

    def _unexplained(
        self,
        turn: Turn,
        move: Move,
        values: Sequence[int],
        boxes: Sequence[Box],
        found: Explanation,
    ) -> Verdict:
        """Why the marks are no turn: a mark too many, a bonus used for another number, or one not used.

        `boxes` are the player's cards after the turn; empty if no line gave a bonus that crosses.
        """
        seat = turn.seat
        if not found.whole:
            return unclear(move, "LB-6", "chain-long", seat=seat, cells=len(values))
        mark = next((mark for mark in range(len(values)) if not found.crossed >> mark & 1), None)
        if mark is None:
            idle = next((kind, cell) for kind in found.waiting if (cell := self.matching(boxes, kind)) is not None)
            if idle[0] == ANY:
                return illegal(move, "LB-5", "bonus-any-unused", seat=seat, cell=idle[1])
            return illegal(move, "LB-5", "bonus-unused", seat=seat, bonus=idle[0], cell=idle[1])
        cell, value = move.cards[mark], values[mark]
        if not boxes:
            return illegal(move, "LB-2", "one-cell", seat=seat, cell=cell)
        if found.waiting:
            waiting = tuple(str(kind) if kind != ANY else "?" for kind in found.waiting)
            return illegal(move, "LB-5", "bonus-other", seat=seat, cell=cell, value=value, bonuses=waiting)
        return illegal(move, "LB-6", "no-bonus-for", seat=seat, cell=cell)

    def _judge_gains(self, turn: Turn, move: Move, paid: str, target: int) -> Verdict:
        seat, row = turn.seat, STAR_ROWS[turn.round - 1]
        stated = dict(move.counts)
        for number, other in enumerate(STAR_ROWS, 1):
            if other != row and other in stated:
                return illegal(move, "LB-5", "star-row", seat=seat, row=number, round=turn.round)
        light, moon = paid.count("L") + 2 * paid.count("D"), paid.count("M")
        star = min(paid.count("S"), MOST_STARS - turn.player.stars[turn.round - 1])
        spend = stated.get("spend", 0)
        took = (stated.get("light", 0), stated.get("moon", 0), stated.get(row, 0))
        if took != (light, moon, star):
            return illegal(
                move,
                "LB-5",
                "gains-wrong",
                seat=seat,
                light=light,
                moon=moon,
                star=star,
                took_light=took[0],
                took_moon=took[1],
                took_star=took[2],
            )
        least = distance(turn.number, target)
        key = "marks" if not spend else "spends" if spend == least else "wastes"
        rule = "LB-3" if spend else "LB-6" if len(move.cards) > 1 else "LB-4" if paid else "LB-2"
        return legal(
            move,
            rule,
            f"{key}-lines" if paid else key,
            seat=seat,
            cells=move.cards,
            number=turn.number,
            target=target,
            spend=spend,
            least=least,
            lines=len(paid),
            light=light,
            moon=moon,
            star=star,
        )

    def apply(self, player: Player, move: Move) -> Player:
        """The player after the marks and tokens of a move, as far as they can be there at all, and done."""
        boxes = {box.name: box for box in player.boxes}
        for word in move.cards:
            name, cell = self.cells.get(word, ("", 0))
            if name in boxes:
                boxes[name] = Box(name, boxes[name].crossed | 1 << cell)
        lightning, moons, stars = player.lightning, player.moons, player.stars
        if move.counts:
            stated = dict(move.counts)
            lightning = max(0, lightning - stated.get("spend", 0)) + stated.get("light", 0)
            moons += stated.get("moon", 0)
            stars = tuple(
                min(MOST_STARS, count + stated.get(row, 0)) for count, row in zip(stars, STAR_ROWS, strict=True)
            )
        p = player
        return Player(tuple(boxes.values()), lightning, moons, stars, p.points, PlayerStep.READY, p.owed, p.splits)
