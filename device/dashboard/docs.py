"""The API for people: one page made from the OpenAPI document, with nothing loaded from elsewhere."""

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

_METHODS = ("get", "post", "put", "patch", "delete")


def docs() -> APIRouter:
    """The page."""
    router = APIRouter(include_in_schema=False)

    @router.get("/api/docs")
    def page(request: Request) -> HTMLResponse:
        """All routes."""
        return HTMLResponse(written(request.app.openapi()))

    return router


def written(api: dict[str, Any]) -> str:
    """An OpenAPI document as a page."""
    title = escape(f"{api['info']['title']} {api['info']['version']}: API")
    parts = "\n".join(_routes(api))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="stylesheet" href="/web/css/base.css">\n</head>\n<body>\n<main class="docs">\n'
        f'<h1>{title}</h1>\n<p>The same as a document for programs: <a href="/api/openapi.json">openapi.json</a>. '
        "Everything that changes something wants <code>Content-Type: application/json</code>, the cookie that "
        "<code>/api/pair</code> gives, and an <code>Origin</code> that is this server or none. The state as it "
        "changes: WebSocket <code>/api/live[?server=ID&amp;since=N]</code>; first the whole state or what was "
        f"missed, then JSON merge patches (RFC 7396).</p>\n{parts}\n</main>\n</body>\n</html>\n"
    )


def _routes(api: dict[str, Any]) -> Iterator[str]:
    for path, ways in api["paths"].items():
        for method in _METHODS:
            if method in ways:
                yield _route(api, path, method, ways[method])


def _route(api: dict[str, Any], path: str, method: str, way: dict[str, Any]) -> str:
    rows = [f"<h2><code>{method.upper()} {escape(path)}</code></h2>", f"<p>{escape(way.get('description', ''))}</p>"]
    asked = [f"{one['name']}: {_kind(one.get('schema', {}))}" for one in way.get("parameters", ())]
    if asked:
        rows.append(f"<p>{escape(', '.join(asked))}</p>")
    forms = [_resolved(api, content.get("schema", {})) for content in _contents(way)]
    rows += [f"<pre>{escape(json.dumps(form, indent=1))}</pre>" for form in forms]
    answers = ", ".join(f"{status} {one.get('description', '')}" for status, one in way.get("responses", {}).items())
    return "\n".join((*rows, f"<p><small>{escape(answers)}</small></p>"))


def _contents(way: dict[str, Any]) -> list[dict[str, Any]]:
    return list(way.get("requestBody", {}).get("content", {}).values())


def _kind(schema: dict[str, Any]) -> str:
    limits = [f"{key} {schema[key]}" for key in ("enum", "minimum", "maximum", "maxLength") if key in schema]
    return " ".join((str(schema.get("type", "any")), *limits))


def _resolved(api: dict[str, Any], schema: dict[str, Any]) -> Any:
    """The fields of a request body; one level is enough to read it."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found = api["components"]["schemas"][reference.rsplit("/", 1)[-1]]
    wanted = set(found.get("required", ()))
    return {name: _line(one, name in wanted) for name, one in found.get("properties", {}).items()}


def _line(schema: dict[str, Any], wanted: bool) -> str:
    kinds = [_kind(one) for one in schema.get("anyOf", (schema,))]
    return f"{' or '.join(kinds)}{'' if wanted else ', may be left out'}"
