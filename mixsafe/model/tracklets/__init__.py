"""Identifiers that change after every trip: tracklets, and which may be of one vehicle."""
