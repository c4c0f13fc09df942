"""Check the manifests of Kubernetes without a cluster: by schemas and by running servers."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any

import httpx
import kubernetes_validate
import pytest
import yaml
from kubernetes_validate import utils

from tests.contracts.shipped import compiled_contracts
from tests.services.fetched import fetched
from tests.toolaccord.process import PATIENCE_S, started
from toolaccord_codegen.emit.kubernetes.files import build_kubernetes_files
from toolaccord_codegen.ir.agent import Agent
from toolaccord_codegen.ir.contract import Contract
from toolaccord_codegen.ir.layout import Layout

ROOT = Path(__file__).parents[2]
LAYOUT = Layout(
    package="generated",
    handlers="handlers",
    sandbox="sandbox",
    contracts="contracts",
    command="again",
    images="localhost",
    kubernetes=True,
)
TREE = build_kubernetes_files(compiled_contracts(), LAYOUT)
BASES = {path: text for path, text in TREE.items() if path.endswith("/kustomization.yaml")}
FILES = {path: text for path, text in TREE.items() if path not in BASES}
EACH_FILE = pytest.mark.parametrize("path", FILES)
DEPLOYED: dict[str, Contract | Agent] = {
    **{contract.name: contract for contract in compiled_contracts().contracts},
    **{agent.name: agent for agent in compiled_contracts().agents},
}
KINDS = {
    *("ServiceAccount", "ConfigMap", "Deployment", "Service"),
    *("PodDisruptionBudget", "HorizontalPodAutoscaler", "NetworkPolicy"),
}
STORES = {"influxdb": 8086, "nats": 4222, "postgresql": 5432, "redis": 6379}
INTERNET = ("0.0.0.0/0 ::/0", 443)
PEERS = {"backtester": ("backtester", 0), "guardian": ("guardian", 5559), "iss": INTERNET, "results": ("results", 0)}
"""Sources that are no stores, with the ports of their default addresses; 0 for any."""
SECRET_VALUES = {
    r".*DATABASE_URL": "postgresql://user:password@127.0.0.1:1/name",
    r"INFLUXDB_URL": "http://127.0.0.1:1",
    r".*REDIS_URL": "redis://127.0.0.1:1/0",
    r"NATS_URL": "nats://127.0.0.1:1",
    r".*": "0123456789abcdef0123456789abcdef",
}
"""Values of secrets, by the form of the variable's name."""
FILLED_IN = {
    "PORTFOLIO_ACCOUNT_ID": "main",
    "BACKTESTER_TARGET": "127.0.0.1:1",
    "SWIMMY_MCP_ZMQ_ENDPOINT": "tcp://127.0.0.1:1",
}
"""Values of the variables that an overlay must give."""


