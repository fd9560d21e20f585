"""What commands read and write: sources, releases, outputs, runs that are taken up again."""
