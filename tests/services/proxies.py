"""Real proxies on loopback, with the recipes of docs/operations.md."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from tests.services.fetched import ROOT, fetched
from tests.services.served import free_port

_PAGE = ROOT / "docs/operations.md"
_BACKENDS = ("10.0.0.1:8000", "10.0.0.2:8000")
"""The servers in the recipes."""
_COMMANDS: Mapping[str, Sequence[str]] = {
    "haproxy": ("-db", "-f"),
    "nginx": ("-e", "stderr", "-p", ".", "-c"),
    "caddy": ("run", "--adapter", "caddyfile", "--config"),
}
_LISTENS: Mapping[str, tuple[str, str]] = {
    "haproxy": ("bind :443 ssl crt /etc/haproxy/site.pem", "bind 127.0.0.1:{port}"),
    "nginx": ("listen 443 ssl;", "listen 127.0.0.1:{port};"),
    "caddy": ("mcp.example.org {", "http://127.0.0.1:{port} {{"),
}
"""The line with the public address, and what takes its place."""
_AROUND: Mapping[str, str] = {
    "haproxy": "{recipe}",
    "nginx": "daemon off; master_process off; pid pid; events {{}} http {{ access_log off; {temporary} {recipe} }}",
    "caddy": "{{\nadmin off\nauto_https off\n}}\n{recipe}",
}
"""The rest of a configuration."""
_FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


@asynccontextmanager
async def proxying(name: str, backends: Sequence[str], home: Path) -> AsyncIterator[str]:
    """Run a proxy by its recipe before *backends*, each a `host:port`; give its URL.

    Its log is in *home*, in the file with its name and `.log`.
    """
    port = free_port()
    file = home / f"{name}.conf"
    file.write_text(_configure(name, port, backends), encoding="utf-8")
    with (home / f"{name}.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            fetched(name),
            *_COMMANDS[name],
            file,
            cwd=home,
            env=os.environ | {"HOME": str(home)},
            stdout=log,
            stderr=log,
        )
    try:
        while not await _accepts(port):
            assert process.returncode is None, f"{name} ended with {process.returncode}"
        yield f"http://127.0.0.1:{port}"
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def _configure(name: str, port: int, backends: Sequence[str]) -> str:
    """Return the configuration with the recipe of the page, on other addresses."""
    blocks = re.findall(rf"```{name}\n(.*?)```", _PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (recipe,) = blocks
    public, own = _LISTENS[name]
    assert public in recipe
    recipe = recipe.replace(public, own.format(port=port))
    for named, backend in zip(_BACKENDS, backends, strict=True):
        assert named in recipe
        recipe = recipe.replace(named, backend)
    temporary = "".join(f"{each}_temp_path {each};" for each in _FOLDERS)
    return _AROUND[name].format(recipe=recipe, temporary=temporary)


async def _accepts(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        await asyncio.sleep(0.02)
        return False
    writer.close()
    return True
