"""Attacks: whose traces these are (re-identification), and where users were (trace inference)."""
