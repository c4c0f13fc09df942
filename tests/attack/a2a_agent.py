"""The guide of the tests over A2A, which repeats what it is told.

`python -m tests.attack.a2a_agent --a2a` serves it.
"""

from __future__ import annotations

from tests.toolaccord.agent.a2a.guide import Guide, declare
from toolaccord.agent.main import run

if __name__ == "__main__":
    raise SystemExit(run(declare(Guide()), sandbox=None, package=None))
