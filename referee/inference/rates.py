"""Every probability, cost and threshold of the inference, in one place.

The suffix of a name is its unit:
  …_COST             a negative log probability: what a history pays when it claims that something happened
  …_PROBABILITY      a probability
  …_LOG_PROBABILITY  the natural logarithm of a probability
  …_TABLES, …_ACTS, …_HISTORIES  a number of these
The costs of acts that only one game leaves unseen are in the table.py of that game.

Each docstring says where the value comes from; `scripts/fit-rates` prints what training seeds give for the first two:
  counted   the frequency in filmed or rehearsed games, per the named unit
  searched  the value with the smallest loss in rehearsals
  by hand   no simulation can measure it, and why
A value may differ from the fitted one on purpose, because simulated people and films are not real ones.
"""

from math import log

from referee.verdicts import Ruling

# How people play

MOVE_COST = {Ruling.LEGAL: 0.3, Ruling.UNCLEAR: 1.8, Ruling.ILLEGAL: 6.0}
"""One more act between two tables, by its ruling. Counted per visible act; UNCLEAR by hand, because no act is unclear
in the ground truth of a game."""
FORCED_MOVE_COST = 0.02
"""An invisible act that the rules demand. Counted per state that demands one."""
ILLEGAL_STANDS_COST = 1.5
"""Play continues after an illegal play. By hand: bots take back every such play."""
ILLEGAL_TAKEN_BACK_COST = 0.05
"""An illegal play is taken back. Counted per visible illegal play."""
EXPOSING_STANDS_COST = 0.7
"""Play continues after a play that is illegal only because it exposes an earlier illegal one. Counted per such play."""
NTH_ACT_COST = (0.0, 1.5, 0.3)
"""The first, the second and each further visible act between two consecutive tables, because the tables in between were
never observed. Counted per pair of tables with that number of acts between them."""
NTH_ACT_WITH_ARM_COST = (0.0, 0.7, 0.3)
"""The same where the camera detects arms and saw at least one arm per act. By hand."""
NTH_ACT_WITHOUT_ARM_COST = (0.0, 3.5, 2.0)
"""The same where the camera detects arms and saw fewer arms than acts. By hand."""
REGRET_COST = 3.0
"""A player takes back a legal play. Counted per visible play."""
OTHER_CARD_SHOWN_COST = 3.5
"""After taking back a shown card, the player shows a different one. By hand: simulated people never do."""

DECLARED_COST = 0.05
"""A player declares the move that was made. Counted per declared move."""
DECLARED_EARLY_COST = 1.5
"""A player declares a move before it is made. Counted per declared move."""
DECLARED_ILLEGALLY_COST = 3.0
"""A player declares a move that is against the rules. Counted per declared move."""
DECLARATION_WAITS_COST = 0.7
"""A move declared early has not been made at one more table. By hand: simulated people are at most one table early."""
DECLARED_LATE_TABLES = 2
"""A declaration may refer to an act at one of this many last tables. By hand: simulated people are never late."""
DECLARED_EARLY_TABLES = 2
"""A declared move must be made within this many tables. By hand: simulated people are at most one table early."""

# How the camera sees

