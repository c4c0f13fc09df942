"""Rules for a server's environment variables: each has one meaning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.diagnostics import Problem
from toolaccord_codegen.loading.documents import Document
from toolaccord_codegen.loading.references import as_object, list_items

NUMBERS = (("cache", "ttl_s"), ("cache", "provisional_ttl_s"), ("cache", "memory_ttl_s"), ("rate_limit", "calls"))
"""The keys of a tool's numbers that variables override."""
LIMITED_KINDS = ("grpc", "http", "influxdb", "mcp", "nats")
"""Kinds of sources with a `max_response_bytes`, even if the contract declares none."""


def check_environment(document: Document) -> Iterator[Problem]:
    """Yield environment variables that have two readers.

    A reader is a setting, or a number of the contract that the variable overrides.
    """
    known: dict[str, str] = {}
    for env, reader, at in _list_readers(as_object(document.value)):
        if known.setdefault(env, reader) != reader:
            sentence = f"{env} would be read by {known[env]} and by {reader}; rename one"
            yield document.problem(at, "ENV_TAKEN", sentence)


def _list_readers(contract: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield each variable with its reader and the reader's pointer.

    The library computes the same names for the variables that override numbers.
    """
    for name, setting in as_object(contract.get("settings")).items():
        yield str(as_object(setting).get("env", name)), f'the setting "{name}"', join_pointer("/settings", name, "env")
    for at, tool in list_items(contract, "tools"):
        name = str(tool.get("name"))
        for part, key in NUMBERS:
            if key in as_object(tool.get(part)):
                noun = part.replace("_", " ")
                yield _override_name(name, f"{part}_{key}"), f'{key} of the {noun} of "{name}"', f"{at}/{part}"
    for name, source in as_object(contract.get("sources")).items():
        parts = as_object(source)
        limits = {
            key: join_pointer("/sources", name, key)
            for key, part in parts.items()
            if isinstance(part, int | float) and not isinstance(part, bool)
        }
        if parts.get("kind") in LIMITED_KINDS:
            limits.setdefault("max_response_bytes", join_pointer("/sources", name))
        for key, at in limits.items():
            yield _override_name(name, key), f'{key} of the source "{name}"', at


def _override_name(holder: str, key: str) -> str:
    """Return the variable that overrides a number."""
    return re.sub(r"[^A-Z0-9]", "_", f"{holder}_{key}".upper())
