"""The `.proto` files of a contracts folder and their stubs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from toolaccord_codegen.__main__ import main
from toolaccord_codegen.compiler import compile_folder
from toolaccord_codegen.diagnostics import ContractProblems

ROOT = Path(__file__).parents[3]
CONTRACT = (Path(__file__).parents[1] / "cases/proto_syntax/contracts/shop/stock.json").read_text(encoding="utf-8")
PRICE = 'syntax = "proto3";\npackage shop;\nmessage Price { int64 cents = 1; }\n'
ARTICLE = """syntax = "proto3";
package shop;

import "google/protobuf/timestamp.proto";
import "shop/price.proto";

// Sells.
service Till {
  rpc Sell(Article) returns (Receipt);
}

message Article {
  string name = 1;
  Price price = 2;
}

message Receipt {
  google.protobuf.Timestamp at = 1;
  repeated Article articles = 2;
}
"""
FILES = {"shop/price.proto": PRICE, "shop/article.proto": ARTICLE}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with one contract current."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"shop/stock.json": CONTRACT})
    return tmp_path


def write(place: Path, files: dict[str, str], newline: str = "\n") -> None:
    for name, text in files.items():
        path = place / "contracts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline=newline)


def generate(place: Path, package: str = "acme") -> dict[str, str]:
    """Return the generated files by path."""
    assert main(["generate", "--package", package]) == 0
    out = place / Path(*package.split("."))
    files = (path for path in out.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(out).as_posix(): path.read_text(encoding="utf-8") for path in files}


def test_messages_get_a_module_and_a_type_stub_and_services_a_second_module(place: Path) -> None:
    write(place, FILES)
    assert {path for path in generate(place) if "_pb2" in path} == {
        "shop/article_pb2.py",
        "shop/article_pb2.pyi",
        "shop/article_pb2_grpc.py",
        "shop/price_pb2.py",
        "shop/price_pb2.pyi",
    }


@pytest.mark.parametrize("package", ["acme", "acme.generated"])
def test_stubs_import_each_other_from_the_chosen_package(place: Path, package: str) -> None:
    write(place, FILES)
    generate(place, package)
    (place / "acme" / "__init__.py").touch()
    program = (
        f"from {package}.shop import article_pb2, article_pb2_grpc, price_pb2\n"
        "sent = article_pb2.Article(name='tea', price=price_pb2.Price(cents=250))\n"
        "print(article_pb2.Article.FromString(sent.SerializeToString()).price.cents, article_pb2_grpc.TillStub.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=place, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["250", "TillStub"]


def test_equal_files_give_equal_stubs_in_any_folder_and_with_any_line_ending(
    place: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(place, FILES)
    here = generate(place)
    there = tmp_path_factory.mktemp("a place with spaces")
    write(there, {"shop/stock.json": CONTRACT})
    write(there, FILES, newline="\r\n")
    monkeypatch.chdir(there)
    assert generate(there) == here


def test_a_stub_names_its_source_and_its_command(place: Path) -> None:
    write(place, FILES)
    note = "# Generated from contracts/shop/article.proto; do not edit. Regenerate with `toolaccord generate"
    stubs = {path: text for path, text in generate(place).items() if path.startswith("shop/article_pb2")}
    assert all(text.startswith(note) for text in stubs.values())


def test_check_names_a_changed_proto_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, FILES)
    generate(place)
    write(place, {"shop/price.proto": PRICE.replace("cents", "pence")})
    assert main(["check", "--package", "acme"]) == 1
    assert "acme/shop/price_pb2.pyi: contracts/shop/price.proto changed since" in capsys.readouterr().out


def test_stubs_are_removed_with_their_proto_file(place: Path) -> None:
    write(place, FILES)
    generate(place)
    for name in FILES:
        (place / "contracts" / name).unlink()
    assert not [path for path in generate(place) if "_pb2" in path]


def test_every_faulty_file_is_named_with_line_and_column(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    faulty = {"shop/article.proto": ARTICLE.replace("name = 1;", "name = 1"), "shop/price.proto": "message {}\n"}
    write(place, faulty)
    with pytest.raises(ContractProblems) as raised:
        compile_folder(Path("contracts"))
    places = [str(problem).split(": ")[:2] for problem in raised.value.problems]
    assert ["contracts/shop/article.proto:14:3", "PROTO_SYNTAX"] in places
    assert ["contracts/shop/price.proto:1:9", "PROTO_SYNTAX"] in places
    assert capfd.readouterr() == ("", "")


def test_a_folder_without_proto_files_does_not_load_protoc(place: Path) -> None:
    program = (
        "import sys\n"
        "from toolaccord_codegen.__main__ import main\n"
        "main(['generate', '--package', 'acme'])\n"
        "sys.exit('grpc_tools' in sys.modules)"
    )
    command = [sys.executable, "-c", program]
    assert subprocess.run(command, cwd=place, env={"PYTHONPATH": str(ROOT)}, check=False).returncode == 0
