"""Certificate folders: a manifest and tables that are read in row groups."""
