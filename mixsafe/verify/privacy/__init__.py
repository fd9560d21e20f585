"""The answer to "is everybody protected?", of a verification or of an audit: numbers and words."""
