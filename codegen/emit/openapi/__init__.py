"""OpenAPI descriptions of servers."""
