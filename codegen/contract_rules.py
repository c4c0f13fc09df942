"""Rules for a whole contract, and for all contracts together."""

from __future__ import annotations

import keyword
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from codegen.documents import Document, member
from codegen.naming import ClassName, Identifier, sanitised
from codegen.problems import Problem
from codegen.references import as_array, as_object
from codegen.schema_rules import refusals

RESERVED = frozenset({"settings", "now", "idempotency"})
"""Names that a handler's call record has, or may come to have."""
SETTING_KEYWORDS = ("minimum", "maximum", "minLength", "maxLength", "pattern", "enum")


def contract_faults(document: Document, dialects: Mapping[str, Any]) -> Iterator[Problem]:
    """Faults of one contract beyond its tools."""
    contract = as_object(document.value)
    yield from path_fault(document)
    dialect = contract.get("dialect")
    if isinstance(dialect, str) and dialect not in dialects:
        yield document.problem(
            "/dialect", "DIALECT_UNKNOWN", f'"{dialect}" is not in dialects.json ({", ".join(dialects)})'
        )
    yield from setting_faults(document)
    yield from source_faults(document)
    yield from tool_name_faults(document)
    yield from class_name_faults(document)


def path_fault(document: Document) -> Iterator[Problem]:
    """The folder and the file name a server's rooms, so both must be Python names."""
    path = PurePosixPath(document.name)
    for part in (*path.parts[:-1], path.stem):
        if not (part.isidentifier() and part.islower()) or keyword.iskeyword(part):
            sentence = f'"{part}" becomes the name of a Python package; use lower-case letters, digits and "_"'
            yield document.problem("", "PATH_NAME", sentence)


def setting_faults(document: Document) -> Iterator[Problem]:
    """Settings without a value, or with a default that they refuse."""
    settings = as_object(as_object(document.value).get("settings"))
    for name, setting in ((name, as_object(setting)) for name, setting in settings.items()):
        at = member("/settings", name)
        if ("default" in setting) == ("required" in setting):
            yield document.problem(at, "SETTING_VALUE", 'a setting has either a "default" or "required": true')
        if keyword.iskeyword(name):
            yield document.problem(at, "RESERVED_NAME", f'"{name}" is a word of Python; choose another', key=True)
        for sentence in refusals(setting_schema(setting), setting["default"]) if "default" in setting else ():
            yield document.problem(f"{at}/default", "DEFAULT_INVALID", f"the default {sentence}")


def setting_schema(setting: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a setting's value."""
    return {"type": setting.get("type", "string")} | {key: setting[key] for key in SETTING_KEYWORDS if key in setting}


def source_faults(document: Document) -> Iterator[Problem]:
    """Sources that name no setting, or whose name a call already has."""
    contract = as_object(document.value)
    settings = as_object(contract.get("settings"))
    for name, source in as_object(contract.get("sources")).items():
        at = member("/sources", name)
        for key, part in as_object(source).items():
            setting = as_object(part).get("setting")
            if setting is not None and setting not in settings:
                sentence = f'"{setting}" is not among the settings ({", ".join(settings) or "there are none"})'
                yield document.problem(member(at, key, "setting"), "SETTING_UNKNOWN", sentence)
        if name in RESERVED or keyword.iskeyword(name):
            yield document.problem(at, "RESERVED_NAME", f'"{name}" is taken; give the source another name', key=True)
        limits = as_object(source)
        if limits.get("kind") == "postgresql" and limits.get("min_connections", 0) > limits.get(
            "max_connections", 1000
        ):
            yield document.problem(f"{at}/min_connections", "EMPTY_RANGE", "min_connections is above max_connections")


def tool_name_faults(document: Document) -> Iterator[Problem]:
    """Tools that a host, or the handlers' module, could not tell apart."""
    shown: dict[str, str] = {}
    functions: dict[str, str] = {}
    for index, tool in enumerate(as_array(as_object(document.value).get("tools"))):
        name = as_object(tool).get("name")
        if not isinstance(name, str):
            continue
        at = member("/tools", index, "name")
        for seen, key in ((shown, sanitised(name)), (functions, str(Identifier(name)))):
            if key in seen:
                other = "the same tool" if seen[key] == name else f'"{seen[key]}"'
                sentence = (
                    f'"{name}" and {other} both become {key} once hosts and Python have cleaned the names; rename one'
                )
                yield document.problem(at, "NAME_COLLISION", sentence)
                break
            seen[key] = name


def class_name_faults(document: Document) -> Iterator[Problem]:
    """A schema of `$defs` that bears the name of a tool's request or result."""
    contract = as_object(document.value)
    taken = {
        f"{ClassName(tool['name'])}{suffix}": tool["name"]
        for tool in map(as_object, as_array(contract.get("tools")))
        if isinstance(tool.get("name"), str)
        for suffix in ("Request", "Result", "ResultItem")
    }
    for name in as_object(contract.get("$defs")):
        if name in taken:
            sentence = f'"{name}" is the name of a model of {taken[name]}; rename the schema'
            yield document.problem(member("/$defs", name), "CLASS_COLLISION", sentence, key=True)


def folder_faults(documents: Sequence[Document]) -> Iterator[Problem]:
    """Contracts that get in one another's way."""
    servers: dict[str, Document] = {}
    for document in documents:
        name = as_object(as_object(document.value).get("server")).get("name")
        if isinstance(name, str) and name in servers:
            sentence = f'{servers[name].shown} already has a server "{name}"; rename one'
            yield document.problem("/server/name", "SERVER_TAKEN", sentence)
        elif isinstance(name, str):
            servers[name] = document
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
            if classes[system].setdefault(class_name, code) != code:
                sentence = f'{code} and {classes[system][class_name]} both become {class_name}; give one a "name"'
                yield document.problem(at, "CLASS_COLLISION", sentence)


def declared(document: Document) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The error declarations of a contract, with their pointers."""
    for index, tool in enumerate(as_array(as_object(document.value).get("tools"))):
        for place, error in enumerate(as_array(as_object(tool).get("errors"))):
            if isinstance(as_object(error).get("code"), str):
                yield member("/tools", index, "errors", place), error
