"""The guide through teaching: what is known, what is missing, what to show next, and the page of a game."""

from collections.abc import Iterator, Mapping

from models.codes import FREE
from models.packages import has_part, packages, text_of
from models.taught import TaughtDeck, shortfall

MAX_NEXT = 10
"""Maximum number of cards to ask for at once: so many fit side by side on a table."""


def guide_page(game: str, language: str) -> str:
    """The page that tells what to teach for a game; empty if the game has none."""
    part = f"teach.{language}.md"
    return text_of(game, part) if game in packages() and has_part(game, part) else ""


def open_question(game: str, language: str) -> str:
    """What the rulebook leaves open about the deck, as the quotation of the game's page says it."""
    quoted = [line.removeprefix("> ") for line in guide_page(game, language).splitlines() if line.startswith("> ")]
    return " ".join(quoted)


def guide_lines(taught: TaughtDeck, language: str, words: Mapping[str, str]) -> Iterator[str]:
    """How far the deck is, and what to do next; nothing for a deck without rules."""
    if taught.game == FREE:
        return
    short = shortfall(taught)
    found, wanted = sum(total[1] for total in short.totals), sum(total[2] for total in short.totals)
    if taught.waiting:
        yield words["next-name"].format(count=len(taught.waiting))
    if short.complete and not taught.waiting:
        yield words["complete"].format(found=found, wanted=wanted)
        return
    if not short.complete:
        yield words["incomplete"].format(found=found, wanted=wanted)
        yield from _next(short.missing, words)
        if open_question(taught.game, language):
            yield words["open"].format(text=open_question(taught.game, language))


def _next(missing: tuple[str, ...], words: Mapping[str, str]) -> Iterator[str]:
    if missing:
        more = words["next-more"].format(count=len(missing) - MAX_NEXT) if len(missing) > MAX_NEXT else ""
        yield words["next"].format(codes=" ".join(missing[:MAX_NEXT]), more=more)
    else:
        yield words["next-count"]
