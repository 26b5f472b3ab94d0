"""One player's turn of Lucky Box: faces, lightning, and the chain of bonuses, searched from both ends.

`explain` starts from the marks on the table and asks whether some order of bonuses gives exactly these; `endings`
starts from the number and plays every turn there is. They share only the printed faces.

Why `explain` may look at the end first: crossed cells stay crossed, so a bonus that finds no cell now finds none
later, and bonuses may wait. A bonus is therefore lost exactly if no cell for it is left open when all is done.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models.cards import Card, Deck, DeckError
from referee.games.lucky_box.state import FIRST_DRAW, SECOND, TURNS

ANY = 0
"""The kind of a `?` bonus; a digit bonus has its digit as kind."""
MOST_POSITIONS = 5_000
"""How far a chain is searched; honest turns need a few dozen positions."""
HOPELESS_POSITIONS = 200
"""How far, when marks and bonuses cannot add up: only to name what is wrong."""

BONUSES = frozenset("123456789?LDSM-")
_LINES = (0b000_000_111, 0b000_111_000, 0b111_000_000, 0b001_001_001, 0b010_010_010, 0b100_100_100)
_MOST_SEATS_ONE_COPY = 6


@dataclass(frozen=True, slots=True)
class BoxFace:
    """What is printed on a box card."""

    grid: tuple[int, ...]
    lines: tuple[tuple[int, str], ...]
    """The cells of every row and column, as bits, and its bonus."""
    where: tuple[int, ...]
    """where[n]: the cells with number n, as bits; where[ANY]: all cells."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a search found: the cell the turn began with, or how far the best try came."""

    start: int | None
    """Index of the first crossed cell, if the marks are explained."""
    crossed: int = 0
    """The marks (as bits) that the best try explains."""
    waiting: tuple[int, ...] = ()
    """Kinds of the bonuses that were still waiting then."""
    whole: bool = True
    """False when the search was given up."""


def read_faces(deck: Deck) -> dict[str, BoxFace]:
    """The faces of all box cards; DeckError if the game cannot be played with them."""
    for card in deck.cards:
        if card.kind not in ("box", "number"):
            raise DeckError(f"card {card.code!r}: kind = {card.kind!r}, wanted box or number")
    boxes = deck.of("box")
    if len(boxes) < FIRST_DRAW * _MOST_SEATS_ONE_COPY:
        raise DeckError(f"{len(boxes)} box cards; Lucky Box wants at least {FIRST_DRAW * _MOST_SEATS_ONE_COPY}")
    return {card.code: _face(card) for card in boxes}


def read_numbers(deck: Deck) -> dict[str, int]:
    """The number on each number card; DeckError unless there is a card for each of 1 to 9."""
    numbers = {card.code: card.number("number") for card in deck.of("number")}
    if sorted(numbers.values()) != list(range(1, TURNS + 1)):
        found = " ".join(map(str, sorted(numbers.values()))) or "none"
        raise DeckError(f"number cards: found {found}, wanted one line for each of 1 to 9")
    return numbers


def _face(card: Card) -> BoxFace:
    if card.count != 1 or ":" in card.code or SECOND in card.code:
        raise DeckError(f"box card {card.code!r}, count {card.count}; wanted count 1 and no : or ' in the code")
    grid, bonuses = card.row("grid"), (*card.row("rows"), *card.row("cols"))
    if len(grid) != 9 or any(len(cell) != 1 or cell not in "123456789" for cell in grid):
        raise DeckError(f"card {card.code!r}: grid = {' '.join(grid)}, wanted nine numbers from 1 to 9")
    if len(card.row("rows")) != 3 or len(bonuses) != 6 or not BONUSES.issuperset(bonuses):
        raise DeckError(f"card {card.code!r}: bonuses {' '.join(bonuses)}, wanted 3 rows and 3 cols of 1-9 ? L D S M -")
    numbers = tuple(int(cell) for cell in grid)
    where = tuple(
        sum(1 << cell for cell, number in enumerate(numbers) if wanted in (ANY, number)) for wanted in range(10)
    )
    return BoxFace(numbers, tuple(zip(_LINES, bonuses, strict=True)), where)


# Lightning


def distance(number: int, target: int) -> int:
    """The fewest tokens that turn a number into another; 9 and 1 are neighbours."""
    up = (target - number) % 9
    return min(up, 9 - up)


def reaches(number: int, target: int, spent: int) -> bool:
    """Whether exactly `spent` tokens turn the number into the target. Spending must change the number."""
    if not spent or number == target:
        return not spent and number == target
    # Going round the other way is 9 steps more or fewer, so it has the other parity; two wasted tokens cancel out.
    up = (target - number) % 9
    return spent >= (up if (up - spent) % 2 == 0 else 9 - up)


# From the marks back to the number


