from pathlib import Path

from tests.docs.recordings import BREAKING, record_breaking


def test_the_recording_in_the_readme_is_what_the_command_prints(tmp_path: Path) -> None:
    hint = "the output changed: record it anew with `python -m tests.docs.recordings`"
    assert BREAKING.read_text(encoding="utf-8") == record_breaking(tmp_path), hint
