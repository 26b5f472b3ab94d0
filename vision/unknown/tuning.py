"""The tuned numbers of reading pictures without a rig and decks that nobody has taught, with meaning and unit.

`scripts/fit-unknown` fits the weights of the existence probability; the others were set by hand. Where there is a
reason for a value, its description gives it.
"""

# Scale estimation without a rig.

FOCAL_LENGTHS = (0.65, 0.78, 0.95, 1.2)
"""Focal lengths that are tried, in picture widths: from wide Pi cameras to telephones."""
DEFAULT_FOCAL_LENGTH = FOCAL_LENGTHS[1]
"""The focal length where nothing in the picture tells it."""
LENS_DISTORTIONS = (0.0, -0.06, -0.12, -0.2, -0.3)
"""Radial distortions (k1) that are tried."""
MIN_CARDS_ACROSS, MAX_CARDS_ACROSS = 1.25, 36.0
"""Range of the picture's width that is searched, in card widths."""
SCALE_STEP = 1.4
"""Ratio of two widths that are tried one after the other."""
SCALES_REFINED = 2
"""Number of the best widths that are refined."""
MIN_CARD_PX = 21.0
"""Card width below which the finder finds nothing."""
CONFIDENCE_POWER = 16
"""Power of the confidence in a card's weight: one certain card tells the scale better than dozens of doubtful ones,
because grain looks like cards at any scale."""
SCALE_PRIOR_POWER = 0.5
"""Power of the card width in the score of a scale: print on a card may look like smaller cards."""
MAX_OUTLINED_CARDS = 12
"""Number of cards at a scale, the most certain ones, whose edges are examined."""
UNSEEN_SIDE_SUPPORT = 0.6
"""Support that a side outside the picture is given."""
SIZE_ERROR_RATE = 6.0
"""Rate at which the score of a card falls with the logarithm of its size error."""
DEFAULT_CARDS_ACROSS = 8.0
"""Width of the picture, in card widths, where no card is found."""
MIN_WHOLE_VISIBLE, MIN_RELATIVE_CONFIDENCE = 0.5, 0.85
"""Visible share, and confidence relative to the most certain card, from which a card's size shows the camera's tilt."""
MIN_TILT_CARDS = 5
"""Number of such cards from which the tilt is estimated."""
MAX_TILT_LOG_RATIO = 1.4
"""Largest logarithmic ratio of card sizes between two edges of the picture: that of a camera that is tilted by 45°."""
MAX_TILT_RESIDUAL = 0.04
"""Spread of logarithmic card sizes that a tilt may leave unexplained, as a standard deviation."""
SCALE_ROUNDS, TILT_ROUNDS = 2, 4
"""Rounds of estimating the scale, and the most rounds while card sizes still show a tilt; each uses the cards of the
round before."""
TILT_PRIOR = 0.02
"""Weight of the pull towards no tilt: a few cards in one corner tell little about the other corners."""

# Survey: cards that are measured and cut out.

VIEW_PX_PER_MM = 4.0
"""Scale at which cards are cut out."""
MIN_TAUGHT_VISIBLE = 0.8
"""Visible share from which a card can be taught; for an uncovered card the finder's value varies by a few percent."""
MIN_OUTLINED_VISIBLE = 0.3
"""The same for a card with edges on all four sides: the finder may take dark print for the table."""
MIN_WHOLE_EDGE = 0.8
"""Support that every side of such a card must have: where something covers a side, a part of its edge is missing."""
MAX_OUTSIDE = 0.02
"""Distance by which a corner may be outside the picture, in card widths."""
MEASURED_CARD_PX, MEASURED_MARGIN_PX = (120, 168), 24
"""Size of the crop in which a card's edges are searched, and the margin around it."""
MIN_EDGE_PEAK = 0.5
"""Strength of the outermost line around a card, relative to the strongest, from which it is the edge."""
MEASURED_BETWEEN = (0.27, 0.73)
"""Part of each side that is used: the corners of cards are round."""
MAX_EDGE_LEVELS = 60
"""Grey levels at which the strength of an edge is clipped."""
MAX_MEASURING_ROUNDS = 4
"""Most rounds of measuring cards with the size that the round before found."""
SAME_SIZE = 0.01
"""Relative change of the size at which measuring stops."""
SAME_VIEW_SIZE = 0.04
"""Relative difference of card sizes up to which a picture shows the same view as the one before."""
SCALE_ERROR_RANGE = (0.85, 1.2)
"""Range of the error of a scale that was estimated without markers."""
MAX_SIDE_ERROR = 0.16
"""Largest relative error of a side's length."""

