from collections.abc import Sequence

import pytest

from toolaccord.contract.settings import Setting, SettingValue
from toolaccord.server.sandbox import provide_environment, scope_sandbox
from toolaccord.server.startup import StartError
from toolaccord.sources.files import FilesSource
from toolaccord.sources.influxdb import InfluxdbSource
from toolaccord.sources.zmq import ZmqSubSource

SANDBOX = "tests.toolaccord.demo.library_sandbox"
CANDLES = InfluxdbSource(
    name="candles", url="shelf", token="token", org="org", bucket="bucket", query_language="language",
    max_connections=1, idle_timeout_s=1, connection_timeout_s=1,
)  # fmt: skip
RESULTS = ZmqSubSource(name="results", endpoint="results", max_messages=1, max_message_bytes=1)
STATUS = FilesSource(name="status", paths={"status": "status"}, max_bytes=1)


def setting(name: str, *, env: str | None = None, default: SettingValue = None) -> Setting:
    required = default is None
    return Setting(
        name=name, env=env or name.upper(), description=f"the {name}", schema={"type": "string"}, default=default,
        required=required, secret=False,
    )  # fmt: skip


SHELF = setting("shelf", env="SHELF_URL")
TOKEN = setting("token", default="")
NAMES = ("SHELF_URL", "TOKEN", "RESULTS", "STATUS", "LIMIT")


@pytest.fixture(autouse=True)
def real_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.setenv(name, "real")


def provided(settings: Sequence[Setting], *servers: str) -> dict[str, str]:
    """Return the values of NAMES with the sandbox, which provides SHELF_URL alone."""
    scope = scope_sandbox([*(each.env for each in settings), *servers], settings, [CANDLES, RESULTS, STATUS])
    with provide_environment("library-mcp", scope, SANDBOX) as environ:
        return {name: environ[name] for name in NAMES if name in environ}


def test_the_real_values_of_a_sources_settings_are_ignored_and_others_are_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = [SHELF, TOKEN, setting("results", default=""), setting("limit", default="5")]
    assert provided(settings) == {"SHELF_URL": "sandboxed", "STATUS": "real", "LIMIT": "real"}
    assert "library-mcp: --sandbox ignores RESULTS, TOKEN of the environment\n" in capsys.readouterr().err


def test_a_started_server_gets_no_variable_but_the_sandboxs() -> None:
    assert "STATUS" not in provided([SHELF], "STATUS")


@pytest.mark.parametrize("lacking", [setting("results"), setting("status", default="/var/status")])
def test_a_source_without_a_stand_in_ends_the_start(lacking: Setting) -> None:
    with pytest.raises(StartError, match=f"never uses a real one:\n  {lacking.env}: the {lacking.name}$"):
        provided([SHELF, lacking])


def test_without_the_sandbox_the_environment_is_the_real_one() -> None:
    with provide_environment("library-mcp", scope_sandbox(["SHELF_URL"], [SHELF], [CANDLES]), None) as environ:
        assert environ["SHELF_URL"] == "real"
