"""`bundle` writes one file with all that a server needs, and an entry for the registry."""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificateIssuerPrivateKeyTypes
from cryptography.x509.oid import NameOID
from jsonschema import Draft202012Validator

from tests.codegen.conftest import Command
from tests.hosts.schemas import REGISTRY
from toolaccord_codegen.__main__ import main

NAMES = ("--package", "acme", "--namespace", "io.github.acme")
MINIMAL = Path(__file__).parents[1] / "cases/minimal/contracts/shop/stock.json"
RELEASE = "https://github.com/acme/stock-mcp/releases/download/v1"
BUNDLE = "dist/stock-1.0.0.mcpb"
HANDLER = '''"""Handlers."""

from acme.shop.stock.models import CountRequest, CountResult
from handlers.numbers import answer


async def count(request, call):
    import orjson
    return CountResult(count=answer())
'''
NUMBERS = """
def answer():
    return 7

def forecast():
    import grpc, jsonpatch
"""
PROJECT = """[project]
name = "shop"
requires-python = ">=3.12"
license = "MIT"
authors = [{ email = "x@shop.example" }, { name = "A Shop" }]
dependencies = ["toolaccord[http]", "orjson>=3", "hypothesis>=6", "not-installed>=1 ; sys_platform == 'linux'"]
"""
SETTINGS = {
    "stock_token": {"env": "STOCK_TOKEN", "description": "Key", "required": True, "secret": True},
    "stock_url": {"env": "STOCK_URL", "description": "Place", "default": "https://stock.example"},
    "stock_limit": {"env": "STOCK_LIMIT", "description": "Most", "type": "integer", "minimum": 1, "default": 5},
    "stock_loud": {"env": "STOCK_LOUD", "description": "Loud", "type": "boolean", "default": False},
}
PROMPTS = [
    {"name": "ask", "description": "Ask.", "messages": [{"role": "user", "text": "How many {article}?"}],
     "parameters": {"type": "object", "properties": {"article": {"type": "string"}}, "required": ["article"],
                    "additionalProperties": False}},
]  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Generate a server, of whose handlers' modules two are needed."""
    folder = tmp_path_factory.mktemp("project")
    contract = json.loads(MINIMAL.read_bytes()) | {"settings": SETTINGS, "prompts": PROMPTS}
    texts = {
        "contracts/shop/stock.json": json.dumps(contract),
        "handlers/__init__.py": "",
        "handlers/shop/__init__.py": "",
        "handlers/shop/stock.py": HANDLER,
        "handlers/shop/prices.txt": "1\n",
        "handlers/numbers.py": NUMBERS,
        "handlers/unused.py": "import somewhere\n",
        "pyproject.toml": PROJECT,
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    with contextlib.chdir(folder):
        assert main(["generate", *NAMES]) == 0
    return folder


@pytest.fixture
def bundled(project: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str]]:
    """Return a function that bundles the server of the project."""
    monkeypatch.chdir(project)
    return lambda *arguments: command("bundle", "shop/stock", *NAMES, *arguments)


def read(bundle: str = BUNDLE) -> dict[str, bytes]:
    """Return the files of a bundle."""
    with zipfile.ZipFile(bundle) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_bundle_has_what_the_server_imports_and_nothing_else(bundled: Callable[..., tuple[int, str]]) -> None:
    assert bundled()[0] == 0
    names = set(read())
    assert {"server.py", "manifest.json", "pyproject.toml", "handlers/numbers.py", "handlers/shop/prices.txt"} <= names
    assert {"acme/__init__.py", "acme/shop/__init__.py", "acme/shop/stock/server.py"} <= names
    assert not {name for name in names if "unused" in name or "hosts" in name or "toolaccord" in name}


@pytest.mark.parametrize(
    "name, content, reason",
    [
        ("id_rsa", "", "looks like a secret"),
        ("credentials.json", "{}", "looks like a secret"),
        ("prod.env", "A=1", "looks like a secret"),
        ("server.pem", "", "looks like a secret"),
        ("notes.txt", "-----BEGIN OPENSSH PRIVATE KEY-----", "looks like a secret"),
        ("a\\b.txt", "", "has a backslash"),
    ],
)
def test_a_file_that_looks_like_a_secret_or_leaves_its_folder_is_not_published(
    bundled: Callable[..., tuple[int, str]], tmp_path: Path, name: str, content: str, reason: str
) -> None:
    data = Path("handlers/shop") / name
    data.write_text(content)
    try:
        code, output = bundled("--to", str(tmp_path))
    finally:
        data.unlink()
    assert code == 2
    assert reason in output
    assert list(tmp_path.glob("*.mcpb")) == []


