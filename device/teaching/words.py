"""Messages of `krupier teach`, in English and Polish."""

from collections.abc import Iterator, Mapping

from device.teaching.lessons import Lesson, TeachingQuestion
from models.codes import BACK
from models.taught import Shortfall, TaughtDeck, shortfall

MAX_LISTED = 40
"""Maximum number of codes or views in a message."""
ENGLISH: Mapping[str, str] = {
    "lesson": "{picture}: {named} named, {waiting} without a name, {again} known and seen again, {refused} refused",
    "as": "  {view} is {code} ({by})",
    "deck": "{name} ({game}): {views} views of {codes} cards, {backs} of backs",
    "size": "cards of {width:.1f} x {height:.1f} mm",
    "proportions": "cards of {width:.1f} x {height:.1f}, only proportions without a rig; --card-mm says how large",
    "total": "{kind}: {found} of {wanted} cards",
    "missing": "not shown yet ({count}): {codes}",
    "extra": "not in our list ({count}): {codes}",
    "uncounted": "{count} counts are those of our list; --count CODE=N says yours",
    "waiting": "views without a name ({count}): {views}; name them with --label VIEW=CODE",
    "ask": "{picture}\n{views}: {guesses}which card is this? (Enter: later)",
    "guess": "is this {guesses}? ",
    "or": " or ",
    "back": "a back",
    "snap": "Enter takes a picture, q ends",
}
POLISH: Mapping[str, str] = {
    "lesson": "{picture}: nazwane: {named}, bez nazwy: {waiting}, widziane znowu: {again}, odrzucone: {refused}",
    "as": "  {view} to {code} ({by})",
    "deck": "{name} ({game}): widoków: {views}, kart: {codes}, rewersów: {backs}",
    "size": "karty {width:.1f} x {height:.1f} mm",
    "proportions": "karty {width:.1f} x {height:.1f}, tylko proporcje: bez stanowiska; rozmiar podaje --card-mm",
    "total": "{kind}: {found} z {wanted} kart",
    "missing": "jeszcze nie pokazane ({count}): {codes}",
    "extra": "spoza naszej listy ({count}): {codes}",
    "uncounted": "liczby kopii wzięte z naszej listy: {count}; własne podaje --count KOD=N",
    "waiting": "widoki bez nazwy ({count}): {views}; nazwij je przez --label WIDOK=KOD",
    "ask": "{picture}\n{views}: {guesses}która to karta? (Enter: później)",
    "guess": "czy to {guesses}? ",
    "or": " czy ",
    "back": "rewers",
    "snap": "Enter robi zdjęcie, q kończy",
}


def words_for(language: str) -> Mapping[str, str]:
    """The messages of a language."""
    return POLISH if language == "pl" else ENGLISH


def lesson_lines(lesson: Lesson, words: Mapping[str, str]) -> Iterator[str]:
    """Summary of a lesson, without the refusals."""
    yield words["lesson"].format(
        picture=lesson.picture,
        named=len(lesson.named),
        waiting=len(lesson.waiting),
        again=len(lesson.again),
        refused=len(lesson.refused),
    )
    for view in lesson.named:
        yield words["as"].format(view=view.name, code=view.code, by=view.by)


def deck_lines(taught: TaughtDeck, words: Mapping[str, str]) -> Iterator[str]:
    """State of a deck: views, card size, and what is missing."""
    yield words["deck"].format(
        name=taught.name,
        game=taught.game,
        views=len(taught.views),
        codes=len(taught.codes),
        backs=len(taught.of(BACK)),
    )
    if taught.card_mm is not None:
        known = taught.given_mm is not None or any(view.scaled for view in taught.views)
        yield words["size" if known else "proportions"].format(width=taught.card_mm[0], height=taught.card_mm[1])
    yield from shortfall_lines(shortfall(taught), words)
    if taught.waiting:
        names = [view.name for view in taught.waiting]
        yield words["waiting"].format(count=len(names), views=_some(names))


def shortfall_lines(short: Shortfall, words: Mapping[str, str]) -> Iterator[str]:
    """Differences from our card list."""
    for kind, found, wanted in short.totals:
        yield words["total"].format(kind=kind, found=found, wanted=wanted)
    for key, codes in (("missing", short.missing), ("extra", short.extra)):
        if codes:
            yield words[key].format(count=len(codes), codes=_some(codes))
    if short.uncounted:
        yield words["uncounted"].format(count=len(short.uncounted))


def question_text(question: TeachingQuestion, words: Mapping[str, str]) -> str:
    """The text of a question."""
    likely = [words["back"] if guess == BACK else guess for guess in question.guesses]
    asked = words["guess"].format(guesses=words["or"].join(likely)) if likely else ""
    return words["ask"].format(picture=question.picture, views=" ".join(question.views), guesses=asked)


def _some(words: list[str] | tuple[str, ...]) -> str:
    more = f" … (+{len(words) - MAX_LISTED})" if len(words) > MAX_LISTED else ""
    return " ".join(words[:MAX_LISTED]) + more
