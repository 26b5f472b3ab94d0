"""Rehearsals: bots play, the witness watches, and what it tells is compared with what was played."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from calibration.frames import Frame
from device.live.game import Game
from device.live.lookout import Lookout, outline_of
from device.live.pieces import pieces_of
from device.live.simulated import film_rig
from device.live.witness import Witness
from device.optician import Optician
from device.simulator.film import Film, Studio
from device.simulator.tables import resting_tables
from models.cards import Deck, own_deck
from referee.layout import layouts_of
from referee.match import AnyMatch, LogError
from referee.record import Line, Played, Record, read_record
from referee.rules import Opening, load_rules
from referee.selfplay import self_play
from referee.transcript import judge_record
from vision.table import Guess, Table

LAST_LOOKS = 3
"""So often the last table is shown: nothing else comes after it."""
MISREAD, MISSED, INVENTED = 0.01, 0.02, 0.005
"""Chances that a card of a table is misread, not found, or that one is found beside it that is not there."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One game to be watched."""

    opening: Opening
    seed: int
    cheat: float = 0.0
    faults: float = 0.0
    """How many times as often as usual the camera errs; 0 for a perfect eye."""

    def record(self) -> Record:
        """The game as its bots play it."""
        rules = load_rules(self.opening.game)
        return read_record(str(self_play(rules, self.opening, self.seed, self.cheat)), rules)


@dataclass(frozen=True, slots=True)
class Result:
    """How a game was understood."""

    played: AnyMatch
    told: AnyMatch
    asked: int
    tables: int

    @property
    def right(self) -> bool:
        """Whether scores and winners are what they were."""
        rules, one, other = self.played.rules, self.played.state, self.told.state
        return rules.standings(one) == rules.standings(other) and rules.outcome(one) == rules.outcome(other)

    @property
    def missing(self) -> Counter[tuple[str, str]]:
        """Rulings that should have been made and were not."""
        return _log(self.played) - _log(self.told)

    @property
    def extra(self) -> Counter[tuple[str, str]]:
        """Rulings that were made and should not have been."""
        return _log(self.told) - _log(self.played)

    @property
    def accused(self) -> int:
        """How many plays were called illegal that nobody made."""
        return sum(count for (_, ruling), count in self.extra.items() if ruling == "ILLEGAL")


def rehearse(rehearsal: Rehearsal, studio: Studio | None = None) -> Result:
    """Watch a game: as a perfect eye tells it, or, with a studio, through pictures and Krupier's own eye."""
    record, name = rehearsal.record(), rehearsal.opening.game
    rules, deck = load_rules(name), own_deck(name)
    film = Film(record, deck, studio or Studio(seed=rehearsal.seed))
    declared = _declared(record, Film(record, deck, studio or Studio(seed=rehearsal.seed)), name)
    witness, game = Witness(rules, deck, film.seating), Game.open(rules, record.opening)
    rng, asked, count = Random(rehearsal.seed), 0, 0
    tables = _resting(film) if studio is None else _filmed(film, name)
    for table in tables:
        while declared and declared[0][1] <= table.frame:
            game = _heard(game, declared.pop(0)[0].text)
        for text in witness.lines(game.match, _erring(table, rng, deck, rehearsal.faults)):
            game = _heard(game, text)
        asked += witness.told.question is not None
        count += 1
    return Result(list(judge_record(record, rules))[-1].match, game.match, asked, count)


def _declared(record: Record, film: Film, game: str) -> list[tuple[Line, int]]:
    """What people say because no camera can see it."""
    verbs = layouts_of(game).DECLARED
    return [
        (line, frame)
        for line, frame in film.seen_from()
        if isinstance(line.meaning, Played) and line.meaning.move.verb in verbs
    ]


def _resting(film: Film) -> Iterator[Table]:
    last = None
    for _, table in resting_tables(film, 10.0):
        last = table
        yield table
    if last is not None:
        yield from (last,) * (LAST_LOOKS - 1)


def _filmed(film: Film, game: str) -> Iterator[Table]:
    rig = film_rig(film)
    eye = Optician(threads=2).open_eye(rig, game)
    lookout = Lookout(eye, rig.zones, outline_px=outline_of(rig), pieces=pieces_of(rig, game))
    for shot in film.shots():
        shot.image.flags.writeable = False
        table = lookout.see(Frame(shot.index, shot.at_s, shot.image)).table
        if table is not None:
            yield table


def _heard(game: Game, text: str) -> Game:
    line = game.read(text)
    if line is None:
        return game
    after, ruled = game.judge(line)
    if ruled.refused is not None:
        raise LogError(f"{text}: {ruled.refused}")
    return after


def _erring(table: Table, rng: Random, deck: Deck, often: float) -> Table:
    """The table as a camera that errs would tell it."""
    if not often:
        return table
    codes, cards = [card.code for card in deck.cards], []
    for card in table.cards:
        if rng.random() < often * MISSED:
            continue
        if card.face_up and rng.random() < often * MISREAD:
            other = rng.choice(codes)
            card = replace(card, code=other, guesses=(Guess(other, 0.7), Guess(card.code, 0.25)))
        cards.append(card)
        if rng.random() < often * INVENTED:
            right, down = rng.uniform(-150, 150), rng.uniform(-150, 150)
            a, b, c, d = ((x + right, y + down) for x, y in card.corners_mm)
            cards.append(replace(card, track=-len(cards), corners_mm=(a, b, c, d)))
    return replace(table, cards=tuple(cards))


def _log(match: AnyMatch) -> Counter[tuple[str, str]]:
    pairs = zip(match.log, match.verdicts, strict=True)
    return Counter((str(entry.move), verdict.ruling.value) for entry, verdict in pairs)
