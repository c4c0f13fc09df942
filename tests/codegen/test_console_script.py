"""The command `toolaccord` itself."""

import sys
from importlib.abc import MetaPathFinder

import pytest

from toolaccord_codegen.console_script import main


class Interrupted(MetaPathFinder):
    """Loads the compiler until a person presses Ctrl-C."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Raise KeyboardInterrupt for the compiler."""
        if fullname == "toolaccord_codegen.__main__":
            raise KeyboardInterrupt


def test_ctrl_c_while_the_compiler_loads_is_a_status_and_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "toolaccord_codegen.__main__", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    assert main() == 130
