"""The referee as a library: the public names for judging games without a camera."""

from referee.match import Match
from referee.moves import Move, NotationError
from referee.record import read_record
from referee.rules import Opening, OpeningError, games, load_rules
from referee.texts import load_texts
from referee.transcript import judge_record
from referee.verdicts import Outcome, Ruling, Standing, Verdict

__all__ = [
    "Match",
    "Move",
    "NotationError",
    "Opening",
    "OpeningError",
    "Outcome",
    "Ruling",
    "Standing",
    "Verdict",
    "games",
    "judge_record",
    "load_rules",
    "load_texts",
    "read_record",
]
