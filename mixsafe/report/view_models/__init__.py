"""View models: results reduced to the plain values that pages show, small for data of any size."""
