"""Rates: every probability of the inference, in one place; what one game leaves unseen has its costs in its layout.

Numbers called …_COST are -log of a probability: what it costs a history to claim that something happened. Those written
as log(…) are logarithms of probabilities, all others that are below 1 are probabilities.

Each says how it can be found; `scripts/fit-rates` prints what training seeds say of the first two kinds:
  counted   how often it happens in filmed or rehearsed games, in the unit that is named
  searched  the value by which rehearsals lose least
  by hand   nothing simulated can tell it, and why
A value need not be the one that is found: simulated people and films are no real ones.
"""

from math import log

from referee.verdicts import Ruling

# How people play

MOVE_COST = {Ruling.LEGAL: 0.3, Ruling.UNCLEAR: 1.8, Ruling.ILLEGAL: 6.0}
"""One act more between two tables, by what the rules say of it. Counted per act that shows; UNCLEAR by hand, as nothing
is unclear in the truth of a game."""
FORCED_COST = 0.02
"""An act that the rules demand and nobody sees. Counted per state that demands one."""
STANDS_COST, TAKEN_BACK_COST = 1.5, 0.05
"""Play goes on over a wrong play, or the wrong play is taken back. The second is counted per wrong play that shows; the
first by hand, as bots take back every such play."""
EXPOSING_STANDS_COST = 0.7
"""Play goes on over a play that only shows an earlier one to be wrong. Counted per such play."""
RUSH_COST = (0.0, 1.5, 0.3)
"""The first act that shows between two tables, the second, each further one: the tables between were never seen.
Counted per pair of tables with as many acts between them."""
RUSH_SEEN_COST, RUSH_UNSEEN_COST = (0.0, 0.7, 0.3), (0.0, 3.5, 2.0)
"""The same where arms are looked for: if there was an arm for each act; if there were fewer arms than acts. By hand."""
REGRET_COST = 3.0
"""Somebody takes back an allowed play. Counted per play that shows."""
OTHER_SHOWN_COST = 3.5
"""And then shows another card than the one that everybody has seen. By hand: simulated people never do."""

SAID_COST, SAID_EARLY_COST, SAID_WRONGLY_COST = 0.05, 1.5, 3.0
"""People say what they do; say so before it happens; say what is against the rules. Counted per declared move."""
SAID_WAITS_COST = 0.7
"""What was said early has not happened at one table more. By hand: simulated people are one table early at most."""
LATE, EARLY = 2, 2
"""What is said may be about one of so many tables before, or happen until so many tables later. By hand: simulated
people are never late."""

# How the camera sees

MISSED_ALWAYS, MISSED_ONCE = 0.012, 0.03
"""A card that lies there is found in no look at a table, whatever the number of looks; is not found in one look.
Counted per card, and per card and look."""
UNDER_WAY, PLACE_UNDER_WAY = log(0.1), log(0.4)
"""A table that is glimpsed while somebody plays on shows part of a play whose rest is not known yet; each place that it
changes. By hand: films have few such tables. Once the play is known, the table is compared with it."""
INVENTED_ALWAYS, INVENTED_ONCE = 0.002, 0.005
"""A card that is not there is found in all looks at a table; is found in one look. Counted per card that lies there,
and per card and look."""
TAKEN = log(0.3)
"""A card that is only remembered, under others, has been taken since. Counted per remembered card."""
FADED = log(0.7)
"""Such a card is still there: of two that could be meant, the one that is seen is. Counted per remembered card."""
WRONG_SIDE = log(0.002)
"""A back is taken for a face, or a face for a back. Counted per card that is found."""
MISREAD = 0.002
"""A card is read as any other. Counted per card that is found face up."""
UNREAD = 0.02
"""A card of the deck looks like none of it. Counted per card that is found face up."""
WRONG_WAY = log(0.01)
"""A card is seen upside down. Counted per card that is read, where the way matters."""
MARK_WRONG = log(0.001)
"""A drawn mark is missed or invented. Counted per cell of a card that is drawn on."""
PIECE_MISSED, PIECE_INVENTED, PIECE_ASTRAY = log(0.02), log(0.005), log(0.001)
"""A figure or token is not found, is found and not there, is found elsewhere than it stands. Counted per
piece that stands there."""
DISAGREES = log(0.6)
"""A card that is less likely than this to be seen as it is disagrees with a history. By hand: a choice of the model."""
LASTING = (log(0.5), log(0.6), log(0.7), log(0.8), log(0.9))
"""What disagreed at the last table, at the last two …, does so in the same way again: some errors last. The first is
counted per error of a table whose card lies as it did; the others by hand, as few errors of films last."""
ARM_SEEN, ARM_MISSED, OTHER_ARM = 0.95, 0.03, 0.004
"""Who acts is seen reaching there; nobody is; only others are. Counted per seat and zone that it reached into."""
IDLE_OWN, IDLE_ELSEWHERE = 0.2, 0.02
"""Somebody reaches into his own zone, or elsewhere, and does nothing that shows. By hand: simulated people never do;
what is counted, per arm and zone, are arms that pass over a zone or come with another table than their act."""
ARM_DOUBT = 0.3
"""An arm may be that of every seat with this probability. By hand: a choice of the model, which
nothing that happens has the rate of."""

# How much is kept in mind: all by hand, as much as a table may take time for

HISTORIES = 16
"""Histories that are followed at once."""
SAME_STORY = 8
"""Of these, so many at most in which the same people did the same things lately and only details differ."""
MARGIN = 9.0
"""A history that is less likely than the best by this much, as a logarithm, is not extended."""
LAG = 100
"""After so many tables what happened is settled."""
PENDING = 6
"""Tables glimpsed one after the other that wait until it is known which plays were under way."""
WRONG_LATELY = 4
"""For so many tables histories are told apart by what was wrong in them, though they lead to the same state."""
BEAM, DEEPEST = 6, 24
"""Histories that grow at once while one table is explained, and the most acts between two tables."""
PATIENCE = 8
"""Acts without any gain after which a search ends."""
RIVAL = 4.0
"""It also ends when all that still grow are less likely than the best by this much, as a logarithm."""
BUDGET = 300
"""Acts that are tried for one table, and again for each look back."""
SURPRISING = 3.0
"""A table that costs more than this makes the belief look back."""
SHARED_WAYS, PLAIN = 4, 1.0
"""Ways in which the likeliest history explains a table that are tried after the others first; if one of them costs no
more than this the others need not find their own."""
FORK, WAYS = 6.0, 8
"""What was less likely than the best by no more than this, as a logarithm, is tried again later; so many ways."""
MENDED = 2
"""Acts that nobody saw which are put before one that is not allowed after another beginning."""
LOOK_BACK = 4
"""Acts that may be replaced when a later table speaks against them."""

# When to speak: all searched, by what rehearsals lose

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
