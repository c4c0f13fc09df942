"""Envelopes as JSON text: templates that are encoded once, and the values in what they made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import orjson

from toolaccord.json_values import JsonObject, encode_json
from toolaccord.semantics.envelope_values import EnvelopeValues, render


class CompiledTemplate:
    """A template as JSON text with gaps, so that its constant parts are encoded once."""

    def __init__(self, template: Any, constants: Mapping[str, Any] | None = None) -> None:
        """Compile *template*.

        *constants* are the values of placeholders that are the same in every call.

        Raises TypeError for a template that is not JSON.
        """
        self._parts = [b""]
        """Constant text at even indices, gaps at odd ones."""
        self._gaps: list[str] = []
        """The placeholder of each gap: its name, or its JSON text if it has a pointer."""
        self._with_pointer: JsonObject = {}
        """The placeholders with a pointer, by their JSON text."""
        for part in _split(template, constants or {}):
            if isinstance(part, bytes):
                self._parts[-1] += part
            else:
                self._parts += [b"", b""]
                self._gaps.append(self._gap(part))

    def _gap(self, placeholder: JsonObject) -> str:
        if "at" not in placeholder:
            name: str = placeholder["$"]
            return name
        text = encode_json(placeholder).decode()
        self._with_pointer[text] = placeholder
        return text

    def fill(self, values: Mapping[str, bytes], envelope: Callable[[], EnvelopeValues]) -> bytes:
        """Return the template as JSON text.

        *values* are the plain placeholders' values as JSON text; *envelope* is called if others have to be rendered.
        Raises KeyError for an unknown placeholder.
        """
        if self._with_pointer:
            known = envelope()
            rendered = {text: encode_json(render(each, known)) for text, each in self._with_pointer.items()}
            values = {**values, **rendered}
        parts = self._parts.copy()
        parts[1::2] = [values[name] for name in self._gaps]
        return b"".join(parts)


def _split(template: Any, constants: Mapping[str, Any]) -> Iterator[bytes | JsonObject]:
    """Yield *template* as pieces of JSON text, with its placeholders between them.

    Placeholders among the *constants* become text.
    """
    if isinstance(template, dict) and "$" in template:
        yield encode_json(constants[template["$"]]) if template["$"] in constants else template
    elif isinstance(template, dict):
        for index, (name, value) in enumerate(template.items()):
            yield b"%b%b:" % (b"," if index else b"{", orjson.dumps(name))
            yield from _split(value, constants)
        yield b"}" if template else b"{}"
    elif isinstance(template, list):
        for index, item in enumerate(template):
            yield b"," if index else b"["
            yield from _split(item, constants)
        yield b"]" if template else b"[]"
    else:
        yield encode_json(template)


def extract_values(template: Any, body: Any) -> JsonObject:
    """Return the values of *template*'s plain placeholders in *body*: the inverse of `render`.

    A placeholder without a place in *body* is left out, and other members of *body* are ignored: a server of another
    version may send less, or more.
    """
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(template, list) and isinstance(body, list):
        parts = zip(template, body, strict=False)
    elif isinstance(template, dict) and "$" in template:
        return {} if "at" in template else {template["$"]: body}
    elif isinstance(template, dict) and isinstance(body, dict):
        parts = ((part, body[name]) for name, part in template.items() if name in body)
    return {name: value for part, inner in parts for name, value in extract_values(part, inner).items()}
