"""The play learner: what a game with a taught deck teaches, added to the deck when the game has ended."""

from pathlib import Path

from calibration.lens import Lens
from calibration.table import TablePose
from device.files import OutputError
from device.session.observer import TaughtReading
from device.session.sure_cards import ExpectedCodes, SureCards
from device.teaching.corrections import has_corrections, learn_corrections
from device.teaching.folder import TeachingError
from device.teaching.played import learn_played
from device.teaching.school import taught_school


class PlayLearner:
    """Collects sure cards during a game, and adds them and people's corrections to the deck after it."""

    def __init__(
        self, data: Path, reading: TaughtReading, session: str, place: tuple[Lens, TablePose], expected: ExpectedCodes
    ) -> None:
        self._data, self._reading = data, reading
        self.cards = SureCards(session, *place, reading.card_mm, expected)

    def learn(self) -> str:
        """Add everything to the deck; what was learnt, or why nothing was, in one sentence."""
        deck, sight = self._reading.deck, self._reading.sight
        try:
            corrected = self._corrections()
            lesson = learn_played(self._data, deck, self.cards.crops, sight)
        except (TeachingError, OutputError) as error:
            return f"nothing was learnt from this game: {error}"
        if not lesson.views and not corrected:
            return ""
        return (
            f"{deck}: {len(lesson.views)} views from play and {corrected} from corrections were added; "
            f"`krupier teach {deck} --forget-played` takes those from play back"
        )

    def _corrections(self) -> int:
        """Learn from the cards that people corrected; the number of new views."""
        with taught_school(self._data, self._reading.deck, self._reading.sight) as school:
            if not has_corrections(self._data, school.deck.name):
                return 0
            return sum(len(lesson.named) for lesson in learn_corrections(school, self._data))
