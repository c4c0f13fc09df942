"""Files of a contracts folder: read, parsed and located."""
