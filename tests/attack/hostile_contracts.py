"""Hostile contracts: texts, names, numbers, references and sizes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.contracts.reading import ROOT, load

SAMPLES = ROOT / "tests/toolaccord/contracts"
_Contract = dict[str, Any]


def plain_contract() -> str:
    """Return the contract that the others change."""
    return json.dumps(_plain())


def hostile_contracts(marker: Path) -> list[tuple[str, str]]:
    """Return name and text of each contract; code in them would make the file *marker*."""
    return [*_texts(marker), *_values()]


def _plain() -> _Contract:
    contract: _Contract = load(SAMPLES / "demo/counter.json")
    return contract


def _with_texts(text: str) -> _Contract:
    """Return a contract with *text* in every free text."""

    def replace(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: replace(member, name) for name, member in value.items()}
        if isinstance(value, list):
            return [replace(item) for item in value]
        return text if key in {"description", "title", "instructions"} else value

    replaced: _Contract = replace(_plain())
    return replaced


def _with(change: Callable[[_Contract], object]) -> _Contract:
    contract = _plain()
    change(contract)
    return contract


def _with_name(name: str) -> _Contract:
    return _with(lambda contract: contract["tools"][0].update(name=name))


def _with_argument(name: str) -> _Contract:
    return _with(lambda contract: contract["tools"][0]["parameters"]["properties"].update({name: {"type": "string"}}))


def _with_schema(schema: Any, **definitions: Any) -> _Contract:
    def change(contract: _Contract) -> None:
        contract["tools"][0]["parameters"]["properties"]["x"] = schema
        contract["$defs"] = definitions

    return _with(change)


def _chain(length: int) -> _Contract:
    links = {f"L{number}": {"$ref": f"#/$defs/L{number + 1}"} for number in range(length)}
    return _with_schema({"$ref": "#/$defs/L0"}, **links, **{f"L{length}": {"type": "string"}})


def _laughs(levels: int) -> _Contract:
    """Return a contract that doubles at each of *levels* references."""
    laughs = {
        f"L{number}": {
            "type": "object",
            "properties": {name: {"$ref": f"#/$defs/L{number + 1}"} for name in "ab"},
            "additionalProperties": False,
        }
        for number in range(levels)
    }
    return _with_schema({"$ref": "#/$defs/L0"}, **laughs, **{f"L{levels}": {"type": "string"}})


_CODE = "__import__('pathlib').Path({marker!r}).touch()"
_TEXTS = (
    '"""\n{code}\n"""', '"""', 'ends in three"""', 'ends in one"', "ends in a backslash\\", "'''\n{code}\n'''", "\n{code}\n", "\\n{code}\\N{{x}}",
    "{{{{ {code} }}}}", "{{% raw %}}{{{{ 7*7 }}}}", "{{# x #}}", "${{{code}}}", "f'{{{code}}}'", "\u2028{code}\u2029", "\x0c{code}", "\r{code}",
    "\x00", "\ud800", "# {code}", "*/ {code} /*", "--> {code} <!--", "]]>", "\\u0022\\u0022\\u0022", "%s %(x)s", "\u202e{code}", "\x1b[31m",
    "'; {code}; '", '"); {code}; ("', "|\n```sh\n{code}\n```", "x" * 10_000_000,
)  # fmt: skip
_NAMES = (
    "", " ", "__class__", "__init__", "import", "None", "print", "self", "a b", "a;b", "a.b", "a-b", "../../x", "a/b", "a\\b", "a\nb", "a\x00b",
    "1a", "\u00e9", "\uff41", "\u0456mport", "model_config", "schema", "call", "request", "x" * 300, "{code}", "a'b", 'a"b', "CON", "..", "$ref",
)  # fmt: skip
_DIGITS = "1" * 10_000


def _texts(marker: Path) -> Iterator[tuple[str, str]]:
    code = _CODE.format(marker=str(marker))
    for text in _TEXTS:
        yield f"text {text[:30]!r}", json.dumps(_with_texts(text.format(code=code)))
    for place, name in enumerate(_NAMES):
        build = _with_name if place % 2 else _with_argument
        yield f"{build.__name__} {name[:30]!r}", json.dumps(build(name.replace("{code}", code)))


def _values() -> Iterator[tuple[str, str]]:
    plain = json.dumps(_plain())
    schemas: Mapping[str, Any] = {
        "slow pattern": {"type": "string", "pattern": "^(a+)+$"},
        "huge pattern": {"type": "string", "pattern": "(a{1,1000}){1,1000}"},
        "invalid pattern": {"type": "string", "pattern": "("},
        "100,000 options": {"type": "string", "enum": [f"o{number}" for number in range(100_000)]},
        "foreign file": {"$ref": "../../../../../etc/passwd#/x"},
        "foreign host": {"$ref": "http://127.0.0.1:9/x.json"},
        "file URL": {"$ref": "file:///etc/passwd"},
        "itself": {"$ref": "#/$defs/A"},
        "pointer into the contract": {"$ref": "#/tools/0/parameters"},
        "a number": 5,
        "a huge exponent": {"type": "number", "minimum": 1e300},
        "a contradictory range": {"type": "integer", "minimum": 9, "maximum": 1},
    }
    for name, schema in schemas.items():
        yield name, json.dumps(_with_schema(schema, A={"$ref": "#/$defs/A"}))
    yield "3,000 references", json.dumps(_chain(3000))
    yield "references that double 25 times", json.dumps(_laughs(25))
    yield "an integer of 10,000 digits", plain.replace('"maximum": 100', f'"maximum": {_DIGITS}')
    yield "a fraction of 10,000 digits", plain.replace('"maximum": 100', f'"maximum": 1.{_DIGITS}')
    yield "a version of 10,000 digits", plain.replace('"1.0.0"', f'"{_DIGITS}.0.0"')
    yield "a deadline of 10,000 digits", plain.replace("5000", _DIGITS)
    yield "NaN", plain.replace("100", "NaN")
    yield "infinity", plain.replace("100", "1e999")
    yield "depth", plain.replace('"maximum": 100', f'"default": {"[" * 100_000}{"]" * 100_000}')
    yield "deep schemas", plain.replace('{"type": "integer"', '{"type": "array", "items": ' * 2000, 1)
    yield "repeated members", plain.replace('"contract": 1', '"contract": 1, "contract": 1')
    yield "100,000 repeated members", plain.replace('"contract": 1', ", ".join(['"contract": 1'] * 100_000))
    yield "a list", "[]"
    yield "nothing", ""
    yield "a byte order mark", f"\ufeff{plain}"
    yield "an unfinished text", plain[:200]
    yield "a million tools", plain.replace('"tools": [', '"tools": [' + "{}," * 1_000_000)
    yield "64 MiB of white space", plain + " " * (1 << 26)