MISSED_IN_ALL_LOOKS_PROBABILITY = 0.012
"""A card on the table is missed in all looks, however many there are. Counted per card."""
MISSED_IN_ONE_LOOK_PROBABILITY = 0.03
"""A card on the table is missed in one look. Counted per card and look."""
PLAY_UNDER_WAY_LOG_PROBABILITY = log(0.1)
"""A table glimpsed during play shows part of a play that is not known yet. By hand: films have few such tables. Once
the play is known, the table is compared with it."""
PLACE_UNDER_WAY_LOG_PROBABILITY = log(0.4)
"""The same for each place that the unknown play changes. By hand: films have few such tables."""
FALSE_POSITIVE_IN_ALL_LOOKS_PROBABILITY = 0.002
"""A card that is not on the table is detected in all looks. Counted per card on the table."""
FALSE_POSITIVE_IN_ONE_LOOK_PROBABILITY = 0.005
"""A card that is not on the table is detected in one look. Counted per card on the table and look."""
REMEMBERED_TAKEN_LOG_PROBABILITY = log(0.3)
"""A card that is remembered but covered has been taken since. Counted per remembered card."""
REMEMBERED_KEPT_LOG_PROBABILITY = log(0.7)
"""A card that is remembered but covered is still there; so a visible card is preferred as the match of a layout's card.
Counted per remembered card."""
WRONG_SIDE_LOG_PROBABILITY = log(0.002)
"""A back is detected as a face, or a face as a back. Counted per detected card."""
MISREAD_PROBABILITY = 0.002
"""A card is read as one particular other card. Counted per card that is detected face up."""
UNREAD_PROBABILITY = 0.02
"""A card of the deck is read as foreign. Counted per card that is detected face up."""
UPSIDE_DOWN_LOG_PROBABILITY = log(0.01)
"""The orientation of a card is wrong by half a turn. Counted per card that is read, where the orientation matters."""
ROW_REORDERED_LOG_PROBABILITY = log(0.02)
"""A row is in another order than its cards were laid: one was squeezed in. By hand: simulated people keep the order."""
WRONG_MARK_LOG_PROBABILITY = log(0.001)
"""A drawn mark is missed, or detected where there is none. Counted per cell of a card that is drawn on."""
PIECE_MISSED_LOG_PROBABILITY = log(0.02)
"""A figure or token is missed. Counted per piece on the table."""
PIECE_FALSE_POSITIVE_LOG_PROBABILITY = log(0.005)
"""A figure or token that is not on the table is detected. Counted per piece on the table."""
PIECE_MISPLACED_LOG_PROBABILITY = log(0.001)
"""A figure or token is detected in another place than its own. Counted per piece on the table."""
MISMATCH_BELOW_LOG_PROBABILITY = log(0.6)
"""A card whose likelihood under a history is below this is a mismatch. By hand: a choice of the model."""
REPEATED_MISMATCH_LOG_PROBABILITY = (log(0.5), log(0.6), log(0.7), log(0.8), log(0.9))
"""A mismatch at the last table, at the last two, … occurs again, because some errors persist. The first is counted per
error at a table whose card has not moved; the others by hand, because few errors in films persist."""
ARM_SEEN_PROBABILITY = 0.95
"""The camera sees the acting player reach into a zone. Counted per acting seat and zone."""
ARM_MISSED_PROBABILITY = 0.03
"""The camera sees no arm in a zone into which a player reached. Counted per acting seat and zone."""
ONLY_OTHER_ARMS_PROBABILITY = 0.004
"""The camera sees only other players reach into a zone. Counted per acting seat and zone."""
IDLE_ARM_OWN_ZONE_PROBABILITY = 0.2
"""A player reaches into his own zone and does nothing visible. By hand: simulated people never do; the counts, per arm
and zone, are of arms that pass over a zone or are reported with another table than their act."""
IDLE_ARM_OTHER_ZONE_PROBABILITY = 0.02
"""A player reaches into another zone and does nothing visible. By hand, as above."""
MIN_ARM_OWNER_PROBABILITY = 0.3
"""An arm may belong to every seat that has at least this probability. By hand: a choice of the model."""

# How much is searched and kept: all by hand, limited by the time that one table may take

MAX_HISTORIES = 16
"""Number of histories in the belief."""
MAX_HISTORIES_PER_STORY = 8
"""Number of these in which the same seats made the same kinds of acts lately, so that only details differ."""
PRUNING_MARGIN_COST = 9.0
"""A history is not extended if its score is below the best total by more than this."""
SETTLED_AFTER_TABLES = 100
"""Acts that are older than this are settled: no later table changes them."""
MAX_PENDING_TABLES = 6
"""Number of consecutive glimpsed tables that wait until the plays under way are known."""
RECENT_ILLEGAL_TABLES = 4
"""Histories with equal states are kept apart if their illegal plays of this many last tables differ."""
BEAM_WIDTH_HISTORIES = 6
"""Beam width of the search for the acts that explain one table."""
MAX_DEPTH_ACTS = 24
"""Depth of this search: the largest number of acts between two tables."""
PATIENCE_ACTS = 8
"""The search ends after this many acts without a better total."""
RIVAL_MARGIN_COST = 4.0
"""The search also ends when the scores of the whole beam are below the best total by more than this."""
SEARCH_BUDGET_ACTS = 300
"""Number of acts that the search may try for one table."""
SURPRISING_TABLE_COST = 3.0
"""A table that costs the best history more than this makes the belief revise earlier acts."""
MAX_SHARED_EXPLANATIONS = 4
"""Number of explanations of a table by the best history that are tried first after the other histories."""
GOOD_EXPLANATION_COST = 1.0
"""A history needs no search of its own if a shared explanation costs it less than this."""
FORK_MARGIN_COST = 6.0
"""Alternatives whose total is below the best by less than this are remembered, and tried again later."""
MAX_ALTERNATIVES = 8
"""Number of alternatives that are remembered at a fork, and of revised histories that are followed."""
MAX_INSERTED_ACTS = 2
"""Number of invisible acts that may be inserted before an act to make it legal in a revised history."""
MAX_REVISED_ACTS = 4
"""Number of last visible acts that may be replaced when a later table contradicts them."""

# When to rule and when to ask: all searched, by the loss in rehearsals

ACCUSATION_PROBABILITY = 0.9
"""An illegal play is written to the log from this probability on."""
CLEAR_RULING_PROBABILITY = 0.7
"""Standings and rulings are in doubt if the likeliest ones are below this probability."""
SUSPICION_PROBABILITY = 0.025
"""A ruling is also in doubt if an illegal play has at least this probability."""
ASK_AFTER_TABLES = 2
"""People are asked when a ruling has been in doubt for this many tables."""
ASK_FOR_TABLES = 12
"""People are asked about an illegal play for this many tables; then the question is dropped."""
MIN_CHOICE_PROBABILITY = 0.02
"""Smallest probability of a choice in a question."""
