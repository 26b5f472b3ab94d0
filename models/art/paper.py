"""Paper sizes, and the error for pieces that do not fit."""

from enum import StrEnum


class Paper(StrEnum):
    """The paper sizes of home printers."""

    A4 = "a4"
    LETTER = "letter"


PAPERS_MM = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4)}


class TooLargeError(ValueError):
    """A piece that does not fit on the paper."""
