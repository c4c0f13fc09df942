"""Options of each command as frozen records; a field declares its argument."""
