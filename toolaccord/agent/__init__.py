"""Agents: clients of servers with one handler."""