class UniqueKeys(yaml.SafeLoader):
    """A loader that rejects a mapping with one key twice, which YAML forbids and PyYAML reads."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        assert len(set(keys)) == len(keys), f"a key is there twice:{node.start_mark}"
        return super().construct_mapping(node, deep)


@dataclass(frozen=True, slots=True)
class Manifests:
    """The objects of one file, by kind."""

    by_kind: Mapping[str, Any]

    @property
    def name(self) -> str:
        return str(self.by_kind["Deployment"]["metadata"]["name"])

    @property
    def deployed(self) -> Contract | Agent:
        """Its server or agent."""
        return DEPLOYED[self.name.removesuffix("-worker")]

    @property
    def template(self) -> Any:
        return self.by_kind["Deployment"]["spec"]["template"]

    @property
    def pod(self) -> Any:
        return self.template["spec"]

    @property
    def container(self) -> Any:
        (container,) = self.pod["containers"]
        return container

    @property
    def config(self) -> dict[str, str]:
        return dict(self.by_kind["ConfigMap"]["data"])

    @property
    def secrets(self) -> dict[str, Any]:
        """Its references to a Secret, by variable."""
        return {each["name"]: each["valueFrom"]["secretKeyRef"] for each in self.container.get("env", ())}

    @property
    def environ(self) -> dict[str, str]:
        """The variables of a process in its pod."""
        secrets = {
            env: next(value for form, value in SECRET_VALUES.items() if re.fullmatch(form, env))
            for env in self.secrets
            if not env.endswith("_CLIENT_SECRET")  # which goes with an issuer, instead of a token
        }
        values = {env: value or FILLED_IN[env] for env, value in self.config.items()}
        return secrets | values | {"PYTHONDONTWRITEBYTECODE": "1"}

    @property
    def egress(self) -> list[tuple[str, int]]:
        """Labels of pods, or networks, that its policy allows beside names; with ports."""
        _, *rules = self.by_kind["NetworkPolicy"]["spec"]["egress"]
        return [
            (
                " ".join(peer["ipBlock"]["cidr"] for peer in rule["to"])
                if "ipBlock" in rule["to"][0]
                else rule["to"][0]["podSelector"]["matchLabels"]["app.kubernetes.io/name"],
                rule["ports"][0]["port"] if "ports" in rule else 0,
            )
            for rule in rules
        ]


@cache
def read(path: str) -> Manifests:
    """Read a file."""
    objects = list(yaml.load_all(FILES[path], Loader=UniqueKeys))
    by_kind = {each["kind"]: each for each in objects}
    assert len(by_kind) == len(objects)
    return Manifests(by_kind)


@pytest.fixture(scope="module")
def schemas() -> Iterator[None]:
    """Let the package read each of its schemas once; one has 3 MB, for every object again."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utils, "schema_contents", cache(utils.schema_contents))
        yield


@pytest.mark.usefixtures("schemas")
@pytest.mark.parametrize("version", ["1.30", "1.37"])
@EACH_FILE
def test_every_object_has_the_form_that_its_version_of_kubernetes_publishes(path: str, version: str) -> None:
    for each in read(path).by_kind.values():  # an unknown kind raises SchemaNotFoundError
        assert kubernetes_validate.validate(each, version, strict=True) == version


def test_every_server_over_http_and_every_mode_of_an_agent_that_runs_on_has_a_file() -> None:
    expected = {each.name for each in compiled_contracts().contracts if "http" in each.transports}
    expected |= {each.name for each in compiled_contracts().agents}
    expected |= {f"{each.name}-worker" for each in compiled_contracts().agents if each.batch and each.batch.queue}
    assert {PurePosixPath(path).stem for path in FILES} == expected
    for path in FILES:
        assert PurePosixPath(path).stem == read(path).name
        assert path.split("/")[0] == read(path).deployed.system


@pytest.mark.parametrize("path", BASES)
def test_a_base_lists_every_file_of_its_folder_and_nothing_else(path: str) -> None:
    base = yaml.load(BASES[path], Loader=UniqueKeys)
    assert (base["apiVersion"], base["kind"]) == ("kustomize.config.k8s.io/v1beta1", "Kustomization")
    assert set(base) == {"apiVersion", "kind", "labels", "resources"}
    folder = PurePosixPath(path).parent
    assert base["resources"] == sorted(base["resources"])
    assert {f"{folder}/{name}" for name in base["resources"]} == {
        each for each in FILES if folder in [*PurePosixPath(each).parents]
    }


