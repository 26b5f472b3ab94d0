"""Paper: what is in the printer, and what does not fit on it."""

from enum import StrEnum


class Paper(StrEnum):
    """The papers home printers have."""

    A4 = "a4"
    LETTER = "letter"


PAPERS_MM = {Paper.A4: (210.0, 297.0), Paper.LETTER: (215.9, 279.4)}


class TooLargeError(ValueError):
    """Something that does not fit on the paper."""
