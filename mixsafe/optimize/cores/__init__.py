"""Minimum sets by cores of a formula: bounds from below that meet those from above."""
