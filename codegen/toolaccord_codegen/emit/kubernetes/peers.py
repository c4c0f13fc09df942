"""Systems that a workload may reach, found by their pods' label or their public address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from toolaccord.contract.settings import Setting
from toolaccord.contract.sources import Source
from toolaccord_codegen.ir.agent import Agent, Use
from toolaccord_codegen.ir.sources import list_used_settings

HTTP_PORT = 8000
"""The port of every server and agent."""
STORE_PORTS = {"influxdb": 8086, "nats": 4222, "postgresql": 5432, "redis": 6379}
"""The usual ports of stores, whose pods are labelled with the kind of the source."""
INTERNET: Mapping[str, Sequence[str]] = {
    "0.0.0.0/0": ("10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"),
    "::/0": ("fc00::/7", "fe80::/10"),
}
"""Every address, by the private ones in it that a source of the internet does not have."""
_SCHEME_PORTS = {"http": 80, "https": 443}
_ADDRESS_KEYS = ("url", "target", "endpoint", "server")
_LONGEST_NAME = 63


@dataclass(frozen=True, slots=True)
class Peer:
    """A system that a workload may reach."""

    name: str | None
    """The label `app.kubernetes.io/name` of its pods; None for hosts of the internet."""
    port: int | None
    """Its port; None where no address names one."""


def format_name(name: str, suffix: str = "") -> str:
    """Make a name of Kubernetes from that of a server, an agent or a source."""
    cleaned = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    letters = cleaned if cleaned[:1].isalpha() else f"mcp-{cleaned}"
    return letters[: _LONGEST_NAME - len(suffix)].rstrip("-") + suffix


def list_source_peers(sources: Iterable[Source], settings: Sequence[Setting]) -> list[Peer]:
    """List the systems of *sources*; files have none."""
    defaults = {setting.name: setting.default for setting in settings}
    peers: list[Peer] = []
    for source in sources:
        if source.kind == "files":
            continue
        used = {key: setting for (key, *inner), setting in list_used_settings(source) if inner == ["setting"]}
        address = next((defaults.get(used[key]) for key in _ADDRESS_KEYS if key in used), None)
        is_command = source.kind == "mcp" and "://" not in str(address)
        name = source.kind if source.kind in STORE_PORTS else source.name
        peers.append(_locate(name, "" if is_command else str(address or ""), STORE_PORTS.get(source.kind)))
    return peers


def list_agent_peers(agent: Agent) -> list[Peer]:
    """List the systems of an agent: its sources, its model, and its servers or what those use."""
    peers = list_source_peers(agent.sources, agent.settings)
    for use in agent.clients:
        service = find_service(use)
        peers += [service] if service else list_source_peers(use.server.sources, use.server.settings)
    if agent.model:
        defaults = {setting.name: setting.default for setting in agent.settings}
        peers.append(_locate("model", str(defaults[agent.model.url] or ""), None))
    return peers


def find_service(use: Use) -> Peer | None:
    """Find the Service of a server that an agent uses; None for one that the agent starts."""
    return Peer(format_name(use.server.name), HTTP_PORT) if use.url and "http" in use.server.transports else None


def is_local(address: str) -> bool:
    """Tell if an address names the machine of its reader, which is another one in a pod."""
    host, _ = _split(address)
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _locate(name: str, address: str, port: int | None) -> Peer:
    """Return the peer at a default address: one of the internet if its host has a domain."""
    host, named = _split(address)
    return Peer(None if _is_public(host) else format_name(name), named or port)


def _is_public(host: str) -> bool:
    """Tell if a host is one of the internet: a name with a dot, or a public address."""
    try:
        return ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith((".local", ".internal", ".svc"))


def _split(address: str) -> tuple[str, int | None]:
    """Split a URL, or `host:port`, into host and port; a text that is neither has none."""
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        return parts.hostname or "", parts.port or _SCHEME_PORTS.get(parts.scheme)
    except ValueError:
        return "", None
