"""Commands that run a server, migrate its database, or draft a contract from it."""
