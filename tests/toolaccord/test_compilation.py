"""Prove that the package of the test servers is current."""

from tests.toolaccord.compilation import COMMAND, FOLDER, is_kept, render_package


def test_the_committed_package_is_what_the_contracts_compile_to() -> None:
    package = FOLDER / "generated"
    committed = {
        path.relative_to(package).as_posix(): path.read_text(encoding="utf-8")
        for path in package.rglob("*")
        if path.is_file() and is_kept(path.as_posix())
    }
    assert committed == render_package(), f"run {COMMAND}"
