"""Start of a process: what it finds before it serves."""

from tests.toolaccord.sources.test_outages import HTTP, REDIS
from toolaccord.contract.settings import Setting
from toolaccord.server.startup import list_source_kinds, warn_of_plain_sources
from toolaccord.testing import capture_logs

URL = Setting(name="url", env="NEWS_URL", description="", schema={}, default="", required=True, secret=False)


def test_a_source_beyond_this_machine_without_tls_is_one_warning_without_its_address() -> None:
    with capture_logs() as records:
        warn_of_plain_sources(list_source_kinds([REDIS]), [URL], {"url": "redis://:hunter2@cache.example.org"})
    assert [each.getMessage() for each in records] == [
        "the traffic of these sources can be read on its way, as they have no TLS: NEWS_URL; see docs/operations.md"
    ]


def test_sources_of_this_machine_and_with_tls_are_no_warning() -> None:
    with capture_logs() as records:
        warn_of_plain_sources(list_source_kinds([REDIS]), [URL], {"url": "redis://127.0.0.1"})
        warn_of_plain_sources(list_source_kinds([HTTP]), [URL], {"url": "https://news.example.org"})
    assert not records
