"""Settings of the process and of its operator."""
