"""Mutate valid requests in one place, in every way that a careless or hostile caller might.

The valid requests come from a contract's examples and from its schema.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.servers.contracts import Oracle, nest_lists


@dataclass(frozen=True, slots=True)
class Mutant:
    """A value with one change."""

    pointer: str
    """JSON pointer of the change."""
    change: str
    """Description of the change."""
    value: Any
    """The whole value, changed."""


def generate_valid_requests(tool: dict[str, Any]) -> list[dict[str, Any]]:
    """Return different valid arguments of *tool*, the examples first."""
    schema, examples = tool["parameters"], [example for example in tool["examples"] if "returns" in example]
    oracle = Oracle(schema)
    candidates = [*(example["arguments"] for example in examples), *_generate_arguments(schema, examples)]
    different = {json.dumps(candidate, sort_keys=True): candidate for candidate in candidates}
    return [candidate for candidate in different.values() if oracle.is_valid(candidate)]


def _generate_arguments(schema: dict[str, Any], examples: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the required arguments, all arguments, and one request for each further value."""
    properties = schema.get("properties", {})
    known = {name: value for example in examples for name, value in example["arguments"].items()}
    values = {
        name: [*([known[name]] if name in known else []), *_generate_values(of)] for name, of in properties.items()
    }
    least = {name: values[name][0] for name in schema.get("required", [])}
    fullest = {name: some[0] for name, some in values.items()}
    yield least
    yield fullest
    for name, some in values.items():
        for value in some:
            yield least | {name: value}


def _generate_values(schema: dict[str, Any]) -> list[Any]:
    """Return values of *schema*; only examples fulfil patterns and formats."""
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    default = [schema["default"]] if "default" in schema else []
    low, high = schema.get("minimum", 0), schema.get("maximum", schema.get("minimum", 0) + 9)
    kinds: dict[str, list[Any]] = {
        "string": ["B" * max(1, schema.get("minLength", 1)), "b" * schema.get("maxLength", 9)],
        "integer": [low, low + 1, high],
        "number": [low, high, (low + high) / 2],
        "boolean": [True, False],
        "array": [[]],
        "object": [{}],
    }
    return default + (kinds[schema["type"]] if "type" in schema else [None, {"any": [1.5, "text", []]}])


def generate_mutants(schema: dict[str, Any], value: Any, pointer: str = "") -> Iterator[Mutant]:
    """Yield the mutants of *value*, which *schema* admits; some are still valid, others are not."""
    if pointer:
        for change, other in _replace(schema, value):
            yield Mutant(pointer, change, other)
    if isinstance(value, dict):
        yield from _mutate_object(schema, value, pointer)
    elif isinstance(value, list):
        yield from _mutate_array(schema, value, pointer)


def _mutate_object(schema: dict[str, Any], value: dict[str, Any], pointer: str) -> Iterator[Mutant]:
    properties = schema.get("properties", {})
    for name, member in value.items():
        without = {other: member for other, member in value.items() if other != name}
        yield Mutant(f"{pointer}/{name}", "removed", without)
        for change, misspelt in (("upper-case", name.upper()), ("title-case", name.title()), ("spaced", f"{name} ")):
            yield Mutant(f"{pointer}/{name}", f"name {change}", without | {misspelt: member})
    for name in ("unknown", "", "__class__", "$ref", "a/b~c", "x" * 300, "имя"):
        yield Mutant(f"{pointer}/{name}", "added", value | {name: 1})
    for name, member in value.items():
        for mutant in generate_mutants(properties.get(name, {}), member, f"{pointer}/{name}"):
            yield Mutant(mutant.pointer, mutant.change, value | {name: mutant.value})
    for name in [name for name in properties if name not in value]:
        for change, other in _replace(properties[name], None):
            yield Mutant(f"{pointer}/{name}", f"added, {change}", value | {name: other})


