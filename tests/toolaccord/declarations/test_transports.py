from dataclasses import replace
from typing import Any

import pytest

from tests.toolaccord.demo import relay
from tests.toolaccord.generated.demo.relay.server import server
from toolaccord.config.access_rules import read_access_rules
from toolaccord.config.process_settings import UnprotectedServer, list_settings
from toolaccord.contract.access import Access, ArgumentKey, BearerToken
from toolaccord.declarations.settings import SettingsError
from toolaccord.declarations.tool import Server

RELAY: Server[Any] = server(relay.Operator())
ADDITIONAL = {setting.name: setting.default for setting in list_settings()}


def names(parts: Any) -> set[str]:
    """Return the names of tools or settings."""
    return {part.name for part in parts}


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_server_has_the_tools_that_exist_on_its_transport(transport: Any) -> None:
    assert names(RELAY.on("content_length").tools) - names(RELAY.on(transport).tools) == {"trade.submit"}
    assert names(RELAY.on("content_length").tools) == names(RELAY.tools)


def test_a_transport_without_a_key_needs_no_setting_of_one() -> None:
    assert names(RELAY.on("stdio").settings) == {"station"}
    assert names(RELAY.on("http").settings) == names(RELAY.on("content_length").settings) == {"key", "station"}


def test_each_transport_has_its_own_key() -> None:
    access = Access(content_length=ArgumentKey(name="api_key", setting="key"), http=BearerToken(setting="station"))
    keyed = replace(RELAY, access=access)
    assert names(keyed.on("stdio").settings) == set()
    assert names(keyed.on("http").settings) == {"station"}
    assert names(keyed.on("content_length").settings) == {"key"}


def test_a_server_that_names_no_transport_is_the_same_on_each() -> None:
    plain = replace(RELAY, access=Access(), tools=RELAY.tools[:2])
    assert plain.on("stdio") == plain.on("http") == plain


def test_the_key_is_a_token_beside_those_of_the_process() -> None:
    values = {**ADDITIONAL, "key": "k3y", "mcp_auth_token": "one, two"}
    assert read_access_rules(values, "127.0.0.1", RELAY).tokens.tokens == ("k3y", "one", "two")
    assert read_access_rules(values, "127.0.0.1", replace(RELAY, access=Access())).tokens.tokens == ("one", "two")


def test_the_key_protects_a_server_beyond_this_machine() -> None:
    values = {**ADDITIONAL, "key": "k3y"}
    assert read_access_rules(values, "192.0.2.1", RELAY).tokens.tokens == ("k3y",)
    with pytest.raises(UnprotectedServer):
        read_access_rules(values, "192.0.2.1", replace(RELAY, access=Access()))


@pytest.mark.parametrize("key", ["two words", "clé", "k3y\n", ""])
def test_a_key_that_no_header_carries_is_rejected_at_the_start(key: str) -> None:
    with pytest.raises(SettingsError, match=r"^RELAY_KEY cannot be a bearer token: use letters, digits and "):
        read_access_rules({**ADDITIONAL, "key": key}, "127.0.0.1", RELAY)
