"""gallery-mcp: Gallery.

Generated from tests/toolaccord/contracts/demo/gallery.json; do not edit. Regenerate with `python -m
tests.toolaccord.compilation`.
"""
