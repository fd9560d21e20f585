"""Grids and distances on the ground."""
