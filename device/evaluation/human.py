"""A human at the table, simulated: knows what was played, and answers what is asked with a tap."""

from collections import Counter
from collections.abc import Iterable

from device.evaluation.public import seen_by_all
from device.live.game import Game
from models.cards import Deck
from referee.edits import Play
from referee.record import Line
from referee.told import Question


class Human:
    """Taps the choice that tells best what happened; never more often than `most` times."""

    def __init__(self, deck: Deck, script: Iterable[tuple[Line, int]], most: int) -> None:
        """The script has every line of the game and the first frame in which it lies on the table."""
        self._deck, self._most = deck, most
        self._script = tuple((line.meaning.move, frame) for line, frame in script if isinstance(line.meaning, Play))
        self.taps = 0

    def answer(self, question: Question | None, game: Game, frame: int) -> Game:
        """The game after the answer: the lines of a choice, one after the other, as the dashboard says them."""
        if question is None or self.taps >= self._most:
            return game
        happened = Counter(seen_by_all(self._deck, move) for move, shown in self._script if shown <= frame)
        games = [said(game, choice) for choice in question.choices]
        best = min((one for one in games if one is not None), key=lambda one: self._wrong(one, happened), default=game)
        if self._wrong(best, happened) >= self._wrong(game, happened):
            # Nobody taps what did not happen.
            return game
        self.taps += 1
        return best

    def _wrong(self, game: Game, happened: Counter[str]) -> int:
        """How many moves of a game are missing or too much."""
        told = Counter(seen_by_all(self._deck, entry.move) for entry in game.match.log)
        return (told - happened).total() + (happened - told).total()


def said(game: Game, lines: tuple[str, ...]) -> Game | None:
    """The game after a human has said some lines; None if one cannot be done."""
    for text in lines:
        line = game.read(text, human=True)
        if line is not None:
            game, ruled = game.judge(line)
            if ruled.refused is not None:
                return None
    return game
