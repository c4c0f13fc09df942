"""Systems that a workload may reach, by the addresses of its sources."""

from typing import Any

import pytest

from toolaccord.contract.settings import Setting
from toolaccord.contract.sources import CustomSource
from toolaccord_codegen.emit.kubernetes.peers import Peer, list_source_peers

URL = Setting(
    name="store_url",
    env="STORE_URL",
    description="Address of the store",
    schema={"type": "string"},
    default="https://store.example.com",
)


@pytest.mark.parametrize(
    "keys,peer",
    [
        ({"endpoint": {"setting": "store_url"}}, Peer(name=None, port=443)),
        ({"target": "bucket-a", "endpoint": {"setting": "store_url"}}, Peer(name=None, port=443)),
        ({"server": {"host": {"setting": "store_url"}}}, Peer(name="store", port=None)),
        ({"target": {"a": 1}}, Peer(name="store", port=None)),
        ({"server": ["a"]}, Peer(name="store", port=None)),
    ],
)
def test_the_address_of_a_kind_of_ones_own_is_a_setting_of_its_own(keys: dict[str, Any], peer: Peer) -> None:
    assert list_source_peers([CustomSource(name="store", kind="acme.store", keys=keys)], [URL]) == [peer]
