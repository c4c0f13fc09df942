"""Member `content` of a call's result: the envelope as text, then the tool's own content."""

from __future__ import annotations

import orjson

from toolpact.call.response import Answer
from toolpact.json_values import JsonObject


def encode_content(answer: Answer) -> tuple[bytes, ...]:
    """Return the content of *answer* as the parts of a JSON array."""
    if answer.content is None:
        return b'[{"type":"text","text":', orjson.dumps(answer.text), b"}]"
    if not answer.has_result:
        return (answer.content,)
    rest = answer.content[1:]
    return b'[{"type":"text","text":', orjson.dumps(answer.text), b"}" if rest == b"]" else b"},", rest


def list_content(answer: Answer) -> list[JsonObject]:
    """Return the content of *answer* as blocks."""
    own = [] if answer.content is None else orjson.loads(answer.content)
    has_text = answer.content is None or answer.has_result
    return [{"type": "text", "text": answer.text}, *own] if has_text else own
