"""Grafana dashboards of servers, agents and systems, with a remedy beside each query."""
