"""The tuned numbers of watching a table over time, each with its meaning and unit.

No script fits them: all were set by hand. Where there is a reason for a value, its description gives it.
"""

from dataclasses import dataclass

# Stillness: how long a table must rest. The setting `rest_s` has this default.

REST_S = 0.4
"""Seconds without motion after which the table is still."""

# Watcher: how often the table is looked at closely.

SHARP_AFTER_S = 0.09
"""Seconds without motion before a frame is worth a close look; earlier frames are blurred by motion."""
LOOK_INTERVAL_S = 0.09
"""Minimum seconds between two close looks; looks closer together show the same picture."""
MOTION_LOOK_INTERVAL_S = 0.29
"""Minimum seconds between two looks during motion, which follow cards and find hands.

Short enough that a camera with three frames per second looks at every frame: a quick hand may be in one of them only.
"""
RESTING_HAND_INTERVAL_S = 0.4
"""Minimum seconds between two looks at a hand that does not move."""
MIN_LOOKS, MAX_LOOKS = 3, 8
"""Looks at a still table that are enough when it is easy to read, and the most that are made when it is hard."""
HAND_PATIENCE_S = 0.3
"""Seconds, on top of the rest time, after which a motionless hand no longer delays the table."""
SMALL_HAND_MM2 = 3000.0
"""Area below which a motionless hand is ignored: half a card, too small to hide one; probably print on the table."""
WELL_READ_PROBABILITY = 0.9
"""Probability of the best guess from which more looks at a card are not worth while."""
MOVED_MM, TURNED_DEG = 5.0, 10.0
"""Displacement in mm and rotation in degrees from which a card counts as moved since the last reported table."""

# Motion gate.

GATE_WIDTH_PX = 256
"""Width of the small picture that the gate compares: 3 mm on a table of one metre are three quarters of a pixel."""
GATE_WINDOW_PX = 9
"""Side of the averaging window: brightness is the mean over it, structure the deviation from this mean."""
MOTION_BASELINE_S = 0.09
"""Age of the picture that a frame is compared with; between consecutive frames a slow hand would not move."""
CREEP_CHECK_INTERVAL_S = 0.25
"""Interval of the comparison with the last close look, which finds motion too slow for the other comparison."""
DARK_OFFSET = 16.0
"""Grey levels added to the brightness, so that noise in black areas does not count as structure."""
CONTRAST_GAIN_RANGE = (0.55, 1.8)
"""Range of contrast change that a change of light or exposure can cause."""
MIN_STRUCTURE_DIFFERENCE = 0.025
"""Smallest difference in structure that counts, as a share of the brightness."""
MIN_NOISE_POWER_RATIO = 7.0
"""Smallest ratio of a difference to the noise, in power."""
MAX_NOISE_LEVELS = 3.0
"""Grey levels after averaging above which a typical difference is not noise."""
MIN_STRUCTURE_CHANGE = 0.14
"""Share of the structure in a window that must differ."""
MIN_CHANGED_SHARE = 0.0015
"""Share of the view that must differ to count as motion."""
MIN_LIGHT_CHANGE = 0.08
"""Logarithmic change of brightness from which the light counts as changed."""
NOISE_SAMPLING_STEP = 5
"""Noise and light are measured at every n-th point in both directions."""

# Background model of false hand detections.

BACKGROUND_MIN_SHARE = 0.4
"""Share of all rests in which a cell must look like a hand to belong to the background."""
BACKGROUND_MIN_RESTS = 1.5
"""Discounted number of rests in which it must; above 1, so that one rest is never enough."""
BACKGROUND_DECAY = 0.9
"""Factor on the past after every rest: light and people change."""
STATIONARY_SHARE = 0.8
"""Share of a hand's cells that must be where they were if the hand has not moved."""
BACKGROUND_REACH_CELLS = 5
"""Side of the square that every cell is widened to: the border of an object is detected differently every time."""

# Arms.

MIN_ARM_MM2 = 500.0
"""Smallest area of an arm: about two finger tips."""
EDGE_MM = 14.0
"""Distance to the edge of the picture, or of the table view, within which an arm must begin."""
FINGERS_MM = 50.0
"""Length of the fingers: the part of an arm this close to its far end is above what the hand holds."""
SHOULDER_MM = 300.0
"""Distance of the shoulder behind the edge, in the line of the arm."""
SEAT_FALLOFF_MM = 45.0
"""Extra distance from the shoulder to a seat that divides the seat's likelihood by e."""
MIN_SEAT_PROBABILITY = 0.05
"""Smallest probability of a seat that is reported."""
MAX_ARM_GAP_S = 1.2
"""Longest gap between two looks at the same arm; there are three looks a second during motion."""
MAX_SWAP_GAP_S = 0.7
"""Longest gap after which an arm may still be the one that now seems to come from the opposite side."""
IN_LINE_MM = 80.0
"""Largest sideways offset of such an arm: sleeves are not always detected, and finger tips reach far."""
MIN_SHARED_SEATS = 0.5
"""Smallest overlap of two seat distributions for which two regions may be the same arm."""
STRAIGHT_IN_MM = 40.0
"""Length of an arm from which its own direction counts more than the perpendicular to the edge."""
ARM_GAP_CELLS = 5
"""Side of the square that joins parts of an arm, for example around a card in the hand."""

