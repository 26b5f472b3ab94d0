"""Messages of `krupier teach`, in English and Polish."""

from collections.abc import Iterator, Mapping, Sequence

from device.teaching.lessons import DoubtfulName, Lesson, TeachingQuestion
from models.codes import BACK
from models.taught import Shortfall, TaughtDeck, shortfall
from vision.unknown.teaching import DoubtKind, NameDoubt
from vision.unknown.view_quality import ViewVerdict

MAX_LISTED = 40
"""Maximum number of codes or views in a message."""
ENGLISH: Mapping[str, str] = {
    "lesson": "{picture}: {named} named, {waiting} without a name, {again} known and seen again, {refused} refused",
    "as": "  {view} is {code} ({by})",
    "deck": "{name} ({game}): {views} views of {codes} cards, {backs} of backs",
    "size": "cards of {width:.1f} x {height:.1f} mm",
    "proportions": "cards of {width:.1f} x {height:.1f}, only proportions without a rig; --card-mm gives their size",
    "total": "{kind}: {found} of {wanted} cards",
    "missing": "not shown yet ({count}): {codes}",
    "extra": "not in our list ({count}): {codes}",
    "uncounted": "cards whose number of copies comes from our list: {count}; --count CODE=N corrects it",
    "waiting": "views without a name ({count}): {views}; name them with --label VIEW=CODE",
    "ask": "{picture}\n{views}: {guesses}which card is this? (Enter: later)",
    "guess": "is this {guesses}? ",
    "or": " or ",
    "back": "a back",
    "snap": "Enter takes a picture, q ends",
    "looks-like": "{code} looks like {other}: differs in {mm2:.0f} mm² only",
    "turned-twin": "{code} and {other} are the same print turned: they cannot be told apart by the picture",
    "differs": "differs from what is called {code} already in {mm2:.0f} mm²",
    "wanted-same": "{doubt}; wanted the same face, another code, or --insist",
    "side-by-side": "  warning: {view}: {doubt}; shown side by side in {file}",
    "two-cards": "{doubt}\n{file}\nAre they two different cards? (y: yes, Enter: no) ",
    "both-one-card": "{doubt}\n{file}\nIs it {code} all the same? (y: yes, Enter: no) ",
    "yes": "y",
    "ask-apart": "- asks about each of them alone",
    "told-apart": "told apart by you: {codes}",
    "imported": "{name} ({game}): {views} views of {codes} cards",
    "exported": "{file}: {views} views",
    "played-forgotten": "{name}: {views} views from play forgotten",
    "listed": "{name}: {game}, {codes} cards ({cards} with copies), {views} views",
    "listed-waiting": ", {waiting} without a name",
    "sure": "{name}: {views} views of {codes} cards; delete them for good?",
    "deleted": "{name}: deleted",
    "drawn": "{file}: all views, drawn on one sheet",
    "complete": "your deck is complete: {found} of {wanted}",
    "incomplete": "{found} of {wanted} cards are taught",
    "next": "show next: {codes}{more}; side by side, not overlapping",
    "next-more": " and {count} more",
    "next-count": "every card has a view, but the number of cards differs from our list: --count CODE=N corrects it",
    "next-name": "name the views that have none ({count}): --label VIEW=CODE, or answer on a terminal",
    "open": "about the list: {text}",
    "begin": "{game}: {cards} cards, {codes} different. Spread some out under the camera and go on with:\n"
    "  krupier teach {game} --name {name} --camera usb:0 --rig rig.toml   (or --images FOLDER, --video FILE)\n"
    "  krupier teach {game} --guide   says what to teach and what to check",
    "no-guide": "there is no page about teaching {game}",
    "refused": "{count} refused, everything else is kept:",
    "quality-good": "a good view",
    "quality-poor": "a poor view: {flaws}; taken until a better one comes: {advice}",
    "quality-unusable": "{flaws}; {advice}",
    "quality": "  {view}: {verdict}",
    "replaced": "  {view}, a poor view of {code}, is dropped: a better one came",
    "poor": "poor views ({count}): {views}",
    "flaw-glare": "glare on {percent:.0f} % of the card",
    "flaw-faded": "faded: {number:.0f} of 255 grey levels between dark and bright",
    "flaw-shadow": "the edge of a shadow, {number:.1f} times darker on one side",
    "flaw-blur": "it is blurred: edges are smeared by {number:.1f} mm",
    "flaw-slant": "seen at a slant of {number:.0f}°",
    "flaw-hidden": "not wholly seen",
    "advice-left": "show this card once more, a little to the left",
    "advice-right": "show this card once more, a little to the right",
    "advice-up": "show this card once more, a little higher in the picture",
    "advice-down": "show this card once more, a little lower in the picture",
    "advice-elsewhere": "show this card once more, in another place, out of the lamp's reflection",
    "advice-softer": "show this card once more, in softer light",
    "advice-unshaded": "show this card once more, where no shadow falls on it",
    "advice-still": "show this card once more, lying still and in focus",
    "advice-below": "show this card once more, nearer to the point below the camera",
    "advice-whole": "show this card once more, whole and with nothing on it",
}
POLISH: Mapping[str, str] = {
    "lesson": "{picture}: nazwane: {named}, bez nazwy: {waiting}, widziane znowu: {again}, odrzucone: {refused}",
    "as": "  {view} to {code} ({by})",
    "deck": "{name} ({game}): widoków: {views}, kart: {codes}, rewersów: {backs}",
    "size": "karty {width:.1f} x {height:.1f} mm",
    "proportions": "karty {width:.1f} x {height:.1f}: tylko proporcje, bo nie podano --rig; rozmiar podaje --card-mm",
    "total": "{kind}: {found} z {wanted} kart",
    "missing": "jeszcze nie pokazane ({count}): {codes}",
    "extra": "spoza naszej listy ({count}): {codes}",
    "uncounted": "karty, których liczba kopii pochodzi z naszej listy: {count}; poprawia ją --count KOD=N",
    "waiting": "widoki bez nazwy ({count}): {views}; nazwij je: --label WIDOK=KOD",
    "ask": "{picture}\n{views}: {guesses}która to karta? (Enter: później)",
    "guess": "czy to {guesses}? ",
    "or": " czy ",
    "back": "rewers",
    "snap": "Enter robi zdjęcie, q kończy",
    "looks-like": "{code} wygląda jak {other}: różni się tylko na {mm2:.0f} mm²",
    "turned-twin": "{code} i {other} to ten sam druk, tylko obrócony: po obrazie nie da się ich odróżnić",
    "differs": "różni się od karty, która już nazywa się {code}, na {mm2:.0f} mm²",
    "wanted-same": "{doubt}; potrzebna ta sama karta, inny kod albo --insist",
    "side-by-side": "  uwaga: {view}: {doubt}; obie obok siebie: {file}",
    "two-cards": "{doubt}\n{file}\nCzy to dwie różne karty? (t: tak, Enter: nie) ",
    "both-one-card": "{doubt}\n{file}\nCzy mimo to jest to {code}? (t: tak, Enter: nie) ",
    "yes": "t",
    "ask-apart": "- pyta o każdą z nich osobno",
    "told-apart": "odróżnione przez ciebie: {codes}",
    "imported": "{name} ({game}): widoków: {views}, kart: {codes}",
    "exported": "{file}: widoków: {views}",
    "played-forgotten": "{name}: zapomniane widoki z gry: {views}",
    "listed": "{name}: {game}, kart: {codes} (z kopiami {cards}), widoków: {views}",
    "listed-waiting": ", bez nazwy: {waiting}",
    "sure": "{name}: widoków: {views}, kart: {codes}; usunąć na zawsze?",
    "deleted": "{name}: usunięta",
    "drawn": "{file}: wszystkie widoki na jednym arkuszu",
    "complete": "twoja talia jest kompletna: {found} z {wanted}",
    "incomplete": "nauczone karty: {found} z {wanted}",
    "next": "teraz pokaż: {codes}{more}; obok siebie, tak żeby się nie zasłaniały",
    "next-more": " i jeszcze {count}",
    "next-count": "każda karta ma widok, ale liczba kart jest inna niż na naszej liście: poprawia ją --count KOD=N",
    "next-name": "nazwij widoki bez nazwy ({count}): --label WIDOK=KOD albo odpowiedz w terminalu",
    "open": "o liście: {text}",
    "begin": "{game}: kart: {cards}, różnych: {codes}. Rozłóż kilka pod kamerą i wpisz:\n"
    "  krupier teach {game} --name {name} --camera usb:0 --rig rig.toml   (albo --images FOLDER, --video PLIK)\n"
    "  krupier teach {game} --guide   mówi, czego uczyć i co sprawdzić",
    "no-guide": "nie ma strony o uczeniu kart gry {game}",
    "refused": "odrzucone: {count}, reszta zostaje zapisana:",
    "quality-good": "dobry widok",
    "quality-poor": "słaby widok: {flaws}; zostaje, póki nie będzie lepszego: {advice}",
    "quality-unusable": "{flaws}; {advice}",
    "quality": "  {view}: {verdict}",
    "replaced": "  {view}, słaby widok karty {code}, odpada: jest lepszy",
    "poor": "słabe widoki ({count}): {views}",
    "flaw-glare": "odblask na {percent:.0f} % karty",
    "flaw-faded": "wyblakły: od ciemnego do jasnego tylko {number:.0f} z 255 poziomów",
    "flaw-shadow": "krawędź cienia, po jednej stronie {number:.1f} raza ciemniej",
    "flaw-blur": "nieostry: krawędzie rozmyte na {number:.1f} mm",
    "flaw-slant": "widziany pod kątem {number:.0f}°",
    "flaw-hidden": "nie widać całej karty",
    "advice-left": "pokaż tę kartę jeszcze raz, trochę bardziej w lewo",
    "advice-right": "pokaż tę kartę jeszcze raz, trochę bardziej w prawo",
    "advice-up": "pokaż tę kartę jeszcze raz, trochę wyżej na obrazie",
    "advice-down": "pokaż tę kartę jeszcze raz, trochę niżej na obrazie",
    "advice-elsewhere": "pokaż tę kartę jeszcze raz w innym miejscu, poza odbiciem lampy",
    "advice-softer": "pokaż tę kartę jeszcze raz, w łagodniejszym świetle",
    "advice-unshaded": "pokaż tę kartę jeszcze raz tam, gdzie nie pada na nią cień",
    "advice-still": "pokaż tę kartę jeszcze raz, nieruchomo i ostro",
    "advice-below": "pokaż tę kartę jeszcze raz, bliżej miejsca pod kamerą",
    "advice-whole": "pokaż tę kartę jeszcze raz, całą i niczym nieprzykrytą",
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
    for view in (*lesson.named, *lesson.waiting):
        if view.is_poor:
            verdict = quality_text(view.quality, view.flaws, view.advice, words)
            yield words["quality"].format(view=view.name, verdict=verdict)
    for view in lesson.replaced:
        yield words["replaced"].format(view=view.name, code=view.code)
    for warning in lesson.warnings:
        yield warning_text(warning, words)


def flaw_pairs(verdict: ViewVerdict) -> tuple[tuple[str, float], ...]:
    """The flaws of a view as they are kept: kind and number, worst first."""
    return tuple((flaw.kind.value, round(flaw.number, 3)) for flaw in verdict.flaws)


def quality_text(quality: str, flaws: Sequence[tuple[str, float]], advice: str, words: Mapping[str, str]) -> str:
    """The verdict about a view, with what is wrong and how to show the card better."""
    said = [words[f"flaw-{kind}"].format(number=number, percent=100 * number) for kind, number in flaws]
    return words[f"quality-{quality}"].format(flaws=", ".join(said), advice=words[f"advice-{advice}"] if advice else "")


def doubt_text(doubt: NameDoubt, code: str, words: Mapping[str, str]) -> str:
    """Why the code that somebody gave to a view is doubtful."""
    key = "differs" if doubt.kind is DoubtKind.DIFFERS else "turned-twin" if doubt.is_turned_twin else "looks-like"
    return words[key].format(code=code, other=doubt.code, mm2=doubt.difference.mm2)


def refused_name_text(doubt: NameDoubt, code: str, words: Mapping[str, str]) -> str:
    """Why a code is refused, and what the command line takes instead."""
    said = doubt_text(doubt, code, words)
    return words["wanted-same"].format(doubt=said) if doubt.kind is DoubtKind.DIFFERS else said


def warning_text(doubtful: DoubtfulName, words: Mapping[str, str]) -> str:
    """The warning about a doubtful name that was taken on a person's word."""
    doubt = doubt_text(doubtful.doubt, doubtful.code, words)
    return words["side-by-side"].format(view=doubtful.view, doubt=doubt, file=doubtful.picture)


def insist_text(doubtful: DoubtfulName, words: Mapping[str, str]) -> str:
    """The question whether a doubtful name is meant."""
    key = "two-cards" if doubtful.doubt.kind is DoubtKind.LOOKS_LIKE else "both-one-card"
    doubt = doubt_text(doubtful.doubt, doubtful.code, words)
    return words[key].format(doubt=doubt, code=doubtful.code, file=doubtful.picture)


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
    for pair in taught.told_apart:
        if pair.turned:
            yield words["turned-twin"].format(code=pair.codes[0], other=pair.codes[1])
    pairs = ["/".join(pair.codes) for pair in taught.told_apart if not pair.turned]
    if pairs:
        yield words["told-apart"].format(codes=_some(pairs))
    poor = [f"{view.name} {view.code}".strip() for view in taught.views if view.is_poor]
    if poor:
        yield words["poor"].format(count=len(poor), views=", ".join(poor[:MAX_LISTED]))
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
    more = f" ({words['ask-apart']})" if len(question.views) > 1 else ""
    return words["ask"].format(picture=question.picture, views=" ".join(question.views), guesses=asked) + more


def _some(words: list[str] | tuple[str, ...]) -> str:
    more = f" … (+{len(words) - MAX_LISTED})" if len(words) > MAX_LISTED else ""
    return " ".join(words[:MAX_LISTED]) + more
