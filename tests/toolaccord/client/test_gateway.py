"""A typed client of a server that fails as JSON-RPC does, and has a key over HTTP."""

import sys

import pytest

from tests.toolaccord.generated.demo.errors import LineBroken
from tests.toolaccord.generated.demo.relay.client import FAIL, RelayClient
from tests.toolaccord.generated.demo.relay.models import EchoRequest, FailRequest
from tests.toolaccord.listener import listening
from tests.toolaccord.process import ROOT
from toolaccord.errors import Unauthorised, UndeclaredError

RELAY = "tests.toolaccord.demo.relay"


async def test_a_failure_is_its_declared_error_or_has_the_name_of_its_code() -> None:
    async with RelayClient.stdio("-m", RELAY, command=sys.executable, cwd=ROOT) as client:
        with pytest.raises(LineBroken, match="The line is broken") as raised:
            await client.call(FAIL, FailRequest(by="declared", text="lost"))
        assert raised.value.details == {"text": "lost"}
        assert raised.value.jsonrpc == -32050
        with pytest.raises(UndeclaredError) as unavailable:
            await client.call(FAIL, FailRequest(by="source", text="gone"))
        assert (unavailable.value.code, unavailable.value.retryable) == ("UNAVAILABLE", True)


async def test_the_key_is_the_token_of_a_client_over_http() -> None:
    async with listening(module=RELAY, environ={"RELAY_KEY": "k3y"}) as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        async with RelayClient.http(url, token="k3y") as client:
            assert (await client.echo(EchoRequest(text="hello"))).station == "north"
        with pytest.raises(Unauthorised, match="or the server's own key"):
            async with RelayClient.http(url, token="another") as stranger:
                await stranger.echo(EchoRequest(text="hello"))


def test_a_client_has_no_method_of_a_tool_that_mcp_does_not_offer() -> None:
    assert hasattr(RelayClient, "echo")
    assert not hasattr(RelayClient, "trade_submit")
