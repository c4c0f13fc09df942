"""JSON Schema at run time: validation, violations and normalised values."""
