"""Minimum sets by search over sets of zones, with a verify engine as the oracle."""
