"""Journals of long runs, from which a stopped run is resumed."""
