"""The commands of `toolaccord`."""
