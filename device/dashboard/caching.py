"""Caching: answers that a browser keeps, each known by the hash of its content."""

import hashlib

from fastapi import Request
from fastapi.responses import Response

REVALIDATED = "no-cache"
"""The browser asks each time whether its copy is still right."""
IMMUTABLE = "public, max-age=31536000, immutable"
"""The content of this address never changes: the browser need not ask for a year."""
_HASH_DIGITS = 32


def entity_tag(data: bytes) -> str:
    """The ETag of some content."""
    return f'"{content_hash(data)}"'


def content_hash(data: bytes) -> str:
    """The hash that stands for some content."""
    return hashlib.sha256(data).hexdigest()[:_HASH_DIGITS]


def cached_response(request: Request, data: bytes, tag: str, media_type: str, control: str = REVALIDATED) -> Response:
    """The content, or 304 if the browser's copy has the same tag."""
    headers = {"ETag": tag, "Cache-Control": control}
    known = (one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(","))
    if tag in known:
        return Response(status_code=304, headers=headers)
    return Response(data, headers=headers, media_type=media_type)
