"""S-expressions (McCarthy, 1960): a writer for events and a reader of files."""
