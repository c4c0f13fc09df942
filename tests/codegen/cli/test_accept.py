"""`accept`: an entry for a finding, in a file that keeps its order and formatting."""

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.codegen.conftest import Command

STOCK, ACCEPTED = Path("contracts/shop/stock.json"), Path("contracts/shop/stock.accepted.json")
REASON = ("--reason", "Nobody asks for more", "--today", "2026-11-23")


@pytest.fixture(autouse=True)
def _shop_with_findings(shop: Path) -> None:
    """Make a contract current with a finding of lint, and beside it the contract of before."""
    shutil.copytree(shop / "contracts", shop / "before")
    text = STOCK.read_text(encoding="utf-8").replace(', up to 40 characters"', '"')
    STOCK.write_text(text.replace('"maxLength": 40', '"maxLength": 30').replace(', "description": "Its name"', ""))


def suggested(output: str, rule: str) -> list[str]:
    """Return the arguments of the command that a report names to accept the finding of a rule."""
    line = next(line for line in output.splitlines() if f"toolaccord accept {rule} " in line)
    return shlex.split(line.partition("toolaccord ")[2])[:-2]


def test_the_command_that_lint_names_accepts_the_finding(command: Command) -> None:
    code, output = command("lint")
    arguments = suggested(output, "ARGUMENT_UNEXPLAINED")
    code, output = command(*arguments, *REASON)
    assert (code, output) == (0, f"wrote   {ACCEPTED}: accepted ARGUMENT_UNEXPLAINED at {STOCK}:11:55\n")
    assert json.loads(ACCEPTED.read_bytes()) == {
        "$schema": "../contract.schema.json#/$defs/AcceptedFile",
        "accepted": [
            {
                "rule": "ARGUMENT_UNEXPLAINED",
                "fingerprint": arguments[2],
                "reason": "Nobody asks for more",
                "date": "2026-11-23",
            }
        ],
    }
    assert command("lint")[1].endswith("1 finding accepted\n")
    before = ACCEPTED.read_bytes()
    assert command(*arguments, *REASON)[1] == f"kept    {ACCEPTED}: {arguments[2]} was accepted on 2026-11-23\n"
    assert ACCEPTED.read_bytes() == before


def test_the_command_that_breaking_names_accepts_the_break(command: Command) -> None:
    _, output = command("breaking", "--against", "before")
    for rule in ("LENGTH_TIGHTENED", "VERSION_NOT_BUMPED"):
        arguments = suggested(output, rule)
        assert arguments[-2:] == ["--against", "before"]
        assert command(*arguments, *REASON)[0] == 0
    output = command("breaking", "--against", "before")[1]
    assert "breaking (accepted): LENGTH_TIGHTENED" in output


def make_list(entries: str) -> str:
    """Return the text of a file of accepted findings."""
    return f'{{\n  "$schema": "../contract.schema.json#/$defs/AcceptedFile",\n  "accepted": {entries},\n  "x-note": "ours"\n}}\n'


OLD = '{"rule": "PAGE_WITHOUT_MINIMUM", "fingerprint": "0", "reason": "x", "date": "2026-01-01"}'
FILES: dict[str, Callable[[], str]] = {
    "an entry a line": lambda: make_list(f"[\n    {OLD}\n  ]"),
    "one line": lambda: make_list(f"[{OLD}]"),
    "no entry": lambda: make_list("[]"),
    "tabs": lambda: make_list(f"[\n    {OLD}\n  ]").replace("  ", "\t"),
    "windows": lambda: make_list(f"[\n    {OLD}\n  ]").replace("\n", "\r\n"),
    "byte order mark": lambda: "\ufeff" + make_list(f"[\n    {OLD}\n  ]"),
}


@pytest.mark.parametrize("form", FILES)
def test_a_new_entry_keeps_every_byte_of_the_file(form: str, command: Command) -> None:
    before = FILES[form]().encode()
    arguments = suggested(command("lint")[1], "ARGUMENT_UNEXPLAINED")
    ACCEPTED.write_bytes(before)
    assert command(*arguments, *REASON)[0] == 0
    after = ACCEPTED.read_bytes()
    common = next(at for at, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    assert after.endswith(before[common + (form == "no entry") :].lstrip(b"]"))
    assert (b"\r\n" in after) == (b"\r\n" in before)
    assert b"\n" not in after.replace(b"\r\n", b"") or b"\r\n" not in after
    entries = json.loads(after.decode("utf-8-sig"))["accepted"]
    assert [entry["rule"] for entry in entries][-1] == "ARGUMENT_UNEXPLAINED"
    assert len(entries) == (1 if form == "no entry" else 2)


@pytest.mark.parametrize(
    "arguments, fault",
    [
        (("ARGUMENT_UNEXPLAIND", "0"), 'is called "ARGUMENT_UNEXPLAIND"; did you mean "ARGUMENT_UNEXPLAINED"?'),
        (("ARGUMENT_UNEXPLAINED", "0"), "has the fingerprint 0; it has "),
        (("EVENT_REPEATED", "0"), "EVENT_REPEATED finds nothing; `"),
        (("LENGTH_TIGHTENED", "0"), "name a ref (--against REF)"),
        (
            ("LENGTH_TIGHTENED", "0", "--against", "before"),
            "no finding of LENGTH_TIGHTENED has the fingerprint 0; it has ",
        ),
        (("LENGTH_TIGHTENED", "0", "--reason", " "), "needs a reason"),
    ],
)
def test_a_wrong_finding_is_a_sentence_and_nothing_is_written(
    arguments: tuple[str, ...], fault: str, command: Command
) -> None:
    code, output = command("accept", *REASON, *arguments)
    assert (code, fault in output) == (2, True), output
    assert not ACCEPTED.exists()
