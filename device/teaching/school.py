"""Teaches one deck: learns views from pictures, names them where possible, and asks about the rest."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from calibration.frames import CalibrationError, Frame
from calibration.rig import Rig
from device.teaching.candidates import Candidates
from device.teaching.features import keep_features
from device.teaching.folder import (
    VIEWS,
    TeachingError,
    delete_deck,
    find_deck,
    has_deck,
    held,
    load_index,
    load_taught,
    make_deck,
    next_name,
    read_view,
    save,
    undo,
    write_pair,
    write_view,
)
from device.teaching.lessons import (
    DoubtfulName,
    DoubtfulNameError,
    Lesson,
    NamedView,
    RefusedView,
    TeachingQuestion,
)
from device.teaching.sheet import side_by_side
from device.teaching.words import ENGLISH, flaw_pairs, quality_text, refused_name_text
from models.cards import own_decks
from models.codes import BACK, FREE, spelled
from models.crops import CROP_PX, Image
from models.faces import shrunk
from models.taught import Shortfall, TaughtDeck, TaughtError, ToldApart, View, shortfall
from vision.look.networks import Networks
from vision.look.table_view import TableView
from vision.unknown.survey import SurveyedCard, survey, whole_picture
from vision.unknown.teaching import (
    DoubtKind,
    KnownView,
    NameDoubt,
    blur_mm,
    differing_mm2,
    find_doubt,
    group_views,
    known_view,
    match_view,
)
from vision.unknown.view_quality import QualityLevel, judge_view

MAX_VIEWS_PER_CARD = 6
"""Maximum number of views kept automatically per card; more would only slow down reading."""
SAME_VIEW_LEVELS, SAME_VIEW_MM2 = 4.0, 1.0
"""A view that differs from a kept one by less than both thresholds teaches nothing new."""
MIN_MEASURED_VIEWS = 8
"""Number of measured views that fix the card size."""
_SAME_CARD_PX = 12.0
WORDS_OF_A_PERSON = ("file", "list", "hand")
"""Sources of a code that are taken although the face looks like another card."""


@dataclass(slots=True)
class _Cache:
    """Cached results, so that no view is processed twice."""

    views: dict[tuple[str, str], KnownView] = field(default_factory=dict)
    window: TableView | None = None


class School:
    """Teaches one deck; every change is on the disk when its method returns."""

    def __init__(self, home: Path, sight: Networks, rig: Rig | None = None) -> None:
        if rig is not None and (rig.lens is None or rig.table is None):
            raise CalibrationError("the rig knows no lens or no table; wanted both: krupier calibrate")
        self.home, self._sight = home, sight
        self._place = None if rig is None or rig.lens is None or rig.table is None else (rig.lens, rig.table)
        self.deck: TaughtDeck = load_index(home)
        self._cache = _Cache()
        self._candidates = Candidates(self.deck.game, sight)

    # Learning from pictures

    def show(
        self,
        picture: str,
        frame: Frame,
        code: str = "",
        hint: str = "",
        back: bool = False,
        cropped: bool = False,
        insist: bool = False,
    ) -> Lesson:
        """Learn from a picture; whatever is refused changes nothing.

        `code` names the only card of the picture; `hint` names it if there is only one. `back` says that all cards
        are face down, `cropped` that the picture shows a single card and nothing else. `insist` takes a named card
        even if it is badly seen, or differs from the known views of its code.
        """
        if cropped:
            return self._learn(picture, [whole_picture(frame.image)], code or hint, "file", back, insist)
        seen = survey(frame, self._sight, self._place, self._size(), self._cache.window)
        self._cache.window, found = seen.table_view, seen.cards
        return self._learn(picture, found, code or (hint if len(found) == 1 else ""), "file", back, insist)

    def correct(self, picture: str, image: Image, code: str) -> Lesson:
        """Learn from the crop of a card that a person corrected."""
        return self._learn(picture, [whole_picture(image, self.deck.card_mm)], code, "correction", False)

    def _learn(
        self, picture: str, found: Sequence[SurveyedCard], code: str, by: str, back: bool, insist: bool = False
    ) -> Lesson:
        cards, faults = self._sorted(picture, found, insist and bool(code) and len(found) == 1)
        if not cards and not faults:
            return Lesson(
                picture, refused=(RefusedView(picture, "no card found in it; wanted one at least, whole and flat"),)
            )
        said = BACK if back else spelled(self.deck.game, code) if code else ""
        if said and not back and len(cards) + len(faults) > 1:
            why = f"shows {len(cards) + len(faults)} cards; wanted one where a whole picture is called {said!r}"
            return Lesson(picture, refused=(RefusedView(picture, why),))
        named: list[View] = []
        waiting: list[View] = []
        again: list[str] = []
        refused = faults
        made = self.deck
        images: dict[str, Image] = {}
        copies: dict[str, int] = {}
        warnings: list[DoubtfulName] = []
        replaced: list[View] = []
        for card in cards:
            if self._is_kept(picture, card):
                continue
            asked = _judged(View("", said, picture, (), card.size_mm, False, 0.0, by), card)
            doubt = None
            if not _is_superfluous(asked, made):
                doubt = self._doubt(card.image, said, self._known(made, images), made)
            if doubt is not None and not _is_taken(doubt, by, insist):
                refused.append(RefusedView(picture, refused_name_text(doubt, said, ENGLISH)))
                continue
            view, image = self._placed(made, images, card, asked)
            if doubt is not None and view.name:
                warnings.append(self._doubtful(view, image, doubt, images))
            if view.code not in ("", BACK):
                copies[view.code] = copies.get(view.code, 0) + 1
            if not view.name:
                again.append(view.code)
                continue
            (named if view.code else waiting).append(view)
            made, images = _told_apart(made.with_view(view), view, doubt), images | {view.name: image}
            replaced += _outdone(made, view)
            made = made.without(frozenset(poor.name for poor in replaced))
        for known, count in copies.items():
            made = made.with_seen(known, count)
        for view in made.views:
            if view.name in images:
                write_view(self.home, view, images[view.name])
        self._keep(made)
        named = [view for view in named if view not in replaced]
        learnt = (tuple(named), tuple(waiting), tuple(again))
        return Lesson(picture, *learnt, tuple(refused), tuple(warnings), tuple(replaced))

    def questions(self) -> tuple[TeachingQuestion, ...]:
        """Open questions: one for all views that show the same face."""
        views = {view.name: self._taught(view) for view in self.deck.waiting}
        found = []
        for names in group_views(views, self._sight.reader):
            guesses = self._candidates.guesses(views[names[0]].crop, self.deck, self._known())
            found.append(TeachingQuestion(names, self.home / VIEWS / f"{names[0]}.png", guesses))
        return tuple(found)

    def asked_apart(self, question: TeachingQuestion) -> tuple[TeachingQuestion, ...]:
        """A question for every single view of a question, for views that only look the same."""
        return tuple(
            TeachingQuestion((name,), self.home / VIEWS / f"{name}.png", question.guesses) for name in question.views
        )

    # Changes by hand

    def label(self, name: str, text: str, by: str = "hand", insist: bool = False, asking: bool = False) -> NamedView:
        """Name a view; DoubtfulNameError if the face differs from that of its code, and nothing changes.

        `asking` raises it for a face that looks like another card, too, so that the person can be asked; `insist`
        never does.
        """
        view, code = self.deck.view(name), spelled(self.deck.game, text)
        image = read_view(self.home, view)
        others = [other for other in self._known() if other.code and other.name != view.name]
        doubt = self._doubt(image, code, others, self.deck)
        warning = None if doubt is None else self._doubtful(replace(view, code=code), image, doubt, {})
        if warning is not None and not insist and (asking or not _is_taken(warning.doubt, by, insist)):
            raise DoubtfulNameError(warning, f"view {view.name}: {refused_name_text(warning.doubt, code, ENGLISH)}")
        new = replace(view, code=code, by=by)
        image, new = self._turned(image, new, [other for other in others if other.code == code])
        if new.corners_px != view.corners_px:
            write_view(self.home, new, image)
        made = _told_apart(self.deck.with_view(new), new, doubt)
        self._keep(made.without(frozenset(poor.name for poor in _outdone(made, new))))
        return NamedView(new, warning)

    def label_group(
        self, question: TeachingQuestion, text: str, insist: bool = False, asking: bool = False
    ) -> tuple[NamedView, ...]:
        """Name all views of a question."""
        return tuple(self.label(name, text, insist=insist, asking=asking) for name in question.views)

    def count(self, code: str, copies: int) -> None:
        """Set the number of copies of a card."""
        self._keep(self.deck.with_count(code, copies))

    def measure(self, card_mm: tuple[float, float]) -> None:
        """Set the size of the cards."""
        self._keep(replace(self.deck, given_mm=card_mm))

    def turn(self, name: str) -> View:
        """Turn a view upside down."""
        view = self.deck.view(name)
        new = replace(view, corners_px=(*view.corners_px[2:], *view.corners_px[:2]))
        write_view(self.home, new, read_view(self.home, view)[::-1, ::-1])
        self._cache.views = {key: kept for key, kept in self._cache.views.items() if key[0] != view.name}
        self._keep(self.deck.with_view(new))
        return new

    def forget(self, word: str) -> tuple[View, ...]:
        """Delete a view, or all views of a card."""
        names = {view.name for view in self.deck.views}
        if word in names or (word.zfill(4) in names and word not in self.deck.codes):
            gone: tuple[View, ...] = (self.deck.view(word),)
        else:
            gone = self.deck.of(spelled(self.deck.game, word))
        if not gone:
            raise TaughtError(f"{self.deck.name}: no view and no card {word!r}; nothing was forgotten")
        self._keep(self.deck.without(frozenset(view.name for view in gone)))
        return gone

    def undo(self) -> None:
        """Undo the last change; pictures that it turned are turned back."""
        before = {view.name: view for view in self.deck.views}
        self.deck = undo(self.home)
        for view in self.deck.views:
            was = before.get(view.name)
            if was is not None and view.corners_px and view.corners_px == (*was.corners_px[2:], *was.corners_px[:2]):
                write_view(self.home, view, read_view(self.home, view)[::-1, ::-1])
        self._cache.views = {}

    # Results

    def shortfall(self) -> Shortfall:
        """Differences from our card list of the game."""
        return shortfall(self.deck)

    def finish(self) -> None:
        """Cache the reader's features of all views, so that reading starts at once."""
        if self.deck.codes:
            _, faces = load_taught(self.home.parent.parent, self.deck.name)
            reader = self._sight.reader
            known = reader.learn(faces)
            if faces.learnt is None or known.features is not faces.learnt.features:
                keep_features(self.home, reader.key(faces), reader.sha256, known.features)

    # Helpers

    def _keep(self, made: TaughtDeck) -> None:
        if made != self.deck:
            save(self.home, made)
            self.deck = made

    def _doubt(self, image: Image, code: str, known: Sequence[KnownView], deck: TaughtDeck) -> NameDoubt | None:
        """The reason to doubt the code that somebody gave, if there is one."""
        if code in ("", BACK):
            return None
        # What glare or a shadow hides must not contradict a better view.
        poor = {view.name for view in deck.views if view.is_poor}
        faces = [other for other in known if other.code not in ("", BACK) and other.name not in poor]
        return find_doubt(image, code, faces, self._sight.reader, deck.apart)

    def _doubtful(self, view: View, image: Image, doubt: NameDoubt, images: Mapping[str, Image]) -> DoubtfulName:
        """A doubtful name with its picture: both views side by side."""
        other = images.get(doubt.view)
        known = read_view(self.home, self.deck.view(doubt.view)) if other is None else other
        shown = image[::-1, ::-1] if doubt.turned else image
        captions = (f"{doubt.code} ({doubt.view})", f"{view.code} ({view.name})")
        path = write_pair(self.home, doubt.view, view.name, side_by_side(known, np.ascontiguousarray(shown), captions))
        return DoubtfulName(view.name, view.code, doubt, path)

    def _sorted(
        self, picture: str, found: Sequence[SurveyedCard], insist: bool
    ) -> tuple[list[SurveyedCard], list[RefusedView]]:
        """Split the cards of a picture into those good enough to learn from and refused ones."""
        cards, refused = [], []
        for card in found:
            x, y = (sum(point[axis] for point in card.corners_px) / 4 for axis in (0, 1))
            judged = _judged(View("", "", picture, (), card.size_mm, False, 0.0), card)
            if judged.quality != QualityLevel.UNUSABLE.value or insist:
                cards.append(card)
                continue
            why = card.fault or quality_text(judged.quality, judged.flaws, judged.advice, ENGLISH)
            where = f"{picture}: the card at {x:.0f}, {y:.0f} px"
            refused.append(RefusedView(where, why))
        return cards, refused

    def _size(self) -> tuple[float, float] | None:
        """The card size, once it is fixed."""
        if self._place is None:
            # Without a rig every picture has its own scale.
            return None
        scaled = sum(view.scaled for view in self.deck.views)
        return self.deck.card_mm if self.deck.given_mm is not None or scaled >= MIN_MEASURED_VIEWS else None

    def _is_kept(self, picture: str, card: SurveyedCard) -> bool:
        """Whether this card of this picture was learnt before: showing a folder again adds nothing."""
        middle = np.mean(card.corners_px, axis=0)
        return any(
            view.origin == picture and np.linalg.norm(np.mean(view.corners_px, axis=0) - middle) < _SAME_CARD_PX
            for view in self.deck.views
        )

    def _placed(
        self, made: TaughtDeck, images: Mapping[str, Image], card: SurveyedCard, asked: View
    ) -> tuple[View, Image]:
        """The view of a card; its `name` is empty if the view teaches nothing new."""
        known = [other for other in self._known(made, images) if other.code]
        code, by, turned = asked.code, asked.by, False
        if not code:
            match = match_view(card.image, known, self._sight.reader, made.apart)
            if match.same:
                by, code, turned = "known", match.code, match.turned
            else:
                by, (code, turned) = "drawing", self._candidates.drawn(card.image)
        view = replace(
            asked,
            name=next_name(self.home, made),
            code=code,
            corners_px=card.corners_px,
            size_mm=(round(card.size_mm[0], 2), round(card.size_mm[1], 2)),
            scaled=self._place is not None and asked.by != "correction",
            blur_mm=round(blur_mm(card.image), 2),
            by=by if code else "",
        )
        image = card.image
        own = [other for other in known if other.code == code]
        if turned:
            image, view = image[::-1, ::-1], replace(view, corners_px=(*card.corners_px[2:], *card.corners_px[:2]))
        elif asked.code and code:
            image, view = self._turned(image, view, own)
        crowded = len(own) >= MAX_VIEWS_PER_CARD and not asked.code
        if code and (crowded or _is_superfluous(view, made) or any(_is_duplicate(other.crop, image) for other in own)):
            view = replace(view, name="")
        return view, np.ascontiguousarray(image)

    def _turned(self, image: Image, view: View, own: list[KnownView]) -> tuple[Image, View]:
        """Turn a view the same way up as the existing views of its card."""
        if not own or not match_view(image, own, self._sight.reader).turned:
            return image, view
        corners = (*view.corners_px[2:], *view.corners_px[:2])
        return np.ascontiguousarray(image[::-1, ::-1]), replace(view, corners_px=corners)

    def _known(self, deck: TaughtDeck | None = None, images: Mapping[str, Image] | None = None) -> list[KnownView]:
        """All views in the form used for comparison, new ones included."""
        return [self._taught(view, (images or {}).get(view.name)) for view in (deck or self.deck).views]

    def _taught(self, view: View, image: Image | None = None) -> KnownView:
        key = (view.name, str(view.corners_px))
        if key not in self._cache.views:
            shown = read_view(self.home, view) if image is None else image
            self._cache.views[key] = known_view(self._sight.reader, view.name, shown)
        kept = self._cache.views[key]
        return KnownView(view.code, kept.crop, kept.features, view.name)


