"""The eye factory: eyes for any rig and deck. Networks are loaded once, and every deck is learnt once."""

from contextlib import suppress
from pathlib import Path
from typing import Protocol

from threadpoolctl import threadpool_limits

from calibration.frames import CalibrationError, Frame
from calibration.rig import Rig
from device.files import OutputError
from device.teaching.features import keep_features
from models.cards import own_deck, own_decks
from models.faces import Faces, drawn_faces
from models.thumbnails import load_thumbnails
from vision.look.eye import CardEye
from vision.look.network import THREADS
from vision.look.networks import WEIGHTS, load_networks
from vision.look.reader import KnownFaces
from vision.look.table_view import TableView
from vision.sightings import Look
from vision.unknown.survey import RiglessDeckEye, RiglessEye, UnknownDeckEye


class Eye(Protocol):
    """Finds and reads the cards of a frame."""

    def look(self, frame: Frame) -> Look:
        """Detect and read the cards of one frame."""


class EyeFactory:
    """Creates eyes."""

    def __init__(self, weights: Path = WEIGHTS, threads: int = THREADS) -> None:
        # BLAS threads spin while they wait, on the very cores that the networks need.
        threadpool_limits(1, user_api="blas")
        self.sight = load_networks(weights, threads)
        """The networks, for teaching."""
        self._own: dict[str, KnownFaces] = {}
        self._taught: tuple[Faces, KnownFaces] | None = None

    def open_eye(self, rig: Rig | None, deck: str | None = None, faces: Faces | None = None) -> Eye:
        """Open an eye with or without a rig, for one game's deck, for taught faces, or for all own decks."""
        if rig is None and deck is None and faces is None:
            return UnknownDeckEye(self.sight, load_thumbnails(), self._drawn)
        if faces is not None:
            decks = [self._shown(faces)]
        else:
            decks = [self._drawn(game) for game in ((deck,) if deck else own_decks())]
        if rig is None:
            return RiglessEye(self.sight, decks[0]) if faces is None else RiglessDeckEye(self.sight, decks[0])
        if rig.lens is None or rig.table is None:
            lacking = " and ".join(name for name, part in (("lens", rig.lens), ("table", rig.table)) if part is None)
            raise CalibrationError(f"the rig knows no {lacking}; wanted both: krupier calibrate")
        return CardEye(TableView(rig.lens, rig.table, decks[0].card_mm), self.sight, decks)

    def _drawn(self, game: str) -> KnownFaces:
        if game not in self._own:
            self._own[game] = self.sight.reader.learn(drawn_faces(own_deck(game)))
        return self._own[game]

    def _shown(self, faces: Faces) -> KnownFaces:
        if self._taught is None or self._taught[0] is not faces:
            known = self.sight.reader.learn(faces)
            if faces.home is not None and (faces.learnt is None or known.features is not faces.learnt.features):
                # If the folder is read-only, the deck is simply learnt again next time.
                with suppress(OutputError):
                    keep_features(faces.home, self.sight.reader.key(faces), self.sight.reader.sha256, known.features)
            self._taught = (faces, known)
        return self._taught[1]
