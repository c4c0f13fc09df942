"""The handlers of the tools: plain async functions, in a folder for each system."""
