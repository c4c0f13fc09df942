"""Words of a command line as the arguments of a tool, typed by its schema."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from toolaccord.json_values import JsonObject
from toolaccord.semantics.json_pointers import split_pointer
from toolaccord_codegen.diagnostics import CommandError, suggest

_WORD = re.compile(r"(?P<name>[^=:\s]+)(?P<sign>:?=)(?P<value>.*)", re.DOTALL)
_DEPTH = 20
"""Most references that a schema is followed through."""


def read_arguments(words: Sequence[str], tool: str, schema: JsonObject) -> JsonObject:
    """Return the arguments in *words* for a *tool* whose parameters have a *schema*.

    A word is `name=text`, which the schema gives a type, `name:=JSON`, `@FILE`, or `-` for standard input. Later words
    win; a repeated name of an array adds an item. Raises CommandError for names and values that the tool cannot have.
    """
    arguments: JsonObject = {}
    reader = _Reader(tool, schema)
    for word in words:
        if word == "-" or word.startswith("@"):
            arguments |= _read_object(word)
            continue
        match = _WORD.fullmatch(word)
        if match is None:
            raise CommandError(f"{word!r} is no argument; write name=text, name:=JSON, @FILE, or - for standard input")
        reader.put(arguments, match["name"], match["value"], is_json=match["sign"] == ":=")
    reader.check(arguments)
    return arguments


def _read_object(word: str) -> JsonObject:
    """Return the JSON object in a file, or on standard input. Raises CommandError."""
    source = "standard input" if word == "-" else word[1:]
    try:
        text = sys.stdin.read() if word == "-" else Path(source).read_text(encoding="utf-8-sig")
        value = json.loads(text)
    except OSError as error:
        raise CommandError(f"{source} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise CommandError(f"{source} holds no JSON: {error}") from None
    if not isinstance(value, dict):
        raise CommandError(f"{source} must hold a JSON object, the arguments by name")
    return value


class _Reader:
    """Reads the arguments of one tool."""

    def __init__(self, tool: str, schema: JsonObject) -> None:
        self._tool = tool
        self._schema = schema

    def put(self, arguments: JsonObject, name: str, text: str, *, is_json: bool) -> None:
        """Put the value in *text* at its *name*, whose dots lead into objects. Raises CommandError."""
        place, schema, parts = arguments, self._schema, [name]
        if name not in self._properties(schema):
            parts = name.split(".")
        for part in parts[:-1]:
            schema = self._member(schema, part, name)
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise CommandError(f'"{part}" is given twice, as a value and as an object')
        schema, last = self._member(schema, parts[-1], name), parts[-1]
        value = _parse(name, text) if is_json else self._convert(name, text, schema)
        if last in place and isinstance(place[last], list) and isinstance(value, list):
            value = [*place[last], *value]
        place[last] = value

    def check(self, arguments: JsonObject) -> None:
        """Raise CommandError for names that are unknown, also in a file, or missing."""
        for name in arguments:
            self._member(self._schema, name, name)
        properties = self._properties(self._schema)
        missing = [each for each in self._schema.get("required", ()) if each not in arguments]
        if missing:
            lines = [f"  {each}={describe_type(self._schema, properties.get(each, {}))}" for each in missing]
            raise CommandError("\n".join([f"{self._tool} also needs", *lines]))

    def _properties(self, schema: JsonObject) -> Mapping[str, JsonObject]:
        """Return the members that a schema names, also in the parts of which it consists."""
        found: dict[str, JsonObject] = {}
        for part in _parts(self._schema, schema):
            found |= part.get("properties", {})
        return found

    def _member(self, schema: JsonObject, name: str, word: str) -> JsonObject:
        """Return the schema of a member. Raises CommandError if there is none."""
        properties = self._properties(schema)
        if name in properties:
            return properties[name]
        types = _types(list(_parts(self._schema, schema)))
        is_object = not types or "object" in types
        extra = schema.get("additionalProperties", not properties) if is_object else False
        if extra is False:
            raise CommandError(f'{self._tool} has no argument "{word}"; {suggest(name, properties)}')
        return extra if isinstance(extra, dict) else {}

    def _convert(self, name: str, text: str, schema: JsonObject) -> Any:
        """Return *text* as a value of a schema. Raises CommandError if it is none."""
        parts = list(_parts(self._schema, schema))
        choices = _choices(parts)
        for choice in choices:
            if text == (choice if isinstance(choice, str) else json.dumps(choice)):
                return choice
        types = _types(parts)
        value = _read_as(text, types)
        if value is not None:
            return value[0]
        if "array" in types:
            items: JsonObject = next((part["items"] for part in parts if isinstance(part.get("items"), dict)), {})
            return [self._convert(name, text, items)]
        if not types or any(map(_admits_any_text, parts)):
            return text
        fault = f"none of {', '.join(map(str, choices))}" if choices else f"no {describe_type(self._schema, schema)}"
        raise CommandError(f'{name}={text}: "{text}" is {fault}')


def describe_type(root: JsonObject, schema: JsonObject) -> str:
    """Return the type of a schema in a word or two, such as `integer` or `buy | sell`."""
    parts = list(_parts(root, schema))
    choices = [each if isinstance(each, str) else json.dumps(each) for each in _choices(parts)]
    if choices:
        return " | ".join(choices[:8]) + (" | ..." if len(choices) > 8 else "")
    types = [each for each in _types(parts) if each != "null"]
    formats = [part["format"] for part in parts if part.get("format") in {"date", "date-time", "uri"}]
    return " or ".join(formats or types) or "value"


def _parts(root: JsonObject, schema: Any, depth: int = _DEPTH) -> Iterator[JsonObject]:
    """Yield the schemas of which one consists: itself, what it refers to, and its alternatives."""
    if not isinstance(schema, dict) or not depth:
        return
    yield schema
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#"):
        yield from _parts(root, _look_up(root, reference[1:]), depth - 1)
    for key in ("allOf", "anyOf", "oneOf"):
        for each in schema.get(key, ()):
            yield from _parts(root, each, depth - 1)


def _choices(parts: Sequence[JsonObject]) -> list[Any]:
    """Return the constants of schemas, in their order."""
    return [each for part in parts for each in (part.get("enum") or ([part["const"]] if "const" in part else []))]


def _admits_any_text(part: JsonObject) -> bool:
    """Return True for a schema that admits any text."""
    types = part.get("type")
    return ("string" in types if types else not part) and not {"enum", "const", "allOf", "anyOf", "oneOf"} & part.keys()


def _look_up(root: JsonObject, pointer: str) -> Any:
    """Return the schema at a pointer; None without one."""
    value: Any = root
    for token in split_pointer(pointer):
        value = value.get(token) if isinstance(value, dict) else None
    return value


def _types(parts: Sequence[JsonObject]) -> list[str]:
    """Return the types that schemas name, each once; those of their constants, too."""
    names: dict[str, None] = {}
    for part in parts:
        named = part.get("type", ())
        names |= dict.fromkeys([named] if isinstance(named, str) else named)
    return list(names)


def _read_as(text: str, types: Sequence[str]) -> tuple[Any] | None:
    """Return *text* as a value of one of the *types* beside texts; None if it is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    kinds: dict[str, Any] = {"integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}
    for name in types:
        if name == "null" and value is None and "string" not in types:
            return (None,)
        is_kind = name in kinds and isinstance(value, kinds[name])
        if is_kind and (name == "boolean" or not isinstance(value, bool)):
            return (value,)
    return None


def _parse(name: str, text: str) -> Any:
    """Return the value in *text*. Raises CommandError."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandError(f"{name}:={text} is no JSON: {error}; for a text write {name}={text}") from None
