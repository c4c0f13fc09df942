"""Workloads of Kubernetes: what a server or an agent runs, needs, and is scaled by."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from toolaccord.contract.settings import Setting, SettingValue, name_override
from toolaccord.contract.source_kinds.http import HttpSource
from toolaccord.contract.source_kinds.redis import RedisSource
from toolaccord.contract.sources import Source
from toolaccord_codegen.emit.kubernetes.peers import (
    HTTP_PORT,
    Peer,
    find_service,
    format_name,
    is_local,
    list_agent_peers,
    list_source_peers,
)
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout
from toolaccord_codegen.ir.sources import list_limits

DRAIN_S = 10
"""Seconds in which a stopping server still serves, while Services forget it."""
MIN_GRACE_S = 10
END_S = 5
"""Seconds after drain and grace until Kubernetes kills the process."""
MIN_REPLICAS, MAX_REPLICAS = 2, 6
MAX_BUSY = 0.7
"""Share of the smallest pool that calls may use before replicas are added."""
DEFAULT_POOL = 10
"""Calls in flight that a replica without such a pool is meant for."""
CPU = "250m"
"""The requested part of a core, which is enough for some 900 calls a second."""
MEMORY, MEMORY_LIMIT = "192Mi", "512Mi"
"""An idle process with a full cache; and room for requests and answers in flight."""
_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class Secret:
    """A variable from the Secret of a workload."""

    env: str
    required: bool


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """A variable from the ConfigMap of a workload."""

    value: str
    missing: str = ""
    """The purpose of a value that an overlay must fill in; empty for one that is there."""


@dataclass(frozen=True, slots=True)
class PodMetric:
    """A metric of pods, and its mean over all of them from which replicas are added."""

    name: str
    target: str
    tool: str | None = None
    """The tool whose calls it measures; None for all calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A Deployment, and what belongs to it."""

    name: str
    document: str
    """The path of its contract below the folder of contracts."""
    image: str
    version: str
    args: Sequence[str]
    config: Mapping[str, ConfigValue]
    secret: str
    """The name of its Secret."""
    secrets: Sequence[Secret]
    """The secret settings of its contract."""
    peers: Sequence[Peer]
    grace_s: int
    serves: bool = True
    """False without a port: a worker, which has no Service, no probes and no autoscaling."""
    asks: bool = False
    """True where calls of several replicas need one key for their states."""
    sessions: bool = False
    metrics: Sequence[PodMetric] = ()
    """The metrics by which it is scaled, beside its processor; empty where replicas are fixed."""

    @property
    def stop_s(self) -> int:
        """Return the seconds from the signal to stop until the process is killed."""
        return (DRAIN_S if self.serves else 0) + self.grace_s + END_S


def describe_server(contract: Contract, layout: Layout) -> Workload:
    """Describe a server over HTTP."""
    name, served = format_name(contract.name), contract.on("http")
    timeouts = [*(tool.timeout_ms for tool in served.tools), *(each.timeout_ms for each in served.resources)]
    grace_s = max(MIN_GRACE_S, *map(_round_up, (*timeouts, *(prompt.timeout_ms for prompt in served.prompts))))
    limits = _share_rates(contract.sources, MIN_REPLICAS)
    return Workload(
        name=name,
        document=contract.document.name,
        image=_name_image(contract.name, contract.version, layout),
        version=contract.version,
        args=("--transport", "http", "--host", "0.0.0.0", "--port", str(HTTP_PORT)),  # noqa: S104 - a pod's own
        config={**_list_config(served.settings, {}), **limits},
        secret=name,
        secrets=_list_secrets(served.settings, _list_pace_stores(contract)),
        peers=list(dict.fromkeys(list_source_peers(contract.sources, served.settings))),
        grace_s=grace_s,
        asks=bool(contract.asks),
        sessions=contract.sessions,
        metrics=() if _is_paced(contract.sources) else _list_metrics(served),
    )


def describe_agent(agent: Agent, layout: Layout) -> list[Workload]:
    """Describe an agent that other agents ask, and the workers of its queue if it has one."""
    name = format_name(agent.name)
    started = [use.server.on("stdio") for use in agent.clients if find_service(use) is None]
    settings = [*agent.settings, *(setting for server in started for setting in server.settings)]
    services = {use.url: service for use in agent.clients if use.url and (service := find_service(use))}
    urls = {setting: f"http://{service.name}:{service.port}/mcp" for setting, service in services.items()}
    is_queued = bool(agent.batch and agent.batch.queue)
    limits = _share_rates(agent.sources, MIN_REPLICAS * (1 + is_queued))
    grace_s = max(MIN_GRACE_S, _round_up(agent.declared.limits.timeout_ms))
    asked = Workload(
        name=name,
        document=agent.document.name,
        image=_name_image(agent.name, agent.version, layout),
        version=agent.version,
        args=(
            *("--a2a", "--host", "0.0.0.0", "--port", str(HTTP_PORT)),  # noqa: S104 - a pod's own
            *("--public-url", f"http://{name}:{HTTP_PORT}"),
        ),
        config={**_list_config(settings, urls), **limits},
        secret=name,
        secrets=_list_secrets(settings),
        peers=list(dict.fromkeys(list_agent_peers(agent))),
        grace_s=grace_s,
        metrics=() if _is_paced(agent.sources) else _list_agent_metrics(agent),
    )
    worker = replace(asked, name=format_name(agent.name, "-worker"), args=("--queue",), serves=False, metrics=())
    return [asked, worker] if is_queued else [asked]


def _list_config(settings: Iterable[Setting], urls: Mapping[str, str]) -> dict[str, ConfigValue]:
    """List the settings that are no secrets and have a value or need one.

    *urls* are the values of those with the URL of a server, by the setting's name.
    """
    found: dict[str, ConfigValue] = {}
    for setting in settings:
        value = urls.get(setting.name) or _format_value(setting.default)
        is_missing = setting.required or is_local(value)
        if not setting.secret and (value or is_missing):
            found[setting.env] = ConfigValue("", setting.description) if is_missing else ConfigValue(value)
    return found


def _list_secrets(settings: Iterable[Setting], needed: Collection[str] = ()) -> list[Secret]:
    """List the secret settings, each variable once; *needed* names some that replicas need."""
    required: dict[str, bool] = {}
    for setting in settings:
        if setting.secret:
            is_required = setting.required or setting.name in needed
            required[setting.env] = required.get(setting.env, False) or is_required
    return [Secret(env, is_required) for env, is_required in required.items()]


def _list_pace_stores(contract: Contract) -> set[str]:
    """List the settings with the addresses of stores in which replicas share a pace."""
    stores = {source.store for source in contract.sources if isinstance(source, HttpSource)}
    return {source.url for source in contract.sources if isinstance(source, RedisSource) and source.name in stores}


def _is_paced(sources: Sequence[Source]) -> bool:
    """Tell if a source limits requests a second, so that more replicas could not get more."""
    return any(key == "requests_per_second" for source in sources for key, _ in list_limits(source))


def _share_rates(sources: Sequence[Source], replicas: int) -> dict[str, ConfigValue]:
    """Divide the limits of requests a second among replicas that do not share them in a store."""
    return {
        name_override(source.name, key): ConfigValue(f"{limit / replicas:g}")
        for source in sources
        for key, limit in list_limits(source)
        if key == "requests_per_second" and getattr(source, "store", None) is None
    }


def _list_metrics(served: Contract) -> list[PodMetric]:
    """List the calls in flight, and the latency of each tool with a target that can be a label."""
    pools = [dict(list_limits(source)) for source in served.sources]
    sizes = [limits.get("max_in_flight", limits.get("max_connections", DEFAULT_POOL)) for limits in pools]
    in_flight = max(1, int(MAX_BUSY * min(sizes, default=DEFAULT_POOL)))
    return [PodMetric("mcp_calls_in_flight", str(in_flight))] + [
        PodMetric("mcp_tool_duration_seconds_p95", f"{tool.p95_ms}m", tool.name)
        for tool in served.tools
        if tool.p95_ms is not None and _LABEL_VALUE.fullmatch(tool.name)
    ]


def _list_agent_metrics(agent: Agent) -> list[PodMetric]:
    """List the requests in flight, and their latency if it has a target."""
    prefix, limits = agent.name.replace("-", "_"), agent.declared.limits
    in_flight = max(1, int(MAX_BUSY * limits.max_concurrent))
    latency = [PodMetric(f"{prefix}_latency_ms_p95", str(limits.p95_ms))] if limits.p95_ms else []
    return [PodMetric(f"{prefix}_requests_in_flight", str(in_flight)), *latency]


def _name_image(name: str, version: str, layout: Layout) -> str:
    """Return the name of an image, as server.json has it."""
    prefix = f"{layout.images}/" if layout.images else ""
    return f"{prefix}{name.lower()}:{version}"


def _format_value(value: SettingValue) -> str:
    """Format a default as a variable has it."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _round_up(milliseconds: int) -> int:
    """Return whole seconds."""
    return -(-milliseconds // 1000)
