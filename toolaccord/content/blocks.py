"""Content as the blocks of MCP's messages, in both directions."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import orjson

from toolaccord.content import Annotations, Audio, Content, EmbeddedResource, Image, ResourceLink, Text
from toolaccord.json_values import JsonObject

KINDS: Final[Mapping[type[Any], str]] = {
    Text: "text",
    Image: "image",
    Audio: "audio",
    EmbeddedResource: "resource",
    ResourceLink: "resource_link",
}
"""The kind of each record, which is the type of its block."""
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+")
_MIME_TYPE = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(?:\s*;.*)?")
_PRIORITY_RANGE = (0, 1)
_MEDIA = frozenset({"image", "audio"})


class InvalidContentError(ValueError):
    """A content that no message can hold; the message names the member."""


def to_block(content: Content) -> JsonObject:
    """Return *content* as a block. Raises TypeError for another record, and InvalidContentError."""
    kind = KINDS.get(type(content))
    if kind is None:
        names = ", ".join(each.__name__ for each in KINDS)
        raise TypeError(f"a content is one of {names} of toolaccord.content, not {type(content).__name__}")
    block: JsonObject = {"type": kind} | _members(content)
    if content.annotations is not None:
        block["annotations"] = _annotations_to_json(content.annotations)
    return block


def _members(content: Content) -> JsonObject:
    """Return the members of a block beside its type and annotations."""
    match content:
        case Text(text):
            return {"text": _check_text(text)}
        case Image(data, mime_type) | Audio(data, mime_type):
            return {"data": _encode(data), "mimeType": _check_media(mime_type, KINDS[type(content)])}
        case EmbeddedResource(uri, text, mime_type):
            held = {"text": text} if isinstance(text, str) else {"blob": _encode(text)}
            return {"resource": {"uri": _check_uri(uri), **_optional(mimeType=_check_mime_type(mime_type)), **held}}
        case ResourceLink():
            described = _optional(title=content.title, description=content.description, size=content.size)
            media_type = _optional(mimeType=_check_mime_type(content.mime_type))
            return {"uri": _check_uri(content.uri), "name": _check_text(content.name), **described, **media_type}


def from_block(block: Mapping[str, Any]) -> Content | None:
    """Return the content of *block*; None for a block of a later protocol.

    Raises KeyError, TypeError or ValueError for a block without the members of its type.
    """
    annotations = _read_annotations(block.get("annotations"))
    match block["type"]:
        case "text":
            return Text(block["text"], annotations)
        case "image":
            return Image(_decode(block["data"]), block["mimeType"], annotations)
        case "audio":
            return Audio(_decode(block["data"]), block["mimeType"], annotations)
        case "resource":
            held = block["resource"]
            content = held["text"] if "text" in held else _decode(held["blob"])
            return EmbeddedResource(held["uri"], content, held.get("mimeType"), annotations)
        case "resource_link":
            title, description, mime_type = (block.get(name) for name in ("title", "description", "mimeType"))
            return ResourceLink(
                block["uri"], block["name"], title, description, mime_type, block.get("size"), annotations
            )
        case _:
            return None


def _encode(data: bytes) -> str:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"the data of a content are bytes, not {type(data).__name__}")
    return base64.b64encode(data).decode()


def _decode(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _optional(**members: Any) -> JsonObject:
    return {name: value for name, value in members.items() if value is not None}


def _check_text(text: str) -> str:
    if not isinstance(text, str):
        raise TypeError(f"the text of a content is a str, not {type(text).__name__}")
    return text


def _check_uri(uri: str) -> str:
    if not _URI.fullmatch(uri):
        raise InvalidContentError(f"{uri!r} is no URI with a scheme, such as file:///report.csv")
    return uri


def _check_mime_type(mime_type: str | None) -> str | None:
    """Return *mime_type*. Raises InvalidContentError."""
    if mime_type is not None and not _MIME_TYPE.fullmatch(mime_type):
        raise InvalidContentError(f"{mime_type!r} is no media type, such as image/png")
    return mime_type


def _check_media(mime_type: str, kind: str) -> str:
    """Return *mime_type*, which belongs to *kind*: image or audio. Raises InvalidContentError."""
    if not mime_type.lower().startswith(f"{kind}/"):
        raise InvalidContentError(f"{mime_type!r} is no media type of {kind}")
    return _check_mime_type(mime_type) or mime_type


def _annotations_to_json(annotations: Annotations) -> JsonObject:
    """Return *annotations* as JSON. Raises InvalidContentError."""
    least, most = _PRIORITY_RANGE
    if annotations.priority is not None and not least <= annotations.priority <= most:
        raise InvalidContentError(f"the priority {annotations.priority} is not between {least} and {most}")
    modified = annotations.last_modified
    if modified is not None and modified.tzinfo is None:
        raise InvalidContentError("last_modified has no time zone")
    return _optional(
        audience=list(annotations.audience) or None,
        priority=annotations.priority,
        lastModified=None if modified is None else modified.isoformat(),
    )


def _read_annotations(value: Mapping[str, Any] | None) -> Annotations | None:
    if value is None:
        return None
    modified = value.get("lastModified")
    return Annotations(
        audience=tuple(value.get("audience") or ()),
        priority=value.get("priority"),
        last_modified=None if modified is None else datetime.fromisoformat(modified),
    )


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
