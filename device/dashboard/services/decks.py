"""Taught decks: their progress, and whether a game can be played with them."""

from collections.abc import Sequence
from pathlib import Path

from device.dashboard.refusals import Refusal, refusing
from device.dashboard.services.catalogue import code_hint, title
from device.recording.lines import JSON
from device.sources import SourceError
from device.teaching.choice import deck_to_play
from device.teaching.folder import BEFORE, VIEWS, TaughtEntry, find_deck, has_deck, load_index, taught_decks
from device.teaching.guide import guide_page
from device.teaching.lessons import DoubtfulName, Lesson, TeachingQuestion
from device.teaching.translations import texts_of
from device.teaching.words import doubt_text, quality_text, words_for
from models.cards import DeckError
from models.codes import BACK, FREE, listed
from models.taught import TaughtDeck, View, shortfall
from referee.rules import OpeningError, load_rules
from referee.texts import LANGUAGES

MOST_FANNED = 5
"""Cards of a deck that the list shows."""


def unfinished(taught: TaughtDeck) -> str:
    """Why no game can be played with the deck yet; empty if one can."""
    if taught.game == FREE:
        return "Krupier knows no rules for it"
    deck = taught.deck()
    if deck is None:
        return "none of its cards has a name"
    if taught.waiting:
        return f"{len(taught.waiting)} of its views have no name"
    short = [f"{found} of {wanted} ({kind})" for kind, found, wanted in shortfall(taught).totals if found < wanted]
    if short:
        return f"cards are missing: {', '.join(short)}"
    try:
        load_rules(taught.game, deck)
    except (DeckError, OpeningError) as error:
        return str(error)
    return ""


def playable(data: Path, name: str | None, game: str) -> Path | None:
    """The file of a taught deck, None for Krupier's own; Refusal if no game can be played with it."""
    if name is None:
        return None
    if not has_deck(data, name):
        there: list[JSON] = [entry.name for entry in taught_decks(data) if entry.game == game]
        raise Refusal(422, "no such deck was taught", name, there or "Krupier's own print, or teach one first")
    with refusing():
        taught = load_index(find_deck(data, name))
        if taught.game != game:
            raise Refusal(422, "that deck is for another game", taught.game, game)
        why = unfinished(taught)
        if why:
            raise Refusal(409, f"the deck {name} is not finished: {why}", name, "teach the rest of it first")
        return deck_to_play(data, name)


def to_play(data: Path) -> list[JSON]:
    """The taught decks with a game, and whether they are finished; public."""
    return [
        {"name": entry.name, "game": entry.game, "cards": entry.cards, "ready": not _why(data, entry)}
        for entry in taught_decks(data)
        if not entry.fault and entry.game != FREE
    ]


def entry_json(data: Path, entry: TaughtEntry) -> dict[str, JSON]:
    """A deck in the list, with how many cards of the game's own list it has."""
    ours = listed(entry.game)
    taught = None if entry.fault else load_index(find_deck(data, entry.name))
    there = () if taught is None else taught.codes
    shown = [] if taught is None else [taught.of(code)[0].name for code in there[:MOST_FANNED]]
    return {
        "name": entry.name,
        "game": entry.game,
        "title": None if entry.game in ("", FREE) else dict[str, JSON](title(entry.game)),
        "views": entry.views,
        "codes": entry.codes,
        "cards": entry.cards,
        "waiting": entry.waiting,
        "fault": entry.fault,
        "fault_texts": dict[str, JSON](texts_of(entry.fault)),
        "listed": sum(code in there for code in ours) if ours else None,
        "of_codes": len(ours) if ours else None,
        "of_cards": sum(card.count for card in ours.values()) if ours else None,
        "fan": list[JSON](shown),
        "unfinished": entry.fault or _why(data, entry),
    }