@pytest.mark.parametrize("name", ["tokenizer.json", "environment.txt", "keys.csv"])
def test_a_file_with_a_harmless_name_is_published(
    bundled: Callable[..., tuple[int, str]], tmp_path: Path, name: str
) -> None:
    data = Path("handlers/shop") / name
    data.write_text("")
    try:
        assert bundled("--to", str(tmp_path))[0] == 0
    finally:
        data.unlink()


def test_a_note_names_data_beside_handlers(bundled: Callable[..., tuple[int, str]]) -> None:
    assert "note    everybody who installs the bundle can read handlers/shop/prices.txt\n" in bundled()[1]


def test_the_manifest_asks_for_the_settings_and_marks_secrets(bundled: Callable[..., tuple[int, str]]) -> None:
    assert bundled()[0] == 0
    manifest: dict[str, Any] = json.loads(read()["manifest.json"])
    assert (manifest["manifest_version"], manifest["name"], manifest["version"]) == ("0.4", "stock", "1.0.0")
    assert (manifest["author"], manifest["license"]) == ({"name": "A Shop"}, "MIT")
    assert manifest["tools"] == [{"name": "count", "description": "Count an article"}]
    assert manifest["compatibility"]["platforms"] == ["darwin", "linux"], "servers do not run on Windows"
    assert manifest["prompts"][0]["text"] == "How many ${arguments.article}?"
    assert manifest["server"]["mcp_config"]["env"]["STOCK_TOKEN"] == "${user_config.stock_token}"
    questions = manifest["user_config"]
    assert (questions["stock_token"]["sensitive"], questions["stock_token"]["required"]) == (True, True)
    assert "default" not in questions["stock_token"]
    assert [questions[name]["title"] for name in ("stock_token", "stock_url")] == ["Stock token", "Stock URL"]
    assert {key: questions["stock_limit"][key] for key in ("type", "min", "default")} == {
        "type": "number", "min": 1, "default": 5,
    }  # fmt: skip
    assert (questions["stock_loud"]["type"], questions["stock_loud"]["default"]) == ("boolean", False)


def test_requirements_are_those_that_are_imported(bundled: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    wheel = tmp_path / "toolaccord-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"PK...")
    assert bundled("--wheel", str(wheel))[0] == 0
    files = read()
    required = tomllib.loads(files["pyproject.toml"].decode())
    first, *others = required["project"]["dependencies"]
    assert first.startswith("toolaccord[grpc]==")
    assert others == ["orjson>=3", "not-installed>=1 ; sys_platform == 'linux'"]
    assert required["project"]["requires-python"] == ">=3.12"
    assert required["tool"]["uv"]["sources"] == {"toolaccord": {"path": f"wheels/{wheel.name}"}}
    assert files[f"wheels/{wheel.name}"] == b"PK..."


def test_a_publisher_reads_what_others_need(bundled: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    wheel = tmp_path / "toolaccord-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"PK...")
    output = bundled()[1]
    assert "note    toolaccord comes from file://" in output
    assert "note    --release-url URL also writes server.json" in output
    assert "note    the handlers import jsonpatch, which no dependency in pyproject.toml names" in output
    output = bundled("--wheel", str(wheel), "--release-url", RELEASE)[1]
    assert "toolaccord comes from" not in output
    assert "--release-url" not in output


def test_equal_files_make_equal_bytes(bundled: Callable[..., tuple[int, str]], project: Path) -> None:
    assert bundled()[0] == 0
    for path in project.rglob("*.py"):
        os.utime(path, (0, 1_000_000_000))
    assert bundled("--to", "again")[0] == 0
    assert (project / "again/stock-1.0.0.mcpb").read_bytes() == (project / BUNDLE).read_bytes()
    with zipfile.ZipFile(BUNDLE) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_registrys_entry_names_the_bundle_and_its_hash(bundled: Callable[..., tuple[int, str]]) -> None:
    assert bundled("--release-url", f"{RELEASE}/")[0] == 0
    entry = json.loads(Path("dist/stock.server.json").read_bytes())
    assert [str(fault) for fault in Draft202012Validator(REGISTRY).iter_errors(entry)] == []
    assert entry["name"] == "io.github.acme/stock"
    assert entry["packages"][0] == {
        "registryType": "mcpb",
        "identifier": f"{RELEASE}/stock-1.0.0.mcpb",
        "version": "1.0.0",
        "fileSha256": hashlib.sha256(Path(BUNDLE).read_bytes()).hexdigest(),
        "transport": {"type": "stdio"},
    }


def test_a_bundle_serves_from_its_own_folder(bundled: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    assert bundled()[0] == 0
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(BUNDLE) as archive:
        archive.extractall(folder)
    arguments = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": arguments},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "count", "arguments": {}}},
    ]
    done = subprocess.run(
        [sys.executable, "-I", "-c", "import sys, runpy; sys.path.insert(0, '.'); runpy.run_path('server.py')"],
        cwd=folder,
        env={"STOCK_TOKEN": "a"},
        input="".join(f"{json.dumps({'jsonrpc': '2.0', **message})}\n" for message in messages),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, done.stdout.splitlines())}
    assert answers[2]["structuredContent"] == {"count": 7}


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (("--icon", "pyproject.toml"), "pyproject.toml is no PNG image"),
        (("--wheel", "pyproject.toml"), "pyproject.toml is no wheel"),
    ],
)
def test_a_file_of_another_kind_is_rejected(
    arguments: tuple[str, str], sentence: str, bundled: Callable[..., tuple[int, str]]
) -> None:
    code, output = bundled(*arguments, "--to", "rejected")
    assert (code, sentence in output) == (2, True)
    assert not Path("rejected").exists()


