"""The catalogue of a PostgreSQL database, read for a draft."""
