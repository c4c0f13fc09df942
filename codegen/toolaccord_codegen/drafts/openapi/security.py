"""The service behind an OpenAPI document: its address, and its security schemes as settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from toolaccord.contract.texts import HEADER_NAME
from toolaccord.semantics.json_pointers import join_pointer
from toolaccord_codegen.drafts.contract import URL, Identity, Upstream, as_text
from toolaccord_codegen.drafts.definitions import Definitions
from toolaccord_codegen.drafts.losses import Effect, Losses
from toolaccord_codegen.drafts.names import free_name, snake_name
from toolaccord_codegen.drafts.openapi.operations import resolve
from toolaccord_codegen.loading.references import as_array, as_object

Record = dict[str, Any]
SCHEMES = "/components/securitySchemes"
TOKENS = frozenset({"oauth2", "openIdConnect"})


def draft_upstream(document: Mapping[str, Any], identity: Identity, losses: Losses) -> Upstream:
    """Return the service of a document, with a secret setting for each of its security schemes."""
    settings: Record = {}
    keys: Record = {}
    suffixes = frozenset({URL})
    taken: set[tuple[str, str]] = set()
    schemes = as_object(as_object(document.get("components")).get("securitySchemes"))
    for name, written in schemes.items():
        scheme, at = resolve(Definitions(document), written, join_pointer(SCHEMES, name))
        place = _place_scheme(scheme)
        if place is None or _locate(place) in taken:
            reason = "the source has another scheme in its place" if place else "the source cannot send this scheme"
            losses.drop(at, "securitySchemes", Effect.SAME, reason)
            continue
        taken.add(_locate(place))
        key, part, purpose = place
        suffix = free_name(snake_name(part or key, "key"), suffixes)
        suffixes |= {suffix}
        setting = identity.setting(suffix)
        settings[setting] = {
            "env": setting.upper(),
            "description": f"{purpose} of the service behind {identity.mcp_name}; nothing is sent if empty",
            "default": "",
            "secret": True,
        }
        reference = {"setting": setting}
        keys[key] = {**keys.get(key, {}), part: reference} if part else reference
    return Upstream(url=_base_url(document, losses), settings=settings, keys=keys)


def _place_scheme(scheme: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """Return a key of the source, the name below it, and the purpose of its setting."""
    kind, where, name = (as_text(scheme.get(key), "") for key in ("type", "in", "name"))
    if kind == "http" and str(scheme.get("scheme")).lower() in {"bearer", "basic"}:
        basic = str(scheme["scheme"]).lower() == "basic"
        return ("basic", "", "User and password, as USER:PASSWORD,") if basic else ("bearer", "", "Bearer token")
    if kind in TOKENS:
        return "bearer", "", "Access token"
    if kind == "apiKey" and name:
        if where == "cookie":
            return "headers", "Cookie", f"Cookie, as {name}=VALUE,"
        if where == "query":
            return "query", name, f"Key {name}"
        if where == "header" and re.fullmatch(HEADER_NAME, name):
            return "headers", name, f"Key {name}"
    return None


def _locate(place: tuple[str, str, str]) -> tuple[str, str]:
    """Return the part of a request that a key fills: a query parameter, or a header."""
    key, part, _ = place
    return (key, part) if key == "query" else ("headers", part.lower() or "authorization")


def _base_url(document: Mapping[str, Any], losses: Losses) -> str | None:
    """Return the URL of the first server, with the defaults of its variables; None without one."""
    servers = as_array(document.get("servers"))
    if len(servers) > 1:
        losses.drop("/servers", "servers", Effect.SAME, "the source has the URL of the first server as its default")
    server = as_object(servers[0]) if servers else {}
    url = str(server.get("url", ""))
    for name, variable in as_object(server.get("variables")).items():
        url = url.replace(f"{{{name}}}", str(as_object(variable).get("default", "")))
    is_whole = url.startswith(("http://", "https://")) and urlsplit(url).hostname and "{" not in url
    if servers and not is_whole:
        losses.drop("/servers/0/url", "servers", Effect.SAME, "it is no whole URL; set it in the environment")
    return url.rstrip("/") if is_whole else None
