"""gallery-mcp: Gallery.

Generated from tests/toolpact/contracts/demo/gallery.json; do not edit. Regenerate with `python -m
tests.toolpact.compilation`.
"""
