"""Translations of refusals: errors are English sentences, and people read them in their own language.

An error of Krupier says what it is about, what was found and what was wanted, separated by colons and semicolons. Each
of these parts is translated by its pattern; parts without one, such as file names, stay as they are.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache

from device.teaching.words import ENGLISH, POLISH
from models.cards import own_decks
from models.codes import codes_of
from referee.rules import games
from referee.texts import load_texts

PARTS: tuple[tuple[str, str], ...] = (
    # What it is about.
    ("the card at {x}, {y} px", "karta w punkcie {x}, {y} px"),
    ("view {name}", "widok {name}"),
    ("{path}, line {number}", "{path}, wiersz {number}"),
    ("deck name {name}", "nazwa talii {name}"),
    ("deck name {name} is taken by Krupier itself", "nazwa talii {name} jest zajęta przez samego Krupiera"),
    ("code {text}", "kod {text}"),
    ("the deck {name} is not finished", "talia {name} nie jest skończona"),
    # Cards and pictures.
    ("it reaches {px} px over the edge of the picture", "wystaje {px} px poza brzeg obrazu"),
    ("a hand lies on it", "leży na niej ręka"),
    ("only {percent} % of it is seen", "widać tylko {percent} % karty"),
    ("nothing is printed on it", "nic na niej nie ma"),
    ("no card found in it", "nie ma na nim żadnej karty"),
    ("shows {count} cards", "pokazuje karty: {count}"),
    ("is no correction", "to nie jest poprawka"),
    ("is no picture", "to nie jest obraz"),
    ("is no picture that can be read ({bytes} bytes)", "nie da się odczytać jako obrazu ({bytes} bajtów)"),
    ("is no picture that can be read, it ends too early ({bytes} bytes)", "obraz jest urwany ({bytes} bajtów)"),
    ("is no picture, the file is empty (0 bytes)", "plik jest pusty (0 bajtów)"),
    ("copy it again", "skopiuj go jeszcze raz"),
    ("{wide} x {tall} pixels", "{wide} x {tall} pikseli"),
    ("no pictures in it", "nie ma w nim obrazów"),
    ("is no film", "to nie jest film"),
    ("gives no picture", "nie daje obrazu"),
    ("something moved over the table for {s} s", "przez {s} s coś się ruszało nad stołem"),
    # Decks.
    ("{count} views, and no face has a name", "widoków: {count}, i żadna karta nie ma nazwy"),
    ("no taught deck {name}", "nie ma nauczonej talii {name}"),
    ("is no taught deck, it has no {file}", "to nie jest nauczona talia, nie ma w niej {file}"),
    ("is no taught deck", "to nie jest nauczona talia"),
    ("there are", "są"),
    ("there are {what}, and --free for any other", "są {what}, a dla każdej innej --free"),
    ("there are {what}, and --free NAME for any other", "są {what}, a dla każdej innej --free NAZWA"),
    ("there are {what}, and free", "są {what} i free"),
    ("there are {what}", "są: {what}"),
    ("none yet", "jeszcze żadnej"),
    ("none yet ({path})", "jeszcze żadnej ({path})"),
    ("nothing was changed", "nic nie zostało zmienione"),
    ("nothing was forgotten", "niczego nie zapomniano"),
    ("cannot be opened", "nie da się otworzyć"),
    ("cannot be read", "nie da się odczytać"),
    ("cannot be packed", "nie da się spakować"),
    ("no such file or folder", "nie ma takiego pliku ani folderu"),
    ("somebody else is teaching it just now", "ktoś inny właśnie jej uczy"),
    ("nothing was changed yet that could be taken back", "nic jeszcze nie zmieniono, nie ma czego cofać"),
    (
        "cannot be taken back, {count} pictures are gone, as {name}",
        "nie da się cofnąć, brak obrazów: {count}, jak {name}",
    ),
    ("has {count} views", "ma widoków: {count}"),
    ("forget some", "zapomnij część"),
    ("is no .zip file or a broken one", "to nie jest plik .zip albo jest uszkodzony"),
    ("is there already", "już jest"),
    ("lacks {file}, which its list speaks of", "brakuje {file} z listy"),
    ("{count} files in it", "plików w środku: {count}"),
    ("holds {name}", "zawiera {name}"),
    ("{size} MB when unpacked", "po rozpakowaniu {size} MB"),
    ("has no {file}", "nie ma {file}"),
    ("{file} cannot be unpacked", "{file} nie da się rozpakować"),
    ("{file} is not as large as it says", "{file} ma inny rozmiar, niż podaje"),
    ("not UTF-8 text at byte {at}", "to nie jest tekst UTF-8, bajt {at}"),
    ("{count} bytes", "bajtów: {count}"),
    ("{what} stands there twice", "{what} występuje dwa razy"),
    ("no corrections of {name} yet", "nie ma jeszcze poprawek talii {name}"),
    ("they are made while playing", "powstają w czasie gry"),
    ("no view and no card {word}", "nie ma widoku ani karty {word}"),
    ("no view of {code}", "nie ma widoku karty {code}"),
    ("no view {name}", "nie ma widoku {name}"),
    ("no game {game}", "nie ma gry {game}"),
    ("is a deck for {game}", "to talia do gry {game}"),
    ("{count} copies of {code}", "{count} kopii karty {code}"),
    ("nobody can be asked whether to delete it", "nie ma kogo zapytać, czy ją usunąć"),
    ("not JSON", "to nie jest JSON"),
    ("version {version}", "wersja {version}"),
    ("install the newer Krupier", "zainstaluj nowszego Krupiera"),
    ("two views have the same number", "dwa widoki mają ten sam numer"),
    ("game {game}", "gra {game}"),
    ("count of {code}", "liczba kart {code}"),
    ("size {found}", "rozmiar {found}"),
    ("found {text}", "jest {text}"),
    ("no such game", "nie ma takiej gry"),
    ("no such deck was taught", "nie nauczono takiej talii"),
    ("there is a deck of that name", "jest już talia o tej nazwie"),
    ("that deck is for another game", "ta talia jest do innej gry"),
    ("a game is played with that deck", "tą talią toczy się gra"),
    ("no such view", "nie ma takiego widoku"),
    ("no such pair of views", "nie ma takiej pary widoków"),
    ("no picture was shown yet", "nie pokazano jeszcze żadnego obrazu"),
    ("no camera is open", "żadna kamera nie jest otwarta"),
    ("there is no picture yet", "nie ma jeszcze obrazu"),
    ("Krupier is still looking at a picture", "Krupier jeszcze ogląda obraz"),
    ("that kind of file is not taken here", "takiego pliku nie da się tu użyć"),
    ("that is no name of a file", "to nie jest nazwa pliku"),
    ("Krupier knows no rules for it", "Krupier nie zna do niej zasad"),
    ("none of its cards has a name", "żadna jej karta nie ma nazwy"),
    ("{count} of its views have no name", "widoków bez nazwy: {count}"),
    ("cards are missing", "brakuje kart"),
    ("{found} of {wanted} ({kind})", "jest {found} z {wanted} ({kind})"),
    # What was wanted.
    ("wanted a card that nothing covers", "potrzebna karta, której nic nie zasłania"),
    ("wanted a card that is wholly inside", "potrzebna karta w całości na obrazie"),
    ("wanted a card", "potrzebna karta"),
    ("wanted one at least, whole and flat", "potrzebna co najmniej jedna, cała i płasko"),
    ("wanted one where a whole picture is called {code}", "potrzebna jedna, gdy cały obraz nazywa się {code}"),
    ("wanted another --name, or delete it first", "potrzebna inna --name albo najpierw ją usuń"),
    ("wanted {game}, or another --name", "potrzebna {game} albo inna --name"),
    ("wanted fewer than {count}", "potrzeba mniej niż {count}"),
    ("wanted a picture or a folder of pictures", "potrzebny obraz albo folder z obrazami"),
    ("wanted at least {size}", "potrzeba co najmniej {size}"),
    ("wanted {count} at most", "najwyżej {count}"),
    ("wanted {low} to {high}", "potrzeba od {low} do {high}"),
    (
        "wanted 1 to 40 letters a to z, digits, - and _, no path",
        "potrzeba od 1 do 40 liter a–z, cyfr, - i _, bez ścieżki",
    ),
    (
        "wanted width and height in mm, as 56x87, each from 20 to 200",
        "potrzebna szerokość i wysokość w mm, jak 56x87, każda od 20 do 200",
    ),
    (
        "wanted a word of at most {count} letters, without blanks and @ = # ? ~",
        "potrzebne słowo, najwyżej {count} liter, bez odstępów i znaków @ = # ? ~",
    ),
    ("wanted a number from 1 on", "potrzebna liczba od 1"),
    ("wanted --count CODE=N, N a whole number", "potrzebne --count KOD=N, N to liczba całkowita"),
    ("wanted each once", "każde potrzebne raz"),
    ("wanted it still, hands away", "potrzebny spokój, bez rąk"),
    ("wanted it whole", "potrzebna w całości"),
    ("wanted to be alone", "potrzebna tylko jedna osoba"),
    ("wanted a whole file", "potrzebny cały plik"),
    ("wanted another, as {name}", "potrzebna inna, jak {name}"),
    ("wanted one", "potrzebna jedna"),
    ("wanted {what}", "potrzeba: {what}"),
    ("a picture, or --images", "obraz albo --images"),
    ("look through the camera, or send one", "spójrz przez kamerę albo prześlij obraz"),
    ("another name, or open that one", "inna nazwa albo otwórz tamtą"),
    ("another name", "inna nazwa"),
    ("a moment", "chwila"),
    ("wanted the same face, another code, or --insist", "potrzebna ta sama karta, inny kod albo --insist"),
    ("insist, or another code", "potwierdź albo podaj inny kod"),
    ("open a camera first, or send pictures", "najpierw otwórz kamerę albo prześlij obrazy"),
    ("teach the rest of it first", "najpierw naucz reszty"),
    ("the name of one of the list", "nazwa z listy"),
    ("a picture that can be read", "obraz, który da się odczytać"),
    ("end the game first", "najpierw zakończ grę"),
)
"""Parts of sentences in English and Polish; a name in braces is any text, and longer patterns are tried first."""
_SENTENCES = ("looks-like", "turned-twin", "differs")
_PLACE = re.compile(r"\{(\w+)[^}]*\}")
_JOINTS = re.compile(r"(: |; )")


def in_language(text: str, language: str) -> str:
    """A refusal in the language of the reader."""
    return _in_polish(text) if language == "pl" else text


def texts_of(text: str) -> Mapping[str, str]:
    """A refusal in every language."""
    return {"en": text, "pl": in_language(text, "pl")}


def _in_polish(text: str) -> str:
    for wanted, hint in _code_hints().items():
        text = text.replace(wanted, hint)
    # These sentences have colons and semicolons of their own.
    for pattern, polish in _sentences():
        text = pattern.sub(_filled(polish), text)
    return "".join(_translated(part) for part in _JOINTS.split(text))


def _filled(polish: str) -> Callable[[re.Match[str]], str]:
    return lambda found: polish.format_map(found.groupdict())


def _translated(part: str) -> str:
    for pattern, polish in _parts():
        found = pattern.fullmatch(part)
        if found is not None:
            return polish.format_map(found.groupdict())
    return part


@cache
def _parts() -> tuple[tuple[re.Pattern[str], str], ...]:
    every = sorted(PARTS, key=lambda pair: -len(re.sub(r"\{.*?\}", "", pair[0])))
    return tuple((_pattern(english), polish) for english, polish in every)


@cache
def _sentences() -> tuple[tuple[re.Pattern[str], str], ...]:
    keys = [key for key in ENGLISH if key in _SENTENCES or key.startswith(("flaw-", "advice-"))]
    return tuple((_pattern(ENGLISH[key]), _PLACE.sub(r"{\1}", POLISH[key])) for key in keys)


@cache
def _code_hints() -> Mapping[str, str]:
    """How the codes of each game are spelled: in the words of its error, and in Polish."""
    return {codes_of(game).WANTED: load_texts(game, "pl").code_hint for game in own_decks() if game in games()}


def _pattern(english: str) -> re.Pattern[str]:
    """A pattern for a sentence; its places take text that is formatted already."""
    marked = re.escape(_PLACE.sub(r"<\1>", english))
    return re.compile(re.sub(r"<(\w+)>", r"(?P<\1>[^:;]+?)", marked))
