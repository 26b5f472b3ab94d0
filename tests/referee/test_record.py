"""Records: read strictly, kept to the last byte, and refused with file, line, found and wanted."""

from random import Random

import pytest

from referee.edits import Amend, Correct, Edit, Play, Redo, Stand, Undo
from referee.match import Match
from referee.moves import Move, NotationError
from referee.record import MOST_LINES, decode, read_edit, read_opening, read_record, write_line
from referee.rules import Opening, OpeningError, games, load_rules
from referee.transcript import all_legal, judge_record
from referee.verdicts import Ruling
from tests.referee.games_played import bot_game, rules_of

HEAD = "krupier record 1\ngame dawaj2\nplayers Ala, Bartek\n\n"


def read(text: str) -> None:
    opening = read_opening(text, "game.txt")
    rules = load_rules(opening.game)
    Match.open(rules, opening)
    read_record(text, rules, "game.txt")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "game.txt:1: found '', wanted 'krupier record 1'"),
        ("krupier record 2\n", "game.txt:1: found 'krupier record 2'"),
        ("krupier record 1\n", "no line 'game'"),
        ("krupier record 1\ngame dawaj2\n", "no line 'players'"),
        ("krupier record 1\ngame dawaj2\nplayer Ala\n", "game.txt:3: unknown 'player'.*did you mean 'players'"),
        ("krupier record 1\ngame dawaj2\ngame trio\n", "game.txt:3: a second 'game'"),
        ("krupier record 1\ngame\n", "game.txt:2: nothing after 'game'"),
        ("krupier record 1\ngame dawaj2\nplayers Ala, Ala\n", "two players are called 'Ala'"),
        ("krupier record 1\ngame dawaj2\nplayers Ala,,Ewa\n", "player name ''"),
        ("krupier record 1\ngame dawaj2\nplayers A\x1b[2J,B\n", "player name"),
        ("krupier record 1\ngame dawaj2\nplayers A,B\noption strict\n", "game.txt:4: found 'strict'"),
        (HEAD + "P1 pas ? @ P2", "game.txt:5: 'pas' is not a verb.*did you mean 'pass'"),
        (HEAD + "P3 pass ? @ P1", "game.txt:5: P3 does not play; wanted P1 to P2"),
        (HEAD + "P1 pass ? @ P3", "game.txt:5: .*'P3' is not a place"),
        (HEAD + "P1 pass ?", "game.txt:5: .*no place given; wanted 'P1 pass"),
        (HEAD + "\n# note\nP1 turn 0P0 1G0", "game.txt:7: '0P0' cannot stand here"),
        (HEAD + "P1 turn 1P0", "game.txt:5: .*1 words after turn, wanted 2"),
        (HEAD + "P1 take x=1", "game.txt:5: .*x= is not wanted"),
        (HEAD + "table take", "game.txt:5: .*take needs a seat"),
        (HEAD + "P1 reshuffle", "game.txt:5: .*reshuffle is for the table"),
        (HEAD + "undo 3", "game.txt:5: found '3' after undo"),
        (HEAD + "stand 9", "game.txt:5: found '9' after stand, wanted the number of an earlier line"),
        (HEAD + "P1 take\nstand 5 now", "game.txt:6: found 'now'"),
        (HEAD + "P1 take\namend 5 P1 tak", "game.txt:6: 'tak' is not a verb"),
    ],
)
def test_what_is_no_record_is_refused(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        read(text)


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("game poker\nplayers A,B", "no game 'poker'; there are dawaj2"),
        ("game dawaj\nplayers A,B", "did you mean 'dawaj2'"),
        ("game dawaj2\nplayers A", "1 players; dawaj2 wants 2 to 6"),
        ("game dawaj2\nplayers A,B\noption strikt=yes", "unknown option 'strikt'.*did you mean 'strict'"),
        ("game dawaj2\nplayers A,B\noption strict=maybe", "option strict='maybe'; wanted no or yes"),
        ("game dawaj2\nplayers A,B\noption strict=no\noption strict=no", "given 2 times"),
    ],
)
def test_what_cannot_be_opened_is_refused(head: str, message: str) -> None:
    with pytest.raises(OpeningError, match=message):
        read(f"krupier record 1\n{head}\n\n")


def test_encoding_and_size_are_checked() -> None:
    with pytest.raises(NotationError, match=r"game.txt:2: byte 0xff is not UTF-8"):
        decode(b"krupier record 1\n\xff\xfe", "game.txt")
    with pytest.raises(NotationError, match="bytes; a record has at most"):
        decode(b"x" * 5_000_000, "game.txt")
    with pytest.raises(NotationError, match="lines; a record has at most"):
        read(HEAD + "\n" * MOST_LINES)


def test_everything_written_is_kept() -> None:
    head = "\ufeffkrupier record 1\r\ngame dawaj2\r\nplayers  Zażółć,  Gęślą Jaźń \r\n# head\r\n\r\n"
    text = head + "\r\n  P1  pass ?  @ P2 # hm\r\nundo"
    record = read_record(text, load_rules("dawaj2"))
    assert str(record) == text
    assert record.opening.names == ("Zażółć", "Gęślą Jaźń")
    assert [line.meaning for line in record.lines if line.meaning] == [
        Play(Move(0, "pass", ("?",), "P2")),
        Undo(),
    ]


