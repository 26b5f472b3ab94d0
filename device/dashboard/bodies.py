"""Bodies of requests, validated before anything is done with them, and the body of a refusal."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("has characters that cannot be printed")
    return text


Name = Annotated[str, Field(min_length=1, max_length=40), AfterValidator(_printable)]
Word = Annotated[str, Field(max_length=200), AfterValidator(_printable)]


class RequestBody(BaseModel):
    """The body of a request: unknown fields are refused, and no value is converted to another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class EmptyBody(RequestBody):
    """An action without parameters."""


class CameraBody(RequestBody):
    """The camera to open; null closes the open one."""

    camera: Word | None


class ErrorDetail(BaseModel):
    """What is wrong, what was found and what was wanted."""

    what: str
    found: Any = None
    wanted: Any = None


class ErrorBody(BaseModel):
    """The body of every refusal."""

    error: ErrorDetail


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The documentation of the errors that a route may answer."""
    return {status: {"model": ErrorBody, "description": _DESCRIPTIONS[status]} for status in statuses}


READ_ERRORS = (421, 422)
"""Errors of every route that only reads."""
ACTION_ERRORS = (401, 403, 409, 413, 415, 421, 422, 503, 504)
"""Errors of every route that changes something."""

_DESCRIPTIONS = {
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
