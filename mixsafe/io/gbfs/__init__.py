"""Feeds of shared vehicles: GBFS snapshots, and tables of records or trips, as tracklets."""
