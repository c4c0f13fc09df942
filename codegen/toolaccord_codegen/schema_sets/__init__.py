"""Compare schemas and regular expressions as sets of values, and generate sample values."""
