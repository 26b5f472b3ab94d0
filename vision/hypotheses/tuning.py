"""Tuned numbers of `vision.hypotheses`: what each one means, its unit, and where its value comes from.

"Set by hand" means that no script fits the value. `models/README.md` has the figures that all values give together, and
says which of them were chosen on which pictures.
"""

# confidence.py, scoring.py: is there a card at all?

EXISTENCE_WEIGHTS = (0.31, 0.25, -3.68, 5.12, -0.82, 1.77, -0.61)
"""Weights of the logistic regression for a card of a known deck, in the order of `evidence`, and its bias.

Fitted by `scripts/fit-confidence`.
"""
KEYPOINT_EXISTENCE_WEIGHTS = (0.02, 0.08, -2.51, -1.08, -1.93, -0.57, 1.31, 3.43, -1.47)
"""The same for a card that was found by its keypoints; their score and the similarity are evidence, too.

Fitted by `scripts/fit-confidence`.
"""
UNREAD_EXISTENCE_WEIGHTS = (9.7, 5.6, -4.3)
"""Weights of vote confidence and visible fraction, and the bias, for a card that cannot be read.

Set by hand; `scripts/fit-confidence` leaves these cards out.
"""
MIN_PROBABILITY_OWN_DECK = 0.95
"""Minimum existence probability to report a card of a deck that the reader was trained on.

Chosen on 400 development tables (see `models/README.md`); `scripts/fit-confidence` prints the effect of thresholds.
"""
MIN_PROBABILITY_OTHER_DECK = 0.9
"""The same for other decks, which are read with less confidence. Set by hand."""
MIN_PROBABILITY_KEYPOINTS = 0.9
"""The same for cards that were found by their keypoints. Set by hand; `scripts/fit-confidence` prints the effect."""
MIN_PROBABILITY_UNREAD = 0.65
"""The same for cards that cannot be read. Set by hand."""
MAX_VISIBLE_EVIDENCE = 0.5
"""More than this visible fraction of a card is no further evidence. Set by hand."""
MIN_SIDE_PROBABILITY = 0.5
"""A card whose faces together, or whose back, are at least this likely is a card of the deck: more likely than not."""
SLIVER_VISIBLE = 0.2
"""A card with a smaller visible fraction is a sliver, which must not be too empty. Set by hand."""
MAX_SLIVER_EMPTY = 0.5
"""Maximum empty fraction of a sliver's outline: with more it is a stripe of cloth or a napkin. Set by hand."""

# refinement.py, poses.py: other poses for doubtful cards

MIN_SURE_READING = 0.9
"""A card whose best side is less likely than this is doubtful: it may have another pose. Set by hand."""
MAX_DOUBTFUL_CARDS = 24
"""Maximum number of doubtful cards for which other poses are tried. Set by hand: saves time on patterned carpets."""
MIN_UNASSIGNED_CELLS = 12
"""Minimum number of connected card cells without a detection that are tried as a card. Set by hand."""
UNASSIGNED_VOTE_CONFIDENCE = 0.2
"""Vote confidence given to such a card. Set by hand: its votes did not agree."""
MIN_POSE_FIT = 0.4
"""Minimum fit (see `pose_fits`) of a candidate pose that is tried. Set by hand."""
MAX_POSES_PER_CARD = 6
"""Maximum number of candidate poses that are tried for each card. Set by hand."""
MAX_SHIFTED_VISIBLE = 0.5
"""Cards with a smaller visible fraction are also tried a little beside their pose; others are aligned well.

Set by hand on a path-traced scene (see `models/README.md`).
"""
SHIFT = 0.05
"""How far beside its pose such a card is tried, in card widths. Set by hand: about 3 mm."""
MIN_IMPROVEMENT = 0.1
"""Minimum gain in fit plus reading probability for a card to take another pose. Set by hand."""
MIN_NEW_CARD_WORTH = 1.4
"""Minimum sum of fit and reading probability for unassigned cells to become a card. Set by hand."""
DUPLICATE_DISTANCE_PX = 5.3
"""Cards whose corners are nearer to each other than this on average are one card, in view px. Set by hand."""
OUTLINE_TOLERANCE_CELLS = 0.5
"""How far outside its outline the centre of a cell may be that shows the card, in cells. Half a cell, by geometry."""

# keypoints.py: SIFT keypoints of a deck