def _mutate_array(schema: dict[str, Any], value: list[Any], pointer: str) -> Iterator[Mutant]:
    for length in _read_limits(schema, "minItems", "maxItems"):
        for count in (length - 1, length, length + 1):
            if value and count >= 0:
                yield Mutant(pointer, f"{count} items", (value * (count // len(value) + 1))[:count])
    for index, item in enumerate(value):
        yield Mutant(f"{pointer}/{index}", "removed", value[:index] + value[index + 1 :])
        for mutant in generate_mutants(schema.get("items", {}), item, f"{pointer}/{index}"):
            yield Mutant(mutant.pointer, mutant.change, [*value[:index], mutant.value, *value[index + 1 :]])


def _replace(schema: dict[str, Any], value: Any) -> Iterator[tuple[str, Any]]:
    """Yield description and value of each replacement of *value*."""
    yield from _replace_type(value)
    yield from _replace_number(schema)
    yield from _replace_string(schema, value if isinstance(value, str) else "")
    yield from _replace_option(schema)


def _replace_type(value: Any) -> Iterator[tuple[str, Any]]:
    yield from (
        ("null", None),
        ("true", True),
        ("false", False),
        ("empty array", []),
        ("empty object", {}),
        ("wrapped in an array", [value]),
        ("wrapped in an object", {"value": value}),
        ("as a string", str(value)),
        ("nested deep", nest_lists(200)),
    )


def _replace_number(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    limits = _read_limits(schema, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    for limit in sorted({0, 5, *limits}):
        for number in (limit - 1, limit, limit + 1):
            yield f"{number}", number
            yield f"{float(number)}", float(number)
            yield f'"{number}"', str(number)
        yield f"{limit + 0.5}", limit + 0.5
        yield f"just below {limit}", math.nextafter(limit, -math.inf)
        yield f"just above {limit}", math.nextafter(limit, math.inf)
    for number in (2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**40):
        yield f"{number}", number
    for real in (-0.0, 1e16, 1e300, -1e300, 5e-324, math.nan, math.inf, -math.inf):
        yield f"{real}", real


def _replace_string(schema: dict[str, Any], value: str) -> Iterator[tuple[str, Any]]:
    letter = value[:1] or "A"
    for length in sorted({schema.get("minLength", 0), schema.get("maxLength", 20)}):
        for count in (length - 1, length, length + 1):
            if count >= 0:
                yield f"{count} letters", letter * count
                yield f"{count} letters beyond the basic plane", "\N{GRINNING FACE}" * count
    for change, text in _DISGUISES.items():
        yield change, text.replace("{}", value)
    yield "lower case", value.lower()
    yield "capitalised", value.capitalize()
    yield "upper case", value.upper()
    yield "doubled", value * 2
    yield "first half", value[: len(value) // 2]
    yield "homoglyphs", value.translate(_CYRILLIC)
    yield "full-width", "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in value)
    yield "very long", (value or "A") * (100_000 // (len(value) or 1))


_CYRILLIC = str.maketrans("ETHSBC", "\u0415\u0422\u041d\u0405\u0412\u0421")
"""Latin capitals, and Cyrillic letters that look like them."""
_DISGUISES = {
    "empty": "",
    "one letter": "X",
    "another pair": "BTC/USD",
    "three parts": "A/B/C",
    "one part": "{}/",
    "longest parts": f"{'A' * 20}/{'0' * 20}",
    "part too long": f"{'A' * 21}/B",
    "other part too long": f"A/{'B' * 21}",
    "space before": " {}",
    "space after": "{} ",
    "line feed after": "{}\n",
    "line feed before": "\n{}",
    "carriage return after": "{}\r",
    "line separator after": "{}\u2028",
    "zero byte after": "{}\0",
    "no-break space after": "{}\u00a0",
    "zero-width space inside": "E\u200bTH/USD",
    "byte order mark before": "\ufeff{}",
    "right-to-left mark before": "\u200f{}",
    "combining accent after": "{}\u0301",
    "emoji": "🚀/🌕",
    "a lone surrogate": "{}\ud800",
    "SQL": "{}'; DROP TABLE strategies; --",
    "a path": "../../{}",
    "a template": "{{{}}}${}%s",
    "percent-encoded": "ETH%2FUSD",
    "markup": "<script>{}</script>",
    "a date": "2026-02-28",
    "no date": "2026-02-30",
    "a time": "2026-02-28T12:30:00Z",
    "a time of lower case": "2026-02-28t12:30:00z",
    "a time with offset": "2026-02-28T12:30:00.123456+03:00",
    "a time without offset": "2026-02-28T12:30:00",
    "a time without seconds": "2026-02-28T12:30Z",
    "a time with a space": "2026-02-28 12:30:00Z",
    "no time": "2026-02-28T25:30:00Z",
    "a leap second": "2016-12-31T23:59:60Z",
    "a UUID": "0b7e6f2c-5d4a-4a34-9a53-0f6f6c1f6a01",
}


def _read_limits(schema: dict[str, Any], *keywords: str) -> list[Any]:
    """Return the values of those *keywords* that *schema* has."""
    return [schema[keyword] for keyword in keywords if keyword in schema]


def _replace_option(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    options = [option for option in schema.get("enum", ()) if isinstance(option, str)]
    for option in options:
        yield f"option {option}", option
        yield f"option {option}, other case", option.swapcase()
        yield f"option {option}, spaced", f" {option}"
        yield f"option {option}, cut", option[:-1]
        yield f"option {option}, line feed", f"{option}\n"


def in_utc(value: Any) -> Any:
    """Return *value* with its instants in UTC."""
    if isinstance(value, dict):
        return {name: in_utc(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [in_utc(each) for each in value]
    try:
        return datetime.fromisoformat(value.upper()).astimezone(UTC).isoformat() if "T" in value.upper() else value
    except (AttributeError, OverflowError, TypeError, ValueError):
        return value
