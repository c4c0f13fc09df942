"""Test the base of a comparison: a folder, or a git ref read without a checkout."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.codegen.breaking.conftest import git
from tests.codegen.conftest import Command
from toolaccord_codegen.breaking.baseline import NoBase, NoUpstream, merge_base, read_base

CONTRACTS = Path("contracts")


def test_a_ref_is_read_without_a_checkout(repository: Path) -> None:
    before = git(repository, "status", "--porcelain")
    found = read_base(CONTRACTS, "v1")
    document = found.contracts["shop/stock.json"]
    assert document.display_path == "v1:contracts/shop/stock.json"
    assert document.value["tools"][0]["parameters"]["properties"]["x"]["maximum"] == 100
    assert git(repository, "status", "--porcelain") == before


def test_a_ref_is_read_from_any_folder_of_the_repository(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "contracts" / "shop")
    assert list(read_base(Path(".."), "v1").contracts) == ["shop/stock.json"]


def test_a_folder_wins_over_a_ref_of_its_name(repository: Path) -> None:
    git(repository, "branch", "contracts")
    document = read_base(CONTRACTS, "contracts").contracts["shop/stock.json"]
    assert document.display_path == "contracts/shop/stock.json"


def test_files_with_odd_names_are_read(repository: Path) -> None:
    odd = repository / "contracts" / "shop" / 'stück "a"\t.json'
    odd.write_bytes((repository / "contracts" / "shop" / "stock.json").read_bytes())
    git(repository, "add", "contracts")
    git(repository, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "--message=odd")
    assert 'shop/stück "a"\t.json' in read_base(CONTRACTS, "HEAD").contracts


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("ref", ["nothing", "--upload-pack=touch", "v1:contracts", "", "HEAD^5"])
def test_an_unknown_ref_is_rejected(ref: str) -> None:
    with pytest.raises(NoBase, match=f'^git has no commit "{re.escape(ref)}"; name a branch'):
        read_base(CONTRACTS, ref)


def test_a_ref_without_the_folder_is_rejected(repository: Path) -> None:
    (repository / "api").mkdir()
    with pytest.raises(NoBase, match="git cannot read api at this ref"):
        read_base(Path("api"), "v1")


def test_a_folder_outside_any_repository_has_no_refs(
    states: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(states.parent))
    code, output = command("breaking", "--contracts", "after", "--against", "main")
    assert code == 2
    assert "toolaccord_codegen: git cannot read after at this ref: not a git repository" in output


def test_the_merge_base_is_where_the_branch_left_the_default_branch_of_its_upstream(repository: Path) -> None:
    with pytest.raises(NoUpstream, match="nothing is compared"):
        merge_base(CONTRACTS)
    clone = repository / "clone"
    subprocess.run(["git", "clone", "--quiet", str(repository), str(clone)], check=True)
    git(clone, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "--allow-empty", "--message=b")
    assert merge_base(clone / "contracts") == git(repository, "rev-parse", "v1")[:12]


def test_the_two_lines_of_a_missing_upstream_mend_a_shallow_clone_of_a_branch(
    repository: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "branch", "trunk")
    git(repository, "checkout", "--quiet", "-b", "topic")
    for name in "ab":
        author = ("-c", "user.name=a", "-c", "user.email=a@localhost")
        git(repository, *author, "commit", "--quiet", "--allow-empty", f"--message={name}")
    clone = repository / "clone"
    options = ("--quiet", "--depth=1", "--no-single-branch", "--branch=topic")
    subprocess.run(["git", "clone", *options, repository.as_uri(), str(clone)], check=True)
    git(clone, "remote", "set-head", "origin", "--delete")
    git(repository, "checkout", "--quiet", "trunk")
    monkeypatch.chdir(clone)
    code, output = command("breaking", "--against", "upstream")
    assert code == 2
    for line in re.findall(r"^  git (.+)$", output, re.MULTILINE):
        git(clone, *line.split())
    assert merge_base(CONTRACTS) == git(repository, "rev-parse", "v1")[:12]


def test_an_invalid_file_of_the_base_is_named_with_its_ref(repository: Path, command: Command) -> None:
    (repository / "contracts" / "shop" / "till.json").write_text("{")
    git(repository, "add", "contracts")
    git(repository, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "--quiet", "--message=bad")
    (repository / "contracts" / "shop" / "till.json").unlink()
    code, output = command("breaking", "--against", "HEAD")
    assert code == 3
    assert output.startswith("HEAD:contracts/shop/till.json:1:2: JSON_SYNTAX: ")
