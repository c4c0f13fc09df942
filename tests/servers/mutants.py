"""Single-site mutants: a value, changed in one place, in every way that a careless or hostile caller might."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Mutant:
    """A value with one change."""

    at: str
    """Where it was changed, as a JSON pointer."""
    how: str
    """What was done."""
    value: Any
    """The whole value, changed."""


def mutants(schema: dict[str, Any], value: Any, at: str = "") -> Iterator[Mutant]:
    """Yield the mutants of *value*, which fits *schema*; some still fit, others do not."""
    if at:
        for how, other in _replacements(schema, value):
            yield Mutant(at, how, other)
    if isinstance(value, dict):
        yield from _of_object(schema, value, at)
    elif isinstance(value, list):
        yield from _of_array(schema, value, at)


def _of_object(schema: dict[str, Any], value: dict[str, Any], at: str) -> Iterator[Mutant]:
    properties = schema.get("properties", {})
    for name, member in value.items():
        without = {other: member for other, member in value.items() if other != name}
        yield Mutant(f"{at}/{name}", "removed", without)
        for how, misspelt in (("upper-case", name.upper()), ("title-case", name.title()), ("spaced", f"{name} ")):
            yield Mutant(f"{at}/{name}", f"name {how}", without | {misspelt: member})
    for name in ("unknown", "", "__class__", "$ref", "a/b~c", "x" * 300, "имя"):
        yield Mutant(f"{at}/{name}", "added", value | {name: 1})
    for name, member in value.items():
        for mutant in mutants(properties.get(name, {}), member, f"{at}/{name}"):
            yield Mutant(mutant.at, mutant.how, value | {name: mutant.value})
    for name in [name for name in properties if name not in value]:
        for how, other in _replacements(properties[name], None):
            yield Mutant(f"{at}/{name}", f"added, {how}", value | {name: other})


def _of_array(schema: dict[str, Any], value: list[Any], at: str) -> Iterator[Mutant]:
    for length in _limits(schema, "minItems", "maxItems"):
        for count in (length - 1, length, length + 1):
            if value and count >= 0:
                yield Mutant(at, f"{count} items", (value * (count // len(value) + 1))[:count])
    for index, item in enumerate(value):
        yield Mutant(f"{at}/{index}", "removed", value[:index] + value[index + 1 :])
        for mutant in mutants(schema.get("items", {}), item, f"{at}/{index}"):
            yield Mutant(mutant.at, mutant.how, [*value[:index], mutant.value, *value[index + 1 :]])


def _replacements(schema: dict[str, Any], value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what may stand in the place of *value*."""
    yield from _other_types(value)
    yield from _numbers(schema)
    yield from _strings(schema, value if isinstance(value, str) else "")
    yield from _options(schema)


def _other_types(value: Any) -> Iterator[tuple[str, Any]]:
    yield from (
        ("null", None),
        ("true", True),
        ("false", False),
        ("empty array", []),
        ("empty object", {}),
        ("wrapped in an array", [value]),
        ("wrapped in an object", {"value": value}),
        ("as a string", str(value)),
        ("nested deep", nested(200)),
    )


def nested(depth: int) -> list[Any]:
    """Return *depth* lists, each in the one before."""
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


def _numbers(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    limits = _limits(schema, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
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


def _strings(schema: dict[str, Any], value: str) -> Iterator[tuple[str, Any]]:
    letter = value[:1] or "A"
    for length in sorted({schema.get("minLength", 0), schema.get("maxLength", 20)}):
        for count in (length - 1, length, length + 1):
            if count >= 0:
                yield f"{count} letters", letter * count
                yield f"{count} letters beyond the basic plane", "\N{GRINNING FACE}" * count
    for how, text in _DISGUISES.items():
        yield how, text.replace("{}", value)
    yield "lower case", value.lower()
    yield "capitalised", value.capitalize()
    yield "upper case", value.upper()
    yield "doubled", value * 2
    yield "first half", value[: len(value) // 2]
    yield "homoglyphs", value.translate(_CYRILLIC)
    yield "full-width", "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in value)
    yield "very long", (value or "A") * (100_000 // (len(value) or 1))


_CYRILLIC = str.maketrans("ETHSBC", "\u0415\u0422\u041d\u0405\u0412\u0421")
"""Capital letters that look like others."""
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


def _limits(schema: dict[str, Any], *keywords: str) -> list[Any]:
    """Return the values of those *keywords* that *schema* has."""
    return [schema[keyword] for keyword in keywords if keyword in schema]


def _options(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    options = [option for option in schema.get("enum", ()) if isinstance(option, str)]
    for option in options:
        yield f"option {option}", option
        yield f"option {option}, other case", option.swapcase()
        yield f"option {option}, spaced", f" {option}"
        yield f"option {option}, cut", option[:-1]
        yield f"option {option}, line feed", f"{option}\n"
