"""The contracts as Protocol Buffers: a file and a service per server, a method per tool.

Protobuf cannot express bounds, patterns, unions, errors and caching, so these are omitted. Texts become comments. The
result passes `buf lint`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord_codegen.cli.rules import ACCEPTABLE_RULES
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.tool import Tool

Schema = Mapping[str, Any]
SCALARS = {"string": "string", "integer": "int64", "number": "double", "boolean": "bool"}
ANYTHING = "google.protobuf.Value"
MODULE = "version: v2\nmodules:\n  - path: .\nlint:\n  use: [STANDARD]\nbreaking:\n  use: [FILE]\n"
"""The `buf.yaml` beside the files, with buf's defaults."""


def twin(contracts: Any) -> dict[str, str]:
    """Return the files of the twin of a contracts folder, by path."""
    files = {
        f"{each.system}/{each.module}/v1/{each.module}.proto": proto(each)
        for each in compile_folder(contracts, acceptable=ACCEPTABLE_RULES).contracts
    }
    return {"buf.yaml": MODULE, **files}


def proto(contract: Contract) -> str:
    """Return the file of a server."""
    package = f"{contract.system}.{contract.module}.v1"
    head = ['syntax = "proto3";', f"package {package};", 'import "google/protobuf/struct.proto";']
    messages = [line for tool in contract.tools for line in (*request(tool), *_response(tool))]
    imported = head if any(ANYTHING in line for line in messages) else head[:2]
    return "\n".join([*imported, *_comment(contract.description), *service(contract), *messages, ""])


def service(contract: Contract) -> Iterator[str]:
    """Return the service of a server."""
    yield f"service {contract.class_name}Service {{"
    for tool in contract.tools:
        name = tool.class_name
        yield from _comment(tool.description)
        yield f"rpc {name}({name}Request) returns ({name}Response);"
    yield "}"


def request(tool: Tool) -> Iterator[str]:
    """Return the message of a tool's arguments."""
    yield from message(f"{tool.class_name}Request", tool.parameters)


def _response(tool: Tool) -> Iterator[str]:
    """Return the message of a tool's results."""
    yield from message(f"{tool.class_name}Response", tool.returns)


def message(name: str, schema: Schema) -> Iterator[str]:
    """Return a message, with those of its members nested."""
    yield from _comment(schema.get("description", ""))
    yield f"message {name} {{"
    for number, (member, part) in enumerate(schema.get("properties", {}).items(), 1):
        yield from _comment(part.get("description", ""))
        repeated = "repeated " if part.get("type") == "array" else ""
        inner = part.get("items", {}) if repeated else part
        optional = "optional " if not repeated and member not in schema.get("required", ()) else ""
        yield from _definition(_camel(member), inner)
        yield f"{repeated or optional}{kind(_camel(member), inner)} {_snake(member)} = {number};"
    yield "}"


def _definition(name: str, schema: Schema) -> Iterator[str]:
    """Return the definition that a member needs: a message, an enum, or nothing."""
    if schema.get("properties"):
        yield from message(name, schema)
    elif _is_enum(schema):
        prefix = _snake(name).upper()
        yield f"enum {name} {{"
        yield f"{prefix}_UNSPECIFIED = 0;"
        yield from (f"{prefix}_{_snake(value).upper()} = {n};" for n, value in enumerate(schema["enum"], 1))
        yield "}"


def kind(name: str, schema: Schema) -> str:
    """Return the type of a member."""
    if schema.get("properties") or _is_enum(schema):
        return name
    json_type = schema.get("type")
    return SCALARS.get(json_type, ANYTHING) if isinstance(json_type, str) else ANYTHING


def _is_enum(schema: Schema) -> bool:
    """Return whether a schema enumerates texts that are valid names."""
    values = schema.get("enum", [])
    names = {_snake(value) for value in values if isinstance(value, str)}
    return bool(values) and len(names) == len(values) and all(re.fullmatch(r"[a-z0-9_]+", name) for name in names)


def _camel(name: str) -> str:
    """Return a name in the style of messages."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name))


def _snake(name: str) -> str:
    """Return a name in the style of members."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[^A-Za-z0-9]+", "_", apart).strip("_").lower()


def _comment(text: str) -> Iterator[str]:
    """Return a description as comment lines."""
    yield from (f"// {line}" for line in text.splitlines())
