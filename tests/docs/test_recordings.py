from pathlib import Path

from tests.docs.recordings import BREAKING, PLOT, record_breaking, record_plot

HINT = "the output changed: record it anew with `python -m tests.docs.recordings`"


def test_the_recording_in_the_readme_is_what_the_command_prints(tmp_path: Path) -> None:
    assert BREAKING.read_text(encoding="utf-8") == record_breaking(tmp_path), HINT


def test_the_recording_of_a_plot_is_what_the_command_draws() -> None:
    assert PLOT.read_text(encoding="utf-8") == record_plot(), HINT
