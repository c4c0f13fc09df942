"""Member `content` of a call's result: the envelope as text, then the tool's own content."""

from __future__ import annotations

import orjson

from toolaccord.call.response import Answer
from toolaccord.json_values import JsonObject


def encode_content(answer: Answer) -> bytes:
    """Return the content of *answer*, which has some of its own, as a JSON array."""
    own = answer.content or b"[]"
    if not answer.has_result:
        return own
    parts = b'[{"type":"text","text":', orjson.dumps(answer.text), b"}" if own == b"[]" else b"},", own[1:]
    return b"".join(parts)


def list_content(answer: Answer) -> list[JsonObject]:
    """Return the content of *answer* as blocks."""
    own = [] if answer.content is None else orjson.loads(answer.content)
    has_text = answer.content is None or answer.has_result
    return [{"type": "text", "text": answer.text}, *own] if has_text else own