@contextmanager
def taught_school(
    data: Path, name: str, sight: Networks, rig: Rig | None = None, game: str | None = None
) -> Iterator[School]:
    """The teaching session of a deck, locked against others; with `game` a missing deck is created."""
    new = game is not None and not has_deck(data, name)
    if game is not None and new:
        if game != FREE and game not in own_decks():
            raise TeachingError(f"no game {game!r}; there are {', '.join(own_decks())}, and --free for any other")
        make_deck(data, name, game)
    home = find_deck(data, name)
    try:
        with held(home):
            school = School(home, sight, rig)
            if game is not None and school.deck.game != game:
                raise TeachingError(f"{name}: is a deck for {school.deck.game!r}; wanted {game!r}, or another --name")
            yield school
    finally:
        if new and home.is_dir() and not load_index(home).views:
            # A new deck that learnt nothing is removed again.
            delete_deck(data, name)


def _judged(view: View, card: SurveyedCard) -> View:
    """A view with the verdict about its quality."""
    verdict = judge_view(card.image, card.corners_px, card.size_mm, bool(card.fault))
    return replace(view, quality=verdict.level.value, flaws=flaw_pairs(verdict), advice=verdict.advice.value)


def _outdone(deck: TaughtDeck, view: View) -> list[View]:
    """The poor views of a card that are not needed any more, now that there is a good one."""
    if view.quality != QualityLevel.GOOD.value or view.code in ("", BACK):
        return []
    return [other for other in deck.of(view.code) if other.is_poor]


