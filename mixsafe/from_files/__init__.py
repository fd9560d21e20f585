"""Questions asked of files: large traces, releases, certificates, proofs for other programs."""
