"""A server as a process: command line, start, stop."""
