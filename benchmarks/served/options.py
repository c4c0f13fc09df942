"""What the command line tells a server that is measured beside toolpact; the same words as toolpact's own."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def options() -> Namespace:
    """Read `--transport`, `--port`, `--more`: how many tools there are beside the measured ones, and `--cache`: whether to cache."""
    parser = ArgumentParser()
    parser.add_argument("--transport", choices=["stdio", "http"], default="stdio")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--more", type=int, default=0)
    parser.add_argument("--cache", action="store_true")
    return parser.parse_args()
