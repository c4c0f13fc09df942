from typing import Any

import pytest
from pydantic import BaseModel

from tests.toolaccord.demo import library
from toolaccord.contract.policies import RateLimit
from toolaccord.declarations.operation import Operation
from toolaccord.errors import UnknownTool
from toolaccord.testing import ManualClock, pipeline


class Doubled(BaseModel):
    value: int


class Number(BaseModel):
    value: int = 1


SCHEMA = {
    "type": "object",
    "properties": {"value": {"type": "integer", "default": 1}},
    "additionalProperties": False,
}


def double(**options: Any) -> Operation[Any, Any, Any]:
    """Return an operation that doubles a number."""

    async def run(request: Number, _call: Any) -> Doubled:
        return Doubled(value=2 * request.value)

    return Operation(
        name="numbers/double",
        request=Number,
        parameters=SCHEMA,
        returns=SCHEMA,
        handler=run,
        timeout_ms=1000,
        **options,
    )


@pytest.fixture
def served() -> Any:
    return pipeline(library.server(library.Librarian()), clock=ManualClock())


async def test_an_operation_runs_as_a_tool_does_and_its_result_has_no_envelope(served: Any) -> None:
    answer = await served.call(served.bind(double()), {"value": 21})
    assert (answer.is_error, answer.body) == (False, {"value": 42})


async def test_the_arguments_of_an_operation_are_checked_and_completed(served: Any) -> None:
    bound = served.bind(double())
    assert (await served.call(bound, {})).body == {"value": 2}
    rejected = await served.call(bound, {"value": "x"})
    assert (rejected.is_error, rejected.code) == (True, served.server.dialect.occasions.arguments)


async def test_an_operation_is_rate_limited_with_the_servers_own_limiter(served: Any) -> None:
    limited = double(rate_limit=RateLimit(calls=1, window_s=10))
    first, second = [await served.call(served.bind(limited), {}) for _ in range(2)]
    assert (first.is_error, second.is_error, second.retry_after_s) == (False, True, 10)


async def test_no_client_calls_an_operation_by_its_name_as_if_it_were_a_tool(served: Any) -> None:
    bound = served.bind(double())
    with pytest.raises(UnknownTool):
        await served.call(bound.operation.name, {})
