"""The mixsafe command: one file per command; heavy modules are imported on demand."""
