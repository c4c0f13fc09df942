"""A hook of schemathesis: every server under test has a token, so its routes need it."""

from typing import Any

import schemathesis
from schemathesis import HookContext


@schemathesis.hook
def before_load_schema(context: HookContext, raw_schema: dict[str, Any]) -> None:  # noqa: ARG001 - a hook's parameters
    """Require the token that a server without one of its own documents as optional."""
    raw_schema["security"] = [{"bearer": []}]
