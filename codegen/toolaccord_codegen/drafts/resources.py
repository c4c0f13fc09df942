"""Drafts of resources and resource templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolaccord.semantics.uri_templates import admits_uri, are_adjacent, list_variables
from toolaccord_codegen.drafts.contract import TIMEOUT_MS, as_text
from toolaccord_codegen.drafts.json_values import clean_json
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.names import Names, snake_name
from toolaccord_codegen.loading.references import as_object
from toolaccord_codegen.rules.metaschema import language_validator

Record = dict[str, Any]
KNOWN_KEYS = frozenset({"name", "title", "description", "uri", "uriTemplate", "mimeType"})
EXPRESSION = re.compile(r"\{([^{}]*)\}")
SIMPLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
TEXTUAL = re.compile(r"text/.*|.*[/+](json|xml|yaml|javascript|toml|svg)\b.*")


def draft_resources(resources: list[Any], templates: list[Any], names: Names, losses: Losses) -> list[Record]:
    """Return the resources that the language can express; a handler reads each."""
    drafted: list[Record] = []
    for kind, listed in (("uri", resources), ("uriTemplate", templates)):
        for resource in map(as_object, listed):
            address = resource.get(kind)
            with losses.of(f"resource {address}"):
                drafted += _draft_resource(clean_json(resource, losses), kind, drafted, names, losses)
    return drafted


def _draft_resource(
    resource: Record, kind: str, others: list[Record], names: Names, losses: Losses
) -> Iterator[Record]:
    """Yield the draft of a resource unless the language cannot express its URI."""
    address = _draft_address(resource.get(kind), kind)
    if address is None or any(_overlaps(address, other) for other in others):
        taken = "another resource has this URI" if address else "the language has no such URI, or no such template"
        losses.drop(f"/{kind}", "resource", Effect.NARROWER, taken)
        return
    original = as_text(resource.get("name"), address["uri"] if kind == "uri" else "resource")
    mime_type = as_text(resource.get("mimeType"), "text/plain")
    title = as_text(resource.get("title"), "")
    drafted = {
        "name": names.resource(original),
        **({"title": title} if title else {}),
        "description": as_text(resource.get("description"), title or original),
        **address,
        "mime_type": mime_type,
        "content": "text" if TEXTUAL.fullmatch(mime_type) else "binary",
        "effects": {},
        "deadline": {"timeout_ms": TIMEOUT_MS},
    }
    if not language_validator("Resource").is_valid(drafted):
        losses.drop(
            f"/{kind}", "resource", Effect.NARROWER, "its URI or media type has characters that no contract has"
        )
        return
    for key in resource.keys() - KNOWN_KEYS:
        losses.drop(f"/{key}", key, Effect.SAME, "the language has no such key of a resource")
    yield drafted


def _draft_address(address: Any, kind: str) -> Record | None:
    """Return the keys of a URI or of a template of level 1 of RFC 6570; None for any other."""
    if not isinstance(address, str) or not address:
        return None
    if kind == "uri":
        return {"uri": address}
    expressions = EXPRESSION.findall(address)
    if not expressions or not all(map(SIMPLE.fullmatch, expressions)):
        return None
    template = EXPRESSION.sub(lambda found: f"{{{snake_name(found[1], 'value')}}}", address)
    variables = list_variables(template)
    if len({*variables}) < len(expressions) or are_adjacent(template):
        return None
    members = {name: {"type": "string", "description": name.replace("_", " ").capitalize()} for name in variables}
    shape = {"type": "object", "properties": members, "required": variables, "additionalProperties": False}
    return {"uri_template": template, "parameters": shape}


def _overlaps(address: Record, other: Record) -> bool:
    """Return True if a URI could belong to both."""
    one, two = (str(each.get("uri") or each.get("uri_template")) for each in (address, other))
    return admits_uri(one, two) or admits_uri(two, one)
