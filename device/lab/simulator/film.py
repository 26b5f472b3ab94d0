"""Films: renders a game record as a camera above the table would see it, with the truth of every frame."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import atan2, degrees, hypot

import cv2
import numpy as np

from calibration.plan import Seating, seat_players
from device.lab.simulator.bodies import Body, SimulatedTable
from device.lab.simulator.motion import NOTICED_S, STILL_S, Moment, Reach, Trip, moments, plan_trips, rest
from device.lab.simulator.wardrobe import Wardrobe
from device.plans import plan_of
from models.art.pieces import board_of
from models.cards import Deck
from models.synth.camera import SynthCamera, overhead_camera
from models.synth.clutter import MAKERS as CLUTTER
from models.synth.clutter import make_clutter
from models.synth.furniture import board_sprite, marker_sprite
from models.synth.hands import GRIP_MM, LENGTH_MM
from models.synth.materials import MAKERS as MATERIALS
from models.synth.materials import make_ground
from models.synth.render import COVER, Canvas, CardTruth, expose, lay_cards, lay_ground, lay_thing, smeared, truths
from models.synth.scene import CardSeen, Image, Scene, Thing
from models.synth.sprites import FaceSprites
from models.synth.stills import random_light, random_optics
from models.synth.styled import StyledSprites, deck_style
from referee.edits import Play, Stand
from referee.layout import layouts_of
from referee.match import AnyMatch, Match
from referee.moves import Move
from referee.record import Line, Record
from referee.rules import AnyRules, load_rules
from referee.verdicts import Ruling

FIRST_S, LAST_S = 1.0, 1.5
LIFTED_MM = 5.0
"""Height from which a body counts as carried."""
SHOULDER_MM = 220.0
"""Distance of the shoulder of a reaching arm behind the edge of the table."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One frame of a film and its truth."""

    index: int
    at_s: float
    image: Image
    settled: bool
    line: int
    """The record line that is being played, 0 before the first."""
    cards: tuple[CardTruth, ...]
    bodies: tuple[Body, ...]
    """Everything on the table, pieces too."""


@dataclass(frozen=True, slots=True)
class Studio:
    """How to film: picture size, frame rate, difficulty, and the seed of everything else."""

    size_px: tuple[int, int] = (1280, 720)
    fps: float = 10.0
    difficulty: float = 0.3
    seed: int = 1
    rest_s: float = STILL_S
    """Seconds that the table rests after every move; a wrong play stays a third longer."""
    style: int | None = None
    """Seed of the style in which the cards are drawn; None for our own print."""


@dataclass(frozen=True, slots=True)
class Rest:
    """The table at the end of a scene."""

    line: int
    """The record line that was played, 0 before the first."""
    frame: int
    """The last frame of the scene."""
    bodies: tuple[Body, ...]
    trips: tuple[Trip, ...]
    """The hands' trips in this scene."""
    began: int
    """The first frame of the scene."""


@dataclass(frozen=True, slots=True)
class _Scene:
    """The motion while a line of the record is played, and the rest after it."""

    line: int
    moments: Iterator[Moment]
    trips: tuple[Trip, ...] = ()


def cues(record: Record, begun: Mapping[int, int], shown: Mapping[int, int]) -> Iterator[tuple[Line, int]]:
    """Every line of a record and the frame from which it counts, given when each begins and is on the table.

    A simultaneous move that no camera can recognise is declared before it is made.
    """
    declared, last = layouts_of(record.opening.game).DECLARED, 0
    for line in record.lines:
        if line.meaning is not None:
            move = line.meaning.move if isinstance(line.meaning, Play) else None
            said = move is not None and move.seat is None and move.verb in declared
            last = max(last, (begun if said else shown).get(line.number, last))
            yield line, last