def explain(
    values: Sequence[int], lines: Sequence[tuple[int, int]], starts: Sequence[int], open_kinds: int
) -> Explanation:
    """Whether the marks can be one turn.

    `values[i]` is the number of mark i. A line is the marks that completed it, as bits, and the kind of its bonus
    (only bonuses that cross). `starts` are the marks that the number card allows, `open_kinds` (bits) the kinds of
    bonus that would still find a cell when all is done.
    """
    if not lines:
        return Explanation(starts[0]) if len(values) == 1 else Explanation(None, 1 << starts[0])
    everything = (1 << len(values)) - 1
    possible = [start for start in starts if _adds_up(values, lines, start, open_kinds)]
    hopeless = not possible
    limit = HOPELESS_POSITIONS if hopeless else MOST_POSITIONS
    nothing: tuple[int, ...] = (0,) * 10
    best, best_waiting = 0, nothing
    seen: set[tuple[int, tuple[int, ...]]] = set()
    for start in possible or starts:
        stack = [_cross(0, start, nothing, lines)]
        while stack:
            position = stack.pop()
            if position in seen:
                continue
            seen.add(position)
            crossed, waiting = position
            if crossed == everything and not any(open_kinds >> kind & 1 for kind in range(10) if waiting[kind]):
                return Explanation(start)
            if crossed.bit_count() > best.bit_count():
                best, best_waiting = crossed, waiting
            if len(seen) >= limit:
                return Explanation(None, best, _kinds(best_waiting), whole=hopeless)
            further = [
                _cross(crossed, mark, _less(waiting, kind), lines)
                for mark, value in enumerate(values)
                if not crossed >> mark & 1
                for kind in (value, ANY)
                if waiting[kind]
            ]
            # What brings most bonuses is tried first; long chains are found quickly then.
            stack += sorted(further, key=lambda position: sum(position[1]))
    return Explanation(None, best, _kinds(best_waiting))


def _adds_up(values: Sequence[int], lines: Sequence[tuple[int, int]], start: int, open_kinds: int) -> bool:
    """Whether there are enough bonuses for the other marks, and enough marks for the bonuses that cannot be lost."""
    bonuses, marks = [0] * 10, [0] * 10
    for _, kind in lines:
        bonuses[kind] += 1
    for mark, value in enumerate(values):
        marks[value] += mark != start
    must = [kind for kind in range(10) if open_kinds >> kind & 1]
    if any(bonuses[kind] > marks[kind] for kind in must if kind != ANY):
        return False
    uncovered = sum(max(0, marks[kind] - bonuses[kind]) for kind in range(1, 10))
    return uncovered <= bonuses[ANY] and sum(bonuses[kind] for kind in must) <= len(values) - 1


def _cross(
    crossed: int, mark: int, waiting: tuple[int, ...], lines: Sequence[tuple[int, int]]
) -> tuple[int, tuple[int, ...]]:
    after = crossed | 1 << mark
    for marks, kind in lines:
        if marks >> mark & 1 and marks & ~after == 0:
            waiting = (*waiting[:kind], waiting[kind] + 1, *waiting[kind + 1 :])
    return after, waiting


def _less(waiting: tuple[int, ...], kind: int) -> tuple[int, ...]:
    return (*waiting[:kind], waiting[kind] - 1, *waiting[kind + 1 :])


def _kinds(waiting: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(kind for kind, count in enumerate(waiting) if count)


# From the number on to the marks


def endings(faces: Sequence[BoxFace], before: tuple[int, ...], number: int) -> Iterator[tuple[tuple[int, ...], str]]:
    """Every way a turn can end that begins by crossing `number`: the crossed cells, and the L D M S won.

    `before` are the crossed cells of each card. Bonuses are taken in every order and used on every cell.
    """
    stack: list[tuple[tuple[int, ...], str, str]] = list(_crossings(faces, before, "", "", number))
    seen = set()
    while stack:
        position = stack.pop()
        if position in seen:
            continue
        seen.add(position)
        crossed, waiting, won = position
        if not waiting:
            yield crossed, won
        for bonus in set(waiting):
            rest = waiting.replace(bonus, "", 1)
            further = list(_crossings(faces, crossed, rest, won, ANY if bonus == "?" else int(bonus)))
            stack += further or [(crossed, rest, won)]


def _crossings(
    faces: Sequence[BoxFace], crossed: tuple[int, ...], waiting: str, won: str, number: int
) -> Iterator[tuple[tuple[int, ...], str, str]]:
    """Cross one cell with the number (or any), each in turn, and see what it completes."""
    for card, face in enumerate(faces):
        for cell in range(9):
            bit = 1 << cell
            if crossed[card] & bit or not face.where[number] & bit:
                continue
            after = crossed[card] | bit
            paid = "".join(bonus for line, bonus in face.lines if line & bit and line & after == line)
            crossing = "".join(bonus for bonus in paid if bonus in "123456789?")
            yield (
                (*crossed[:card], after, *crossed[card + 1 :]),
                "".join(sorted(waiting + crossing)),
                "".join(sorted(won + "".join(bonus for bonus in paid if bonus in "LDMS"))),
            )
