"""Rules for a whole contract and for all contracts together."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.ir.settings import setting_schema
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.json_equality import equal_json
from toolaccord_codegen.loading.references import as_object, list_items
from toolaccord_codegen.loading.source_kinds import KindError, SourceKinds, is_custom
from toolaccord_codegen.naming import ClassName, Identifier, describe_reserved, host_tool_name
from toolaccord_codegen.rules import metaschema
from toolaccord_codegen.rules.prompts import list_prompt_models
from toolaccord_codegen.rules.schema import check_enum, check_pattern, check_range, violations

CALL_NAMES = frozenset(
    {"settings", "now", "idempotency", "progress", "log", "changed", "datetime", "corr_id", "missing", "model", "ask"}
)
"""Names that a handler's call record has, may come to have, or needs."""
SETTING_TYPES = frozenset({"str", "int", "float", "bool"})
"""Names that the record of settings needs."""
IMPORTED_CLASSES = frozenset(
    [
        "Annotated", "Any", "AwareDatetime", "ClassVar", "ConfigDict", "ContractModel", "Field", "Literal", "ToolError",
        "UUID",
    ]
)  # fmt: skip
"""Names that generated modules import."""
RESERVED_SERVERS = frozenset({"errors", "hosts", "main", "run", "server"})
"""Names that folders, packages or entry points of servers already have."""
RESERVED_SYSTEMS = frozenset({"dialects", "shared"})
"""Names that the generated package already has."""
PACKAGE_NAME = re.compile(r"[a-z][a-z0-9_]*")


def check_contract(document: Document, dialects: Mapping[str, Any], shared: Sequence[Document]) -> Iterator[Problem]:
    """Yield the problems of one contract apart from its tools."""
    contract = as_object(document.value)
    dialect = contract.get("dialect")
    if isinstance(dialect, str) and dialect not in dialects:
        sentence = f'"{dialect}" is not in dialects.json; {suggest(dialect, dialects)}'
        yield document.problem("/dialect", "DIALECT_UNKNOWN", sentence)
    yield from check_tool_names(document)
    for at, tool in list_items(contract, "tools"):
        if "lifespan" in contract and tool.get("name") == "lifespan":
            sentence = "the handlers have a function of that name for the server's state; choose another name"
            yield document.problem(f"{at}/name", "RESERVED_NAME", sentence)
    taken = {
        f"{ClassName(tool['name'])}{suffix}": str(tool["name"])
        for _, tool in list_items(document.value, "tools")
        if isinstance(tool.get("name"), str)
        for suffix in ("Request", "Result", "ResultItem")
    }
    taken |= {
        f"{ClassName('read_' + resource['name'])}{suffix}": str(resource["name"])
        for _, resource in list_items(document.value, "resources")
        if isinstance(resource.get("name"), str)
        for suffix in ("Request", "Result")
    }
    taken |= {f"{ClassName(name)}Answer": f"the ask {name}" for name in as_object(contract.get("asks"))}
    yield from check_class_names(document, shared, taken | list_prompt_models(document))


def check_surroundings(document: Document) -> Iterator[Problem]:
    """Yield the problems of the path, the settings and the sources of a server or an agent."""
    yield from check_path(document)
    yield from _check_settings(document)
    yield from _check_sources(document)


def check_path(document: Document) -> Iterator[Problem]:
    """Yield paths whose folder or file name cannot be a Python package."""
    path = PurePosixPath(document.name)
    for part, taken in ((path.parts[0], RESERVED_SYSTEMS), (path.stem, RESERVED_SERVERS)):
        if keyword.iskeyword(part):
            yield document.problem("", "PATH_NAME", f"{describe_reserved(part)}; choose another name")
        elif not PACKAGE_NAME.fullmatch(part):
            example = f', e.g. "{fixed}"' if PACKAGE_NAME.fullmatch(fixed := re.sub(r"\W", "_", part.lower())) else ""
            sentence = f'"{part}" becomes the name of a Python package; use lower-case letters, digits and "_"{example}'
            yield document.problem("", "PATH_NAME", sentence)
        elif part in taken:
            yield document.problem("", "PATH_NAME", f'the generated package already uses "{part}"; choose another name')


