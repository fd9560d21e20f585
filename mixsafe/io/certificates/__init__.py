"""Certificates as folders: a manifest, and columns that are read in pieces."""