def deck_json(home: Path, taught: TaughtDeck) -> dict[str, JSON]:
    """A deck as the teaching page shows it."""
    ours, short = listed(taught.game), shortfall(taught)
    cards: list[JSON] = [
        {
            "code": code,
            "count": taught.count(code),
            "of": ours[code].count if code in ours else None,
            "counted": code not in short.uncounted,
            "views": [view.name for view in taught.of(code)],
        }
        for code in taught.codes
    ]
    return {
        "name": taught.name,
        "game": taught.game,
        "title": None if taught.game == FREE else dict[str, JSON](title(taught.game)),
        "code_hint": None if taught.game == FREE else dict[str, JSON](code_hint(taught.game)),
        "card_mm": None if taught.card_mm is None else list(taught.card_mm),
        "measured": taught.given_mm is not None or any(view.scaled for view in taught.views),
        "views": {view.name: _view_json(home, view) for view in taught.views},
        "cards": cards,
        "backs": [view.name for view in taught.of(BACK)],
        "waiting": [view.name for view in taught.waiting],
        "missing": list[JSON](short.missing),
        "extra": list[JSON](short.extra),
        "told_apart": [{"codes": list[JSON](pair.codes), "turned": pair.turned} for pair in taught.told_apart],
        "totals": [{"kind": kind, "found": found, "wanted": wanted} for kind, found, wanted in short.totals],
        "unfinished": unfinished(taught),
        "unfinished_texts": dict[str, JSON](texts_of(unfinished(taught))),
        "guide": {language: guide_page(taught.game, language) for language in LANGUAGES}
        if guide_page(taught.game, "en")
        else None,
        "undo": (home / BEFORE).is_file(),
    }


def lesson_json(number: int, lesson: Lesson, size_px: tuple[int, int] | None) -> dict[str, JSON]:
    """What was learnt from a picture, with the corners of its cards."""
    return {
        "number": number,
        "picture": lesson.picture,
        "size_px": None if size_px is None else list(size_px),
        "named": _seen(lesson.named),
        "waiting": _seen(lesson.waiting),
        "again": list[JSON](lesson.again),
        "refused": [
            {
                "what": one.what,
                "why": one.why,
                "what_texts": dict[str, JSON](texts_of(one.what)),
                "texts": dict[str, JSON](texts_of(one.why)),
            }
            for one in lesson.refused
        ],
        "warnings": [doubt_json(one) for one in lesson.warnings],
        "replaced": [{"view": view.name, "code": view.code} for view in lesson.replaced],
    }


def doubt_json(doubtful: DoubtfulName) -> dict[str, JSON]:
    """A doubtful name, with the picture that shows both views side by side."""
    return {
        "kind": doubtful.doubt.kind.value,
        "view": doubtful.view,
        "code": doubtful.code,
        "other": doubtful.doubt.code,
        "pair": doubtful.picture.stem,
        "texts": {language: doubt_text(doubtful.doubt, doubtful.code, words_for(language)) for language in LANGUAGES},
    }


def question_json(question: TeachingQuestion) -> dict[str, JSON]:
    """A question for the person who teaches."""
    return {"views": list[JSON](question.views), "guesses": list[JSON](question.guesses)}


def _seen(views: Sequence[View]) -> list[JSON]:
    return [
        {
            "view": view.name,
            "code": view.code,
            "by": view.by,
            "corners_px": [list[JSON](one) for one in view.corners_px],
        }
        for view in views
    ]


def _view_json(home: Path, view: View) -> dict[str, JSON]:
    try:
        changed = (home / VIEWS / view.file).stat().st_mtime_ns // 1_000_000
    except OSError:
        # The picture was removed: the page shows none.
        changed = 0
    return {
        "code": view.code,
        "by": view.by,
        "origin": view.origin,
        "blur_mm": view.blur_mm,
        "changed": changed,
        "quality": view.quality,
        "verdict": _verdict_json(view) if view.quality else None,
    }


def _verdict_json(view: View) -> dict[str, JSON]:
    return {
        language: quality_text(view.quality, view.flaws, view.advice, words_for(language)) for language in LANGUAGES
    }


def _why(data: Path, entry: TaughtEntry) -> str:
    try:
        return unfinished(load_index(find_deck(data, entry.name)))
    except (SourceError, DeckError) as error:
        return str(error)
