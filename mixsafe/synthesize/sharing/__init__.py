"""A fleet of shared vehicles, and the feed that it publishes."""