@pytest.mark.usefixtures("shop")
def test_a_server_that_is_unknown_or_not_current_is_rejected(command: Command) -> None:
    code, output = command("bundle", "shop/stok", *NAMES)
    assert (code, 'there is no server shop/stok; did you mean "shop/stock"?' in output) == (2, True)
    code, output = command("bundle", "shop/stock", *NAMES)
    assert (code, "generated files are not current; run: " in output) == (2, True)


def write_identity(folder: Path, key: CertificateIssuerPrivateKeyTypes) -> tuple[str, str]:
    """Write a key and its own certificate, and return their paths."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "A Shop")])
    day = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, day, day + dt.timedelta(days=36500))
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(pem, *plain))
    (folder / "certificate.pem").write_bytes(made.sign(key, hashes.SHA256()).public_bytes(pem))
    return str(folder / "key.pem"), str(folder / "certificate.pem")


def test_a_signature_covers_the_bundle_and_is_the_comment_of_its_zip_file(
    bundled: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    key, certificate = write_identity(tmp_path, rsa.generate_private_key(65537, 2048))
    status, output = bundled("--sign", key, "--certificate", certificate)
    assert (status, output.splitlines()[0].startswith(f"wrote   {BUNDLE} (")) == (0, True)
    content, _, rest = Path(BUNDLE).read_bytes().rpartition(b"MCPB_SIG_V1")
    signature, footer = rest[4:-12], rest[-12:]
    assert (int.from_bytes(rest[:4], "little"), footer) == (len(signature), b"MCPB_SIG_END")
    with zipfile.ZipFile(BUNDLE) as archive:
        assert archive.comment == b"MCPB_SIG_V1" + rest
        assert archive.testzip() is None
    (tmp_path / "content").write_bytes(content)
    verify: list[str | Path] = [
        "openssl",
        "cms",
        "-verify",
        "-binary",
        "-inform",
        "DER",
        "-content",
        tmp_path / "content",
    ]
    verify += ["-CAfile", certificate, "-purpose", "any", "-out", os.devnull]
    assert subprocess.run(verify, input=signature, capture_output=True, check=False).returncode == 0
    (tmp_path / "content").write_bytes(content[:-1] + b"x")
    assert subprocess.run(verify, input=signature, capture_output=True, check=False).returncode != 0


def test_a_key_that_hosts_cannot_verify_or_without_its_certificate_is_rejected(
    bundled: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    key, certificate = write_identity(tmp_path, ec.generate_private_key(ec.SECP256R1()))
    assert "belong together; give both" in bundled("--sign", key)[1]
    status, output = bundled("--sign", key, "--certificate", certificate)
    assert (status, "has no RSA key first" in output) == (2, True)
    other, _ = write_identity(tmp_path, rsa.generate_private_key(65537, 2048))
    (tmp_path / "other.pem").write_bytes(Path(other).read_bytes())
    write_identity(tmp_path, rsa.generate_private_key(65537, 2048))
    status, output = bundled("--sign", str(tmp_path / "other.pem"), "--certificate", certificate)
    assert (status, "openssl cannot sign the bundle: " in output) == (2, True)
