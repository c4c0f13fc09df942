"""Workers: processes of one server on the same sockets, and their supervisor."""

VARIABLE = "TOOLACCORD_WORKER"
"""Environment variable that holds the order of a worker."""
