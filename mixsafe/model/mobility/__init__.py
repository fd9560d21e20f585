"""Mobility data: traces and positions, regions, time steps, mobility models."""
