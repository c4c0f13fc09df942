"""Rules for the keys that callers send, and for the scopes that they need."""

from __future__ import annotations

from collections.abc import Iterator

from toolaccord.contract.prompts import Prompt
from toolaccord.contract.server_contracts import ServerContract
from toolaccord.contract.source_kinds.postgresql import PostgresqlSource
from toolaccord.contract.texts import Scopes
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.ir.sources import list_used_settings
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.rules.contract import check_setting
from toolaccord_codegen.rules.tool_view import ToolView, Viewer, place_items, property_names
from toolaccord_codegen.rules.transports import CONTENT_LENGTH, HTTP, list_transports

OFFLINE = "offline_access"
"""The scope by which a client asks for a refresh token; no resource demands it."""


def check_access(viewer: Viewer) -> Iterator[Problem]:
    """Yield faults of the keys and scopes of a contract."""
    document, contract = viewer.document, viewer.contract
    for transport, key in contract.access.by_transport.items() if contract.access else ():
        yield from _check_key(document, f"{join_pointer('/access', transport)}/setting", key.setting, contract)
    known = list_transports(contract)
    yield from check_scopes(document, "/access", contract.access.scopes if contract.access else (), known)
    for at, tool in place_items("/tools", contract.tools):
        scopes = tool.access.scopes if tool.access else ()
        yield from check_scopes(document, f"{at}/access", scopes, tool.transports or known)
    for at, prompt in place_items("/prompts", contract.prompts):
        scopes = prompt.access.scopes if prompt.access else ()
        yield from check_scopes(document, f"{at}/access", scopes, known)
        yield from _check_shown(document, at, prompt, contract)
    for at, resource in place_items("/resources", contract.resources):
        scopes = resource.access.scopes if resource.access else ()
        yield from check_scopes(document, f"{at}/access", scopes, known)
        is_scoped = scopes or (contract.access and contract.access.scopes)
        if is_scoped and resource.cache and resource.cache.scope == "public":
            sentence = 'callers need scopes for this resource, so caches may not share it; write "private"'
            yield document.problem(f"{at}/cache/scope", "SCOPES_CACHED", sentence)


def check_rows(viewer: Viewer) -> Iterator[Problem]:
    """Yield results that callers share although they depend on the caller."""
    document, contract = viewer.document, viewer.contract
    by_caller = {each.name for each in contract.sources if isinstance(each, PostgresqlSource) and each.caller_parameter}
    for at, tool in place_items("/tools", contract.tools):
        if tool.cache and (read := by_caller.intersection(tool.effects.reads)):
            sentence = f'"{min(read)}" shows each caller other rows, so callers may not share results; remove this key'
            yield document.problem(f"{at}/cache", "ROWS_CACHED", sentence, key=True)
    for at, resource in place_items("/resources", contract.resources):
        read = by_caller.intersection(resource.effects.reads) if resource.effects else set()
        if read and resource.cache and resource.cache.scope == "public":
            sentence = f'"{min(read)}" shows each caller other rows, so caches may not share them; write "private"'
            yield document.problem(f"{at}/cache/scope", "ROWS_CACHED", sentence)


def _check_shown(document: Document, at: str, prompt: Prompt, contract: ServerContract) -> Iterator[Problem]:
    """Yield a resource that a prompt shows to callers who may not read it."""
    resources = {resource.name: resource for resource in contract.resources}
    own = {*prompt.access.scopes} if prompt.access else set()
    for place, message in place_items(f"{at}/messages", prompt.messages):
        shown = resources.get(message.resource or "")
        if shown and shown.access and (missing := [each for each in shown.access.scopes if each not in own]):
            sentence = f'callers need "{missing[0]}" to read "{shown.name}"; demand it for this prompt too'
            yield document.problem(f"{place}/resource", "SCOPES_SHOWN", sentence)


def check_scopes(document: Document, at: str, scopes: Scopes, known: tuple[str, ...]) -> Iterator[Problem]:
    """Yield scopes that nobody checks, and one that is for clients alone."""
    if scopes and HTTP not in known:
        sentence = 'tokens with scopes exist over HTTP alone; add "http" to the transports, or remove them'
        yield document.problem(f"{at}/scopes", "SCOPES_WITHOUT_HTTP", sentence, key=True)
    for place, scope in place_items(f"{at}/scopes", scopes):
        if scope == OFFLINE:
            sentence = f'"{OFFLINE}" is between a client and its authorization server; remove it'
            yield document.problem(place, "SCOPE_OFFLINE", sentence)


def _check_key(document: Document, at: str, name: str, contract: ServerContract) -> Iterator[Problem]:
    """Yield a key whose setting is unknown, may be absent or seen, or has another use."""
    setting = next((setting for setting in contract.settings if setting.name == name), None)
    if setting is None:
        yield from check_setting(document, at, name, contract)
        return
    if not (setting.required and setting.secret and setting.schema["type"] == "string"):
        sentence = (
            f'a key is a string with "required": true and "secret": true, and "{name}" is not; change the setting'
        )
        yield document.problem(at, "ACCESS_SETTING", sentence)
    for source in contract.sources:
        if name in {setting for _, setting in list_used_settings(source)}:
            sentence = f'the source "{source.name}" uses "{name}" too; give callers a key of their own'
            yield document.problem(at, "ACCESS_SETTING", sentence)


def check_key_argument(view: ToolView) -> Iterator[Problem]:
    """Yield a tool with a parameter that has the name of the key."""
    key = view.contract.access.content_length if view.contract.access else None
    if key is None or CONTENT_LENGTH not in (view.declared.transports or list_transports(view.contract)):
        return
    for each in (view.newest, *view.older):
        if key.name in property_names(each.parameters):
            sentence = f'over content_length "{key.name}" is the key, which no tool receives; rename one of the two'
            yield view.problem(f"{each.pointer}/parameters", "ACCESS_ARGUMENT", sentence)
