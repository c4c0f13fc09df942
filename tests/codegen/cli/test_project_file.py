"""[tool.toolaccord] of a pyproject.toml: defaults of flags, from any folder below it."""

from pathlib import Path

import pytest

from tests.codegen.conftest import Command
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.cli.parser import list_project_keys

TABLE = """[project]
name = "acme"

[tool.toolaccord] # of the servers
contracts = "promises"
out = "src/acme_generated"
package = "acme_generated"
"handlers" = "acme_handlers"
namespace = "io.github.acme"
"""


@pytest.fixture
def acme(shop: Path) -> Path:
    """Return a project whose folders have names of its own, told by its pyproject.toml."""
    (shop / "contracts").rename(shop / "promises")
    (shop / "src").mkdir()
    (shop / "handlers").rename(shop / "src" / "acme_handlers")
    (shop / "pyproject.toml").write_text(TABLE)
    return shop


def test_commands_need_no_flags_in_any_folder_below(
    acme: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command("generate")[0] == 0
    assert (acme / "src" / "acme_generated" / "shop" / "stock" / "server.py").is_file()
    header = (acme / "src" / "acme_generated" / "__init__.py").read_text()
    assert "Generated from promises/**/*.json; do not edit. Regenerate with `toolaccord generate`." in header
    assert "io.github.acme" in (acme / "src" / "acme_generated" / "shop" / "stock" / "server.json").read_text()
    monkeypatch.chdir(acme / "src" / "acme_handlers")
    code, output = command("check", "--against", str(acme / "promises"))
    assert (code, output.count(": ok: "), "Changes: " in output) == (0, 4, True), output
    assert command("generate")[1].endswith("; nothing changed\n")
    assert "wrote   shop/prices.py\n" in command("new", "server", "shop/prices")[1]
    assert "`python -m toolaccord_codegen generate`" in command("new", "tool", "shop/prices", "list_prices")[1]
    assert "Handlers of promises/shop/prices.json:" in Path("shop/prices.py").read_text()
    assert not Path("generated").exists()
    assert command("lint")[0] == 0
    assert command("breaking", "--against", "../../promises")[0] == 0


def test_a_flag_wins_over_its_key(acme: Path, command: Command) -> None:
    (acme / "promises").rename(acme / "others")
    assert command("generate", "--contracts", "others", "--namespace", "com.example")[0] == 0
    header = " ".join((acme / "src" / "acme_generated" / "__init__.py").read_text().split())
    assert "Regenerate with `toolaccord generate --contracts others --namespace com.example`." in header


def test_a_project_has_manifests_of_kubernetes_by_a_key_or_a_flag_and_check_finds_changes_in_them(
    acme: Path, command: Command
) -> None:
    folder = acme / "src" / "acme_generated" / "shop" / "kubernetes"
    assert command("generate")[0] == 0
    assert not folder.exists()
    assert command("generate", "--kubernetes")[0] == 0
    assert "Regenerate with `toolaccord generate --kubernetes`." in (folder / "stock.yaml").read_text()
    with (acme / "pyproject.toml").open("a") as file:
        file.write("kubernetes = true\n")
    assert command("generate")[0] == 0
    manifest = folder / "stock.yaml"
    assert "Regenerate with `toolaccord generate`." in manifest.read_text()
    manifest.write_text(manifest.read_text().replace("readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false"))
    code, output = command("check")
    assert (code, "shop/kubernetes/stock.yaml: it was edited by hand" in output) == (1, True), output


def test_two_servers_that_kubernetes_cannot_tell_apart_are_refused(
    acme: Path, command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a-b", "A.B"):
        contract = (acme / "promises" / "shop" / "stock.json").read_text()
        assert '"name": "stock"' in contract
        file = acme / "promises" / "shop" / f"{name.replace('.', '_').replace('-', '').lower()}.json"
        file.write_text(contract.replace('"name": "stock"', f'"name": "{name}"'))
    assert command("generate")[0] == 0
    assert main(["generate", "--kubernetes"]) == 2
    assert "Kubernetes already has a a-b; rename this one" in capsys.readouterr().err


def test_files_name_the_projects_own_command(acme: Path, command: Command) -> None:
    with (acme / "pyproject.toml").open("a") as file:
        file.write('regenerate = "make servers"\n')
    code, output = command("check")
    assert (code, "update with: make servers" in output) == (1, True)
    assert command("generate")[0] == 0
    assert "Regenerate with `make servers`." in (acme / "src" / "acme_generated" / "__init__.py").read_text()
    assert "`make servers`" in command("new", "tool", "shop/stock", "recount")[1]


@pytest.mark.parametrize(
    "text, fault",
    [
        (f'{TABLE}contract = "x"\n', 'pyproject.toml:10: [tool.toolaccord] has no key "contract"; did you mean "contracts"?'),
        ("[tool]\ntoolaccord = {hands = 'x'}\n", 'pyproject.toml: [tool.toolaccord] has no key "hands"; did you mean "handlers"?'),
        ("[tool.toolaccord]\nout = 3\n", "pyproject.toml:2: out of [tool.toolaccord]: this is no text; write it in quotation"),
        ('[tool.toolaccord]\npackage = "a-b"\n', 'package of [tool.toolaccord]: "a-b" is no name that Python can import'),
        ('[tool.toolaccord]\nkubernetes = "yes"\n', "kubernetes of [tool.toolaccord]: this is neither true nor false"),
        ('[tool.toolaccord]\nprofile = "lax"\n', 'profile of [tool.toolaccord]: "lax" is unknown; known here: strict, default'),
        ("[tool]\ntoolaccord = 1\n", "pyproject.toml: tool.toolaccord must be a table; begin it with the line [tool.toolaccord]"),
        ("[tool.toolaccord]\nout = x\n", "pyproject.toml is no TOML: "),
    ],
)  # fmt: skip
def test_a_wrong_key_is_a_sentence_with_its_place(
    text: str, fault: str, acme: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (acme / "pyproject.toml").write_text(text)
    assert main(["generate"]) == 2
    assert fault in capsys.readouterr().err


def test_all_wrong_keys_are_reported_at_once(acme: Path, command: Command) -> None:
    (acme / "pyproject.toml").write_text('[tool.toolaccord]\nout = 3\nhandler = "x"\n')
    assert command("lint")[1].count("[tool.toolaccord]") == 2


def test_a_file_without_the_table_is_passed_over(acme: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    (acme / "src" / "pyproject.toml").write_text("[project # broken, and of another tool\n")
    monkeypatch.chdir(acme / "src")
    assert command("generate")[0] == 0


def test_the_page_of_commands_explains_every_key() -> None:
    page = (Path(__file__).parents[3] / "docs" / "commands.md").read_text(encoding="utf-8")
    rows = [line.split("`")[1] for line in page.partition("| key |")[2].partition("\n\n")[0].splitlines()[2:]]
    assert sorted(rows) == sorted(list_project_keys())