# Comparing views of cards.

SURE_PROBABILITY = 0.9
"""Probability from which the reader's best guess is taken for a known card."""
MIN_PROBABILITY = 0.2
"""Probability below which the reader does not believe that two views show the same card."""
MAX_BLUR_MM = 1.15
"""Largest blur of an edge, as a standard deviation, in a view that is taught; small print is lost above it."""
MAX_SAME_MM2, MIN_OTHER_MM2 = 10.0, 60.0
"""Differing area below which two views show the same face, and above which they show different ones."""
LOCAL_WINDOW_MM, MAX_SAME_LOCAL_LEVELS = 3.0, 25.0
"""Width of the window in which a small symbol is looked for, about that of a suit symbol in a corner, and the mean
difference in it, in grey levels, from which two views are not called the same; a person is then asked."""
MIN_DIFFERENCE_LEVELS = 45.0
"""Grey levels, of 255, by which two points in the same light must differ to count."""
SAME_TINT, OTHER_TINT = 1.2, 1.6
"""Largest ratio of two channels' gains that is attributed to the light, when two views are called the same and when
they are called different: under another lamp a pink card may look like a red one, and then a person must decide."""
RIM = 0.05
"""Share of each side that is left out of a comparison, and where print is looked for: the cut may not be exact."""
ALIGN_ITERATIONS, ALIGN_PRECISION = 25, 1e-4
"""Limits of aligning two views (ECC): iterations, and the improvement at which it stops."""
RELIGHT_ROUNDS, RELIGHT_KEPT_PERCENT, RELIGHT_MIN_LEVELS = 4, 70, 12.0
"""Rounds of the robust fit of the light; in each, the percentage of pixels kept and the error that is always kept."""
BRIGHTNESS_RANGE = (0.4, 2.5)
"""Range of the brightness ratio of two lamps."""

# Quality of views that are taught.

MAX_GOOD_BLUR_MM = 0.95
"""Largest blur of an edge, as a standard deviation, in a good view."""
GLARE_LEVEL = 235.0
"""Grey level of the two darker channels, on average, from which a pixel may be washed out by a reflection."""
MIN_GLARE_MM2 = 12.0
"""Smallest patch of glare that counts, about the size of a symbol in a corner."""
MAX_GLARE_SLOPE, MIN_SOFT_SHARE = 10.0, 0.25
"""Grey levels a pixel of a crop at which the edge of a reflection falls at most, since the edges of print are steeper,
and the share of the edge that must be as soft."""
MIN_GLARE_RISE = 25.0
"""Grey levels by which a reflection is brighter than the darkest part of the surface that it fades into."""
GLARE_SHARES = (0.02, 0.3)
"""Share of a card under glare above which its view is poor, and above which it is unusable."""
MIN_CONTRAST_LEVELS = 70.0
"""Grey levels between the darkest and the brightest print below which a view is faded."""
SHADOW_INK_MM = 5.0
"""Width of print that is removed before the light on a card is measured."""
SHADOW_RATIOS = (1.35, 3.5)
"""Ratio of the light on both sides of a shadow above which a view is poor, and above which it is print, not shadow."""
SHADOW_CHROMA_STEP, MIN_PRINT_SHARE, LIT_PERCENT = 0.06, 0.02, 85
"""Step of the colour shares by which prints are told apart, the smallest share of the card that counts as a print, and
the percentile of its brightness that is taken for full light: a shadow changes the level, and hardly the colour."""
MIN_SHADOW_SHARE = 0.12
"""Smallest share of the card on either side of a shadow's edge."""
MIN_SHADOW_FIT = 0.85
"""Share of the card that a straight edge must explain."""
SLANTS_DEG = (40.0, 60.0)
"""Slant above which a view is poor, and above which it is unusable."""
MIN_MOVE = 0.12
"""Distance of glare from the middle of a card, in card sides, from which a direction to move the card is given."""

