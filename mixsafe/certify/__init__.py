"""Certificates: for each safe claim its witnesses, for each unsafe one what bounds it."""
