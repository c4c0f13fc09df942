"""Versions of a tool side by side, and the steps between them."""
