"""Meaning of columns: names of columns, users, timestamps, points."""
