"""The camera as a source of moves: works out which moves led to each table at rest."""

from collections.abc import Iterable, Iterator, Mapping

from calibration.plan import Seating
from calibration.rig import Rig
from device.cameras.source import SIMULATED
from device.session.events import QuestionAsked
from device.session.game import STAND_LAST
from device.session.seating import seating_of
from device.session.session import MoveSource
from models.cards import Deck
from referee.differences import reason_for
from referee.edits import Edit, Play, Stand
from referee.inference.questions import Decision
from referee.inference.referee import Referee
from referee.layout import layouts_of
from referee.match import AnyMatch
from referee.moves import HIDDEN, Move
from referee.observed import observed_table
from referee.record import write_line
from referee.rules import AnyRules
from vision.follow.spots import sort_table
from vision.table import Table

MIN_AGREED_PROBABILITY = 0.99
"""Minimum probability of the moves behind a table, for the referee to be sure of its cards."""


class CameraMoveSource:
    """A `MoveSource` that explains every table at rest by moves."""

    by_camera = True

    def __init__(self, rules: AnyRules, deck: Deck, seating: Seating) -> None:
        self._referee = Referee(rules, deck, layouts_of(rules.game))
        self._deck, self._seating = deck, seating
        self.decision = Decision()
        """The edits and the question of the last table."""

    def observe(self, match: AnyMatch, table: Table) -> Decision:
        """The edits that a table calls for, and the open question."""
        self.decision = self._referee.observe(match, observed_table(sort_table(table, self._seating)))
        return self.decision

    def hear(self, match: AnyMatch, move: Move, at_s: float) -> Decision:
        """A declared move is logged as declared; the next table decides when it was made."""
        return Decision((Play(move, human=True),))

    def edits(self, match: AnyMatch, table: Table) -> tuple[Edit, ...]:
        """The edits that lead to this table."""
        return self.observe(match, table).edits

    def expected_codes(self, match: AnyMatch) -> Mapping[str, frozenset[str]]:
        """The codes of the cards that should be face up in each zone; nothing while the last table leaves a doubt."""
        decision = self.decision
        doubted = any(
            isinstance(edit, Play) and not edit.human and edit.probability < MIN_AGREED_PROBABILITY
            for edit in decision.edits
        )
        if doubted or decision.question is not None or decision.left:
            return {}
        layouts = layouts_of(match.rules.game)
        codes: dict[str, set[str]] = {}
        for place in layouts.layout(self._deck, match.state).places:
            words = (word for word in place.cards if word != HIDDEN)
            found = codes.setdefault(place.zone, set())
            found.update(face.code for word in words for face in layouts.faces(self._deck, word))
        return {zone: frozenset(found) for zone, found in codes.items()}

    @property
    def question(self) -> QuestionAsked:
        """The open question, and the cards that no move explains."""
        asked = self.decision.question
        choices = () if asked is None else tuple(tuple(choice_lines(choice)) for choice in asked.choices)
        return QuestionAsked(choices, tuple(reason_for(one) for one in self.decision.left))


def choice_lines(choice: Iterable[Edit]) -> Iterator[str]:
    """A choice of a question as the lines that it would log."""
    for edit in choice:
        yield " ".join(STAND_LAST) if edit == Stand() else write_line(edit)


def move_sources(rules: AnyRules, deck: Deck, rig: Rig | None, camera: str) -> tuple[MoveSource, ...]:
    """The move sources of a table: the camera if its seats are known, and declarations at some simulated tables."""
    if rig is None or rig.table is None or not rig.seats:
        return ()
    seen = CameraMoveSource(rules, deck, seating_of(rig, rules.game))
    if not camera.startswith(SIMULATED):
        return (seen,)
    from device.cameras.simulated import declared_moves

    declared = declared_moves(camera, layouts_of(rules.game).DECLARED)
    return (seen,) if declared is None else (declared, seen)
