"""Workers: processes of one server on the same sockets, and their supervisor."""