def test_lines_are_written_as_they_are_read() -> None:
    for text in ("P1 pass ? @ P2", "! P1 out 8P0", "undo", "redo", "stand 6", "amend 6 P1 take", "correct 6 P1 take"):
        line = read_record(HEAD + "P1 take\nP1 take\n" + text, load_rules("dawaj2")).lines[-1]
        assert line.meaning is not None
        assert write_line(line.meaning) == text


TAKE = Move(0, "take")


@pytest.mark.parametrize(
    ("edit", "text"),
    [
        (Play(TAKE), "P1 take"),
        (Play(TAKE, human=True), "! P1 take"),
        (Undo(), "undo"),
        (Redo(), "redo"),
        (Correct(6, TAKE), "correct 6 P1 take"),
        (Amend(6, TAKE), "amend 6 P1 take"),
        (Stand(6), "stand 6"),
    ],
)
def test_every_edit_is_written_and_read_again(edit: Edit, text: str) -> None:
    assert write_line(edit) == text
    assert read_edit(text, 7, load_rules("dawaj2"), 2) == edit


def test_a_stand_without_its_line_is_not_written() -> None:
    with pytest.raises(ValueError, match="without a line cannot be written"):
        write_line(Stand())


def test_changes_are_judged_as_they_come() -> None:
    text = HEAD + (
        "P1 pass ? @ P1\n"  # 5: illegal, not applied
        "P2 pass ? @ P1\n"  # 6
        "P1 take\n"  # 7: illegal, P1 has not passed
        "amend 5 P1 pass ? @ P2\n"  # 8: makes 5 and 7 legal
        "correct 5 P1 pass ? @ P1\n"  # 9: refused, 5 is pinned by a human
        "! P2 take\n"  # 10
        "undo\n"  # 11
        "undo\n"  # 12
        "redo\n"  # 13
        "stand 99\n".replace("99", "4")  # 14: line 4 is no move
    )
    rules = load_rules("dawaj2")
    ruled = list(judge_record(read_record(text, rules), rules))
    assert [row.verdict.ruling.value if row.verdict else None for row in ruled] == [
        "ILLEGAL", "LEGAL", "ILLEGAL", None, None, "LEGAL", None, None, None, None,
    ]  # fmt: skip
    assert ruled[3].changed == (0, 2)
    assert ruled[4].refused == "line 5 is pinned by a human; the camera cannot correct it"
    assert [entry.line for entry in ruled[8].match.log] == [5, 6, 7]
    assert ruled[9].refused is not None
    assert not all_legal(ruled[9])
    assert all_legal(ruled[8])


@pytest.mark.parametrize("game", games())
def test_a_thousand_mutations_never_crash(game: str) -> None:
    """Always NotationError or OpeningError (exit 2), or rulings; never anything else."""
    rng = Random(game)
    rules = rules_of(game)
    texts = [str(bot_game(game, seed, 0.05).written) for seed in range(5)]
    outcomes = {"refused": 0, "judged": 0}
    for _ in range(1000):
        text = mutate(rng, rng.choice(texts))
        try:
            record = read_record(text, rules)
            verdicts = [row.verdict for row in judge_record(record, rules)]
        except (NotationError, OpeningError):
            outcomes["refused"] += 1
            continue
        assert all(verdict is None or isinstance(verdict.ruling, Ruling) for verdict in verdicts)
        outcomes["judged"] += 1
    assert min(outcomes.values()) > 50


def mutate(rng: Random, text: str) -> str:
    """Cut, swap, repeat, misspell: one to four small accidents."""
    lines = text.split("\n")
    head, body = lines[:4], lines[4 : 4 + rng.choice((10, 30, 60))]
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(body))
        words = body[at].split(" ")
        word = rng.randrange(len(words))
        accident = rng.randrange(9)
        if accident == 0:
            body[at] = rng.choice(body)
        elif accident == 1:
            words[word] = rng.choice(rng.choice(body).split(" "))
            body[at] = " ".join(words)
        elif accident == 2:
            del body[at : at + rng.randint(1, 3)]
            body.append("")
        elif accident == 3:
            body[at] = body[at][: rng.randrange(len(body[at]) + 1)]
        elif accident == 4:
            body.insert(
                at, f"{rng.choice(('stand', 'undo', 'redo', 'amend', 'correct'))} {rng.randrange(40)} {body[at]}"
            )
        elif accident == 5:
            body.insert(at, f"stand {rng.randrange(5, 6 + at + 1)}")
        elif accident == 6:
            body.insert(at, rng.choice(("undo", "redo")))
        elif accident == 7:
            body[at] = "".join(rng.choice((c, c, c, chr(rng.randrange(32, 0x2FF)))) for c in body[at])
        else:
            row = rng.randrange(len(head))
            head[row] = rng.choice((head[row] + "9", head[row][:-1], rng.choice(head), "option first=P2"))
    return "\n".join(head + body)


def test_an_opening_says_what_it_is() -> None:
    assert read_opening(HEAD) == Opening("dawaj2", ("Ala", "Bartek"))
