"""Charts of a result for a terminal."""
