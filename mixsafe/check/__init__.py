"""The checker of certificates: trusts no engine, and decides with the model alone."""