DRAWING_BLUR_PX = 0.8
"""Standard deviation of the blur that makes drawings as soft as camera images, in px. Set by hand."""
SIFT_CONTRAST = 0.02
"""Contrast threshold of SIFT: lower finds fainter keypoints. Set by hand (OpenCV: 0.04)."""
SIFT_EDGE = 15.0
"""Edge threshold of SIFT: higher accepts keypoints that are more like a line. Set by hand (OpenCV: 10)."""
MIN_MATCH_SIMILARITY = 0.82
"""Minimum similarity of two descriptors that match anywhere on the table. Set by hand."""
MATCH_BONUS = 0.02
"""Added to a match's similarity above the minimum, so that even the weakest match counts a little. Set by hand."""
MAX_MATCHES = 8
"""Maximum number of matches in the index for one keypoint. Set by hand."""
MAX_SCALE_RATIO = 1.4
"""By how much the sizes of two matching keypoints may differ, as a factor. Set by hand: the card size is known."""
POSE_RADIUS_PX = 5.0
"""Keypoints within this distance of a pose vote for that pose, in view px. Set by hand."""
POSE_TURN_UNIT_PX = 30.0
"""Number of view px that one radian counts in that distance. Set by hand: about half the width of a card."""
POSE_BIN_PX = 6.0
"""Width of the bins in which votes for poses are first counted, in view px. Set by hand."""
POSE_TURN_BIN_PX = 7.5
"""The same for the turn, in the units of `POSE_TURN_UNIT_PX`: a quarter of a radian. Set by hand."""
MAX_POSE_BINS = 8
"""Number of fullest bins from which the search for the best pose starts. Set by hand."""
MAX_POSE_CANDIDATES = 24
"""Maximum number of poses that keypoints propose on one table. Set by hand."""
MATCH_RADIUS_PX = 4.0
"""At a given pose a keypoint matches one of the card within this distance, in view px. Set by hand."""
MATCH_MIN_COSINE = 0.95
"""Minimum cosine of the angle between two such keypoints. Set by hand: 18 degrees."""
MIN_MATCH_SIMILARITY_AT_POSE = 0.6
"""Minimum similarity of two descriptors that match at a given pose. Set by hand."""
COMMON_RADIUS_PX = 1.5
"""Keypoints of two sides are common if they are in the same bin of this width, in view px. Set by hand."""
COMMON_MIN_SIMILARITY = 0.95
"""Minimum similarity of the descriptors of common keypoints. Set by hand."""
COMMON_MIN_COSINE = 0.97
"""Minimum cosine of the angle between common keypoints. Set by hand: 14 degrees."""

# keypoint_search.py: where keypoints are searched, and which poses are accepted

MIN_SEARCHED_CELLS = 10
"""Minimum number of connected card cells without a confident card that are searched for keypoints. Set by hand."""
MIN_POSE_SCORE = 1.5
"""Minimum score of the keypoints that propose a pose. Set by hand."""
OWN_MARGIN_CELLS = 1.0
"""How far outside its outline a confident card explains the cells that vote for it, in cells. Set by hand."""
KEYPOINT_MARGIN_CELLS = 0.5
"""How far outside its outline a card that was found by keypoints takes cells, in cells. Set by hand."""
SAME_POSE_PX = 9.0
"""A pose whose corners are nearer than this to a card's on average is a pose of that card, in view px. Set by hand."""
MIN_KEYPOINT_CARD_CELLS = 5
"""Minimum number of cells that show a card which was found by keypoints. Set by hand."""
MIN_KEPT_CELLS = 0.5
"""A card that keeps a smaller fraction of its cells when keypoints add others is dropped. Set by hand."""

# rescoring.py, similarity.py: which card is it?

READER_WEIGHT = 1.5
"""Weight of the log of the reader's probability.

This weight and the next two were fitted to the likelihood of 750 simulated tables; the fit has no script in the
repository.
"""
KEYPOINT_WEIGHT = 0.6
"""Weight of one perfectly matched keypoint. Fitted together with `READER_WEIGHT`."""
SIMILARITY_WEIGHT = 24.0
"""Weight of the similarity, from -1 to 1. Fitted together with `READER_WEIGHT`."""
MIN_READER_PROBABILITY = 1e-3
"""Probability of a side that the reader did not list. Set by hand."""
OTHER_WAY_FACTOR = 0.05
"""Fraction of a side's probability that the orientation gets which the reader did not choose. Set by hand."""
MIN_COMPARED_POINTS = 40
"""Minimum number of visible points, of 64 x 88, to compute a similarity. Set by hand."""
THUMBNAIL_BLUR_PX = 0.8
"""Standard deviation of the blur of the thumbnails that crops are compared with, in px. Set by hand."""
