"""Prove that OpenCode runs the generated folder unchanged, and publishes a signal."""

import json
from dataclasses import dataclass, field

import pytest
from redis import Redis

from tests.contracts.shipped import GENERATED
from tests.hosts.project import Project
from tests.hosts.reading import entries, read
from tests.hosts.scripted_model import Json, ScriptedModel, serving, text_of
from tests.services.fetched import fetched

pytestmark = pytest.mark.hosts

FOLDER = GENERATED / "agents/signal_generator/opencode"


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
    printed = agent.run(fetched("opencode"), "mcp", "list")
    for name in entries(read(agent.folder / "opencode.json")):
        assert f"✓ {name} " in printed


@dataclass(slots=True)
class ScriptedAnalyst(ScriptedModel):
    """Collects evidence, and then publishes it with words that a test chooses."""

    reasoning: str = "The action is {action}, and the confidence is {confidence:.0%}."
    evidence: Json = field(default_factory=dict)

    def turn(self, request: Json) -> Json:
        """Return the next turn: a call of publish_signal after the first answer, then the end."""
        answers = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        if len(answers) != 1 or not request.get("tools"):
            return super(ScriptedAnalyst, self).turn(request)
        self.evidence = json.loads(text_of(answers[0]))["data"]
        signal = self.evidence["raw_signal"]
        arguments = {
            "symbol": signal["symbol"],
            "evidence_id": self.evidence["evidence_id"],
            "reasoning": self.reasoning.format(**signal),
        }
        call = {"name": "signal-mcp_publish_signal", "arguments": json.dumps(arguments)}
        return {"role": "assistant", "tool_calls": [{"index": 0, "id": "call_2", "type": "function", "function": call}]}


def run(agent: Project, model: ScriptedModel) -> list[Json]:
    """Run OpenCode with *model*; return the signals that it published."""
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
        return [json.loads(each["data"]) for each in iter(listening.get_message, None) if each["type"] == "message"]


def test_the_model_publishes_the_signal_that_the_server_computed(agent: Project) -> None:
    model = ScriptedAnalyst("signal-mcp_collect_evidence", {"symbol": "ETH/USD"})
    (published,) = run(agent, model)
    assert {"strategy-mcp_get_top_strategies", "market-data-mcp_get_current_price"} <= model.tools.keys()
    computed = model.evidence["raw_signal"]
    words = model.reasoning.format(**computed)
    assert published == computed | {"reasoning": f"{words} {computed['reasoning']}"}


def test_a_model_cannot_publish_what_the_server_did_not_compute(agent: Project) -> None:
    invented = {
        "signal_id": "sig-abc123", "symbol": "ETH/USD", "action": "BUY", "confidence": 0.95, "strategies_analyzed": 5,
        "strategies_bullish": 1, "strategies_bearish": 0, "strategies_neutral": 0, "strategy_breakdown": [],
        "reasoning": "Buy.", "market_context": {"current_price": -1}, "timestamp": "1999-01-01T00:00:00Z",
    }  # fmt: skip
    assert run(agent, ScriptedModel("signal-mcp_publish_signal", invented)) == []
    lying = ScriptedAnalyst("signal-mcp_collect_evidence", {"symbol": "ETH/USD"}, reasoning="The price will be 99999.")
    assert run(agent, lying) == []
    assert "UNSUPPORTED_WORDS" in lying.results[-1]
