"""Rows with whole lines of fixes: how they are written, found, and made into a row per fix."""
