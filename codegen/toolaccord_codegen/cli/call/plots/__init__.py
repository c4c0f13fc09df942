"""Charts of results: `call --plot`."""