def _is_superfluous(view: View, deck: TaughtDeck) -> bool:
    """Whether a view is poor and its card has a good one already."""
    return view.is_poor and view.code != BACK and any(not other.is_poor for other in deck.of(view.code))


def _is_taken(doubt: NameDoubt, by: str, insist: bool) -> bool:
    """Whether a name is taken in spite of a doubt: a person knows best which faces are two cards."""
    return insist or (doubt.kind is DoubtKind.LOOKS_LIKE and by in WORDS_OF_A_PERSON)


def _told_apart(deck: TaughtDeck, view: View, doubt: NameDoubt | None) -> TaughtDeck:
    """The deck, with the view's card told apart from the one that it looks like."""
    if doubt is None or doubt.kind is not DoubtKind.LOOKS_LIKE or doubt.code not in deck.codes:
        return deck
    first, second = sorted((view.code, doubt.code))
    mm2 = round(doubt.difference.mm2, 1)
    return deck.with_told_apart(ToldApart((first, second), mm2, doubt.is_turned_twin))


def _is_duplicate(crop: Image, image: Image) -> bool:
    """Whether a view shows nothing new."""
    other = shrunk(image, CROP_PX)
    apart = float(np.abs(crop.astype(np.int16) - other.astype(np.int16)).mean())
    return apart < SAME_VIEW_LEVELS and differing_mm2(crop, other) < SAME_VIEW_MM2
