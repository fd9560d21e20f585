"""A contest among teams, with the part of the judge."""