def _check_settings(document: Document) -> Iterator[Problem]:
    """Yield settings without a value, or with a default that they reject."""
    settings = as_object(as_object(document.value).get("settings"))
    for name, setting in ((name, as_object(setting)) for name, setting in settings.items()):
        at = join_pointer("/settings", name)
        if ("default" in setting) == ("required" in setting):
            yield document.problem(at, "SETTING_VALUE", 'a setting has either a "default" or "required": true')
        if keyword.iskeyword(name) or name in SETTING_TYPES:
            yield document.problem(at, "RESERVED_NAME", f"{describe_reserved(name)}; choose another", key=True)
        schema = setting_schema(setting)
        for check in (check_range, check_pattern, check_enum):
            yield from check(document, at, schema)
        for _, why in violations(schema, setting["default"]) if "default" in setting else ():
            yield document.problem(f"{at}/default", "DEFAULT_INVALID", f"the default breaks its own schema: {why}")


def _check_sources(document: Document) -> Iterator[Problem]:
    """Yield sources with an unknown setting or a reserved name."""
    contract = as_object(document.value)
    for at, _, setting in source_settings(contract):
        yield from _check_setting(document, at, setting)
    for name, source in ((name, as_object(source)) for name, source in as_object(contract.get("sources")).items()):
        at = join_pointer("/sources", name)
        if name in call_names(contract) or keyword.iskeyword(name):
            yield document.problem(
                at, "RESERVED_NAME", f"{describe_reserved(name)}; give the source another name", key=True
            )
        yield from _check_credentials(document, at, source)
        least, most = source.get("min_connections", 1), source.get("max_connections", 10)
        if isinstance(least, int | float) and isinstance(most, int | float) and least > most:
            yield document.problem(f"{at}/min_connections", "EMPTY_RANGE", "min_connections is above max_connections")


