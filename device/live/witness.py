"""The witness: tells the moves that the tables of a camera show."""

from calibration.frames import CalibrationError
from calibration.plan import Seating, load_plan
from calibration.rig import Rig
from calibration.seats import Frame
from device.live.game import reason_json
from device.live.prompter import Prompter
from device.recording.lines import JSON
from device.session import Player
from models.cards import Deck
from referee.differences import reason_for
from referee.interpreter import Interpreter
from referee.layout import layouts_of
from referee.match import AnyMatch
from referee.rules import AnyRules
from referee.seen import seen_on
from referee.told import Told
from vision.sorting import sort_table
from vision.table import Table


class Witness:
    """A `Player` that explains every table that comes to rest."""

    kind = "ruling"

    def __init__(self, rules: AnyRules, deck: Deck, seating: Seating) -> None:
        self._interpreter = Interpreter(rules, deck, layouts_of(rules.game))
        self._seating = seating
        self.told = Told()
        """What the last table said, with what is to be asked and what nothing explains."""
        self._frame = -1

    def lines(self, match: AnyMatch, table: Table) -> tuple[str, ...]:
        """The lines that lead to this table."""
        again, self._frame = table.frame == self._frame and self.told.again, table.frame
        self.told = self._interpreter.interpret(match, seen_on(sort_table(table, self._seating)), again)
        return self.told.lines

    @property
    def again(self) -> bool:
        """Whether it wants to see the same table once more before it says anything."""
        return self.told.again

    @property
    def doubts(self) -> dict[str, JSON]:
        """What is to be asked, each choice as the lines that would be written, and what nothing explains."""
        asked = self.told.question
        choices: list[JSON] = [] if asked is None else [list(choice) for choice in asked.choices]
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


def onlookers(rules: AnyRules, deck: Deck, rig: Rig | None, camera: str) -> tuple[Player, ...]:
    """Who brings moves at a table: the witness where seats are known; a simulated table declares what nobody sees."""
    if rig is None or rig.table is None or not rig.seats:
        return ()
    declared = Prompter.for_camera(camera, layouts_of(rules.game).DECLARED)
    witness = Witness(rules, deck, seating_of(rig, rules.game))
    return (witness,) if declared is None else (declared, witness)
