"""Play counts: rates of play, counted from the truth of rehearsed games in the terms of referee/inference/rates.py.

One trial of each rate is:
  MOVE_COST                a visible act that no rule demands and no layout offers as unseen
  FORCED_MOVE_COST         a state in which a rule demands an invisible move
  ILLEGAL_STANDS_COST, ILLEGAL_TAKEN_BACK_COST, EXPOSING_STANDS_COST   a visible illegal play
  NTH_ACT_COST 1, 2        two observed tables with at least one act between them; with at least two, three …
  REGRET_COST              a visible legal play
  DECLARED_…               a declared move, in games with declarations
  the costs of a layout    a move that its `unseen` offers, in a state where it does
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from device.lab.rehearsal.courses import with_next
from device.lab.rehearsal.rehearsal import FPS, Rehearsal, Talk, declared_in, film_of
from device.lab.rehearsal.tallies import Tallies
from device.lab.simulator.film import Studio
from device.lab.simulator.tables import resting_table
from models.cards import own_deck
from referee.edits import Play, Stand
from referee.inference.history import Act, Model
from referee.layout import Layout, layouts_of, visible_cards
from referee.match import AnyMatch, Match
from referee.moves import HIDDEN, Move
from referee.record import Line, Record
from referee.rules import load_rules
from referee.verdicts import Ruling
from vision.table import Table

LONGEST_RUN = 6
"""Maximum number of unseen acts that one act of a layout may explain."""
COST = "_COST"


@dataclass(frozen=True, slots=True)
class Done:
    """One act as it was really done."""

    act: Act
    move: Move
    ruling: Ruling
    before: Any
    """The state before the act, as on the table."""
    shown: Any
    """The state after the act, as on the table."""
    frame: int
    """The first frame of a resting table that shows the act."""
    exposes: bool = False


@dataclass(frozen=True, slots=True)
class Played:
    """A game as it was really played, and its observed tables."""

    model: Model
    acts: tuple[Done, ...]
    tables: tuple[Table, ...]

    def table_of(self, act: Done) -> int:
        """Index of the first observed table after an act; the number of tables if there is none."""
        return bisect_left([table.frame for table in self.tables], act.frame)


def play_counts(rehearsal: Rehearsal) -> Tallies:
    """The tallies of one rehearsed game."""
    record = rehearsal.record()
    film = film_of(record, Studio(seed=rehearsal.seed))
    rests = tuple(film.rests())
    tables = rehearsal.course((resting_table(rest, film.seating, FPS) for rest in rests), film.seating)
    game = record.opening.game
    model = Model(load_rules(game), own_deck(game), layouts_of(game))
    played = Played(model, acts_of(record, model, [(rest.line, rest.frame) for rest in rests]), tuple(tables))
    tallies = Tallies()
    _moves(played, tallies)
    _wrongs(played, tallies)
    _rushes(played, tallies)
    _regrets(played, tallies)
    _unseen(played, tallies)
    if rehearsal.declared:
        script = tuple(film_of(record, Studio(seed=rehearsal.seed)).seen_from())
        _said(played, rehearsal, tuple(declared_in(script, game)), tallies)
    return tallies


def acts_of(record: Record, model: Model, rests: Iterable[tuple[int, int]]) -> tuple[Done, ...]:
    """The acts of a record, given the line and the frame of every resting table."""
    frames: dict[int, list[int]] = {}
    for line, frame in rests:
        frames.setdefault(line, []).append(frame)
    return tuple(_acts(record, model, frames))


def _acts(record: Record, model: Model, frames: Mapping[int, list[int]]) -> Iterator[Done]:
    match: AnyMatch = Match.open(model.rules, record.opening)
    meant = [line for line in record.lines if line.meaning is not None]
    for line, after in zip(meant, (*meant[1:], None), strict=True):
        if not isinstance(line.meaning, Play):
            assert line.meaning is not None, "only lines that mean something are left"
            match = match.edit(line.meaning, line.number)
            continue
        move, before = line.meaning.move, match.state
        match = match.play(move, line.number)
        verdict, there = match.verdicts[-1], frames[line.number]
        if verdict.ruling is Ruling.LEGAL:
            yield Done(Act.PLAYED, move, verdict.ruling, before, match.state, there[0])
            continue
        wrong, exposes = model.rules.apply(before, move), verdict.about is not None
        yield Done(Act.ILLEGAL, move, verdict.ruling, before, wrong, there[0], exposes)
        stands = after is not None and isinstance(after.meaning, Stand)
        end = Act.STANDS if stands else Act.TAKEN_BACK
        # Letting a play stand changes nothing on the table, so it is done with the next act.
        yield Done(end, move, verdict.ruling, wrong, wrong if stands else before, there[-1], exposes)


def _shows(model: Model, act: Done) -> bool:
    """Whether an act changes the visible table; the number of cards in a pile is not visible."""
    return _looks(model.layout(act.before)) != _looks(model.layout(act.shown))


def _is_free(model: Model, act: Done) -> bool:
    """Whether an act is visible, no rule demands it, and no layout offers it as unseen."""
    if act.act not in (Act.PLAYED, Act.ILLEGAL) or not _shows(model, act):
        return False
    offered = [move for move, _ in model.layouts.unseen(act.before)]
    return model.layouts.follows(act.before) != act.move and act.move not in offered


def _moves(played: Played, tallies: Tallies) -> None:
    """Count how often acts are legal, and how often forced unseen moves are made."""
    model = played.model
    for at, act in enumerate(played.acts):
        if _is_free(model, act):
            # With the truth known nothing is unclear, so UNCLEAR cannot be counted this way.
            for ruling in (Ruling.LEGAL, Ruling.ILLEGAL):
                tallies.count(f"MOVE_COST {ruling.name}", act.ruling is ruling)
        forced = model.layouts.follows(act.before) if act.act in (Act.PLAYED, Act.ILLEGAL) else None
        if forced is not None:
            tallies.count("FORCED_MOVE_COST", any(one.move == forced for one in _until_seen(model, played.acts[at:])))


def _until_seen(model: Model, acts: Sequence[Done]) -> Iterator[Done]:
    """Acts up to and including the first visible one."""
    for act in acts:
        yield act
        if _is_free(model, act):
            return


def _wrongs(played: Played, tallies: Tallies) -> None:
    """Count how wrong plays end."""
    for act, end in zip(played.acts, played.acts[1:], strict=False):
        if act.act is Act.ILLEGAL and _shows(played.model, act):
            stands = end.act is Act.STANDS
            tallies.count("EXPOSING_STANDS_COST" if act.exposes else "ILLEGAL_STANDS_COST", stands)
            tallies.count("ILLEGAL_TAKEN_BACK_COST", not stands)


def _rushes(played: Played, tallies: Tallies) -> None:
    """Count the acts between two observed tables."""
    between: dict[int, int] = {}
    for act in played.acts:
        if _is_free(played.model, act):
            table = played.table_of(act)
            between[table] = between.get(table, 0) + 1
    for acts in between.values():
        tallies.count("NTH_ACT_COST 1", acts > 1)
        for more in range(2, acts + 1):
            tallies.count("NTH_ACT_COST 2", acts > more)


def _regrets(played: Played, tallies: Tallies) -> None:
    """Count plays that are taken back: the previous table and the play's own appear again in the same frame."""
    frames = [table.frame for table in played.tables]
    again = len(frames) - len(set(frames))
    plays = sum(act.act is Act.PLAYED and _shows(played.model, act) for act in played.acts)
    tallies.count("REGRET_COST", again // 2, plays)


def _said(played: Played, rehearsal: Rehearsal, script: Sequence[tuple[Line, int]], tallies: Tallies) -> None:
    """Count what is declared, when, and how often wrongly."""
    talk = Talk(script, Random(f"eager {rehearsal.seed}"), rehearsal.eager)
    said: dict[Move, list[tuple[float, int]]] = {}
    for table, after in with_next(iter(played.tables)):
        for move, at_s in talk.until(table, after):
            said.setdefault(move, []).append((at_s, table.frame))
    rulings: dict[Move, list[Ruling]] = {}
    for act in played.acts:
        if act.act in (Act.PLAYED, Act.ILLEGAL):
            rulings.setdefault(act.move, []).append(act.ruling)
    for line, frame in script:
        if not isinstance(line.meaning, Play):
            continue
        move = line.meaning.move
        heard = said.get(move)
        times = heard.pop(0) if heard else None
        ruling = rulings[move].pop(0)
        early = times is not None and frame > times[1]
        tallies.count("DECLARED_COST", times is not None and not early and ruling is Ruling.LEGAL)
        tallies.count("DECLARED_EARLY_COST", early)
        tallies.count("DECLARED_ILLEGALLY_COST", times is not None and ruling is Ruling.ILLEGAL)


# Moves that leave no trace


def layout_costs(game: str) -> dict[str, float]:
    """The named costs of a layout; those in a tuple are numbered, as FLIP_COST 1."""
    found: dict[str, float] = {}
    for name, value in vars(layouts_of(game)).items():
        if name.endswith(COST) and isinstance(value, tuple):
            found |= {f"{name} {number}": one for number, one in enumerate(value)}
        elif name.endswith(COST) and isinstance(value, float):
            found[name] = value
    return found


def cost_name(costs: Mapping[str, float], move: Move, cost: float) -> str:
    """The name of a move's cost: a single cost, or one plus another for each of its cards."""
    cards = len(move.cards)
    alone = [name for name, value in costs.items() if value == cost]
    more = [
        f"{name} + {cards} x {each}"
        for name, value in costs.items()
        for each, step in costs.items()
        if cards and name != each and abs(value + cards * step - cost) < 1e-9
    ]
    # Of equal costs the one that is named for the verb is meant.
    alone = [name for name in alone if name.startswith(move.verb.upper())] or alone
    found = alone or [name for name in more if "_CARD_" in name.partition("x")[2]]
    return " or ".join(found) or "unnamed"


def _unseen(played: Played, tallies: Tallies) -> None:
    """Count how often a move that a layout offers as unseen was made, or explains unobserved acts.

    Whether a move was observed does not matter, since the transition model charges the same cost; but moves of hidden
    cards are offered only for unobserved acts.
    """
    model, acts = played.model, played.acts
    game = model.rules.game
    costs, tables = layout_costs(game), [played.table_of(act) for act in acts]
    for at, act in enumerate(acts):
        if act.act not in (Act.PLAYED, Act.ILLEGAL):
            continue
        options = list(model.layouts.unseen(act.before))
        missed = at + 1 < len(acts) and tables[at + 1] == tables[at]
        real = [move for move, _ in options if (missed or HIDDEN not in move.cards) and is_done(move, act.move)]
        # Moves that the rules can judge are acts of their own; unclear ones stand for unobserved acts.
        unclear = (move for move, _ in options if model.judge(act.before, move).ruling is Ruling.UNCLEAR)
        best = real or [move for move in unclear if explains(played, tables, at, move)]
        for move, cost in options:
            tallies.count(f"{game}: {cost_name(costs, move, cost)}", move in best[:1])


def is_done(offered: Move, done: Move) -> bool:
    """Whether a move is the offered one; hidden cards match any."""
    if HIDDEN not in offered.cards:
        return offered == done
    return replace(offered, cards=done.cards) == done and len(offered.cards) == len(done.cards)


def explains(played: Played, tables: Sequence[int], at: int, move: Move) -> bool:
    """Whether a move explains the acts before the next observed table, or all but the last of them.

    The next observed table must not show the move; otherwise it is not an unseen one.
    """
    model, acts = played.model, played.acts
    if tables[at] >= len(played.tables):
        return False
    state = acts[at].before
    after = model.rules.apply(state, move)
    if after is state:
        return False
    run = [one for one in range(at, min(at + LONGEST_RUN, len(acts))) if tables[one] == tables[at]]
    last = max(one for one in range(at, len(acts)) if tables[one] == tables[at])
    here, there, seen = (_places(model.layout(one)) for one in (state, after, acts[last].shown))
    changed = {place for place in here.keys() | there.keys() if here.get(place) != there.get(place)}
    if any(here.get(place) != seen.get(place) for place in changed):
        return False
    looks = _looks(model.layout(after))
    for end in run:
        follows = acts[end + 1] if end + 1 < len(acts) else None
        if _looks(model.layout(acts[end].shown)) == looks and (follows is None or _allowed(model, after, follows.move)):
            return True
        if end > at and _allowed(model, after, acts[end].move):
            then = model.rules.apply(after, acts[end].move)
            if _looks(model.layout(then)) == _looks(model.layout(acts[end].shown)):
                return True
    return False


def _allowed(model: Model, state: Any, move: Move) -> bool:
    return model.judge(state, move).ruling is Ruling.LEGAL


def _places(layout: Layout) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(zone, spot): cards for zone, spot, cards in visible_cards(layout)}


def _looks(layout: Layout) -> tuple[object, ...]:
    """The visible table: cards, marks and pieces."""
    marks = tuple((place.zone, place.spot, place.marks) for place in layout.places if place.cards and place.marks)
    return visible_cards(layout), layout.counters, marks
