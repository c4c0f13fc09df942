"""Rules for a whole contract, and for all contracts together."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from codegen.diagnostics import Problem, nearest
from codegen.ir.settings import setting_schema
from codegen.loading.documents import Document, member
from codegen.loading.references import as_array, as_object
from codegen.naming import ClassName, Identifier, sanitised
from codegen.rules.schema import enum_fault, pattern_fault, range_fault, refusals

CALL = frozenset({"settings", "now", "idempotency", "progress", "datetime"})
"""Names that a handler's call record has or may come to have, or needs."""
TYPES = frozenset({"str", "int", "float", "bool"})
"""Names that the record of settings needs."""
CLASSES = frozenset(
    [
        "Annotated",
        "Any",
        "AwareDatetime",
        "BaseModel",
        "ClassVar",
        "ConfigDict",
        "Field",
        "Literal",
        "ToolError",
        "UUID",
    ]
)
"""Names that generated modules import."""
ROOMS = frozenset({"errors", "hosts", "main", "run", "server"})
"""Names that the folders or packages of servers, or their entry points, already have."""
SYSTEMS = frozenset({"dialects", "shared"})
"""Names that the generated package already has."""
PACKAGE = re.compile(r"[a-z][a-z0-9_]*")


def contract_faults(document: Document, dialects: Mapping[str, Any], shared: Sequence[Document]) -> Iterator[Problem]:
    """Faults of one contract beyond its tools."""
    contract = as_object(document.value)
    yield from path_faults(document)
    dialect = contract.get("dialect")
    if isinstance(dialect, str) and dialect not in dialects:
        sentence = f'"{dialect}" is not in dialects.json; {nearest(dialect, dialects)}'
        yield document.problem("/dialect", "DIALECT_UNKNOWN", sentence)
    yield from setting_faults(document)
    yield from source_faults(document)
    yield from tool_name_faults(document)
    yield from class_name_faults(document, shared)


def path_faults(document: Document) -> Iterator[Problem]:
    """The folder and the file name a server's rooms, so both must be Python names."""
    path = PurePosixPath(document.name)
    for part, taken in ((path.parts[0], SYSTEMS), (path.stem, ROOMS)):
        if not PACKAGE.fullmatch(part) or keyword.iskeyword(part):
            sentence = f'"{part}" becomes the name of a Python package; use lower-case letters, digits and "_"'
            yield document.problem("", "PATH_NAME", sentence)
        elif part in taken:
            yield document.problem("", "PATH_NAME", f'"{part}" is taken by what is generated; choose another name')


def setting_faults(document: Document) -> Iterator[Problem]:
    """Settings without a value, or with a default that they refuse."""
    settings = as_object(as_object(document.value).get("settings"))
    for name, setting in ((name, as_object(setting)) for name, setting in settings.items()):
        at = member("/settings", name)
        if ("default" in setting) == ("required" in setting):
            yield document.problem(at, "SETTING_VALUE", 'a setting has either a "default" or "required": true')
        if keyword.iskeyword(name) or name in TYPES:
            yield document.problem(at, "RESERVED_NAME", f'"{name}" is a word of Python; choose another', key=True)
        schema = setting_schema(setting)
        for judge in (range_fault, pattern_fault, enum_fault):
            yield from judge(document, at, schema)
        for _, why in refusals(schema, setting["default"]) if "default" in setting else ():
            yield document.problem(f"{at}/default", "DEFAULT_INVALID", f"the default breaks its own schema: {why}")


def source_faults(document: Document) -> Iterator[Problem]:
    """Sources that name no setting, or whose name a call already has."""
    contract = as_object(document.value)
    settings = as_object(contract.get("settings"))
    for name, source in ((name, as_object(source)) for name, source in as_object(contract.get("sources")).items()):
        at = member("/sources", name)
        for key, part in source.items():
            setting = as_object(part).get("setting")
            if isinstance(setting, str) and setting not in settings:
                sentence = f'"{setting}" is not among the settings; {nearest(setting, settings)}'
                yield document.problem(member(at, key, "setting"), "SETTING_UNKNOWN", sentence)
        if name in CALL or keyword.iskeyword(name):
            yield document.problem(at, "RESERVED_NAME", f'"{name}" is taken; give the source another name', key=True)
        least, most = source.get("min_connections"), source.get("max_connections")
        if isinstance(least, int | float) and isinstance(most, int | float) and least > most:
            yield document.problem(f"{at}/min_connections", "EMPTY_RANGE", "min_connections is above max_connections")


