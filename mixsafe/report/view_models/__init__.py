"""Results boiled down to what a page shows: small, whatever the size of the data."""
