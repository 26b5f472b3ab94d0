"""Tuned numbers of `vision.look`: what each one means, its unit, and where its value comes from.

"Set by hand" means that no script fits the value. `models/README.md` has the figures that all values give together, and
says which of them were chosen on which pictures.
"""

# finder.py: from votes to detections

TURN_UNIT_PX = 16.0
"""Radius of the circle, in view px, on which the doubled angle of a vote is placed.

Two votes whose cards differ by one radian are then about as far apart as votes whose centres differ by 32 px.
Set by hand: crossed cards with a common centre must fall into two clusters.
"""
CLUSTER_RADIUS_PX = 7.3
"""Votes within this distance of a cluster's mean belong to it, in view px. Set by hand: the spread of good votes."""
SUPPRESSION_RADIUS_PX = 10.0
"""Votes within this distance of a cluster's mean cannot start another cluster, in view px. Set by hand."""
ASSIGNMENT_RADIUS_PX = 14.7
"""A vote within this distance of a detection may still be assigned to it, in view px. Set by hand."""
DUPLICATE_OVERLAP = 0.7
"""Two clusters that each have more than this fraction of their cells inside the other are one card. Set by hand."""
MIN_CLUSTER_CELLS = 7
"""Minimum number of cells for a detection. Set by hand: a strip of 15 mm across a card has about 60."""
MIN_SEED_CONFIDENCE = 0.12
"""Minimum confidence of a vote that starts a cluster. Set by hand."""
CONFIDENT_VOTES = 12
"""A detection's vote confidence is the mean over this many of its most confident votes. Set by hand."""
MAX_HALF_SIZE_ERROR = 0.22
"""Largest logarithmic error of the width and the height that votes for half a card may have. Set by hand."""
MIN_HALVES_ALIGNMENT, MAX_HALVES_SHIFT = 0.9, 0.15
"""Cosine of twice the angle between two halves of a card, and how far they may be from their places, in card heights.

Set by hand.
"""
MIN_HAND_FRACTION = 0.02
"""A card counts as under a hand when the hand hides more than this fraction of the card. Set by hand."""

# eye.py: when to align a second time

REALIGN_OFFSET = 0.06
"""A card that the aligner moved by more than this is aligned again, in card widths or radians.

Set by hand: about one unit of the aligner's answers (`ALIGN_UNITS` in `models/crops.py`).
"""

# crops.py: what is read, and where keypoints are detected

MIN_READABLE_FRACTION = 0.03
"""Minimum visible fraction of a card for a reading. Set by hand: less shows no print."""
KEYPOINT_MARGIN_PX = 8.0
"""Keypoints are detected this far around a patch, in view px. Set by hand: descriptors need some surroundings."""
MIN_KEYPOINT_PATCH_PX = 16
"""A patch whose shorter side is smaller is not searched for keypoints, in crop-source px. Set by hand."""

# visibility.py: which card hides which

VOTE_TRUST_DEPTH_CELLS = 1.5
"""This far inside another card's outline, a cell that votes for a card proves that the card is visible there.

Nearer to the outline, cells are too coarse to decide. In cells. Set by hand: the diagonal of a cell.
"""
MIN_HIDING_CELLS = 2
"""Minimum number of cells that a card must show inside another card's outline to hide it. Set by hand."""

# blank.py: cards without print, overexposed cards

MIN_PRINT_CONTRAST = 4.0
"""Minimum standard deviation of a printed card in its strongest colour channel, of 255.

Set by hand: simulated cards have more than 5.
"""
EDGE_MARGIN = 0.12
"""Fraction of a crop's width and height left out at each edge by the blank-card test: a neighbour may show there.

Set by hand for decks of any design, which may have print only near their edges.
"""
OWN_DECK_EDGE_MARGIN = 0.2
"""The same for Krupier's own decks, which all have print in the middle.

Set by hand: this far stripes reach into squares of cloth, as seen once on filmed games.
"""
OVEREXPOSED_VALUE = 250
"""A pixel is overexposed when all its channels reach this value, of 255. Set by hand."""
MAX_OVEREXPOSED_FRACTION = 0.85
"""A card with a larger overexposed fraction cannot be read. Set by hand."""
MIN_VISIBLE_POINTS = 60
"""Minimum number of visible points of the visibility map, of 32 x 44, for both tests. Set by hand."""

# reader.py: calibration of the reader's probabilities

OVEREXPOSURE_GAIN = 1.8
"""Faces of decks that the reader was not trained on are also learnt brighter by this factor.

A camera in the sun shows faces so bright that pale print vanishes. Set by hand on the path-traced scenes of
`models/README.md`.
"""
OWN_DECK_SHARPENING = 1.25
"""Exponent of the probabilities of decks with refined features: the reader is underconfident there.

Fitted to simulated tables; the fit has no script in the repository.
"""
FIRST_COMPARED_SIDES, MAX_COMPARED_SIDES = 8, 24
"""Number of sides of a taught deck that are compared with a crop one by one: at once, and before it is called foreign.

The likeliest come first. Set by hand: among 60 look-alikes the true side of a whole card is one of 24 in 97 %.
"""
MAX_COMPARED_VIEWS = 2
"""Number of views of a card in the same orientation that are compared before other cards. Set by hand."""
MIN_COMPARED_PROBABILITY = 1e-5
"""Minimum probability of a side that is compared at once; the two likeliest always are. Set by hand."""
MIN_FOREIGN_PROBABILITY = 0.3
"""Probability of a foreign card from which further sides are compared. Set by hand."""
SIDE_PROBABILITY_FLOOR = 1e-5
"""Added to the reader's probabilities before their logarithm: below it they tell nothing. Set by hand."""
MATCHER_WEIGHT, READER_WEIGHT, HIDDEN_READER_WEIGHT = 1.23, 0.28, 0.49
"""Weights of the matcher's log odds and of the reader's log probability in the score of a side of a taught deck.

The third is added to the second in proportion to the hidden fraction of the card: the reader knows strips better.
Fitted by `scripts/fit-matcher` when it still cut cards out at their true corners. A later fit to cards as the eye cuts
them out rejected more strangers (96.5 % instead of 94.4 % on development decks), but the eye then reported only 93 %
instead of 99 % of the path-traced cards, so it is not used.
"""
FOREIGN_OFFSET, FOREIGN_WEIGHT = 6.0, 1.2
"""Score of "not a card of this deck" for a taught deck: a constant, and the weight of the reader's log probability.

Fitted by `scripts/fit-matcher`.
"""
