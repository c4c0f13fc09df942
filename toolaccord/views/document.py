"""Documents of views: one HTML file each, which loads nothing.

The modules of JavaScript are joined in the order of their imports, without comments and the words import and export. So
their names are unique among the modules.
"""

import html
import json
import posixpath
import re
from importlib import resources

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'none'"
)
"""Policy of MCP Apps for a view that asks for nothing."""

_CHARTS = frozenset({"candles", "lines"})
_IMPORT = re.compile(r'^import\s[^;]*?from "(?P<path>[^"]+)";\n', re.MULTILINE)
_COMMENT = re.compile(r"^ *(?:/\*\*(?:[^*]|\*(?!/))*\*/|// [^\n]*)\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=async |class |const |function )", re.MULTILINE)


def build_document(configuration: bytes | str) -> str:
    """Return the document of a view, from the configuration that the compiler writes."""
    view = json.loads(configuration)
    kinds = sorted({panel["kind"] for panel in view["panels"]})
    embedded = json.dumps(view, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    head = _styles(kinds)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(view["title"])}</title>
{head}
</head>
<body>
<script type="application/json" id="view">{embedded}</script>
{_scripts(kinds)}
</body>
</html>
"""


def read_file(path: str) -> str:
    """Return the text of a file of this folder, e.g. bridge.js."""
    return resources.files(__package__).joinpath(path).read_text(encoding="utf-8")


def _styles(kinds: list[str]) -> str:
    vendored = f"<style>{read_file('vendor/uPlot.min.css')}</style>\n" if _CHARTS & set(kinds) else ""
    return f"{vendored}<style>\n{read_file('style.css')}</style>"


def _scripts(kinds: list[str]) -> str:
    vendored = f"<script>\n{_read_chart_library()}</script>\n" if _CHARTS & set(kinds) else ""
    panels = ", ".join(f"{kind}: {kind.capitalize()}Panel" for kind in kinds)
    modules = join_modules(["page.js", *(f"panels/{kind}.js" for kind in kinds)])
    return f'{vendored}<script type="module">\n{modules}startPage({{ {panels} }});\n</script>'


def _read_chart_library() -> str:
    """Return uPlot with its licence, which each copy has to carry."""
    return f"/*\n{read_file('vendor/LICENSE')}*/\n{read_file('vendor/uPlot.iife.min.js')}\n"


def join_modules(paths: list[str]) -> str:
    """Return one script of modules and of all that they import, each once and after its imports."""
    joined: dict[str, str] = {}
    for path in paths:
        _join(path, joined)
    return "".join(joined.values())


def _join(path: str, joined: dict[str, str]) -> None:
    if path in joined:
        return
    source = read_file(path)
    for match in _IMPORT.finditer(source):
        _join(posixpath.normpath(posixpath.join(posixpath.dirname(path), match["path"])), joined)
    joined[path] = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", source)))