def tool_name_faults(document: Document) -> Iterator[Problem]:
    """Tools that a host, the handlers' module or the models could not tell apart."""
    forms = (sanitised, Identifier, ClassName)
    known: list[dict[str, str]] = [{} for _ in forms]
    for index, tool in enumerate(as_array(as_object(document.value).get("tools"))):
        name = as_object(tool).get("name")
        if not isinstance(name, str):
            continue
        cleaned = [str(form(name)) for form in forms]
        taken = [(key, seen[key]) for key, seen in zip(cleaned, known, strict=True) if key in seen]
        if taken:
            key, first = taken[0]
            sentence = f'"{name}" and "{first}" both become {key} once hosts and Python have cleaned the names'
            if first == name:
                sentence = f'another tool is called "{name}" too'
            sentence += "; rename one"
            yield document.problem(member("/tools", index, "name"), "NAME_COLLISION", sentence)
        for key, seen in zip(cleaned, known, strict=True):
            seen.setdefault(key, name)


def class_name_faults(document: Document, shared: Sequence[Document]) -> Iterator[Problem]:
    """Models that bear the name of a tool's request or result, or one another's."""
    taken = {
        f"{ClassName(tool['name'])}{suffix}": tool["name"]
        for tool in map(as_object, as_array(as_object(document.value).get("tools")))
        if isinstance(tool.get("name"), str)
        for suffix in ("Request", "Result", "ResultItem")
    }
    for holder in (document, *shared):
        for name in models(holder):
            if name in taken:
                sentence = f'"{name}" is the name of a model of {taken[name]}; rename the schema'
                yield holder.problem(member("/$defs", name), "CLASS_COLLISION", sentence, key=True)
    yield from model_faults(document, shared)


def model_faults(document: Document, others: Sequence[Document]) -> Iterator[Problem]:
    """Models whose names another file's models have, or that generated modules import."""
    for name in models(document):
        at = member("/$defs", name)
        for other in others:
            if name in models(other):
                sentence = f'{other.shown} has a model "{name}" too; rename one'
                yield document.problem(at, "CLASS_COLLISION", sentence, key=True)
        if is_reserved(name):
            yield document.problem(at, "RESERVED_NAME", f'"{name}" is a name of Python; rename the schema', key=True)


def models(document: Document) -> list[str]:
    """The schemas of a file that become classes of the same name."""
    schemas = as_object(as_object(document.value).get("$defs"))
    return [
        name for name, schema in schemas.items() if as_object(schema).get("type") == "object" and "properties" in schema
    ]


def is_reserved(name: str) -> bool:
    """Whether a class of this name would hide one that generated code, or its reader, means by it."""
    return name in CLASSES or keyword.iskeyword(name) or hasattr(builtins, name)


def folder_faults(shared: Sequence[Document], documents: Sequence[Document]) -> Iterator[Problem]:
    """Files that get in one another's way."""
    for index, document in enumerate(shared):
        yield from model_faults(document, shared[:index])
    servers: dict[str, Document] = {}
    for document in documents:
        name = as_object(as_object(document.value).get("server")).get("name")
        if not isinstance(name, str):
            continue
        shown = sanitised(name)
        if shown in servers:
            sentence = f'{servers[shown].shown} already has a server that hosts call "{shown}"; rename one'
            yield document.problem("/server/name", "SERVER_TAKEN", sentence)
        servers.setdefault(shown, document)
    yield from error_faults(documents)


def error_faults(documents: Sequence[Document]) -> Iterator[Problem]:
    """Codes that mean different things to the servers of one system: they share one class."""
    first: dict[tuple[str, str], tuple[str, Any]] = {}
    classes: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for document in documents:
        system = PurePosixPath(document.name).parts[0]
        for at, error in declared(document):
            code = error["code"]
            facts = (error.get("http"), error.get("details"), error.get("name"))
            place, known = first.setdefault((system, code), (document.problem(at, "", "").place, facts))
            if known != facts:
                sentence = (
                    f"{code} has another http, details or name at {place}; the servers of a system share one class"
                )
                yield document.problem(at, "ERROR_DIFFERS", sentence)
            class_name = str(error.get("name") or ClassName(code))
            if is_reserved(class_name):
                sentence = f'{code} becomes {class_name}, a name of Python; give it another with "name"'
                yield document.problem(at, "RESERVED_NAME", sentence)
            if classes[system].setdefault(class_name, code) != code:
                sentence = f'{code} and {classes[system][class_name]} both become {class_name}; give one a "name"'
                yield document.problem(at, "CLASS_COLLISION", sentence)


def declared(document: Document) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The error declarations of a contract, with their pointers."""
    for index, tool in enumerate(as_array(as_object(document.value).get("tools"))):
        for place, error in enumerate(as_array(as_object(tool).get("errors"))):
            if isinstance(as_object(error).get("code"), str):
                yield member("/tools", index, "errors", place), error
