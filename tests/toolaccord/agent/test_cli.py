"""The help of agents whose contracts have examples or not."""

from dataclasses import replace

import pytest

from tests.toolaccord.demo.scout import agent
from toolaccord.agent import cli


@pytest.mark.parametrize(
    "examples, command",
    [([{"book": "7"}], """scout-agent --sandbox '{"book": "7"}'"""), ([], "scout-agent --sandbox '{...}'")],
)
def test_the_help_of_an_agent_without_batches_shows_an_example_of_its_contract(
    capsys: pytest.CaptureFixture[str], examples: list[object], command: str
) -> None:
    scout = agent()
    without = replace(scout, batch=None, input={**scout.input, "examples": examples})
    with pytest.raises(SystemExit):
        cli.parse_arguments(without, ["--help"], has_sandbox=True)
    assert command in capsys.readouterr().out
