"""Tournaments in folders: teams, data sets, what is published, and what the judge keeps."""
