"""One file per command, or one folder where it has commands of its own."""
