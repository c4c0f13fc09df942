"""Check the container files without an engine; docs/container.md lists the other checks."""

import json
import re
import runpy
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from tests.contracts.shipped import generated_paths
from tests.services.fetched import fetched
from toolaccord.sources.postgresql.roles import password_env, read_roles

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if "args" in service.get("build", {})}
SERVING = {name: service for name, service in OURS.items() if "entrypoint" not in service}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SERVERS = tomllib.loads((ROOT / ".ci/servers/pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: tuple[str, ...] = runpy.run_path(str(ROOT / ".ci/servers/hatch_build.py"))["PACKAGES"]
SERVER_JSON: list[dict[str, Any]] = [
    json.loads(path.read_text(encoding="utf-8")) for path in generated_paths("server.json")
]


def server_json(service: dict[str, Any]) -> dict[str, Any]:
    """Return the registry's entry of a service's server."""
    name = service["build"]["args"]["SERVER"]
    (found,) = (each for each in SERVER_JSON if each["name"].endswith(f"/{name}"))
    return found


def test_the_context_of_the_image_is_exactly_the_packages_of_the_wheels() -> None:
    copied = set(re.findall(r"^COPY (\S+) \1$", DOCKERFILE, re.MULTILINE))
    library = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    assert copied == {*library, "codegen", *PACKAGES, ".ci/servers"}
    named = set(re.findall(r"^COPY (?!--)(.+) \S+$", DOCKERFILE, re.MULTILINE))
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    named_files = {source for sources in named for source in sources.split()} - {"generated/extras.txt"}  # of a package
    assert {line.removeprefix("!") for line in lines if line.startswith("!")} == named_files


def test_the_image_runs_as_an_unprivileged_user_and_has_a_health_check() -> None:
    last = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER [1-9]\d+:[1-9]\d+$", last, re.MULTILINE)
    assert '["python", "-m", "toolaccord.server.healthcheck"]' in last
    assert re.search(r'^CMD \["--transport", "http", "--host", "0.0.0.0", "--port", "8000"\]$', last, re.MULTILINE)


def test_every_installation_but_that_of_the_wheels_checks_hashes() -> None:
    commands = re.split(r"&&|\n", DOCKERFILE.replace("\\\n", ""))
    *locked, wheels = [" ".join(command.split()) for command in commands if "pip install" in command]
    assert len(locked) == 3
    assert all("--require-hashes" in command for command in locked)
    assert wheels.endswith("--no-deps dist/*.whl")


def test_each_image_of_compose_runs_a_console_script_and_is_that_of_server_json() -> None:
    for service in OURS.values():
        assert service["build"]["args"]["SERVER"] in SERVERS["project"]["scripts"]
        assert {package["identifier"] for package in server_json(service)["packages"]} == {service["image"]}


@pytest.mark.parametrize("name", SERVING)
def test_compose_gives_each_server_its_required_settings_its_host_name_and_a_token(name: str) -> None:
    _, http = server_json(SERVING[name])["packages"]
    required = {variable["name"] for variable in http["environmentVariables"] if variable["isRequired"]}
    given = SERVING[name]["environment"]
    assert required <= set(given)
    assert set(given) - {"MCP_ALLOWED_HOSTS"} <= {variable["name"] for variable in http["environmentVariables"]}
    assert given["MCP_ALLOWED_HOSTS"] == name


def test_secrets_come_from_the_environment_and_have_no_default() -> None:
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if re.search("PASSWORD|TOKEN|DATABASE_URL", name):
                assert re.search(r"\$\{\w+:\?[^}]+\}", value), name


def test_compose_services_listen_on_loopback_and_wait_for_healthy_dependencies() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
    assert len(set(ports)) == len(ports)
    for service in SERVICES.values():
        for needed, how in service.get("depends_on", {}).items():
            ends = SERVICES[needed]["restart"] == "no"
            assert how["condition"] == ("service_completed_successfully" if ends else "service_healthy")
            assert ends or "healthcheck" in SERVICES[needed]


def test_every_image_from_a_registry_is_named_by_digest() -> None:
    images = [service["image"] for service in SERVICES.values() if "build" not in service]
    images += re.findall(r"^ARG BASE=(\S+)", DOCKERFILE, re.MULTILINE)
    assert set(re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)) == {"${BASE}"}
    assert len(images) == 6
    assert [image for image in images if not re.fullmatch(r"[a-z]+:[\w.-]+@sha256:[0-9a-f]{64}", image)] == []


@pytest.mark.parametrize(
    "system, env, migrate",
    [("tradestream", "DATABASE_URL", "migrate"), ("platform", "RISK_DATABASE_URL", "risk-migrate")],
)
def test_every_server_has_its_own_role_and_only_what_makes_roles_is_the_owner(
    system: str, env: str, migrate: str
) -> None:
    urls = {name: service["environment"].get(env, "") for name, service in OURS.items()}
    users = {name: url.removeprefix("postgresql://").partition(":")[0] for name, url in urls.items() if url}
    assert users.pop(migrate) == SERVICES["postgres"]["environment"]["POSTGRES_USER"]
    assert SERVICES[migrate]["entrypoint"] == ["toolaccord", "migrate", system, "--roles"]
    assert users == {name: SERVING[name]["build"]["args"]["SERVER"].replace("-", "_") for name in users}
    assert sorted(users.values()) == list(read_roles(generated_paths(f"{system}/*/postgres_role.sql")))
    for name, user in users.items():
        password = f"${{{password_env(user)}:?"
        assert password in urls[name]
        assert SERVICES[migrate]["environment"][password_env(user)].startswith(password)


def test_no_server_has_the_password_of_influxdbs_admin() -> None:
    admin, reader = (
        SERVICES["influxdb"]["environment"][f"INFLUXDB_{kind}_PASSWORD"] for kind in ("ADMIN", "READ_USER")
    )
    assert admin != reader
    tokens = [
        service["environment"]["INFLUXDB_TOKEN"]
        for service in OURS.values()
        if "INFLUXDB_TOKEN" in service["environment"]
    ]
    assert tokens == [f"reader:{reader}"] * 4


def test_compose_s_prometheus_scrapes_each_server_under_its_name_with_its_rules(tmp_path: Path) -> None:
    text = COMPOSE["configs"]["prometheus"]["content"]
    config = yaml.safe_load(text)
    found = {each["job_name"]: each["static_configs"] for each in config["scrape_configs"]}
    assert len(config["rule_files"]) == len(SERVING)
    assert found == {each["build"]["args"]["SERVER"]: [{"targets": [f"{name}:8000"]}] for name, each in SERVING.items()}
    file = tmp_path / "servers.yml"
    file.write_text(re.sub("- rules/", f"- {ROOT}/generated/", text), encoding="utf-8")
    checked = subprocess.run(
        [fetched("promtool"), "check", "config", "--syntax-only", file], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr
    base = re.findall(r"^ARG BASE=(\S+)", DOCKERFILE, re.MULTILINE)
    assert re.findall(r"^FROM (\S+)", SERVICES["prometheus"]["build"]["dockerfile_inline"], re.MULTILINE) == base


@pytest.mark.hosts
def test_compose_has_the_form_that_its_specification_publishes() -> None:
    schema = json.loads((fetched("schemas") / "compose.json").read_text(encoding="utf-8"))
    found = Draft7Validator(schema).iter_errors(COMPOSE)
    faults = [f"{fault.json_path}: {fault.message}" for fault in found]
    assert faults == []
