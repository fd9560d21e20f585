"""One file per command, or one folder per command with subcommands."""
