"""Seeded scenarios: a town, the cabs of a city, and of any number of cities."""
