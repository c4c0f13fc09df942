"""Words of a language model, as readers and terminals may receive them."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

from pydantic import BeforeValidator


def keep_visible(text: str) -> str:
    """Return *text* without control characters but line breaks, and stripped."""
    return "".join(each for each in text if each == "\n" or unicodedata.category(each)[0] != "C").strip()


def _keep_visible(value: Any) -> Any:
    return keep_visible(value) if isinstance(value, str) else value


Words = Annotated[str, BeforeValidator(_keep_visible)]
"""A text of which only what people see counts, also for its length."""
