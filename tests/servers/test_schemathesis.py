"""Prove by all checks of schemathesis that servers fulfil their own openapi.json.

`-m fuzz` judges one server per dialect. `./run fuzz` judges every server, and sends more requests, other ones
each time.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import sandbox
from sandbox.market import PAIRS
from sandbox.seeded_random import SEED
from sandbox.tradestream.load import load
from sandbox.tradestream.strategies import generate_implementations, spec_id
from tests.contracts.reading import contracts, one_server_per_dialect
from tests.servers.backends import run_in_thread
from tests.toolaccord.listener import Listener, listening

CONFIG = Path(__file__).with_name("schemathesis.toml")
COMMON_OPERATIONS = 5
"""Operations that every server has beside its tools and tasks."""
APPLICABLE = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "positive_data_acceptance",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)
RESOURCE_CHECKS = ("use_after_free", "ensure_resource_availability", "object_level_authorization")
"""Enabled, for tasks alone: no server has other resources under paths."""
ACCEPTED_STATUSES = 'expected-statuses = ["200", "202", "404", "409", "422"]'
"""The line of the configuration about requests that fit the schema."""
EXAMPLES = 5
"""Random requests for each operation and phase, beside those at each limit of its schemas."""
PATIENCE_S = 1200


@pytest.fixture(scope="module")
def environ(postgres_url: str) -> Iterator[Mapping[str, str]]:
    """Environment of the servers: the sandbox's sources, a writable database, and a token."""
    run_in_thread(load(postgres_url, SEED, datetime.now(UTC)))
    with sandbox.environment(sandbox.NAMES - {"DATABASE_URL"}) as given:
        own = {"DATABASE_URL": postgres_url, "MCP_AUTH_TOKEN": secrets.token_urlsafe()}
        yield {**given, **own, "ISS_REQUESTS_PER_SECOND": "1000"}  # the stand-in needs no rate limit


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The configuration, with identifiers that exist in the sandbox."""
    strategies = [each for each in generate_implementations(SEED) if each.is_strategy]
    known = {
        "symbol": sorted(PAIRS),
        "strategy_id": [str(each.strategy_id) for each in strategies],
        "spec_id": sorted({str(spec_id(SEED, each.spec)) for each in strategies}),
    }
    tables = [f"\n[dictionaries.{name}]\nvalues = {json.dumps(values)}\n" for name, values in known.items()]
    file = tmp_path_factory.mktemp("schemathesis") / CONFIG.name
    file.write_text(CONFIG.read_text(encoding="utf-8") + "".join(tables), encoding="utf-8")
    return file


def for_dialect(config: Path, module: str) -> Path:
    """Return the configuration for a server; the platform answers 400 to broken rules too."""
    contract = contracts()[module]
    if contract["dialect"] != "platform":
        return config
    found = config.with_name("platform.toml")
    text = config.read_text(encoding="utf-8")
    assert ACCEPTED_STATUSES in text
    found.write_text(text.replace(ACCEPTED_STATUSES, ACCEPTED_STATUSES.replace("[", '["400", ')), encoding="utf-8")
    return found


async def run_schemathesis(server: Listener, config: Path, *options: str) -> dict[str, Any]:
    """Return schemathesis's report on a server; any finding fails the test."""
    report = config.with_name(f"{server.port}.json")
    address = str(server.client.base_url.join("/openapi.json"))
    arguments = [
        "--config-file",
        str(config),
        "run",
        address,
        "--checks",
        "all",
        "--report-json-path",
        str(report),
        *options,
    ]
    process = await asyncio.create_subprocess_exec(
        Path(sys.executable).with_name("schemathesis"),
        *arguments,
        cwd=config.parent,
        env=os.environ | {"SCHEMATHESIS_HOOKS": str(CONFIG.with_name("schemathesis_hooks.py"))},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, output.decode()
    parsed: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return parsed


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Judge every server with --fuzz-examples, and else one per dialect."""
    if "module" in metafunc.fixturenames:
        is_long = metafunc.config.getoption("--fuzz-examples", default=None)
        metafunc.parametrize("module", contracts() if is_long else one_server_per_dialect())


@pytest.mark.fuzz
async def test_a_server_fulfils_its_openapi_json(
    module: str,
    environ: Mapping[str, str],
    config: Path,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MCP_AUTH_TOKEN", environ["MCP_AUTH_TOKEN"])
    count = request.config.getoption("--fuzz-examples", default=None)
    options = (
        ["--max-examples", str(count)] if count else ["--max-examples", str(EXAMPLES), "--generation-deterministic"]
    )
    async with listening(f"generated.{module}", module="tests.servers.unlimited", environ=environ) as server:
        report = await run_schemathesis(server, for_dialect(config, module), *options)
    operations = report["operations"]
    assert operations["tested"] == operations["total"] >= COMMON_OPERATIONS + 1
    ran = [name for name, phase in report["phases"].items() if phase["status"] == "success"]
    has_tasks = any("task" in tool for tool in contracts()[module]["tools"])
    assert ran == ["examples", "coverage", "fuzzing", *(["stateful"] if has_tasks else [])]


def test_every_check_of_the_installed_version_is_known_and_enabled() -> None:
    from schemathesis.checks import CHECKS, load_all_checks  # noqa: PLC0415 - takes a second, and other tests need none

    load_all_checks()
    assert set(CHECKS.get_all_names()) == {*APPLICABLE, *RESOURCE_CHECKS}
    chosen = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["checks"]
    assert not [name for name, check in chosen.items() if "enabled" in check]
