"""Import public MCP servers from npm and PyPI, and count what their drafts could not keep.

Run with `nox -s bench -- imports`; names after it choose servers. Each server is started for real: by its program if
that is on PATH, else by npx or uvx, which fetch it. Keys are placeholders, with which servers list their tools. A row
has the tools, the handlers and the differences of one draft, which compiles with all others in one project.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PLACEHOLDERS = (
    "BRAVE_API_KEY", "FIGMA_API_KEY", "FIRECRAWL_API_KEY", "GITHUB_PERSONAL_ACCESS_TOKEN",
    "GITLAB_PERSONAL_ACCESS_TOKEN", "NOTION_TOKEN", "TAVILY_API_KEY",
)  # fmt: skip
ENVIRONMENT = dict.fromkeys(PLACEHOLDERS, "placeholder") | {
    "CLICKHOUSE_HOST": "localhost",
    "CLICKHOUSE_USER": "reader",
    "CLICKHOUSE_PASSWORD": "",
    "GITLAB_API_URL": "https://localhost/api/v4",
}
EFFECTS = ("narrower", "wider", "same")
PATIENCE_S = 300


@dataclass(frozen=True)
class PublicServer:
    """A server of a package registry."""

    registry: str
    """npm or pypi."""
    package: str
    version: str
    program: str
    arguments: str = ""

    @property
    def command(self) -> str:
        """Return the command that starts it."""
        if shutil.which(self.program):
            return f"{self.program} {self.arguments}".strip()
        pinned = f"{self.package}@{self.version}"
        fetch = f"npx -y --package {pinned}" if self.registry == "npm" else f"uvx --from {pinned}"
        return f"{fetch} {self.program} {self.arguments}".strip()

    @property
    def module(self) -> str:
        """Return the short name of its draft."""
        words = re.findall(r"[a-z0-9]+", self.package.lower())
        telling = [word for word in words if word not in {"mcp", "modelcontextprotocol", "server"}]
        return "_".join(dict.fromkeys(telling))


SERVERS = tuple(
    PublicServer(*line.split(" ", 4))
    for line in """\
npm @antv/mcp-server-chart 0.9.10 mcp-server-chart
npm @brave/brave-search-mcp-server 2.1.4 brave-search-mcp-server --transport stdio
npm @executeautomation/playwright-mcp-server 1.0.12 playwright-mcp-server
npm @mastra/mcp-docs-server 0.13.31 mcp-docs-server
npm @modelcontextprotocol/server-everything 2026.8.31 mcp-server-everything
npm @modelcontextprotocol/server-filesystem 2026.8.31 mcp-server-filesystem .
npm @modelcontextprotocol/server-github 2025.4.8 mcp-server-github
npm @modelcontextprotocol/server-memory 2026.8.31 mcp-server-memory
npm @modelcontextprotocol/server-sequential-thinking 2026.8.31 mcp-server-sequential-thinking
npm @notionhq/notion-mcp-server 2.5.2 notion-mcp-server
npm @playwright/mcp 0.0.83 playwright-mcp
npm @upstash/context7-mcp 4.1.1 context7-mcp
npm @zereight/mcp-gitlab 2.1.64 mcp-gitlab
npm chrome-devtools-mcp 1.11.0 chrome-devtools-mcp
npm figma-developer-mcp 0.13.2 figma-developer-mcp --stdio
npm firecrawl-mcp 3.22.2 firecrawl-mcp
npm n8n-mcp 2.87.0 n8n-mcp
npm tavily-mcp 0.2.22 tavily-mcp
pypi awslabs.aws-documentation-mcp-server 1.1.30 awslabs.aws-documentation-mcp-server
pypi blender-mcp 2.0.0 blender-mcp
pypi duckduckgo-mcp-server 0.7.0 duckduckgo-mcp-server
pypi excel-mcp-server 2.2.2 excel-mcp-server stdio
pypi mcp-clickhouse 0.7.0 mcp-clickhouse
pypi mcp-server-fetch 2026.10.24 mcp-server-fetch
pypi mcp-server-git 2026.10.19 mcp-server-git
pypi mcp-server-sqlite 2025.4.25 mcp-server-sqlite
pypi mcp-server-time 2026.10.19 mcp-server-time
pypi office-word-mcp-server 1.1.11 word_mcp_server
pypi redis-mcp-server 0.5.1 redis-mcp-server --url redis://localhost:6379/0
pypi wikipedia-mcp 2.0.1 wikipedia-mcp
""".splitlines()
)


def main() -> int:
    """Import every server, or those that are named; print a table. Returns 1 if one fails."""
    parser = argparse.ArgumentParser(prog="./run bench -- imports", description=__doc__)
    names = [server.package for server in SERVERS]
    parser.add_argument("server", nargs="*", help=f"one of: {', '.join(names)}")
    chosen = parser.parse_args().server
    if unknown := set(chosen) - {*names}:
        parser.error(f"there is no server {', '.join(sorted(unknown))}")
    totals: Counter[tuple[str, ...]] = Counter()
    failed = 0
    print(
        "| server | version | tools | resources | prompts | narrower | wider | same |\n|---|---|---|---|---|---|---|---|"
    )
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "contracts").mkdir()
        for server in SERVERS:
            if chosen and server.package not in chosen:
                continue
            losses = _import(server, Path(folder))
            if losses is None:
                failed += 1
                continue
            contract = json.loads((Path(folder) / f"contracts/public/{server.module}.json").read_bytes())
            counts = [len(contract.get(key, ())) for key in ("tools", "resources", "prompts")]
            effects = Counter(loss["effect"] for loss in losses)
            cells = [server.package, server.version, *counts, *(effects[effect] for effect in EFFECTS)]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
            totals.update((loss["effect"], loss["keyword"], loss["change"]) for loss in losses)
            totals["tools",] += counts[0]
    print(f"\n{totals.pop(('tools',), 0)} tools\n\n| number | effect | keyword | change |\n|---|---|---|---|")
    for (effect, keyword, change), number in totals.most_common():
        print(f"| {number} | {effect} | `{keyword}` | {change} |")
    return 1 if failed else 0


def _import(server: PublicServer, folder: Path) -> list[dict[str, Any]] | None:
    """Import a server; return what its draft lost, or None after a line with the reason."""
    report = folder / f"{server.module}.losses.json"
    home = {"HOME": str(folder), "npm_config_cache": str(Path.home() / ".npm")}
    command = [
        sys.executable,
        "-m",
        "toolaccord_codegen",
        "import",
        f"public/{server.module}",
        "--from-server",
        server.command,
    ]
    done = subprocess.run(
        [*command, "--package", "drafts", "--handlers", "draft_handlers", "--report", str(report)],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT, **home, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode:
        print(f"| {server.package} | {server.version} | {(done.stderr or done.stdout).strip().splitlines()[-1][:90]} |")
        return None
    return list(json.loads(report.read_bytes())["losses"])


if __name__ == "__main__":
    raise SystemExit(main())
