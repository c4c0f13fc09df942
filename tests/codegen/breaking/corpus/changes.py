"""Read the corpus: changes of contracts with the verdicts that people wrote.

A verdict follows from variance, not from the checker's rules. A caller of arguments fails if the new schema rejects a
value that the old one admits, and a caller of results if it admits one that the old one rejects. Callers of results
also read members and enum values, and fail if one goes. Each change is judged in both ways, forth and back.

`schemas/` has pairs of schemas. Each stands in arguments and in a result, as a member and in one more context, because
each context is covariant. `contracts/` has JSON Patches (RFC 6902) of a whole contract, and where they matter also of
its dialect, and the files beside it. Each group gives its reason as `why`. `a|b` admits two verdicts, where variance
decides between a break and none only; null leaves a verdict open.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

import jsonpatch

from toolaccord_codegen.breaking.rule import Direction
from toolaccord_codegen.loading.documents import OWN_DIALECTS

Schema: TypeAlias = dict[str, Any]
Files: TypeAlias = dict[str, bytes]
CORPUS = Path(__file__).parent
WAYS = ("forth", "back")
RELATIONS: dict[str, dict[str, list[str]]] = {
    "same": {"argument": ["none", "none"], "result": ["none", "none"]},
    "narrower": {"argument": ["breaking", "info"], "result": ["info", "breaking"]},
    "fewer": {"argument": ["breaking", "info"], "result": ["breaking", "breaking"]},
    "crossing": {"argument": ["breaking", "breaking"], "result": ["breaking", "breaking"]},
}
"""Verdicts, forth and back, on two sets of values.

`fewer` is narrower by something that callers of a result read.
"""
DIRECTIONS = {"argument": Direction.INPUT, "result": Direction.OUTPUT}
KEYS = {"argument": "parameters", "result": "returns"}


def closed(required: list[str], **members: Schema) -> Schema:
    """Return a closed object."""
    return {"type": "object", "properties": members, "required": required, "additionalProperties": False}


CONTEXTS: dict[str, Callable[[Schema], Schema]] = {
    "member": lambda schema: closed(["x"], x=schema),
    "optional member": lambda schema: closed([], x=schema),
    "item": lambda schema: closed(["x"], x={"type": "array", "items": schema}),
    "map": lambda schema: closed(["x"], x={"type": "object", "additionalProperties": schema}),
    "arm": lambda schema: closed(["x"], x={"anyOf": [schema, closed(["other"], other={"const": "arm"})]}),
    "tagged arm": lambda schema: closed(
        ["x"],
        x={"oneOf": [closed(["tag", "value"], tag={"const": "a"}, value=schema), closed(["tag"], tag={"const": "b"})]},
    ),
    "depth": lambda schema: closed([], list={"type": "array", "items": closed(["in"], **{"in": closed([], x=schema)})}),
    "whole": lambda schema: schema,
    "reference": lambda schema: closed(["x"], x=schema),  # a tool of this context refers to the schema in $defs
}
FURTHER = [name for name in CONTEXTS if name not in {"member", "whole"}]
"""Contexts that take turns beside `member`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A verdict on one change, in one direction."""

    group: str
    change: str
    contract: str
    """The path of the contract that has the change."""
    tool: str | None = None
    """Null for all of the contract."""
    direction: Direction | None = None
    expected: frozenset[str]
    """The levels that are right; `none` means no finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """All changes: two states of a contracts folder, and the verdicts on their differences."""

    old: Files
    new: Files
    verdicts: tuple[Verdict, ...]


def read_corpus(part: str, shared: bytes) -> Corpus:
    """Read `schemas` or `contracts`; *shared* is the content of `shared.json` in both states."""
    states: tuple[Files, Files] = {"shared.json": shared}, {"shared.json": shared}
    verdicts: list[Verdict] = []
    for contract, before, after, found in _schema_contracts() if part == "schemas" else ():
        for files, state in zip(states, (before, after), strict=True):
            files[contract] = _dump(state)
        verdicts += found
    dialects: tuple[Schema, Schema] = {}, {}
    for sides, verdict in _patched_contracts() if part == "contracts" else ():
        for files, named, side in zip(states, dialects, sides, strict=True):
            files.update(side.files)
            named.update(side.dialects)
        verdicts.append(verdict)
    for files, named in zip(states, dialects, strict=True):
        files["dialects.json"] = _dump(json.loads(OWN_DIALECTS.read_bytes()) | named)
    return Corpus(old=states[0], new=states[1], verdicts=tuple(verdicts))


