"""Proposals for Lucky Box: moves that may explain a table (crosses and tokens, number cards, box cards)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from models.cards import Deck
from referee.games.lucky_box.marks import STAR_ROWS, Marks, Turn
from referee.games.lucky_box.state import (
    MOST_STARS,
    SECOND,
    TURNS,
    WORTH,
    Box,
    Phase,
    Player,
    PlayerStep,
    State,
    completed,
    face_code,
    hidden,
    to_keep,
)
from referee.games.lucky_box.turn import BoxFace, reaches, read_faces, read_numbers
from referee.moves import HIDDEN, Move, seat_name
from referee.observed import ObservedCard, ObservedTable
from referee.verdicts import Ruling

MAX_WRONG_CROSSES = 6
"""Maximum number of new crosses of an illegal turn; more are a legal turn, or more than one turn."""
MAX_SPLIT_CROSSES = 4
"""Maximum number of new crosses that are split over two turns."""
Tokens = tuple[int, int]
"""Lightning and moons in front of a player."""
Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PrintedDeck:
    """The print of the cards of a deck."""

    faces: dict[str, BoxFace]
    numbers: dict[str, int]
    copies: dict[str, int]
    """Number of copies of each number card."""
    marks: Marks
    rank: dict[str, int]
    """The order of cards in a move."""


def propose(deck: Deck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """Moves that may explain the crosses, tokens, number cards and box cards."""
    printed = _print(deck)
    if state.phase is Phase.PLAY:
        further = _further(printed, state, seen)
        marked = [_new_cells(printed, player, seen, seat) for seat, player in enumerate(state.players)]
        if state.numbers:
            yield from _turns(printed, state, seen, marked, bool(further))
        yield from _numbers(printed, state, seen, marked, further)
        yield from _last_number(printed, state, seen)
    elif state.phase is Phase.CARDS:
        for seat, player in enumerate(state.players):
            yield from _changes(printed, state, seat, player, seen)
        yield from _reshuffled(state, seen)


def follows(state: State) -> Move | None:
    """Scoring completed cards, because scorecards are invisible."""
    for seat, player in enumerate(state.players):
        if player.step is PlayerStep.SCORE:
            return Move(seat, "score", (str(len(completed(player)) * WORTH[state.round - 1]),))
    return None


@lru_cache(maxsize=4)
def _print(deck: Deck) -> PrintedDeck:
    faces = read_faces(deck)
    names = (code + second for code in faces for second in ("", SECOND))
    copies = {card.code: card.count for card in deck.of("number")}
    return PrintedDeck(
        faces, read_numbers(deck), copies, Marks(faces), {name: place for place, name in enumerate(names)}
    )


# Turns


def _turns(
    printed: PrintedDeck, state: State, seen: ObservedTable, marked: Sequence[Cells], further: bool
) -> Iterator[Move]:
    """Turns by their crosses. Players act independently, so correct turns are proposed in the order of the seats."""
    number, proposed = printed.numbers[state.numbers[-1]], False
    for seat, player in enumerate(state.players):
        cells = marked[seat]
        if not cells:
            continue
        if player.step is not PlayerStep.MARK:
            if not further and len(cells) <= MAX_WRONG_CROSSES:
                yield Move(seat, "mark", cells)
            continue
        turn, tokens = Turn(seat, player, state.round, number), _tokens(seen, seat)
        moves = tuple(_marked(printed, turn, cells, tokens))
        right = _is_right(printed, turn, moves[0])
        if right and proposed:
            continue
        proposed = proposed or right
        # A missing cross may be on a card that was missed.
        if right or (len(cells) <= MAX_WRONG_CROSSES and _all_seen(player, seen, seat)):
            yield from moves
        if further and len(cells) <= MAX_SPLIT_CROSSES:
            yield from _parts(printed, turn, cells)


def _parts(printed: PrintedDeck, turn: Turn, cells: Cells) -> Iterator[Move]:
    """Correct turns with some of the crosses; the others belong to the next turn."""
    for size in range(1, len(cells)):
        for part in combinations(cells, size):
            yield from (move for move in _marked(printed, turn, part, None) if _is_right(printed, turn, move))


def _marked(printed: PrintedDeck, turn: Turn, cells: Cells, tokens: Tokens | None) -> Iterator[Move]:
    """A turn by its crosses, with the observed tokens, and with the correct ones if those make no sense."""
    player, won = turn.player, _won(printed, turn.player, cells)
    light, moon = won.count("L") + 2 * won.count("D"), won.count("M")
    values = {printed.faces[face_code(name)].grid[cell] for name, cell in (printed.marks.cells[word] for word in cells)}
    spends = [
        spend for spend in range(player.lightning + 1) if any(reaches(turn.number, value, spend) for value in values)
    ]
    least = (min(spends, default=0), light, moon)
    ways = [least]
    if tokens is not None:
        counted = _counted(turn, spends, light, moon, tokens)
        ways = [counted] if counted[0] in spends and counted[1:] == least[1:] else [*dict.fromkeys((counted, least))]
    stars = min(won.count("S"), MOST_STARS - player.stars[turn.round - 1])
    for spend, took_light, took_moon in ways:
        counts = {"light": took_light, "moon": took_moon, "spend": spend, STAR_ROWS[turn.round - 1]: stars}
        yield Move(turn.seat, "mark", cells, None, tuple((name, count) for name, count in counts.items() if count))


def _counted(turn: Turn, spends: Sequence[int], light: int, moon: int, tokens: Tokens) -> tuple[int, int, int]:
    """The tokens spent and taken, by the observed tokens and the won bonuses."""
    more, moons = tokens[0] - turn.player.lightning, max(0, tokens[1] - turn.player.moons)
    spend = light - more
    if spend in spends:
        return spend, light, moons
    if spend < 0 or (more >= 0 and 0 in spends):
        return 0, more, moons
    return spend, light, moons


def _won(printed: PrintedDeck, player: Player, cells: Cells) -> str:
    """The bonuses of all lines that the crosses complete."""
    after = {box.name: box.crossed for box in player.boxes}
    for word in cells:
        name, cell = printed.marks.cells[word]
        after[name] |= 1 << cell
    return "".join(
        bonus
        for box in player.boxes
        if after[box.name] != box.crossed
        for line, bonus in printed.faces[face_code(box.name)].lines
        if after[box.name] & line == line and box.crossed & line != line
    )


def _is_right(printed: PrintedDeck, turn: Turn, move: Move) -> bool:
    return printed.marks.judge(turn, move).ruling is Ruling.LEGAL


def _tokens(seen: ObservedTable, seat: int) -> Tokens | None:
    """The observed tokens in front of a player; None if tokens are not detected."""
    if not seen.pieces:
        return None
    zone = seat_name(seat)
    lightning, moons = (sum(seen.pieces.get((kind, zone), {}).values()) for kind in ("lightning", "moon"))
    return lightning, moons


def _new_cells(printed: PrintedDeck, player: Player, seen: ObservedTable, seat: int) -> Cells:
    """The new crosses, by card and in reading order."""
    cells = []
    for box, card in _matched(player.boxes, seen.get((seat_name(seat), "boxes"), ()))[0]:
        for mark in card.marks:
            word = f"{box.name}:{mark}"
            known = printed.marks.cells.get(word)
            if known is not None and not box.crossed >> known[1] & 1:
                cells.append(word)
    return tuple(sorted(cells, key=printed.marks.order))


def _all_seen(player: Player, seen: ObservedTable, seat: int) -> bool:
    return not _matched(player.boxes, seen.get((seat_name(seat), "boxes"), ()))[1]


def _matched(
    boxes: Sequence[Box], cards: Sequence[ObservedCard], misread: bool = True
) -> tuple[list[tuple[Box, ObservedCard]], list[Box], list[ObservedCard]]:
    """The observed cards matched to the boxes, the missing boxes, and the other cards. Some may be misread."""
    pairs, gone, left = [], [], [card for card in cards if card.face_up]
    for box in boxes:
        code = face_code(box.name)
        card = next((card for card in left if code in card.likely()), None)
        if card is None:
            gone.append(box)
        else:
            left.remove(card)
            pairs.append((box, card))
    if misread and len(gone) == len(left):
        return pairs + list(zip(gone, left, strict=True)), [], []
    return pairs, gone, left


# Numbers


def _further(printed: PrintedDeck, state: State, seen: ObservedTable) -> tuple[str, ...]:
    """The readings of the next number card, if one has been turned."""
    row, turned = seen.get(("centre", "numbers"), ()), len(state.numbers)
    if turned == 0 and len(row) > 1 and ("centre", "waiting") not in seen:
        # The number cards of the last round have not been gathered yet.
        return ()
    card = None
    if turned < len(row):
        card = _newest(row, state.numbers)
    elif row and turned < TURNS and len(row) == turned and state.numbers[-1] not in row[-1].likely():
        # One of the earlier cards was missed.
        card = row[-1]
    return tuple(code for code in card.likely() if code in printed.numbers) if card is not None else ()


def _newest(row: Sequence[ObservedCard], numbers: Sequence[str]) -> ObservedCard:
    """The card of the row that is none of the numbers so far; it may have been squeezed in anywhere."""
    left = list(row)
    for number in numbers:
        # A card that is surely this number first, then one that may be it.
        surely = [card for card in left if card.likely(most=1) == (number,)]
        known = surely or [card for card in left if number in card.likely()]
        if known:
            left.remove(known[0])
    last = row[len(numbers)]
    return last if last in left else left[-1]


def _numbers(
    printed: PrintedDeck, state: State, seen: ObservedTable, marked: Sequence[Cells], further: tuple[str, ...]
) -> Iterator[Move]:
    """Turning the next number; players without a new cross have skipped, also when the numbers are gathered."""
    waiting = [seat for seat, player in enumerate(state.players) if player.step is PlayerStep.MARK]
    spent = [code for code in further if state.numbers.count(code) >= printed.copies[code]]
    possible = [code for code in further if code not in spent]
    if len(state.numbers) < TURNS:
        # A number that was turned before is always illegal, and does not show that anybody has skipped.
        yield from (Move(None, "number", (code,)) for code in spent)
    if possible:
        number = printed.numbers[state.numbers[-1]] if state.numbers else 0
        skipping = [s for s in waiting if printed.marks.matching(state.players[s].boxes, number) is None]
        if skipping:
            yield Move(skipping[0], "skip")
        elif len(state.numbers) < TURNS:
            yield from (Move(None, "number", (code,)) for code in possible)
    elif not further and len(state.numbers) == TURNS and ("centre", "numbers") not in seen:
        yield from (Move(seat, "skip") for seat in [s for s in waiting if not marked[s]][:1])


def _last_number(printed: PrintedDeck, state: State, seen: ObservedTable) -> Iterator[Move]:
    """The unseen last number of a round: the numbers are gathered, and all have marked the earlier ones."""
    waiting = any(player.step is PlayerStep.MARK for player in state.players)
    if len(state.numbers) == TURNS - 1 and not waiting and ("centre", "numbers") not in seen:
        possible = (code for code in printed.numbers if state.numbers.count(code) < printed.copies[code])
        yield from (Move(None, "number", (code,)) for code in possible)


# Between the rounds


def _changes(printed: PrintedDeck, state: State, seat: int, player: Player, seen: ObservedTable) -> Iterator[Move]:
    """Wiping, drawing, keeping or discarding cards."""
    zone = seat_name(seat)
    drawn = len(seen.get((zone, "drawn"), ()))
    _, gone, extra = _matched(player.boxes, seen.get((zone, "boxes"), ()), misread=False)
    if player.step is PlayerStep.WIPE and gone:
        for names in dict.fromkeys((tuple(box.name for box in gone), completed(player))):
            yield Move(seat, "wipe", _in_order(printed, names))
    if player.step in (PlayerStep.DISCARD, PlayerStep.READY):
        if player.step is PlayerStep.DISCARD and drawn < hidden(player):
            yield from _discards(printed, state, seat, seen)
        return
    more = drawn + len(extra) - hidden(player)
    if more > 0:
        yield from (Move(seat, "draw", (HIDDEN,) * cards) for cards in sorted({more, max(more, player.owed)}))
    # If too few kept cards are observed and some drawn cards are missing, the others may be missed.
    whole = len(extra) == to_keep(state, player) or more == 0
    if extra and whole and player.step in (PlayerStep.DRAW, PlayerStep.KEEP) and hidden(player) >= len(extra):
        for codes in _readings(printed, extra):
            yield Move(seat, "keep", _in_order(printed, codes))


def _discards(printed: PrintedDeck, state: State, seat: int, seen: ObservedTable) -> Iterator[Move]:
    """The new cards on the discard piles."""
    known, due = state.discard[-2:], hidden(state.players[seat])
    tops = seen.get(("discard", "discard"), ())
    if ("centre", "waiting") in seen or ("centre", "numbers") in seen:
        # The next round has begun, so the discards must be there, under others.
        yield Move(seat, "discard", (HIDDEN,) * due)
    if tops and not _left_over(tops, known):
        return
    new = _left_over(tops, known[max(0, len(known) + due - 2) :])
    if len(new) >= due:
        for codes in _readings(printed, new[-due:]):
            yield Move(seat, "discard", _in_order(printed, codes))


def _left_over(cards: Sequence[ObservedCard], codes: Sequence[str]) -> list[ObservedCard]:
    """The observed cards that match none of these."""
    left = list(cards)
    for code in codes:
        card = next((card for card in left if code in card.likely()), None)
        if card is not None:
            left.remove(card)
    return left


def _reshuffled(state: State, seen: ObservedTable) -> Iterator[Move]:
    """A reshuffle, if the discards are gone or the deck is back; before it, perhaps unseen draws of the last cards."""
    gone = state.discard and ("discard", "discard") not in seen
    again = not state.deck and ("pile", "pile") in seen
    if not gone and not again:
        return
    yield Move(None, "reshuffle")
    drawing = [(seat, player.owed) for seat, player in enumerate(state.players) if player.step is PlayerStep.DRAW]
    if 0 < state.deck <= sum(owed for _, owed in drawing):
        yield from (Move(seat, "draw", (HIDDEN,) * min(owed, state.deck)) for seat, owed in drawing)


def _readings(printed: PrintedDeck, cards: Sequence[ObservedCard]) -> Iterator[tuple[str, ...]]:
    """The best readings of all cards, then each card with its other candidates."""
    read = [tuple(code for code in card.likely() if code in printed.faces) for card in cards]
    if not all(read):
        return
    best = tuple(codes[0] for codes in read)
    yield best
    for number, codes in enumerate(read):
        yield from ((*best[:number], other, *best[number + 1 :]) for other in codes[1:])


def _in_order(printed: PrintedDeck, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: printed.rank.get(name, len(printed.rank))))