# Guesses from print.

MIN_GUESS_PROBABILITY = 0.01
"""Probability from which a guess is reported."""

# Evidence for cards of an unknown deck.

UNKNOWN_EXISTENCE_WEIGHTS = (10.25, 0.71, 3.97, 0.29, 2.13, 4.43, -1.35, -10.95)
"""Weights of the logistic regression in the order of `evidence`, and its bias.

Fitted by `scripts/fit-unknown` to 240 simulated photographs among real textures (2,658 candidates, 936 cards).
"""
MIN_PROBABILITY_UNKNOWN = 0.5
"""Minimum existence probability to report a card of an unknown deck: more likely than not."""
SURE_RELATIVE_CONFIDENCE = 0.9
"""Vote confidence, relative to the surest card, from which a card explains why a card below it is hidden."""
MAX_HIDDEN_EVIDENCE = 0.5
"""More than this hidden share of a card is no further evidence."""
MAX_REPEATED_OVERLAP = 0.6
"""Intersection over union above which two sightings show the same card."""
MAX_INSIDE = 0.8
"""Share of an open outline inside a likelier, closed one from which it is a part of that card."""
MIN_MEASURED_CONFIDENCE = 0.9
"""Vote confidence, relative to the surest card, from which an outline is used to measure the size of all cards."""

# Screening: own decks in pictures for which no deck is named.

MIN_THUMBNAIL_SIMILARITY = 0.7
"""Correlation of a card's thumbnail with a side of a deck from which the deck is learnt and read."""
MIN_ALIKE_SIMILARITY = 0.8
"""Correlation of two cards' thumbnails from which both are compared in detail."""

# Outlines: edges around a card of an unknown deck.

OUTLINE_WIDTH_PX, OUTLINE_MARGIN_PX = 72, 12
"""Width of a card in the crop in which its outline is searched, and the margin around it."""
MAX_LONGER = 0.4
"""How much further than the assumed ends an end of a card is searched, as a share of the assumed height."""
EDGE_STEP_PX = 3
"""Width of the strips on either side of an edge that are compared, in px of that crop."""
EDGE_COHERENCE_PX = 11
"""Length along an edge over which steps are averaged with their sign: grain cancels out, an edge does not."""
EDGE_FULL_LEVELS = 24.0
"""Mean step, of 255 levels in the strongest channel, from which an edge has full support."""
EDGE_REACH_PX = 9
"""Distance of an edge from the assumed side, in px of that crop."""
CARD_REACH_PX = (11, 20)
"""Distance across and along by which a whole card of known size is moved to its edges, in px of that crop."""
OUTLINE_ENDS_SKIPPED = 0.1
"""Share of a card's width that is left out at both ends of a side: the corners of cards are round."""
MIN_OUTLINE_SUPPORT = 0.6
"""Support from which a side of an outline is an edge."""
MIN_CARD_ASPECT, MAX_CARD_ASPECT = 0.95, 2.1
"""Range of a card's height relative to its width: from square to slim, and a little for the slant of the camera."""
LENGTH_BONUS = 0.5
"""Support that a closed rectangle gains for each card width by which it is longer."""
MIN_SIDE_IN_PICTURE = 0.5
"""Share of a side that must be in the picture for its support to be known."""
OFFSET_PENALTY = 0.01
"""Support by which an edge must be better for each px that it is further from the assumed side."""
