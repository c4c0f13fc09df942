"""The command line of toolaccord's peers, which have toolaccord's own options."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def options() -> Namespace:
    """Parse `--transport`, `--port`, `--more` (the number of further tools) and `--cache`."""
    parser = ArgumentParser()
    parser.add_argument("--transport", choices=["stdio", "http"], default="stdio")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--more", type=int, default=0)
    parser.add_argument("--cache", action="store_true")
    return parser.parse_args()
