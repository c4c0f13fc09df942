"""JSON-RPC over standard input and output, framed by Content-Length."""
