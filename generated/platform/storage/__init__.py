"""storage-mcp: Storage.

Generated from contracts/platform/storage.json; do not edit. Regenerate with `nox -s generate`.
"""
