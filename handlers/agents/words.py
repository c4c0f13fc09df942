"""Words of a language model, as readers and terminals may receive them."""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any

from pydantic import BeforeValidator


def _keep_visible(text: Any) -> Any:
    """Return *text* without control characters but line breaks, and stripped."""
    if not isinstance(text, str):
        return text
    return "".join(each for each in text if each == "\n" or unicodedata.category(each)[0] != "C").strip()


Words = Annotated[str, BeforeValidator(_keep_visible)]
"""A text of which only what people see counts, also for its length."""
