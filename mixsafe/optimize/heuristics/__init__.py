"""Sets of zones from above: some set that is enough, and then smaller ones."""
