"""File access: detecting content, reading columns and records, atomic writing."""
