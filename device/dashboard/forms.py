"""Forms: what callers may send, checked before anything is done with it, and how refusals look."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("has characters that cannot be printed")
    return text


Name = Annotated[str, Field(min_length=1, max_length=40), AfterValidator(_printable)]
Word = Annotated[str, Field(max_length=200), AfterValidator(_printable)]


class Form(BaseModel):
    """Something that is sent: nothing unknown in it, nothing turned into what it is not."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Fault(BaseModel):
    """What is wrong."""

    what: str
    found: Any = None
    wanted: Any = None


class Refused(BaseModel):
    """A refusal."""

    error: Fault


class TextIn(BaseModel):
    """A sentence in both languages."""

    pl: str
    en: str


def refused(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The refusals of a route, for its documentation."""
    return {status: {"model": Refused, "description": _SAID[status]} for status in statuses}


READING = (421, 422)
ACTING = (401, 403, 409, 413, 415, 421, 422, 503, 504)
"""What may be answered to anybody who wants to change something."""

_SAID = {
    400: "That cannot be read",
    401: "Only for those who have paired",
    403: "Only for the host, or from another page",
    404: "There is no such thing",
    409: "Not now",
    413: "Too long",
    415: "Not that kind of content",
    421: "Not this machine's name",
    422: "What was sent cannot be used",
    429: "Too many",
    503: "It cannot be done: a disk or a camera fails",
    507: "The disk is nearly full",
    504: "The referee has not answered in time",
}
