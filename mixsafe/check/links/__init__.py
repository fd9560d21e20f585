"""Checking certificates of what was concluded about links of tracklets."""
