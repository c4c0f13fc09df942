"""The command `dev`: serves a server while it is written, and replaces it at each save."""
