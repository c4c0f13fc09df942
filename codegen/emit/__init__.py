"""Generated files: text made from the records of contracts."""
