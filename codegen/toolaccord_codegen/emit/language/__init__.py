"""The schema of the contract language, from its records."""
