"""More than one machine: workers of Dask, and a folder that all of them see."""
