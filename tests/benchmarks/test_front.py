from pathlib import Path

from benchmarks.contenders import FASTMCP, TOOLACCORD
from benchmarks.page.front import MEASURES, Figure, draw_front
from benchmarks.page.report import ROWS

DOCS = Path(__file__).parents[2] / "docs"


def medians_of_the_page() -> dict[str, tuple[float, float]]:
    """Return the medians of toolaccord and FastMCP by measure, from docs/benchmarks.md."""
    page = (DOCS / "benchmarks.md").read_text(encoding="utf-8")
    table = page.split("## All numbers")[1].split("## Cost against size")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")]
    ours, theirs = rows[0].index(TOOLACCORD), rows[0].index(FASTMCP)
    return {ROWS[row[0]]: (median(row[ours]), median(row[theirs])) for row in rows if row[0] in ROWS}


def median(cell: str) -> float:
    return float(cell.partition(" (")[0].replace(",", ""))


def test_the_picture_of_the_readme_shows_the_medians_of_the_benchmarks() -> None:
    medians = medians_of_the_page()
    figures = [Figure(title, *medians[measure]) for title, measure in MEASURES.items()]
    assert (DOCS / "against-fastmcp.svg").read_text(encoding="utf-8") == draw_front(figures)