class Film:
    """Plays a record on a simulated table."""

    def __init__(self, record: Record, deck: Deck, studio: Studio) -> None:
        self._record, self._deck, self._studio = record, deck, studio
        self._rules: AnyRules = load_rules(record.opening.game, deck)
        players = len(record.opening.names)
        self.seating: Seating = seat_players(plan_of(self._rules.game), players + len(self._rules.guests(players)))
        self._rng = np.random.default_rng((studio.seed, 0))
        hard = studio.difficulty
        tilt, bend = float(self._rng.normal(0, 6)) * hard, float(self._rng.uniform(0.1, 1.0)) * hard
        self.camera: SynthCamera = overhead_camera(*studio.size_px, self.seating.table_mm, tilt, bend)
        px_per_mm = 1.25 * self.camera.px_per_mm()
        self.faces: FaceSprites | StyledSprites = (
            FaceSprites(deck, px_per_mm)
            if studio.style is None
            else StyledSprites(deck, deck_style(deck.game, studio.style), px_per_mm)
        )
        self._wardrobe = Wardrobe(deck, self.faces, px_per_mm, studio.seed, 0.5 * hard)
        self._layouts = layouts_of(self._rules.game)
        self._table = SimulatedTable(deck, self._layouts, self.seating, studio.seed, 1 - hard)
        self._scene = self._empty_table()
        self._bare = lay_ground(self._scene)
        self._index = 0
        self._last: Reach | None = None
        # Dim rooms need long exposures: from a hundredth of a second to a thirtieth.
        self._shutter = (0.01 + 0.023 * hard) * studio.fps

    @property
    def bare_scene(self) -> Scene:
        """The table before the game, with nothing on it but the markers: no board, no clutter."""
        markers = len(self.seating.markers_mm())
        return replace(self._scene, under=self._scene.under[:markers], clutter=())

    def stills(self) -> Iterator[Shot]:
        """The table at the end of each scene, one frame a scene; what moves in between is not drawn."""
        for scene in self._scenes():
            *_, last = scene.moments
            yield self._shot(self._lay(self._table.bodies), self._table.bodies, last, scene.line)

    def shots(self, settled_only: bool = False) -> Iterator[Shot]:
        """The whole game, frame by frame; with `settled_only` without the frames in which hands move."""
        before: tuple[Body, ...] = ()
        for scene in self._scenes():
            piles = {body.id: body for body in before if body.pile}
            yield from self._filmed(scene.moments, scene.line, piles, settled_only)
            before = self._table.bodies

    def seen_from(self) -> Iterator[tuple[Line, int]]:
        """Every line of the record and the first frame that shows it; nothing is drawn."""
        frame, begun, shown = 0, dict[int, int](), dict[int, int]()
        for scene in self._scenes():
            begun.setdefault(scene.line, frame)
            for instant in scene.moments:
                if instant.settled:
                    shown.setdefault(scene.line, frame)
                frame += 1
        return cues(self._record, begun, shown)

    def rests(self) -> Iterator[Rest]:
        """The table at the end of each scene and the hands that changed it; nothing is drawn."""
        frame = 0
        for scene in self._scenes():
            began = frame
            frame += sum(1 for _ in scene.moments)
            yield Rest(scene.line, frame - 1, self._table.bodies, scene.trips, began)

    def _scenes(self) -> Iterator[_Scene]:
        """The scenes, line by line; each must be consumed before the next one is requested."""
        match: AnyMatch = Match.open(self._rules, self._record.opening)
        self._table.become(self._layouts.layout(self._deck, match.state))
        yield _Scene(0, rest(FIRST_S, 1 / self._studio.fps))
        told = [line for line in self._record.lines if line.meaning is not None]
        for line, after in zip(told, (*told[1:], None), strict=True):
            if isinstance(line.meaning, Play):
                before, match = match, match.play(line.meaning.move, line.number)
                if match.verdicts[-1].ruling is not Ruling.LEGAL:
                    # An illegal play stays on the table until everyone has seen it; then it is undone, or it stands.
                    wrong, lay = self._rules.apply(before.state, line.meaning.move), self._table.bodies
                    yield self._moved(line.number, wrong, line.meaning.move, NOTICED_S * self._studio.rest_s / STILL_S)
                    if after is not None and isinstance(after.meaning, Stand):
                        continue
                    yield self._moved(line.number, match.state, line.meaning.move, before=lay)
                    continue
                yield self._moved(line.number, match.state, line.meaning.move)
            elif line.meaning is not None:
                match = match.edit(line.meaning, line.number)
                yield self._moved(line.number, match.state, None)
        if told:
            # The table is not cleared at once.
            yield _Scene(told[-1].number, rest(LAST_S, 1 / self._studio.fps))

    def _moved(
        self, line: int, state: object, move: Move | None, still_s: float | None = None, before: tuple[Body, ...] = ()
    ) -> _Scene:
        journeys = self._table.become(self._layouts.layout(self._deck, state), before)
        trips, still_s = plan_trips(move, journeys, self.seating), self._studio.rest_s if still_s is None else still_s
        return _Scene(line, moments(trips, self.seating, 1 / self._studio.fps, still_s), trips)

    def _filmed(
        self, instants: Iterator[Moment], line: int, piles: Mapping[int, Body], settled_only: bool
    ) -> Iterator[Shot]:
        """The shots of one scene; `piles` are those of the previous scene, by ID."""
        base: Canvas | None = None
        known: frozenset[int] | None = None
        for instant in instants:
            if settled_only and not instant.settled:
                self._index += 1
                continue
            busy = frozenset(pose.body.id for pose in instant.moving) | instant.gone
            still = tuple(body for body in self._table.bodies if body.id not in busy)
            if instant.reach is not None:
                # Until the hands are gone, a card laid on a pile is a body of its own.
                still = tuple(piles.get(body.id, body) for body in still)
            if base is None or busy != known:
                base, known = self._lay(still), busy
            yield self._shot(base, still, instant, line)

    def _shot(self, base: Canvas, still: tuple[Body, ...], instant: Moment, line: int) -> Shot:
        canvas = Canvas(base.pixels.copy(), base.labels.copy(), base.gloss)
        cards = [self._seen(body) for body in still if not body.piece]
        moving = tuple(self._seen(pose.body, pose.lean_deg) for pose in instant.moving if not pose.body.piece)
        scene = replace(self._scene, cards=(*cards, *moving))
        lay_cards(canvas, scene, moving, first=len(cards))
        for pose in instant.moving:
            if pose.body.piece:
                self._lay_piece(canvas, pose.body)
        if instant.reach is not None:
            lay_thing(canvas, scene.camera, scene.light, self._hand(instant.reach), COVER)
            self._smear(canvas, base, instant, len(cards))
        self._last = instant.reach
        bodies = (*still, *(pose.body for pose in instant.moving))
        at_s, index = self._index / self._studio.fps, self._index
        self._index += 1
        image = expose(canvas, scene, np.random.default_rng((self._studio.seed, 1, index)))
        return Shot(index, at_s, image, instant.settled, line, truths(canvas, scene), bodies)

    def _smear(self, canvas: Canvas, base: Canvas, instant: Moment, still: int) -> None:
        """Blur a moving hand and its cards along their way."""
        reach, last = instant.reach, self._last
        if reach is None or last is None or last.seat != reach.seat:
            return
        before, now = self.camera.project_straight(np.array([(last.x_mm, last.y_mm), (reach.x_mm, reach.y_mm)]))
        way = (now - before) * self._shutter
        if np.abs(way).max() < 1:
            return
        # Find the changed region first: masks of the whole picture would cost more than the blur.
        x, y, width, height = cv2.boundingRect(cv2.absdiff(canvas.labels, base.labels))
        if not width:
            return
        room = int(np.abs(way).max()) + 1
        box = np.s_[max(0, y - room) : y + height + room, max(0, x - room) : x + width + room]
        cards = [pose for pose in instant.moving if not pose.body.piece]
        carried = np.zeros(256, np.uint8)
        for number, pose in enumerate(cards, still + 1):
            carried[number] = 255 if pose.body.height_mm > LIFTED_MM else 0
        carried[COVER] = 255
        swept = cv2.LUT(canvas.labels[box], carried)
        swept[base.labels[box] == COVER] = 0
        mask = smeared(np.asarray(swept, np.uint8), float(way[0]), float(way[1]))
        blurred, share = smeared(canvas.pixels[box], float(way[0]), float(way[1])), cv2.merge([mask] * 3)
        kept = cv2.multiply(canvas.pixels[box], 255 - share, scale=1 / 255)
        canvas.pixels[box] = cv2.add(kept, cv2.multiply(blurred, share, scale=1 / 255))

    def _lay(self, bodies: tuple[Body, ...]) -> Canvas:
        """The table with everything that does not move."""
        canvas = self._ground_canvas()
        lay_cards(canvas, self._scene, tuple(self._seen(body) for body in bodies if not body.piece), first=0)
        for body in bodies:
            if body.piece:
                self._lay_piece(canvas, body)
        for thing in self._scene.clutter:
            lay_thing(canvas, self._scene.camera, self._scene.light, thing, COVER)
        return canvas

    def _ground_canvas(self) -> Canvas:
        return Canvas(self._bare.pixels.copy(), self._bare.labels.copy(), self._bare.gloss.copy())

    def _lay_piece(self, canvas: Canvas, body: Body) -> None:
        thing = Thing(self._wardrobe.sprite(body), body.x_mm, body.y_mm, body.turn_deg, body.height_mm)
        lay_thing(canvas, self._scene.camera, self._scene.light, thing, COVER)

    def _seen(self, body: Body, lean_deg: float = 0.0) -> CardSeen:
        sprite = self._wardrobe.sprite(body)
        thing = Thing(sprite, body.x_mm, body.y_mm, body.turn_deg, body.height_mm, lean_deg)
        return CardSeen(body.id, body.code, body.face_up, thing, body.zone)

    def _hand(self, reach: Reach) -> Thing:
        """Place the hand behind its fingertips, over the card it holds, in line with the player's shoulder."""
        shoulder_x, shoulder_y = self.seating.seats[reach.seat].frame.place(0.0, -SHOULDER_MM)
        away = shoulder_x - reach.x_mm, shoulder_y - reach.y_mm
        share = (LENGTH_MM / 2 - GRIP_MM) / hypot(*away)
        x, y = reach.x_mm + share * away[0], reach.y_mm + share * away[1]
        return Thing(self._wardrobe.hand(reach.seat), x, y, degrees(atan2(-away[0], away[1])), 32.0)

    def _empty_table(self) -> Scene:
        hard, rng = self._studio.difficulty, self._rng
        names = list(MATERIALS)
        ground = make_ground(str(rng.choice(names)) if hard > 0.15 else "mat", rng)
        table = self.seating.table_mm
        under = [Thing(marker_sprite(number), x, y) for number, (x, y) in enumerate(self.seating.markers_mm())]
        board = board_of(self._rules.game)
        if board is not None:
            under.append(Thing(board_sprite(board, 1.25 * self.camera.px_per_mm()), 0.0, 0.0))
        clutter = tuple(self._beside(rng) for _ in range(int(rng.poisson(1.5 * hard))))
        return Scene(
            self.camera,
            ground.pixels,
            (2.2 * max(table), 1.6 * max(table)),
            ground.gloss,
            under=tuple(under),
            clutter=clutter,
            light=random_light(hard, rng),
            optics=random_optics(0.7 * hard, self._studio.size_px[0], rng),
        )

    def _beside(self, rng: np.random.Generator) -> Thing:
        """An object beside the zones, where nobody plays."""
        side = 1 if rng.random() < 0.5 else -1
        x = side * (self.seating.table_mm[0] / 2 + float(rng.uniform(20, 70)))
        y = float(rng.uniform(-0.3, 0.3)) * self.seating.table_mm[1]
        return Thing(make_clutter(str(rng.choice(list(CLUTTER))), rng), x, y, float(rng.uniform(0, 360)))
