"""The tuned numbers of finding figures, tokens and the track board, each with its meaning and unit.

No script fits them: all were set by hand. Where there is a reason for a value, its description gives it.
"""

# Templates and how they are compared.

PX_PER_MM = 1.25
"""Scale at which pieces are searched: about that of a table in a picture of 1280 x 720."""
COARSE_FACTOR = 2
"""Reduction of the picture in which candidates are searched."""
ROTATIONS = 16
"""Rotations of a template, in equal parts of a full turn."""
SUPERSAMPLING = 4
"""Scale at which a template is drawn before it is reduced."""
BLUR_MM = 0.7
"""Blur of a template: cameras are never quite sharp."""
RIM_MM = 0.4
"""Width of the rim that is left out: there a drawing shows white paper, and a photograph shows the table."""
COLOUR_WEIGHT = 0.3
"""Weight of the colours in a similarity; the rest is the pattern."""
MIN_COLOUR_SIMILARITY, MIN_COLOUR_SIMILARITY_COARSE = 0.6, 0.35
"""Similarity of the colours below which an object is something else; in the coarse picture they are less certain."""
MIN_DEVIATION_LEVELS = 4.0
"""Standard deviation in grey levels below which a place is plain and shows nothing."""
REFINE_PX = 2
"""Distance within which a position is refined."""
MIN_VISIBLE = 0.25
"""Share of a piece that must be visible."""
HIDDEN_PENALTY = 0.1
"""Reduction of the similarity for a piece that is nearly hidden: a small part matches by chance more easily."""
MIN_PROBABILITY = 0.5
"""Probability from which a piece is reported."""

# White balance for tokens.

WHITE_SHARE = 0.005
"""Share of the picture, its whitest pixels, that is taken for white: cards and markers."""
MAX_WHITE_GAIN = 2.5
"""Largest gain of a channel."""
SATURATED_LEVEL = 250
"""Grey level from which a pixel is overexposed, and so white in any light."""

# Figures.

FIGURE_LOGISTIC = (30.0, 0.65)
"""Slope and midpoint of the logistic function from similarity to probability."""
FIGURE_MIN_CONTRAST = 0.55
"""Contrast relative to the drawing below which similarity falls: START shows the figures' shapes, but paler."""
LANE_REACH_MM = 8.0
"""Distance from the middle of its lane within which a figure is searched first."""
ASTRAY_MIN_VISIBLE = 0.8
"""Visible share that a figure outside its lane must have."""

# Tokens.

TOKEN_LOGISTIC = (30.0, 0.65)
"""Slope and midpoint of the logistic function from similarity to probability."""
MIN_COARSE_SIMILARITY = 0.45
"""Similarity in the coarse picture from which a place is examined more closely."""
MIN_COVERED_SIMILARITY = 0.4
"""The same for a token that is partly covered."""
COVERED_CANDIDATES = 3
"""Places that are examined for a token under another one."""

# Track board.

BOARD_SHIFT_MM = 30.0
"""Largest displacement of the board in each direction."""
BOARD_TURNS_DEG = (0.0, -3.0, 3.0)
"""Rotations that are tried before the exact one is fitted, each also with a half turn."""
MIN_BOARD_SIMILARITY = 0.45
"""Similarity below which the view does not show the board."""
BOARD_COARSE_SCALE = 0.4
"""Scale of the picture in which the board is first searched."""
HALF_TURN_MARGIN = 0.15
"""Difference of coarse similarity within which the board and its half turn are both fitted."""
BOARD_BLUR_PX = 0.8
"""Standard deviation of the blur before the board is compared."""
FIT_ITERATIONS, FIT_PRECISION = 40, 1e-4
"""Limits of the fit (ECC): iterations, and the improvement at which it stops."""
LIGHT_BLOCKS = (12, 4)
"""Blocks across and down in which the light on the board is measured."""
LIGHT_RANGE = (0.1, 3.0)
"""Range of the light, relative to white paper in full light."""
