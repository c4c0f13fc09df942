"""A real Prometheus on loopback, which scrapes every second."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.services.served import free_port
from toolaccord.testing.programs import running

_PATIENCE_S = 30.0
"""Seconds after which a test gives up; far more than two scrapes take."""


class Prometheus:
    """Answers queries."""

    def __init__(self, url: str) -> None:
        self._url = url

    def is_ready(self) -> bool:
        """Tell if it answers queries."""
        try:
            with urllib.request.urlopen(f"{self._url}/-/ready", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def query(self, expr: str) -> list[dict[str, Any]]:
        """Return the series of a query in PromQL, each with its labels in `metric` and its `value`."""
        form = urllib.parse.urlencode({"query": expr}).encode()
        try:
            with urllib.request.urlopen(f"{self._url}/api/v1/query", data=form, timeout=30) as answer:
                found: list[dict[str, Any]] = json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{expr}: {error.read().decode()}") from None
        return found

    def wait_for(self, expr: str) -> list[dict[str, Any]]:
        """Return the series of a query as soon as there are some."""
        limit = time.monotonic() + _PATIENCE_S
        while not (found := self.query(expr)):
            assert time.monotonic() < limit, f"no series: {expr}"
            time.sleep(0.1)
        return found


@contextmanager
def scraping(
    program: Path, home: Path, jobs: Mapping[str, Mapping[str, Any]], rules: Sequence[Path] = ()
) -> Iterator[Prometheus]:
    """Run *program* with the scrape configurations *jobs*, by name, and files of rules."""
    configuration = {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
        "rule_files": list(map(str, rules)),
        "scrape_configs": [{"job_name": name, **each} for name, each in jobs.items()],
    }
    file = home / "prometheus.yml"
    file.write_text(json.dumps(configuration), encoding="utf-8")
    address = f"127.0.0.1:{free_port()}"
    command = [str(program), f"--config.file={file}", f"--storage.tsdb.path={home / 'data'}"]
    prometheus = Prometheus(f"http://{address}")
    with running("Prometheus", [*command, f"--web.listen-address={address}"], home, prometheus.is_ready):
        yield prometheus
