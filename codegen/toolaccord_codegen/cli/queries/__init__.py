"""The SQL files of a project, described by a PostgreSQL and proved against contracts."""
