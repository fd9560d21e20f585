"""PPMTF+: a model of how people move, trained on some, and virtual users drawn from it."""
