"""Content of a tool's results: checked against the contract, encoded as MCP's blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from toolaccord.content.blocks import InvalidContentError, to_block
from toolaccord.json_values import JsonObject

_MEDIA = frozenset({"image", "audio"})


def encode_content(kinds: Sequence[str], content: Any) -> bytes:
    """Return the blocks of *content* as a JSON array.

    The contract lists *kinds*. Raises InvalidContentError, and TypeError for anything but a list of content.
    """
    if not isinstance(content, list | tuple):
        raise TypeError(f"content is a list of records of toolaccord.content, not {type(content).__name__}")
    blocks = [to_block(each) for each in content]
    for block in blocks:
        if not _admits(kinds, block):
            kind = block["mimeType"] if block["type"] in _MEDIA else block["type"]
            raise InvalidContentError(f"the contract lists {', '.join(kinds)}, and not {kind}")
    return orjson.dumps(blocks)  # which no text beyond Unicode passes


def _admits(kinds: Sequence[str], block: JsonObject) -> bool:
    """Return whether *kinds* have the kind of *block*, or its media type."""
    if block["type"] in kinds:
        return True
    return block["type"] in _MEDIA and block["mimeType"].partition(";")[0].strip().lower() in kinds
