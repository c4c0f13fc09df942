"""Every command on hostile contracts reports positions, or writes valid Python."""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codegen.conftest import Command
from tests.codegen.test_mutations import ORIGINALS, draw_folders, draw_torn, fill_folder, get_value, list_paths
from toolaccord_codegen.__main__ import main

GENERATE = ("generate", "--package", "acme")
CHECK = ("check", "--package", "acme")
READING = (
    ("lint",),
    ("lint", "--format", "sarif"),
    ("breaking", "--against", "before"),
    ("breaking", "--against", "before", "--format", "markdown"),
    ("changelog", "--against", "before"),
    ("new", "tool", "tradestream/strategy", "get_new"),
)
"""Commands that generate nothing."""
POSITION = re.compile(r"[^:\n]+:[1-9]\d*:[1-9]\d*: [A-Z_]+: .")
TEXTS = (
    'ends with """', '"""', '"""both"""', '\\"""', '""""', "'''", "\\", "\\\\", 'x"', "\\N{BULLET}", "\\u12", "\\x",
    "{{ cycler }} {% raise %} {# x #}", "${HOME} %s {0}", "\0", "a\0b", "\x1b[2J", "\r\n\x0b\x0c\x1c\x85\u2028\u2029",
    "\u202e\u2066", "\ufeff", "\U000e0001", "\ud800", "x\ud800\udc00", "", " ", "\n", "# noqa", "-- */", "</script>",
    "word " * 40 + '"""', "word\n" * 40 + "\\", "w" * 5000,
)  # fmt: skip
"""Texts that end a literal, a docstring, a template or a line, or that no file may hold."""


@st.composite
def draw_texts(draw: st.DrawFn) -> dict[str, str]:
    """Draw a real contract with a hostile text in place of one to five of its texts."""
    name = draw(st.sampled_from([name for name in ORIGINALS if "/" in name]))
    value = json.loads(ORIGINALS[name])
    paths = [path for path in list_paths(value) if isinstance(get_value(value, path), str)]
    described = [path for path in paths if path[-1] in {"description", "title", "instructions"}]
    for path in draw(st.lists(st.sampled_from(described) | st.sampled_from(paths), min_size=1, max_size=5)):
        get_value(value, path[:-1])[path[-1]] = draw(st.sampled_from(TEXTS) | st.text(max_size=30))
    return {name: json.dumps(value, ensure_ascii=draw(st.booleans()))}


@contextlib.contextmanager
def hostile_folder(changed: dict[str, str]) -> Iterator[None]:
    """Yield a folder with real contracts, some of them changed, and the originals beside them."""
    with TemporaryDirectory() as folder, contextlib.chdir(folder):
        texts = fill_folder(changed, "tradestream/strategy.json")
        for top, found in (("before", {name: ORIGINALS[name] for name in texts}), ("contracts", texts)):
            for name, text in found.items():
                path = Path(top, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode("utf-8", "surrogatepass"))
        yield


def run(*arguments: str) -> tuple[int, str]:
    """Run a command; return its exit code and output. Asserts that every problem has a position."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        code = main(arguments)
    text = output.getvalue()
    text.encode()
    assert code in {0, 1, 2, 3}
    if code == 3 and "--format" not in arguments:
        assert POSITION.match(text)
    return code, text


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(draw_texts() | draw_folders() | draw_torn())
def test_no_contract_makes_a_reading_command_fail_otherwise(texts: dict[str, str]) -> None:
    with hostile_folder(texts):
        for arguments in READING:
            assert run(*arguments)[0] in ({0, 2, 3} if arguments[0] == "new" else {0, 1, 3})


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(draw_texts() | draw_folders())
def test_every_contract_is_generated_as_python_or_rejected_with_positions(texts: dict[str, str]) -> None:
    with hostile_folder(texts):
        code, text = run(*GENERATE)
        assert code == 0 or (code == 3 and text.endswith(" problem(s)\n"))
        for path in Path("acme").rglob("*.py"):
            compile(path.read_text(encoding="utf-8"), str(path), "exec")
        assert run(*CHECK)[0] in {0, 1, 3}


def describe(text: str) -> str:
    """Return the contract of the shop with a text as its tool's description."""
    contract = json.loads(Path("contracts/shop/stock.json").read_text(encoding="utf-8"))
    contract["tools"][0]["description"] = text
    return json.dumps(contract)


def chain() -> str:
    """Return the contract of the shop with a chain of 3,000 references."""
    contract = json.loads(Path("contracts/shop/stock.json").read_text(encoding="utf-8"))
    links = {f"D{index}": {"$ref": f"#/$defs/D{index + 1}"} for index in range(3000)}
    contract["$defs"] = {**links, "D3000": {"type": "string"}}
    contract["tools"][0]["returns"]["properties"]["end"] = {"$ref": "#/$defs/D0"}
    return json.dumps(contract)


