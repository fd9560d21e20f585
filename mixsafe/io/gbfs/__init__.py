"""Feeds of shared vehicles (GBFS): snapshots, read and written."""
