"""The checker of certificates: it trusts no engine, and imports the model and nothing else."""
