"""The seating of a rig: where the seats and zones of a game are on its table."""

from calibration.frames import CalibrationError
from calibration.plan import Seating
from calibration.rig import Rig
from calibration.seats import SeatFrame
from device.plans import plan_of


def seating_of(rig: Rig, game: str) -> Seating:
    """The table of a rig laid for a game; CalibrationError if the rig does not know its seats."""
    if rig.table is None or not rig.seats:
        raise CalibrationError("the rig knows no seats; wanted `krupier calibrate seats` before moves can be seen")
    plan = plan_of(game)
    owned = {seat.zone.name for seat in rig.seats}
    middle = [zone for zone in rig.zones if zone.name not in owned and zone.name in plan.zones]
    points = [point for zone in middle for point in zone.polygon_mm]
    if not points:
        return Seating(rig.table.size_mm, rig.seats, rig.zones, plan)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    # The strip between the seats is centred on all of its zones together.
    frame = SeatFrame((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2, middle[0].turn_deg)
    return Seating(rig.table.size_mm, rig.seats, rig.zones, plan, frame)
