"""The camera as a source of moves: when the table is still, the moves that led there."""

from calibration.frames import CalibrationError
from calibration.plan import Seating, load_plan
from calibration.rig import Rig
from calibration.seats import Frame
from device.live.game import reason_json
from device.live.prompter import DeclaredMoves
from device.recording.lines import JSON
from device.session import MoveSource
from models.cards import Deck
from referee.differences import reason_for
from referee.edits import Edit, Stand
from referee.interpreter import LAST, Interpreter
from referee.layout import layouts_of
from referee.match import AnyMatch
from referee.record import MOST_LINES, read_edit, write_line
from referee.rules import AnyRules
from referee.seen import seen_on
from referee.told import Told
from vision.sorting import sort_table
from vision.table import Table


class CameraMoveSource:
    """A `MoveSource` that explains every table that comes to rest."""

    kind = "ruling"

    def __init__(self, rules: AnyRules, deck: Deck, seating: Seating) -> None:
        self._interpreter = Interpreter(rules, deck, layouts_of(rules.game))
        self._seating = seating
        self.told = Told()
        """What the last table said, with what is to be asked and what nothing explains."""
        self._choices: tuple[tuple[Edit, ...], ...] = ()

    def edits(self, match: AnyMatch, table: Table) -> tuple[Edit, ...]:
        """The edits that lead to this table."""
        self.told = self._interpreter.interpret(match, seen_on(sort_table(table, self._seating)), table.again)
        asked = self.told.question
        self._choices = () if asked is None else tuple(_edits(match, choice) for choice in asked.choices)
        return _edits(match, self.told.lines)

    @property
    def again(self) -> bool:
        """Whether it wants to see the same table once more before it says anything."""
        return self.told.again

    @property
    def doubts(self) -> dict[str, JSON]:
        """What is to be asked, each choice as the lines that would be written, and what nothing explains."""
        choices: list[JSON] = [[write_line(edit) for edit in choice] for choice in self._choices]
        left: list[JSON] = [reason_json(reason_for(one)) for one in self.told.left]
        return {"choices": choices, "left": left} if choices or left else {}


def seating_of(rig: Rig, game: str) -> Seating:
    """The table of a rig laid for a game; CalibrationError if the rig does not know its seats."""
    if rig.table is None or not rig.seats:
        raise CalibrationError("the rig knows no seats; wanted `krupier calibrate seats` before moves can be seen")
    plan = load_plan(game)
    owned = {seat.zone.name for seat in rig.seats}
    middle = [zone for zone in rig.zones if zone.name not in owned and zone.name in plan.zones]
    points = [point for zone in middle for point in zone.polygon_mm]
    if not points:
        return Seating(rig.table.size_mm, rig.seats, rig.zones, plan)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    # The strip between the seats is laid around the middle of all of its zones.
    frame = Frame((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2, middle[0].turn_deg)
    return Seating(rig.table.size_mm, rig.seats, rig.zones, plan, frame)


def move_sources(rules: AnyRules, deck: Deck, rig: Rig | None, camera: str) -> tuple[MoveSource, ...]:
    """What brings moves at a table: the camera where seats are known; a simulated table declares what nobody sees."""
    if rig is None or rig.table is None or not rig.seats:
        return ()
    declared = DeclaredMoves.for_camera(camera, layouts_of(rules.game).DECLARED)
    seen = CameraMoveSource(rules, deck, seating_of(rig, rules.game))
    return (seen,) if declared is None else (declared, seen)


def _edits(match: AnyMatch, lines: tuple[str, ...]) -> tuple[Edit, ...]:
    """What the interpreter says in lines, as edits."""
    # The interpreter speaks in text until the filter over histories takes over.
    rules, players = match.rules, len(match.opening.names)
    read = (Stand() if text == LAST else read_edit(text, MOST_LINES, rules, players) for text in lines)
    return tuple(edit for edit in read if edit is not None)
