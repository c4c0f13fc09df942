"""Server process: command line, start and health check."""
