"""The location trace anonymization contest: obfuscate, re-identify, infer, score, run."""
