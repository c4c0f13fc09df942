"""What every generated server stands on: the one path of a call, its sources and its transports."""
