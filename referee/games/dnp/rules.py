"""dnp: play a set, add to one, take one or turn your hand; what goes back to hand is flipped; be rid of yours first."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from models.cards import Deck, DeckError
from referee.games.dnp.deck import GROUPS, VALUES, pair_of, star_of
from referee.games.dnp.hands import (
    find_fault,
    forget_hand,
    lay,
    possible_sets,
    room,
)
from referee.games.dnp.state import (
    FIRST_OUT,
    QUIET_LAPS,
    SECOND_OUT,
    CardSet,
    Claim,
    Dead,
    Fate,
    Phase,
    Player,
    State,
    beat,
    called,
    discard,
    end_turn,
    flipped,
    goal,
    is_duel,
    one_value,
    pick_up,
    place,
    place_name,
    places,
    printed,
    quiet_laps,
    rank,
    redeal_due,
    rival,
    set_value,
    sets,
    turn_hand,
    value,
    with_dead,
    with_player,
)
from referee.moves import HIDDEN, Move
from referee.verdicts import Outcome, Reason, Ruling, Standing, Verdict, because, illegal, legal, unclear
from referee.vocabulary import Verb

MOST_ADDED = 10


class GameRules:
    """The rules of dnp for one deck."""

    game = "dnp"
    seats = range(2, 6)
    state_type = State

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        cards = [(pair_of(card), GROUPS[card.word("group")]) for card in deck.cards for _ in range(card.count)]
        self._words = frozenset(word for pair, _ in cards for word in (pair, flipped(pair)))
        self._star = star_of(deck)
        cards.sort(key=lambda card: self._order(card[0]))
        self._in_play = {players: tuple(pair for pair, least in cards if least <= players) for players in self.seats}
        for players, dealt in self._in_play.items():
            if len(dealt) < players:
                raise DeckError(f"{len(dealt)} cards in play with {players} players; dnp wants one each at least")
        self._places = {players: places(players) for players in self.seats}
        self._judges: dict[str, Callable[[State, int, Move], Verdict]] = {
            "discard": self._judge_discard,
            "play": self._judge_play,
            "add": self._judge_add,
            "take": self._judge_take,
            "flip": self._judge_flip,
            "pass": self._judge_pass,
        }
        self._acts: dict[str, Callable[[State, int, Move], State | None]] = {
            "play": self._play,
            "add": self._add,
            "take": self._take,
            "flip": self._flip,
            "pass": self._pass,
        }

    def choices(self, players: int) -> Mapping[str, tuple[str, ...]]:
        return {}

    def guests(self, players: int) -> tuple[str, ...]:
        return ()

    def verbs(self, players: int) -> Mapping[str, Verb]:
        every = frozenset(self._places[players])
        duel, most = players == 2, len(self._in_play[self.seats[-1]])
        own = every if duel else frozenset[str]()
        at = "P2.1" if duel else "P2"
        return {
            "star": Verb("P1 star"),
            "discard": Verb("P1 discard"),
            "play": Verb(
                "P1 play 8/3 8/4 @ P1.2" if duel else "P1 play 8/3 8/4",
                self._spell,
                1,
                most,
                own,
                target_optional=True,
                order=self._order,
            ),
            "add": Verb(f"P1 add 5/3 @ {at}", self._spell, 1, MOST_ADDED, every, order=self._order),
            "take": Verb(f"P1 take @ {at}", targets=every),
            "flip": Verb("P1 flip"),
            "pass": Verb("P1 pass"),
            "redeal": Verb("table redeal", seated=False),
        }

    def start(self, players: int, options: Mapping[str, str]) -> State:
        return self._deal(0, 1, (0,) * players)

    # Judging moves

    def legal_moves(self, state: State) -> Iterator[Move]:
        if state.phase is Phase.STAR:
            yield from (Move(seat, "star") for seat in range(len(state.players)))
        if state.phase is not Phase.TURNS:
            return
        if redeal_due(state):
            yield Move(None, "redeal")
        seat, player = state.turn, state.players[state.turn]
        if player.areas[state.area]:
            yield Move(seat, "discard")
            return
        yield Move(seat, "flip")
        others = [(owner, area, lying) for owner, area, lying in sets(state) if owner != seat]
        yield from (Move(seat, "take", (), place_name(state, owner, area)) for owner, area, _ in others)
        sizes = {len(lying): set_value(lying) for _, _, lying in sets(state)}
        target = place_name(state, seat, state.area) if is_duel(state) else None
        for active in VALUES:
            for cards in possible_sets(state, seat, active):
                if sizes.get(len(cards), 0) < active:
                    yield Move(seat, "play", cards, target)
                if len(cards) == 1:
                    for owner, area, lying in others:
                        if set_value(lying) == active and sizes.get(len(lying) + 1, 0) < active:
                            yield Move(seat, "add", cards, place_name(state, owner, area))

    def judge(self, state: State, move: Move) -> Verdict:
        if state.phase is Phase.OVER:
            return illegal(move, "DN-X4" if is_duel(state) else "DN-9", "over")
        if move.seat is None:
            if redeal_due(state):
                return legal(move, "DN-R", "redeals", laps=quiet_laps(state))
            return illegal(move, "DN-R", "redeal-early", laps=quiet_laps(state), wanted=QUIET_LAPS)
        if move.verb == "star":
            return self._judge_star(state, move.seat, move)
        return _out_of_turn(state, move.seat, move, self._star) or self._judges[move.verb](state, move.seat, move)

    def _judge_star(self, state: State, seat: int, move: Move) -> Verdict:
        if state.phase is not Phase.STAR:
            return illegal(move, "DN-2", "star-again", round=state.round)
        key = "star-duel" if is_duel(state) else "star"
        return legal(move, "DN-2", key, seat=seat, card=self._star, round=state.round)

    def _judge_discard(self, state: State, seat: int, move: Move) -> Verdict:
        lying = state.players[seat].areas[state.area]
        if not lying:
            return illegal(move, "DN-3", "discard-nothing", seat=seat)
        return legal(move, "DN-3", "discards", seat=seat, lying=called(lying))

    def _judge_play(self, state: State, seat: int, move: Move) -> Verdict:
        if is_duel(state) and (move.target is None or self._place(state, move) != (seat, state.area)):
            key = "wrong-area" if move.target else "no-area"
            wanted = place_name(state, seat, state.area)
            return illegal(move, "DN-X2", key, seat=seat, place=move.target or "", wanted=wanted)
        values = sorted({value(card) for card in move.cards if card != HIDDEN})
        if len(values) > 1:
            return illegal(move, "DN-A", "mixed", seat=seat, values=tuple(str(shown) for shown in values))
        size = len(move.cards)
        beaten = rival(state, size)
        played = f"{values[0]}×{size}" if values else ""
        if beaten is not None and values and values[0] <= set_value(beaten[1]):
            own = beaten[0] == seat
            rule, key = ("DN-X3", "too-low-own") if own else ("DN-A", "too-low")
            return illegal(move, rule, key, seat=seat, played=played, beaten=called(beaten[1]), owner_seat=beaten[0])
        return self._judge_cards(state, seat, move, "DN-A", "plays", played, beaten)

    def _judge_add(self, state: State, seat: int, move: Move) -> Verdict:
        owner, area = self._place(state, move)
        if owner == seat:
            return illegal(move, "DN-B", "add-own", seat=seat)
        lying = state.players[owner].areas[area]
        if not lying:
            return illegal(move, "DN-B", "add-nothing", seat=seat, place=move.target or "")
        if len(move.cards) != 1:
            return illegal(move, "DN-B", "add-count", seat=seat, cards=len(move.cards))
        card, wanted = move.cards[0], set_value(lying)
        if card != HIDDEN and wanted and value(card) != wanted:
            return illegal(move, "DN-B", "add-value", seat=seat, card=card, active=value(card), lying=called(lying))
        enlarged = f"{wanted}×{len(lying) + 1}"
        beaten = rival(state, len(lying) + 1)
        if beaten is not None and wanted and wanted <= set_value(beaten[1]):
            return illegal(
                move, "DN-B", "add-low", seat=seat, played=enlarged, beaten=called(beaten[1]), owner_seat=beaten[0]
            )
        return self._judge_cards(state, seat, move, "DN-B", "adds", enlarged, beaten)

    def _judge_cards(
        self, state: State, seat: int, move: Move, rule: str, key: str, played: str, beaten: tuple[int, CardSet] | None
    ) -> Verdict:
        """The verdict on cards that are legal except perhaps for the hand they come from."""
        fault = find_fault(state, seat, move.cards)
        if fault is not None:
            return Verdict(move, Ruling.ILLEGAL, fault.rule, fault.reason, fault.about)
        if HIDDEN in move.cards:
            return unclear(move, rule, "unread", seat=seat)
        if beaten is None:
            return legal(move, rule, key, seat=seat, played=played)
        owner, lying = beaten
        fate = "own" if owner == seat else "out" if state.players[owner].out else "back"
        return legal(move, rule, f"{key}-{fate}", seat=seat, played=played, beaten=called(lying), owner_seat=owner)

    def _judge_take(self, state: State, seat: int, move: Move) -> Verdict:
        owner, area = self._place(state, move)
        if owner == seat:
            return illegal(move, "DN-C", "take-own", seat=seat)
        lying = state.players[owner].areas[area]
        if not lying:
            return illegal(move, "DN-C", "take-nothing", seat=seat, place=move.target or "")
        return legal(move, "DN-C", "takes", seat=seat, owner_seat=owner, lying=called(lying), cards=len(lying))

    def _judge_flip(self, state: State, seat: int, move: Move) -> Verdict:
        return legal(move, "DN-D", "flips", seat=seat, cards=state.players[seat].hand)

    def _judge_pass(self, state: State, seat: int, move: Move) -> Verdict:
        return unclear(move, "DN-4", "no-action", seat=seat, cards=state.players[seat].hand)

    # Applying moves

    def apply(self, state: State, move: Move) -> State:
        seat = move.seat
        if state.phase is Phase.STAR:
            return self._begin(state, seat) if move.verb == "star" and seat is not None else state
        if state.phase is Phase.OVER or move.verb == "star":
            return state
        if seat is None:
            return self._deal(state.ply + 1, state.round, tuple(player.points for player in state.players))
        if state.players[seat].out:
            return state
        if move.verb == "discard":
            areas = state.players[seat].areas
            area = state.area if seat == state.turn else next((a for a, lying in enumerate(areas) if lying), 0)
            return replace(discard(state, seat, area), ply=state.ply + 1, dead=()) if areas[area] else state
        # A set that should have been discarded first no longer counts, although it is still on the table.
        cleared = replace(state, dead=())
        if seat == state.turn:
            cleared = with_dead(cleared, seat, state.area, state.players[seat].areas[state.area], Fate.LEFT)
            cleared = discard(cleared, seat, state.area)
        acted = self._acts[move.verb](cleared, seat, move)
        if acted is None:
            return self._astray(state, seat, move)
        return self._end_turn(acted, seat, 0 if move.cards else state.quiet + 1)

    def _astray(self, state: State, seat: int, move: Move) -> State:
        """Cards that make no set stay on the table until they are taken back; nothing else changes."""
        owner, area = self._place(state, move)
        fits = len(move.cards) <= state.players[seat].hand and HIDDEN not in move.cards
        lying = state.players[owner].areas[area]
        if not fits or not move.cards or (owner != seat if move.verb == "play" else not lying):
            return state
        stray = Dead(owner, area, move.cards, Fate.STRAY)
        return replace(state, ply=state.ply + 1, dead=(stray,))

    def _begin(self, state: State, seat: int) -> State:
        area = len(state.players[seat].areas) - 1
        claim = Claim(seat, self._star, state.ply)
        return replace(state, ply=state.ply + 1, phase=Phase.TURNS, turn=seat, area=area, claim=claim, dead=())

    def _play(self, state: State, seat: int, move: Move) -> State | None:
        owner, area = self._place(state, move)
        if owner != seat or not one_value(move.cards):
            return None
        laid = lay(state, seat, move.cards)
        if laid is None:
            return None
        return beat(place(discard(laid, seat, area), seat, area, move.cards), seat, area)

    def _add(self, state: State, seat: int, move: Move) -> State | None:
        owner, area = self._place(state, move)
        lying = state.players[owner].areas[area]
        if not lying or not one_value(lying + move.cards):
            return None
        laid = lay(state, seat, move.cards)
        if laid is None:
            return None
        return beat(place(laid, owner, area, lying + move.cards), owner, area)

    def _take(self, state: State, seat: int, move: Move) -> State | None:
        owner, area = self._place(state, move)
        return pick_up(state, owner, area, seat) if state.players[owner].areas[area] else None

    def _flip(self, state: State, seat: int, move: Move) -> State:
        return with_player(state, seat, turn_hand(state.players[seat]))

    def _pass(self, state: State, seat: int, move: Move) -> State:
        """An unseen action: the hand keeps its size, and every card in it may have changed."""
        return forget_hand(state, seat)

    def _end_turn(self, state: State, seat: int, quiet: int) -> State:
        player = state.players[seat]
        if player.hand:
            return end_turn(state, seat, quiet)
        second = any(other.out for other in state.players)
        points = player.points + (1 if is_duel(state) else SECOND_OUT if second else FIRST_OUT)
        state = with_player(state, seat, replace(player, out=True, points=points))
        if points >= goal(state):
            return replace(state, ply=state.ply + 1, phase=Phase.OVER, last=seat)
        if second or is_duel(state):
            # The cards stay on the table until they are gathered and dealt.
            left = tuple(Dead(owner, area, lying, Fate.LEFT) for owner, area, lying in sets(state))
            dealt = self._deal(state.ply + 1, state.round + 1, tuple(other.points for other in state.players))
            return replace(dealt, dead=state.dead + left)
        return end_turn(state, seat, quiet)

    def _deal(self, ply: int, round_: int, points: tuple[int, ...]) -> State:
        cards, areas = self._in_play[len(points)], ((), ()) if len(points) == 2 else ((),)
        each, more = divmod(len(cards), len(points))
        players = (Player(each + (seat < more), areas, points=won) for seat, won in enumerate(points))
        return State(ply, round_, Phase.STAR, tuple(players), cards)

    # Standings, outcome and status

    def todo(self, state: State) -> tuple[Reason, ...]:
        if state.phase is Phase.OVER:
            return ()
        if state.phase is Phase.STAR:
            hands = tuple(str(player.hand) for player in state.players)
            return (because("todo-star", round=state.round, cards=len(state.unseen), hands=hands, card=self._star),)
        seat, where = state.turn, place_name(state, state.turn, state.area)
        player = state.players[seat]
        lying = player.areas[state.area]
        todo = [because("todo-redeal", laps=quiet_laps(state))] if redeal_due(state) else []
        if lying:
            return (because("todo-discard", seat=seat, lying=called(lying), place=where), *todo)
        table = tuple(called(other) for _, _, other in sets(state)) or ("~nothing",)
        key = "todo-act-duel" if is_duel(state) else "todo-act"
        return (because(key, seat=seat, cards=player.hand, table=table, place=where), *todo)

    def standings(self, state: State) -> tuple[Standing, ...]:
        return tuple(
            Standing(seat, player.hand, player.points, _story(player)) for seat, player in enumerate(state.players)
        )

    def outcome(self, state: State) -> Outcome | None:
        return rank(state) if state.phase is Phase.OVER else None

    def status(self, state: State) -> tuple[Reason, ...]:
        deck, faults = self._in_play[len(state.players)], []
        table = [lying for _, _, lying in sets(state)]
        cards = sum(player.hand for player in state.players) + sum(map(len, table)) + len(state.discarded)
        if cards != len(deck):
            faults.append(because("status-lost", cards=cards, total=len(deck)))
        for lying in table:
            if not one_value(lying):
                faults.append(because("status-mixed", cards=lying))
            elif sum(len(other) == len(lying) for other in table) > 1:
                faults.append(because("status-sizes", lying=called(lying), size=len(lying)))
        known = [held.card for player in state.players for held in player.known]
        # A card whose face nobody saw still counts as unseen, wherever it is.
        seen = [card for lying in (*table, state.discarded, known) for card in lying if card != HIDDEN]
        if sorted((*state.unseen, *map(printed, seen))) != sorted(deck):
            faults.append(because("status-cards"))
        faults += [
            because("status-hand", seat=seat, hand=player.hand, known=len(player.known))
            for seat, player in enumerate(state.players)
            if room(player) < 0
        ]
        return tuple(faults)

    # The deck and the table

    def _spell(self, word: str) -> str | None:
        return word if word in self._words or word == HIDDEN else None

    def _order(self, card: str) -> int:
        return 10_000 if card == HIDDEN else 100 * value(card) + value(flipped(card))

    def _place(self, state: State, move: Move) -> tuple[int, int]:
        """The owner and the index of the area that the move names; by default the area of the turn."""
        if move.target is not None:
            return self._places[len(state.players)][move.target]
        return (move.seat or 0), (state.area if move.seat == state.turn else 0)


def _out_of_turn(state: State, seat: int, move: Move, star: str) -> Verdict | None:
    """Why this player may not act at all now."""
    if state.phase is Phase.STAR:
        return illegal(move, "DN-2", "no-starter", card=star)
    if state.players[seat].out:
        return illegal(move, "DN-6", "is-out", seat=seat)
    if seat != state.turn:
        twice = seat == state.last and move.verb != "discard"
        rule, key = ("DN-4", "two-actions") if twice else ("DN-2", "not-turn")
        return illegal(move, rule, key, seat=seat, turn_seat=state.turn)
    lying = state.players[seat].areas[state.area]
    if lying and move.verb != "discard":
        return illegal(move, "DN-3", "discard-first", seat=seat, lying=called(lying))
    return None


def _story(player: Player) -> Reason:
    lying = tuple(called(cards) for cards in player.areas if cards) or ("~nothing",)
    known = tuple(held.card for held in player.known) or ("~nothing",)
    return because("story-out" if player.out else "story-in", lying=lying, known=known)
