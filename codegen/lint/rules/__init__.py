"""Rules of the linter."""