def _dump(value: Schema) -> bytes:
    """Return a value as the content of a file."""
    return json.dumps(value).encode()


def _read(path: Path) -> dict[str, Any]:
    """Return the content of a file."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _schema_contracts() -> Iterator[tuple[str, Schema, Schema, list[Verdict]]]:
    """Yield a contract in two states for each group, with a tool per change, way and context."""
    for path in sorted((CORPUS / "schemas").glob("*.json")):
        for number, (group, content) in enumerate(_read(path).items()):
            contract = f"corpus/{path.stem}_{number}.json"
            states: tuple[Schema, Schema] = (_server(contract), _server(contract))
            verdicts: list[Verdict] = []
            for index, change in enumerate(content["changes"]):
                for context in content.get("contexts", ["member", FURTHER[index % len(FURTHER)]]):
                    for way, name in enumerate(WAYS):
                        tool = f"t{len(states[0]['tools'])}"
                        for state, key in zip(states, ("old", "new") if way == 0 else ("new", "old"), strict=True):
                            _add_tool(state, tool, context, change[key])
                        verdicts += [
                            Verdict(
                                group=group,
                                change=f"{change['change']}, {name}, as {context} of the {kind}",
                                contract=contract,
                                tool=tool,
                                direction=DIRECTIONS[kind],
                                expected=frozenset(expected.split("|")),
                            )
                            for kind in DIRECTIONS
                            if (expected := _expected(change, kind)[way])
                        ]
            yield contract, *states, verdicts


def _expected(change: dict[str, Any], kind: str) -> list[str | None]:
    """Return the verdicts forth and back on a change of arguments or of a result."""
    by_relation = RELATIONS.get(change.get("relation", ""), {}).get(kind, [None, None])
    verdicts: list[str | None] = change.get(kind, by_relation)
    return verdicts


def _server(contract: str) -> Schema:
    """Return a contract without tools."""
    server = {"name": "corpus-mcp", "title": "Corpus", "version": "1.0.0", "description": contract}
    return {"contract": 1, "server": server, "dialect": "plain", "tools": [], "$defs": {}}


def _add_tool(contract: Schema, name: str, context: str, schema: Schema) -> None:
    """Add a tool that has the schema in its arguments and in its result."""
    if context == "reference":
        contract["$defs"][f"Schema{name}"] = schema
        schema = {"$ref": f"#/$defs/Schema{name}"}
    whole = CONTEXTS[context](schema)
    contract["tools"].append(
        {
            "name": name,
            "version": "1.0.0",
            "description": "Judge a change",
            "effects": {"elsewhere": "nothing"},
            "parameters": whole,
            "returns": whole,
            "errors": [],
            "deadline": {"timeout_ms": 1000},
            "examples": [{"arguments": {}, "returns": {}}],
        }
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """One state of a changed contract: its files, and its dialect by name."""

    files: Files
    dialects: Schema


def _patched_contracts() -> Iterator[tuple[tuple[_Side, _Side], Verdict]]:
    """Yield both states of a contract for each patch and way, with the verdict."""
    for path in sorted((CORPUS / "contracts").glob("*.json")):
        content = _read(path)
        changes = [(group, change) for group, each in content["groups"].items() for change in each["changes"]]
        for index, (group, change) in enumerate(changes):
            for way, expected in zip(WAYS, change["verdict"], strict=True):
                folder = f"{path.stem}_{index}_{way}" if "files" in change else "corpus"
                contract = f"{folder}/{path.stem}_{index}_{way}.json"
                sides = tuple(_side(content, change, key, contract) for key in ("old", "new"))
                levels = frozenset((expected or "").split("|"))
                verdict = Verdict(group=group, change=f"{change['change']}, {way}", contract=contract, expected=levels)
                if expected:
                    yield (sides[0], sides[1]) if way == "forth" else (sides[1], sides[0]), verdict


def _side(content: Schema, change: Schema, key: str, contract: str) -> _Side:
    """Return the state of a changed contract whose patches are below *key*."""
    value = jsonpatch.apply_patch(json.loads(json.dumps(content["base"])), change.get(key, []), in_place=True)
    dialects: Schema = {}
    if "dialect" in change:
        value["dialect"] = PurePosixPath(contract).stem
        dialects[value["dialect"]] = jsonpatch.apply_patch(content["dialect"], change["dialect"][key])
    beside = change.get("files", {}).get(key, {})
    files = {str(PurePosixPath(contract).with_name(name)): text.encode() for name, text in beside.items()}
    return _Side({contract: _dump(value), **files}, dialects)
