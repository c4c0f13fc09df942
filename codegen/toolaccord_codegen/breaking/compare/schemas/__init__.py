"""Compare schemas by keyword and member at any depth."""
