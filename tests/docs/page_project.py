"""A project made of the files of a page, which its code blocks name."""

import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from toolaccord.pytest.contract_coverage import Observations
from toolaccord.pytest.processes import HttpProcesses
from toolaccord.pytest.serve import Serve
from toolaccord_codegen.__main__ import main
from toolaccord_codegen.loading.documents import DIALECTS_FILE, OWN_DIALECTS

TABLE = '[tool.toolaccord]\npackage = "acme_generated"\nhandlers = "acme_handlers"\n'


def write_page(page: str, folder: Path) -> None:
    """Write the files of a page, and those that `toolaccord init` brings."""
    (folder / "pyproject.toml").write_text(TABLE, encoding="utf-8")
    for path, text in re.findall(r"^```\w+ (\S+)\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        with (folder / path).open("w" if path == "pyproject.toml" else "a", encoding="utf-8") as file:
            file.write(text)  # several blocks of a page may be one file
    (folder / "contracts" / DIALECTS_FILE).write_bytes(OWN_DIALECTS.read_bytes())


def forget_modules() -> None:
    """Let the modules of pages be imported anew."""
    for name in [each for each in sys.modules if each.startswith("acme_")]:
        del sys.modules[name]


@contextmanager
def generated_page(page: str, folder: Path) -> Iterator[Path]:
    """Generate the project of a page; it is the current folder, and its modules can be imported."""
    write_page(page, folder)
    forget_modules()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        assert main(["generate"]) == 0
        yield folder
    forget_modules()


async def run_tests(file: Path, tmp_path: Path, **others: Any) -> Observations:
    """Run the tests of a file, each with the fixtures that it takes; return what they showed.

    They are `serve`, `tmp_path`, and *others*.
    """
    spec = importlib.util.spec_from_file_location(f"page_{file.stem}", file)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    observations = Observations()
    fixtures = {"serve": Serve(observations, HttpProcesses(tmp_path)), "tmp_path": tmp_path, **others}
    tests = [test for name, test in vars(module).items() if name.startswith("test_")]
    assert tests
    for test in tests:
        await test(**{name: fixtures[name] for name in inspect.signature(test).parameters})
    return observations
