"""Versions of a tool side by side: their lifecycle, and the steps between them."""