LARGE: dict[str, tuple[Callable[[], str], str]] = {
    "a chain of references": (chain, "SCHEMA_TOO_LARGE"),
    "a description of 10 MB": (lambda: describe("word " * 2_000_000), "FILE_UNREADABLE"),
    "a long integer": (lambda: '{"contract": ' + "9" * 10_000 + ', "server": {}}', "INTEGER_RANGE"),
    "many brackets": (lambda: "[" * 100_000, "JSON_SYNTAX"),
    "many closed brackets": (lambda: "[" * 100_000 + "]" * 100_000, "JSON_SYNTAX"),
    "many objects": (lambda: '{"a":' * 100_000, "JSON_SYNTAX"),
    "a repeated key": (lambda: "{" + ",".join(['"a":1'] * 30_000) + "}", "DUPLICATE_KEY"),
    "text of another encoding": (lambda: '{"a": "\udcff"}', "JSON_ENCODING"),
}


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("name", LARGE)
def test_a_contract_beyond_a_limit_is_rejected_within_two_seconds_of_processor_time(
    name: str, command: Command
) -> None:
    make, rule = LARGE[name]
    Path("contracts/shop/stock.json").write_bytes(make().encode("utf-8", "surrogateescape"))
    for arguments in (GENERATE, CHECK, ("lint",), ("breaking", "--against", "contracts")):
        started = time.process_time()
        code, output = command(*arguments)
        assert time.process_time() - started < 2
        assert code == 3
        assert f": {rule}: " in output


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize(
    "content",
    [b"\xff\xfe", b"async def count(request, call): ...\0", b"x = " + b"(" * 5000, b"x = " + b"-" * 100_000 + b"1"],
)
def test_a_handlers_module_that_python_rejects_is_a_problem(content: bytes, command: Command) -> None:
    Path("handlers/shop/stock.py").write_bytes(content)
    code, output = command(*GENERATE)
    assert code == 0
    code, output = command(*CHECK)
    assert code == 1
    assert "HANDLER_SYNTAX" in output
    code, output = command("new", "tool", "shop/stock", "get_new")
    assert code == 2
    assert "stock.py" in output


@pytest.mark.usefixtures("shop")
def test_a_changelog_that_is_no_text_stays_as_it_is(command: Command) -> None:
    Path("CHANGELOG.md").write_bytes(b"\xff")
    code, output = command("changelog", "--against", "contracts", "--into", "CHANGELOG.md")
    assert (code, output) == (2, "toolaccord_codegen: CHANGELOG.md is not UTF-8; save it as UTF-8\n")
    assert Path("CHANGELOG.md").read_bytes() == b"\xff"


@pytest.mark.usefixtures("shop")
def test_a_file_name_that_is_no_text_is_shown_with_escapes(command: Command) -> None:
    Path("contracts/shop/stock.json").rename(os.fsdecode(b"contracts/shop/st\xffck.json"))
    code, output = command(*GENERATE)
    assert (code, output.partition(": ")[0]) == (3, "contracts/shop/st\\udcffck.json:1:1")


@pytest.mark.usefixtures("shop")
def test_a_tool_can_be_added_behind_a_long_integer(command: Command) -> None:
    text = Path("contracts/shop/stock.json").read_text(encoding="utf-8")
    long = text.replace('"timeout_ms": 1000', '"timeout_ms": 1000, "x-long": ' + "9" * 10_000)
    assert long != text
    Path("contracts/shop/stock.json").write_text(long, encoding="utf-8")
    code, output = command("new", "tool", "shop/stock", "get_new")
    assert (code, output) == (
        2,
        "toolaccord_codegen: integers must fit in 64 bits; write a string or a smaller number\n",
    )


@pytest.mark.parametrize("option", ["--contracts", "--out"])
@pytest.mark.parametrize("name", ["a\0b", "a\udcff", "a\nb", "\x1b[2J"])
def test_a_folder_whose_name_is_no_text_is_rejected(option: str, name: str) -> None:
    with pytest.raises(SystemExit) as end:
        main([*GENERATE, option, name])
    assert end.value.code == 2


@pytest.mark.usefixtures("shop")
def test_output_that_a_terminal_cannot_show_is_escaped() -> None:
    before = os.fsdecode(b"be\xfffore")
    shutil.copytree("contracts", before)
    command = [sys.executable, "-m", "toolaccord_codegen", "breaking", "--against", before]
    done = subprocess.run(
        command, capture_output=True, check=False, env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"}
    )
    assert (done.returncode, done.stdout) == (0, b"nothing changed against be\\udcfffore\n")
