"""Tests of the excerpts for Prometheus, Alertmanager and Grafana on docs/operations.md."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.contracts.reading import ROOT
from tests.services.fetched import fetched

PAGE = (ROOT / "docs/operations.md").read_text(encoding="utf-8")


def find_excerpt(first_word: str) -> str:
    """Return the YAML of the page that begins with a word."""
    (found,) = re.findall(rf"^```yaml\n({first_word}.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def run_tool(*command: str | Path) -> str:
    """Run a checker, which must succeed, and return its output."""
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def alertmanager(tmp_path: Path) -> Path:
    """The file of Alertmanager on the page."""
    file = tmp_path / "alertmanager.yml"
    file.write_text(find_excerpt("route:"), encoding="utf-8")
    return file


def test_promtool_accepts_the_jobs_of_a_server(tmp_path: Path) -> None:
    text = find_excerpt("rule_files:").replace("generated/", f"{ROOT}/generated/")
    file = tmp_path / "prometheus.yml"
    file.write_text(text, encoding="utf-8")
    assert "SUCCESS" in run_tool(fetched("promtool"), "check", "config", "--syntax-only", file)


def test_amtool_accepts_the_routes_of_alerts(alertmanager: Path) -> None:
    assert "SUCCESS" in run_tool(fetched("amtool"), "check-config", alertmanager)


@pytest.mark.parametrize("severity, receiver", [("critical", "pager"), ("warning", "chat")])
def test_an_alert_goes_to_the_receiver_of_its_severity(severity: str, receiver: str, alertmanager: Path) -> None:
    routed = run_tool(
        *(fetched("amtool"), "config", "routes", "test", f"--config.file={alertmanager}", f"severity={severity}")
    )
    assert routed.strip() == receiver


def test_the_folder_that_grafana_reads_has_dashboards_and_nothing_else() -> None:
    (provider,) = yaml.safe_load(find_excerpt("apiVersion:"))["providers"]
    files = [*(ROOT / provider["options"]["path"].removeprefix("/srv/")).iterdir()]
    assert {file.suffix for file in files} == {".json"}
    assert "all-servers.json" in {file.name for file in files}
