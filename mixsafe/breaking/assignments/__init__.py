"""Assignments that show that a target passes, and which sightings contradict them."""
