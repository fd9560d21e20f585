"""The mixsafe command: one file per command, nothing heavy before it is needed."""
