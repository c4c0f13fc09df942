"""The snippets of contract.schema.json, as an editor inserts them."""

import json
import re
from dataclasses import dataclass
from typing import Any

from toolaccord_codegen.rules.metaschema import load_metaschema

PLACEHOLDER = re.compile(r"\$\{\d+:([^{}]*)\}|\$\{\d+\|([^,|]*)[^|]*\|\}|\$\d+")
"""`${1:default}`, `${1|first,second|}` or `$1`."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A snippet with a name of its own."""

    owner: str
    """The definition that has it, or the key `agent`."""
    label: str
    body: Any


def list_snippets() -> list[Snippet]:
    """Return the snippets that have a label."""
    metaschema = load_metaschema()
    return [
        Snippet(owner, each["label"], each["body"])
        for owner, part in (metaschema["$defs"] | metaschema["properties"]).items()
        for each in part.get("defaultSnippets", ())
    ]


def inserted_text(body: Any) -> str:
    """Return the text of a snippet; a string after ^ is a part of the text, in no quotes."""
    if isinstance(body, dict):
        return f"{{{', '.join(f'{json.dumps(key)}: {inserted_text(value)}' for key, value in body.items())}}}"
    if isinstance(body, list):
        return f"[{', '.join(map(inserted_text, body))}]"
    return body[1:] if isinstance(body, str) and body.startswith("^") else json.dumps(body)


def fill(text: str) -> Any:
    """Return the JSON in the text of a snippet whose placeholders keep their defaults."""
    return json.loads(PLACEHOLDER.sub(lambda found: found[1] or found[2] or "", text))
