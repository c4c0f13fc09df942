"""Prove that OpenCode runs the generated folder unchanged, and publishes a signal."""

import json
from typing import Any

import pytest
from redis import Redis

from tests.contracts.reading import tool
from tests.contracts.shipped import GENERATED
from tests.hosts.project import Project
from tests.hosts.reading import entries, read
from tests.hosts.scripted_model import ScriptedModel, serving
from tests.services.fetched import fetched

pytestmark = pytest.mark.hosts

FOLDER = GENERATED / "agents/signal_generator/opencode"
SIGNAL: dict[str, Any] = tool("agents.signals", "publish_signal")["examples"][0]["arguments"]


@pytest.fixture
def agent(project: Project) -> Project:
    """The generated folder as the project, and nothing else."""
    for path in FOLDER.rglob("*"):
        if path.is_file():
            project.copy(str(path.relative_to(GENERATED)), f"project/{path.relative_to(FOLDER)}")
    return project


def test_opencode_finds_the_agent_and_its_skills(agent: Project) -> None:
    skills = {each["name"]: each for each in json.loads(agent.run(fetched("opencode"), "debug", "skill"))}
    for path in FOLDER.rglob("SKILL.md"):
        assert skills[path.parent.name]["location"].startswith(str(agent.folder))
    config = json.loads(agent.run(fetched("opencode"), "debug", "config"))
    assert config["default_agent"] in config["agent"]
    assert config["agent"][config["default_agent"]]["prompt"].startswith("You are a trading signal analyst.")


def test_every_server_of_the_agent_connects(agent: Project) -> None:
    said = agent.run(fetched("opencode"), "mcp", "list")
    for name in entries(read(agent.folder / "opencode.json")):
        assert f"✓ {name} " in said


def test_the_model_publishes_a_signal(agent: Project) -> None:
    model = ScriptedModel("signal-mcp_publish_signal", SIGNAL)
    with serving(model), Redis.from_url(agent.settings["REDIS_URL"]) as redis, redis.pubsub() as listening:
        listening.subscribe("channel:raw-signals")
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": model.url, "apiKey": "none"},
            "models": {"scripted": {"tool_call": True, "limit": {"context": 100_000, "output": 10_000}}},
        }
        offline = {"small_model": "local/scripted", "provider": {"local": provider}, "share": "disabled"}
        ask = (fetched("opencode"), "run", "-m", "local/scripted", "Analyze ETH/USD and generate a trading signal")
        agent.run(*ask, OPENCODE_CONFIG_CONTENT=json.dumps(offline))
        heard = [json.loads(each["data"]) for each in iter(listening.get_message, None) if each["type"] == "message"]
    assert {"strategy-mcp_get_top_strategies", "market-data-mcp_get_current_price"} <= model.tools.keys()
    assert heard == [SIGNAL]
