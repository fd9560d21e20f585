"""What columns mean: whose names they bear, users, moments, points."""