# Tracks.

MIN_HAND_SHARE = 0.003
"""Share of the view from which a hand is present; cards that are not found may then be under it."""
GONE_S = 0.6
"""Seconds for which a card's place must be seen free before the card counts as taken away."""
REMEMBERED_S = 10.0
"""Seconds for which a card that was taken away can be identified again."""
SAME_PLACE_MM = 12.0
"""Displacement below which a card is still in its place."""
MAX_LOOK_GAP_S = 0.5
"""Gap between two looks from which anybody may have touched anything in between."""
MAX_CREDITED_S = 0.3
"""Longest time that one look counts for as evidence of a free place."""
MIN_COVERED_SHARE = 0.72
"""Share from which an undetected card may lie under others: the finder may miss a strip of 15 mm."""
MIN_FREE_LOOKS = 2
"""Looks at a free place after which the card is not under anything put there later."""
MIN_SAME_CARD = 0.2
"""Probability that two readings show the same card, below which a card that moved is another one."""
MIN_RETURNED_CARD = 0.5
"""The same for a card found where one was taken away."""
SURE_PROBABILITY = 0.8
"""Probability of the best guess from which a reading may contradict a track."""
OTHER_VIEW_SHARE = 0.15
"""Change of the visible share from which a look counts as a new view of a card."""
MAX_ORIENTATION_VOTES = 2.0
"""Most looks by which one orientation of a card can lead over the other."""
POSITION_SMOOTHING = 0.4
"""Weight of a new look in the position of a card that was not touched."""
NEAR_COST = 4.0
"""Cost of staying (half the squared deviations) below which a sighting is near a card's old place."""
MIN_LOOK_WEIGHT = 0.05
"""Smallest factor that a low visible share or confidence contributes to the weight of a look."""
CLEAR_COST_GAP = 4.0
"""Gap to the second cheapest assignment from which a pair is fixed without solving the whole problem."""


@dataclass(frozen=True, slots=True)
class AssociationCosts:
    """Costs of associating tracks with sightings: roughly negative logarithms of probabilities."""

    position_sigma_mm: float = 4.0
    """Standard deviation of the position of a card that was not touched."""
    rotation_sigma_deg: float = 6.0
    """Standard deviation of its rotation."""
    moved: float = 6.0
    """A card moved."""
    moved_per_mm: float = 1 / 150
    """More for every mm."""
    turned_over: float = 3.0
    """A card was turned over."""
    moved_unread: float = 5.0
    """More if it moved and no reading identifies it."""
    moved_unread_per_mm: float = 1 / 100
    """And more for every mm."""
    hidden_while_moved: float = 5.0
    """More for a face that became a back elsewhere: these are far more probably two cards."""
    misread: float = 10.0
    """The most that disagreeing readings cost."""
    confused: float = 6.0
    """More for a misreading that names a card missed elsewhere: that card was probably pushed here."""
    missed: float = 6.0
    """A visible track was not found."""
    missed_unseen: float = 0.5
    """A track was not found that was hidden or missing before, or was seen only once."""
    new: float = 14.0
    """A sighting starts a new track."""


# Belief about one card.

MIN_READING_PROBABILITY = 2e-4
"""Lower bound on the probability that one look gives any card: one wrong reading must not outweigh all others."""
UNNAMED_CARDS = 8
"""Number of cards that share the probability which the guesses of a look leave over."""
MAX_EFFECTIVE_LOOKS = 4.0
"""Looks at one view are averaged; the average adapts as if it were over this many looks."""
EARLIER_VIEW_WEIGHT = 0.5
"""Weight of an earlier view beside the present one; each older one counts half as much again."""
MAX_GUESSES = 5
"""Guesses that are reported for a card."""

# Spots.

MAX_CARDS_PER_SPOT = 16
"""Cards at one spot where the plan gives no limit."""
MIN_OVERLAP_SHARE = 0.15
"""Shared part of a card from which two cards clearly overlap; the upper one then follows the lower one."""
SPOT_PASSES = 3
"""Rounds of assigning cards to spots, each with the number of cards that the round before gave to every spot."""
