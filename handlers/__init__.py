"""How the tools keep what their contracts promise: plain async functions, a folder for each system."""
