"""Cells in which people with coordinates meet, and where places lie on a map."""
