"""The checker of certificates: trusts no engine, and imports only the model."""
