"""The test servers are compiled where they are not current."""

import os
from pathlib import Path

from tests.toolaccord import compilation


def test_this_run_has_current_servers_and_the_next_one_compiles_nothing() -> None:
    assert not compilation.compile_servers()


def test_a_changed_added_or_removed_file_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    states = [compilation.digest_state(tmp_path)]
    for text in ("{}", "[]", "{ }"):
        file.write_text(text)
        os.utime(file, ns=(0, len(states)))
        states.append(compilation.digest_state(tmp_path))
    (tmp_path / "b.json").touch()
    states.append(compilation.digest_state(tmp_path))
    assert len(set(states)) == len(states)
    file.unlink()
    assert compilation.digest_state(tmp_path) not in states