@EACH_FILE
def test_every_selector_selects_the_pods_of_its_deployment(path: str) -> None:
    manifests = read(path)
    labels, kinds = manifests.template["metadata"]["labels"], manifests.by_kind
    selectors = [kinds[kind]["spec"]["selector"]["matchLabels"] for kind in ("Deployment", "PodDisruptionBudget")]
    selectors.append(kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"])
    selectors += [each["labelSelector"]["matchLabels"] for each in manifests.pod["topologySpreadConstraints"]]
    if "Service" in kinds:
        selectors.append(kinds["Service"]["spec"]["selector"])
    for selector in selectors:
        assert selector
        assert selector.items() <= labels.items()
    others = [read(each).template["metadata"]["labels"] for each in FILES if each != path]
    assert [each for each in others if selectors[0].items() <= each.items()] == []


@EACH_FILE
def test_every_object_has_one_name_and_every_reference_leads_to_it(path: str) -> None:
    manifests = read(path)
    kinds = manifests.by_kind
    assert {each["metadata"]["name"] for each in kinds.values()} == {manifests.name}
    assert manifests.pod["serviceAccountName"] == manifests.name
    assert manifests.container["envFrom"] == [{"configMapRef": {"name": manifests.name}}]
    mounted = {each["name"] for each in manifests.container["volumeMounts"]}
    assert mounted == {each["name"] for each in manifests.pod["volumes"]}
    assert kinds.keys() <= KINDS
    if "HorizontalPodAutoscaler" in kinds:
        target = kinds["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]
        assert (target["kind"], target["name"]) == ("Deployment", manifests.name)
        assert target["apiVersion"] == kinds["Deployment"]["apiVersion"]
    replicas = kinds["Deployment"]["spec"].get("replicas")
    assert ("HorizontalPodAutoscaler" in kinds) == (replicas is None)  # else each apply would undo its scaling


@EACH_FILE
def test_every_port_that_is_named_is_that_of_the_container(path: str) -> None:
    manifests = read(path)
    ports = {each["name"]: each["containerPort"] for each in manifests.container.get("ports", ())}
    probes = [each for name, each in manifests.container.items() if name.endswith("Probe")]
    ingress = manifests.by_kind["NetworkPolicy"]["spec"].get("ingress", [])
    named = [each["port"] for rule in ingress for each in rule["ports"]] + [each["httpGet"]["port"] for each in probes]
    if "Service" in manifests.by_kind:
        (service,) = manifests.by_kind["Service"]["spec"]["ports"]
        assert ports == {service["targetPort"]: service["port"]}
        assert len(probes) == 3
        arguments = manifests.container["args"]
        assert int(arguments[arguments.index("--port") + 1]) == service["port"]
    assert set(named) == set(ports)
    assert bool(ports) == ("Service" in manifests.by_kind)


@EACH_FILE
def test_a_pod_has_the_least_rights(path: str) -> None:
    manifests = read(path)
    assert manifests.by_kind["ServiceAccount"]["automountServiceAccountToken"] is False
    assert manifests.pod["automountServiceAccountToken"] is False
    assert manifests.pod["enableServiceLinks"] is False  # its variables would look like settings
    assert manifests.pod["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    assert manifests.container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


@EACH_FILE
def test_secrets_are_exactly_the_secret_settings_and_no_value_is_in_a_file(path: str) -> None:
    manifests = read(path)
    deployed = manifests.deployed
    declared = deployed.on("http").settings if isinstance(deployed, Contract) else deployed.settings
    secret = {each.env: each.required for each in declared if each.secret}
    secret |= {env: True for env in secret if env == "MOEX_REDIS_URL"}  # in which its replicas share a pace
    token = set() if manifests.name.endswith("-worker") else {"MCP_AUTH_TOKEN"}
    state = {"MCP_STATE_KEY"} if isinstance(deployed, Contract) and deployed.asks else set()
    assert manifests.secrets.keys() == secret.keys() | token | state
    for env, reference in manifests.secrets.items():
        assert reference["key"] == env
        assert reference["name"] == deployed.name
        assert reference.get("optional", False) == (not secret.get(env, False))
    assert manifests.config.keys().isdisjoint(manifests.secrets)
    assert "Secret" not in manifests.by_kind


@EACH_FILE
def test_a_process_has_its_drain_and_its_grace_before_it_is_killed(path: str) -> None:
    manifests = read(path)
    deployed, config = manifests.deployed, manifests.config
    drain_s, grace_s = float(config.get("MCP_DRAIN_S", 0)), float(config["MCP_GRACE_S"])
    slowest_ms = (
        max(tool.timeout_ms for tool in deployed.on("http").tools)
        if isinstance(deployed, Contract)
        else deployed.declared.limits.timeout_ms
    )
    assert grace_s * 1000 >= slowest_ms
    assert manifests.pod["terminationGracePeriodSeconds"] >= drain_s + grace_s + 2.5  # when a hanging process ends
    if "Service" in manifests.by_kind:
        assert drain_s > 0  # until no Service sends it calls


@EACH_FILE
def test_a_policy_allows_the_declared_systems_and_names_and_nothing_else(path: str) -> None:
    manifests = read(path)
    deployed = manifests.deployed
    expected = {
        PEERS.get(each.name) or (each.kind, STORES[each.kind]) for each in deployed.sources if each.kind != "files"
    }
    if isinstance(deployed, Agent):
        expected |= {(use.server.name, 8000) for use in deployed.clients}
        expected |= {INTERNET} if deployed.model else set()
    assert sorted(manifests.egress) == sorted(expected)
    policy = manifests.by_kind["NetworkPolicy"]["spec"]
    assert [(each["port"], each["protocol"]) for each in policy["egress"][0]["ports"]] == [(53, "UDP"), (53, "TCP")]
    assert policy["policyTypes"] == ["Ingress", "Egress"]


def test_the_port_of_an_agents_server_is_that_of_its_service() -> None:
    services = {read(path).name: read(path) for path in FILES}
    for path in FILES:
        for label, port in read(path).egress:
            if label in services:
                assert port == services[label].by_kind["Service"]["spec"]["ports"][0]["port"]


def read_adapter_rules() -> list[dict[str, Any]]:
    """Read the rules of the adapter from the page."""
    page = (ROOT / "docs/kubernetes.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(rules:\n.*?)```", page, re.DOTALL)
    rules: list[dict[str, Any]] = yaml.load(block, Loader=UniqueKeys)["rules"]
    return rules


def name_metric(rule: Mapping[str, Any], series: str) -> str:
    """Return the name of the metric that a rule of the adapter makes of a series."""
    name = rule.get("name", {"matches": "(.*)", "as": "${1}"})
    return re.sub(name["matches"], name["as"].replace("${1}", r"\1"), series, count=1)


def test_the_adapters_rules_on_the_page_make_every_metric_of_the_autoscalers() -> None:
    in_flight, latency = read_adapter_rules()
    scalers = [read(path).by_kind.get("HorizontalPodAutoscaler") for path in FILES]
    metrics = {
        each["pods"]["metric"]["name"]
        for scaler in filter(None, scalers)
        for each in scaler["spec"]["metrics"]
        if each["type"] == "Pods"
    }
    for metric in metrics:
        rule, series = (latency, metric.replace("_p95", "_bucket")) if "_p95" in metric else (in_flight, metric)
        found = re.search('__name__=~"([^"]+)"', rule["seriesQuery"])
        assert found
        assert re.search(found[1], series)
        assert name_metric(rule, series) == metric


def test_the_adapters_queries_give_calls_in_flight_and_the_95th_percentile_of_each_pod(tmp_path: Path) -> None:
    in_flight, latency = read_adapter_rules()
    labels = 'namespace="trading", pod="{pod}"'
    series = {
        f'mcp_calls_in_flight{{{labels}, tool="a"}}': "3x20",
        f'mcp_calls_in_flight{{{labels}, tool="b"}}': "4x20",
        f'mcp_tool_duration_seconds_bucket{{{labels}, tool="a", status="success", le="0.1"}}': "0+0x20",
        f'mcp_tool_duration_seconds_bucket{{{labels}, tool="a", status="success", le="0.2"}}': "0+100x20",
        f'mcp_tool_duration_seconds_bucket{{{labels}, tool="a", status="success", le="+Inf"}}': "0+100x20",
        f'mcp_tool_duration_seconds_bucket{{{labels}, tool="a", status="cancelled", le="+Inf"}}': "0+900x20",
    }

    def query(rule: Mapping[str, Any], name: str, matchers: str) -> str:
        text = str(rule["metricsQuery"]).replace("<<.GroupBy>>", "pod").replace("<<.Series>>", name)
        return text.replace("<<.LabelMatchers>>", f'namespace="trading",pod=~"one|two"{matchers}')

    expected = [
        (query(in_flight, "mcp_calls_in_flight", ""), 7),
        (query(latency, "mcp_tool_duration_seconds_bucket", ',tool="a"'), 0.195),
    ]
    test = {
        "interval": "1m",
        "input_series": [
            {"series": name.replace("{pod}", pod), "values": values}
            for name, values in series.items()
            for pod in ("one", "two")
        ],
        "promql_expr_test": [
            {
                "expr": expression,
                "eval_time": "10m",
                "exp_samples": [{"labels": f'{{pod="{pod}"}}', "value": value} for pod in ("one", "two")],
            }
            for expression, value in expected
        ],
    }
    file = tmp_path / "test.yml"
    file.write_text(json.dumps({"evaluation_interval": "1m", "tests": [test]}), encoding="utf-8")
    run = subprocess.run(
        [fetched("promtool"), "test", "rules", file], capture_output=True, encoding="utf-8", check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


@EACH_FILE
async def test_a_process_runs_with_the_variables_of_its_pod_and_has_its_probes_and_its_metrics(
    path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    manifests = read(path)
    module = f"generated.{manifests.deployed.system}.{manifests.deployed.module}"
    monkeypatch.setattr(sys, "argv", [module, "--help"])
    with pytest.raises(SystemExit, match=r"^0$"):
        import_module(f"{module}.__main__").main()
    known = set(re.findall(r"^  ([A-Z][A-Z0-9_]*)(?: \(|$)", capsys.readouterr().out, re.MULTILINE))
    assert manifests.config.keys() | manifests.secrets.keys() <= known

    listens = "Service" in manifests.by_kind
    arguments = [*manifests.container["args"], *(("--port", "0") if listens else ())]
    async with started(*arguments, module=module, environ=manifests.environ) as process:
        if not listens:
            await process.log_has("source queue is unavailable")
            return
        await process.log_has("listening on http://0.0.0.0:")
        await process.log_has("\n")
        found = re.search(rb"listening on (http://\S+)", process.logged)
        assert found
        async with httpx.AsyncClient(
            base_url=found[1].decode().rstrip('"}'), timeout=PATIENCE_S, trust_env=False
        ) as client:
            await check_probes(client, manifests)
            await check_metrics(client, manifests)


async def check_probes(client: httpx.AsyncClient, manifests: Manifests) -> None:
    """Check that the kubelet, which has no token, gets answers of the paths."""
    probes = {name: each["httpGet"]["path"] for name, each in manifests.container.items() if name.endswith("Probe")}
    assert probes == {"startupProbe": "/health", "livenessProbe": "/health", "readinessProbe": "/ready"}
    assert (await client.get("/health", headers={"Host": "10.1.2.3:8000"})).status_code == 200
    ready = await client.get("/ready", headers={"Host": "10.1.2.3:8000"})
    assert ready.status_code in {200, 503}
    assert {each.name for each in manifests.deployed.sources} >= ready.json()["sources"].keys()


async def check_metrics(client: httpx.AsyncClient, manifests: Manifests) -> None:
    """Check that each metric of the autoscaler is made of a series that the process has."""
    token = manifests.environ["MCP_AUTH_TOKEN"]
    headers = {"Authorization": f"Bearer {token}", "Host": f"{manifests.name}:8000"}
    text = (await client.get("/metrics", headers=headers)).text
    scaler = manifests.by_kind.get("HorizontalPodAutoscaler", {"spec": {"metrics": []}})
    pods = [each["pods"] for each in scaler["spec"]["metrics"] if each["type"] == "Pods"]
    for each in pods:
        metric = each["metric"]
        series = metric["name"].replace("_p95", "_bucket")
        tool = metric.get("selector", {}).get("matchLabels", {}).get("tool")
        label = f'[^}}]*tool="{re.escape(tool)}"' if tool else ""
        assert re.search(rf"^{series}[ {{]{label}", text, re.MULTILINE), metric
