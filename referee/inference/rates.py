"""Rates: every probability of the inference, in one place. `scripts/fit-rates` finds the fitted ones again.

Numbers called …_COST are -log of a probability: what it costs a history to claim that something happened.
"""

from math import log

from referee.verdicts import Ruling

# How people play

MOVE_COST = {Ruling.LEGAL: 0.3, Ruling.UNCLEAR: 1.8, Ruling.ILLEGAL: 6.0}
"""One act more between two tables, by what the rules say of it."""
FORCED_COST = 0.02
"""An act that the rules demand and nobody sees."""
STANDS_COST, TAKEN_BACK_COST = 3.0, 0.05
"""Play goes on over a wrong play, or the wrong play is taken back."""
EXPOSING_STANDS_COST = 0.7
"""Play goes on over a play that only shows an earlier one to be wrong."""
RUSH_COST, RUSH_SEEN_COST, RUSH_UNSEEN_COST = (1.5, 0.3), (0.7, 0.3), (3.5, 2.0)
"""A second act that shows between two tables, and each further one: the tables between were never seen. If nobody looks
for arms; if there was an arm for it as well; if there were fewer arms than acts."""
REGRET_COST = 3.0
"""Somebody takes back an allowed play."""
OTHER_SHOWN_COST = 3.5
"""And then shows another card than the one that everybody has seen."""

SAID_COST, SAID_EARLY_COST, SAID_WAITS_COST, SAID_WRONGLY_COST = 0.05, 1.5, 0.7, 3.0
"""People say what they do; say so before it happens, and one table more before it does; say what is not allowed."""
LATE, EARLY = 2, 2
"""What is said may be about one of so many tables before, or happen until so many tables later."""

# How the camera sees

MISSED_ALWAYS, MISSED_ONCE = 0.012, 0.03
"""A card that lies there is found in no look at a table, whatever the number of looks; is not found in one look."""
HALF_MADE = 0.2
"""A card does not lie there yet, or no more, when somebody is seen in haste to play on: one play, half of it made."""
INVENTED_ALWAYS, INVENTED_ONCE = 0.002, 0.005
"""A card that is not there is found in all looks at a table; is found in one look."""
TAKEN = log(0.3)
"""A card that is only remembered, under others, has been taken since."""
FADED = log(0.7)
"""Such a card is still there: of two that could be meant, the one that is seen is."""
WRONG_SIDE = log(0.002)
"""A back is taken for a face, or a face for a back."""
MISREAD = 0.002
"""A card is read as any other."""
UNREAD = 0.02
"""A card of the deck looks like none of it."""
WRONG_WAY = log(0.01)
"""A card is seen upside down."""
MARK_WRONG = log(0.001)
"""A drawn mark is missed or invented."""
PIECE_MISSED, PIECE_INVENTED, PIECE_ASTRAY = log(0.02), log(0.005), log(0.001)
"""A figure or token is not found, is found and not there, is found elsewhere than it stands."""
DISAGREES = log(0.6)
"""A card that is less likely than this to be seen as it is disagrees with a history."""
LASTING = (log(0.5), log(0.6), log(0.7), log(0.8), log(0.9))
"""What disagreed at the last table, at the last two …, does so in the same way again: some errors last."""
ARM_SEEN, ARM_MISSED, OTHER_ARM = 0.95, 0.03, 0.004
"""Who acts is seen reaching there; nobody is; only others are."""
IDLE_OWN, IDLE_ELSEWHERE = 0.2, 0.02
"""Somebody reaches into his own zone, or elsewhere, and does nothing that shows."""
ARM_DOUBT = 0.3
"""An arm may be that of every seat with this probability."""

# How much is kept in mind

HISTORIES = 16
"""Histories that are followed at once."""
MARGIN = 9.0
"""A history that is less likely than the best by this much, as a logarithm, is not extended."""
LAG = 100
"""After so many tables what happened is settled."""
WRONG_LATELY = 4
"""For so many tables histories are told apart by what was wrong in them, though they lead to the same state."""
BEAM, DEEPEST = 8, 24
"""Histories that grow at once while one table is explained, and the most acts between two tables."""
PATIENCE = 8
"""Acts without any gain after which a search ends."""
RIVAL = 4.0
"""It also ends when all that still grow are less likely than the best by this much, as a logarithm."""
BUDGET = 400
"""Acts that are tried for one table, and again for each look back."""
SURPRISING = 3.0
"""A table that costs more than this makes the belief look back."""
FORK, WAYS = 6.0, 8
"""What was less likely than the best by no more than this, as a logarithm, is tried again later; so many ways."""
MENDED = 2
"""Acts that nobody saw which are put before one that is not allowed after another beginning."""
LOOK_BACK = 8
"""Acts that may be replaced when a later table speaks against them."""

# When to speak

ACCUSED = 0.9
"""Nobody is accused below this probability."""
DOUBTFUL = 0.7
"""Below this probability of the likeliest ruling and score it is doubtful what to rule."""
SUSPECTED = 0.025
"""Nor is it clear what to rule if somebody did wrong with this probability."""
ASK_AFTER = 2
"""People are asked when that has been doubtful for so many tables."""
ASK_FOR = 12
"""For so many tables people are asked whether a play was wrong; then play has gone on."""
CHOICE = 0.02
"""The least probability of a choice of a question."""