def _check_credentials(document: Document, at: str, source: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield credentials that logs would show, or that two keys send in one header."""
    settings = as_object(as_object(document.value).get("settings"))
    sent = [key for key in ("bearer", "basic") if key in source]
    sent += [name for name in as_object(source.get("headers")) if name.lower() == "authorization"]
    if len(sent) > 1:
        sentence = f"{' and '.join(sent)} would send the header Authorization twice; keep one"
        yield document.problem(at, "CREDENTIALS_FORM", sentence)
    for key in ("bearer", "basic"):
        setting = as_object(settings.get(str(as_object(source.get(key)).get("setting"))))
        if setting and setting.get("secret") is not True:
            sentence = 'credentials are secret; give their setting "secret": true'
            yield document.problem(join_pointer(at, key), "CREDENTIALS_FORM", sentence)


def call_names(contract: Mapping[str, Any]) -> frozenset[str]:
    """Return the names that a source or an event of *contract* cannot have."""
    return CALL_NAMES | {"state"} if "lifespan" in contract else CALL_NAMES


def check_custom_sources(document: Document, kinds: SourceKinds) -> Iterator[Problem]:
    """Yield sources of an unknown or invalid kind, and keys that the schema of a kind rejects."""
    for name, source in as_object(as_object(document.value).get("sources")).items():
        kind, at = as_object(source).get("kind"), join_pointer("/sources", name)
        if not isinstance(kind, str) or not is_custom(kind):
            continue
        try:
            schema = kinds.find(kind).schema
        except KindError as error:
            yield document.problem(f"{at}/kind", "KIND_UNKNOWN", f"{error}; {suggest(kind, kinds.names())}")
        else:
            yield from metaschema.check_source_keys(document, at, source, schema)


def source_settings(contract: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the pointer, the source and the setting of each use of a setting by a source."""
    for name, source in ((name, as_object(source)) for name, source in as_object(contract.get("sources")).items()):
        at = join_pointer("/sources", name)
        groups = {key: part for key, part in source.items() if not isinstance(as_object(part).get("setting"), str)}
        for holder, parts in (
            (at, source),
            *((join_pointer(at, key), as_object(part)) for key, part in groups.items()),
        ):
            for key, part in parts.items():
                if isinstance(setting := as_object(part).get("setting"), str):
                    yield join_pointer(holder, key, "setting"), name, setting


def check_setting_reference(document: Document, at: str, reference: Any) -> Iterator[Problem]:
    """Yield the setting of a *reference* that the contract does not have."""
    if isinstance(setting := as_object(reference).get("setting"), str):
        yield from _check_setting(document, f"{at}/setting", setting)


def _check_setting(document: Document, at: str, setting: str) -> Iterator[Problem]:
    settings = as_object(as_object(document.value).get("settings"))
    if setting not in settings:
        sentence = f'"{setting}" is not among the settings; {suggest(setting, settings)}'
        yield document.problem(at, "SETTING_UNKNOWN", sentence)


def check_tool_names(document: Document) -> Iterator[Problem]:
    """Yield tools whose names become equal in hosts, handlers or models."""
    forms = (host_tool_name, Identifier, ClassName)
    known: list[dict[str, str]] = [{} for _ in forms]
    for at, tool in list_items(document.value, "tools"):
        name = tool.get("name")
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
            yield document.problem(f"{at}/name", "NAME_COLLISION", sentence)
        for key, seen in zip(cleaned, known, strict=True):
            seen.setdefault(key, name)


def check_class_names(document: Document, shared: Sequence[Document], taken: Mapping[str, str]) -> Iterator[Problem]:
    """Yield models named like another one; *taken* has generated names with their owners."""
    for holder in (document, *shared):
        for name in _model_names(holder):
            if name in taken:
                sentence = f'"{name}" is the name of a model of {taken[name]}; rename the schema'
                yield holder.problem(join_pointer("/$defs", name), "CLASS_COLLISION", sentence, key=True)
    yield from _check_models(document, shared)


def _check_models(document: Document, others: Sequence[Document]) -> Iterator[Problem]:
    """Yield models whose names other files or generated modules already use."""
    for name in _model_names(document):
        at = join_pointer("/$defs", name)
        for other in others:
            if name in _model_names(other):
                sentence = f'{other.display_path} has a model "{name}" too; rename one'
                yield document.problem(at, "CLASS_COLLISION", sentence, key=True)
        if _is_reserved(name):
            yield document.problem(at, "RESERVED_NAME", f'"{name}" is a name of Python; rename the schema', key=True)


def _model_names(document: Document) -> list[str]:
    """Return the schemas of a file that become classes of the same name."""
    schemas = as_object(as_object(document.value).get("$defs"))
    return [
        name for name, schema in schemas.items() if as_object(schema).get("type") == "object" and "properties" in schema
    ]


def _is_reserved(name: str) -> bool:
    """Return True where a class of this name would hide a builtin or imported one."""
    return name in IMPORTED_CLASSES or keyword.iskeyword(name) or hasattr(builtins, name)


def check_folder(shared: Sequence[Document], documents: Sequence[Document]) -> Iterator[Problem]:
    """Yield conflicts between the files of a folder."""
    for index, document in enumerate(shared):
        yield from _check_models(document, shared[:index])
    servers: dict[str, Document] = {}
    for document in documents:
        kind = "agent" if document.is_agent else "server"
        name = as_object(as_object(document.value).get(kind)).get("name")
        if not isinstance(name, str):
            continue
        shown = host_tool_name(name)
        if shown in servers:
            noun = "an agent" if servers[shown].is_agent else "a server"
            sentence = f'{servers[shown].display_path} already has {noun} that hosts call "{shown}"; rename one'
            yield document.problem(f"/{kind}/name", "SERVER_TAKEN", sentence)
        servers.setdefault(shown, document)
    yield from _check_error_codes(documents)


def _check_error_codes(documents: Sequence[Document]) -> Iterator[Problem]:
    """Yield codes that the servers of one system define differently.

    They share one class per code.
    """
    first: dict[tuple[str, str], tuple[str, list[Any]]] = {}
    classes: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for document in documents:
        system = PurePosixPath(document.name).parts[0]
        for at, error in _declared_errors(document):
            code = error["code"]
            facts = list(map(error.get, ("http", "jsonrpc", "retryable", "details", "name")))
            place, known = first.setdefault((system, code), (str(document.problem(at, "", "").position), facts))
            if not equal_json(known, facts):
                sentence = (
                    f"{code} has another http, jsonrpc, retryable, details or name at {place}; "
                    "the servers of a system share one class"
                )
                yield document.problem(at, "ERROR_DIFFERS", sentence)
            class_name = str(error.get("name") or ClassName(code))
            if _is_reserved(class_name):
                sentence = f'{code} becomes {class_name}, a name of Python; give it another with "name"'
                yield document.problem(at, "RESERVED_NAME", sentence)
            if classes[system].setdefault(class_name, code) != code:
                sentence = f'{code} and {classes[system][class_name]} both become {class_name}; give one a "name"'
                yield document.problem(at, "CLASS_COLLISION", sentence)


def _declared_errors(document: Document) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the error declarations of a contract with their pointers."""
    for key in ("tools", "resources", "prompts"):
        for at, owner in list_items(document.value, key):
            yield from (each for each in list_items(owner, "errors", at) if isinstance(each[1].get("code"), str))
