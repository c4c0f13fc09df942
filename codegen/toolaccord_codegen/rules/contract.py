"""Rules for a whole contract, its names of tools too, and for all contracts together."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from toolaccord.contract.agent_contracts import AgentContract
from toolaccord.contract.operations import Error
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.source_kinds.http import HttpSource
from toolaccord.contract.source_kinds.postgresql import PostgresqlSource
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem, suggest
from toolaccord_codegen.ir.sources import list_used_settings
from toolaccord_codegen.loading.contracts import AnyContract
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import list_definitions
from toolaccord_codegen.loading.source_kinds import KindError, SourceKinds, is_custom
from toolaccord_codegen.naming import ClassName, Identifier, describe_reserved, host_tool_name
from toolaccord_codegen.rules import metaschema
from toolaccord_codegen.rules.schema import check_enum, check_pattern, check_range, violations
from toolaccord_codegen.rules.stores.store import check_store
from toolaccord_codegen.rules.tool_view import list_owners, place_items

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


def check_contract(document: Document, contract: ServerContract, shared: Sequence[Document]) -> Iterator[Problem]:
    """Yield the problems of one contract apart from those inside its tools."""
    yield from check_tool_names(document, contract)
    for at, tool in place_items("/tools", contract.tools if contract.lifespan else ()):
        if tool.name == "lifespan":
            sentence = "the handlers have a function of that name for the server's state; choose another name"
            yield document.problem(f"{at}/name", "RESERVED_NAME", sentence)
    taken = {
        f"{ClassName(tool.name)}{suffix}": tool.name
        for tool in contract.tools
        for suffix in ("Request", "Result", "ResultItem")
    }
    taken |= {
        f"{ClassName('read_' + resource.name)}{suffix}": resource.name
        for resource in contract.resources
        for suffix in ("Request", "Result")
    }
    taken |= {f"{ClassName(ask.name)}Answer": f"the ask {ask.name}" for ask in contract.asks}
    taken |= {f"{ClassName(f'prompt_{each.name}')}Request": f"the prompt {each.name}" for each in contract.prompts}
    yield from check_class_names(document, shared, taken)


def check_dialect(document: Document, contract: ServerContract, dialects: Collection[str]) -> Iterator[Problem]:
    """Yield a dialect that does not exist."""
    if contract.dialect not in dialects:
        sentence = f'"{contract.dialect}" is not in dialects.json; {suggest(contract.dialect, dialects)}'
        yield document.problem("/dialect", "DIALECT_UNKNOWN", sentence)


def call_names(contract: AnyContract) -> frozenset[str]:
    """Return the names that a source or an event of *contract* cannot have."""
    has_state = isinstance(contract, ServerContract) and contract.lifespan
    return CALL_NAMES | {"state"} if has_state else CALL_NAMES


def check_custom_sources(document: Document, contract: AnyContract, kinds: SourceKinds) -> Iterator[Problem]:
    """Yield sources of an unknown or invalid kind, and keys that the schema of a kind rejects."""
    for source in [each for each in contract.sources if is_custom(each.kind)]:
        at = join_pointer("/sources", source.name)
        try:
            schema = kinds.find(source.kind).schema
        except KindError as error:
            sentence = f"{error}; {suggest(source.kind, kinds.names())}"
            yield document.problem(f"{at}/kind", "KIND_UNKNOWN", sentence)
        else:
            yield from metaschema.check_source_keys(document, at, document.value_at(at), schema)


def check_surroundings(document: Document, contract: AnyContract) -> Iterator[Problem]:
    """Yield the problems of the path, the settings and the sources of a server or an agent."""
    yield from check_path(document)
    yield from _check_settings(document, contract)
    yield from _check_sources(document, contract)


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


def _check_settings(document: Document, contract: AnyContract) -> Iterator[Problem]:
    """Yield settings without a value, or with a default that they reject."""
    for setting in contract.settings:
        at = join_pointer("/settings", setting.name)
        if (setting.default is not None) == setting.required:
            yield document.problem(at, "SETTING_VALUE", 'a setting has either a "default" or "required": true')
        if keyword.iskeyword(setting.name) or setting.name in SETTING_TYPES:
            sentence = f"{describe_reserved(setting.name)}; choose another"
            yield document.problem(at, "RESERVED_NAME", sentence, key=True)
        for check in (check_range, check_pattern, check_enum):
            yield from check(document, at, setting.schema)
        for _, why in violations(setting.schema, setting.default) if setting.default is not None else ():
            yield document.problem(f"{at}/default", "DEFAULT_INVALID", f"the default breaks its own schema: {why}")


def _check_sources(document: Document, contract: AnyContract) -> Iterator[Problem]:
    """Yield sources with an unknown setting or a reserved name."""
    for source in contract.sources:
        at = join_pointer("/sources", source.name)
        for keys, setting in list_used_settings(source):
            yield from check_setting(document, join_pointer(at, *keys), setting, contract)
        if source.name in call_names(contract) or keyword.iskeyword(source.name):
            sentence = f"{describe_reserved(source.name)}; give the source another name"
            yield document.problem(at, "RESERVED_NAME", sentence, key=True)
        if isinstance(source, HttpSource):
            yield from _check_credentials(document, at, source, contract)
            yield from check_store(document, at, source.store, contract.sources)
            if source.store and source.requests_per_second is None:
                sentence = 'replicas share "requests_per_second" there; add it, or remove this key'
                yield document.problem(f"{at}/store", "STORE_UNUSED", sentence, key=True)
        if isinstance(source, PostgresqlSource) and source.min_connections > source.max_connections:
            sentence = "min_connections is above max_connections"
            yield document.problem(f"{at}/min_connections", "EMPTY_RANGE", sentence)


def _check_credentials(document: Document, at: str, source: HttpSource, contract: AnyContract) -> Iterator[Problem]:
    """Yield credentials that logs would show, or that two keys send in one header."""
    secrets = {setting.name: setting.secret for setting in contract.settings}
    credentials = {key: setting for key in ("bearer", "basic") if (setting := getattr(source, key))}
    sent = [*credentials, *(name for name in source.headers if name.lower() == "authorization")]
    if len(sent) > 1:
        sentence = f"{' and '.join(sent)} would send the header Authorization twice; keep one"
        yield document.problem(at, "CREDENTIALS_FORM", sentence)
    for key, setting in credentials.items():
        if not secrets.get(setting, True):
            sentence = 'credentials are secret; give their setting "secret": true'
            yield document.problem(join_pointer(at, key), "CREDENTIALS_FORM", sentence)


def check_setting(document: Document, at: str, setting: str | None, contract: AnyContract) -> Iterator[Problem]:
    """Yield a setting that the contract does not have."""
    known = [each.name for each in contract.settings]
    if setting is not None and setting not in known:
        sentence = f'"{setting}" is not among the settings; {suggest(setting, known)}'
        yield document.problem(at, "SETTING_UNKNOWN", sentence)


def check_tool_names(document: Document, contract: ServerContract) -> Iterator[Problem]:
    """Yield tools whose names become equal in hosts, handlers or models."""
    forms = (host_tool_name, Identifier, ClassName)
    known: list[dict[str, str]] = [{} for _ in forms]
    for index, tool in enumerate(contract.tools):
        cleaned = [str(form(tool.name)) for form in forms]
        taken = [(key, seen[key]) for key, seen in zip(cleaned, known, strict=True) if key in seen]
        if taken:
            key, first = taken[0]
            sentence = f'"{tool.name}" and "{first}" both become {key} once hosts and Python have cleaned the names'
            if first == tool.name:
                sentence = f'another tool is called "{tool.name}" too'
            yield document.problem(f"/tools/{index}/name", "NAME_COLLISION", f"{sentence}; rename one")
        for key, seen in zip(cleaned, known, strict=True):
            seen.setdefault(key, tool.name)


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
    return [name for name, is_class in list_definitions(document).items() if is_class]


def _is_reserved(name: str) -> bool:
    """Return True where a class of this name would hide a builtin or imported one."""
    return name in IMPORTED_CLASSES or keyword.iskeyword(name) or hasattr(builtins, name)


def check_folder(
    shared: Sequence[Document], contracts: Mapping[str, tuple[Document, AnyContract]]
) -> Iterator[Problem]:
    """Yield conflicts between the files of a folder; *contracts* are by their path."""
    for index, document in enumerate(shared):
        yield from _check_models(document, shared[:index])
    servers: dict[str, Document] = {}
    for document, contract in contracts.values():
        kind, identity = (
            ("agent", contract.agent) if isinstance(contract, AgentContract) else ("server", contract.server)
        )
        shown = host_tool_name(identity.name)
        if shown in servers:
            noun = "an agent" if servers[shown].is_agent else "a server"
            sentence = f'{servers[shown].display_path} already has {noun} that hosts call "{shown}"; rename one'
            yield document.problem(f"/{kind}/name", "SERVER_TAKEN", sentence)
        servers.setdefault(shown, document)
    yield from _check_error_codes(contracts.values())


def _check_error_codes(contracts: Iterable[tuple[Document, AnyContract]]) -> Iterator[Problem]:
    """Yield codes that the servers of one system define differently.

    They share one class per code.
    """
    first: dict[tuple[str, str], tuple[str, Error]] = {}
    classes: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for document, at, error in _declared_errors(contracts):
        system, code = PurePosixPath(document.name).parts[0], error.code
        facts = replace(error, description="", when=None)
        place, known = first.setdefault((system, code), (str(document.problem(at, "", "").position), facts))
        if known != facts:
            sentence = (
                f"{code} has another http, jsonrpc, retryable, details or name at {place}; "
                "the servers of a system share one class"
            )
            yield document.problem(at, "ERROR_DIFFERS", sentence)
        class_name = str(error.name or ClassName(code))
        if _is_reserved(class_name):
            sentence = f'{code} becomes {class_name}, a name of Python; give it another with "name"'
            yield document.problem(at, "RESERVED_NAME", sentence)
        if classes[system].setdefault(class_name, code) != code:
            sentence = f'{code} and {classes[system][class_name]} both become {class_name}; give one a "name"'
            yield document.problem(at, "CLASS_COLLISION", sentence)


def _declared_errors(contracts: Iterable[tuple[Document, AnyContract]]) -> Iterator[tuple[Document, str, Error]]:
    """Yield the error declarations of servers with their places."""
    for document, contract in contracts:
        for at, owner in list_owners(contract) if isinstance(contract, ServerContract) else ():
            yield from ((document, place, error) for place, error in place_items(f"{at}/errors", owner.errors))
