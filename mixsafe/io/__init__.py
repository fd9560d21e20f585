"""One reader or writer per file format; what is read is checked here, once."""
