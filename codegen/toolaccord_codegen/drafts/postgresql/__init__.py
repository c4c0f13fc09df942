"""Drafts of a PostgreSQL database: tools on its tables, queries, handlers and a migration."""
