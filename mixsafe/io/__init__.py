"""One reader or writer per file format. Input is validated here, once."""
