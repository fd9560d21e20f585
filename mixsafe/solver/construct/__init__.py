"""Certain solutions: direct exchanges, through third parties, through free users."""
