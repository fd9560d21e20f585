"""What follows from what is known: reachability, matchings, and what an assumption leads to."""
