"""The SQL files of a project, described by a throw-away PostgreSQL and proved against its contracts."""
