"""The contract language: frozen records, whose fields are the keys of contracts."""
