"""The command `top`: figures of running servers from their metrics."""
