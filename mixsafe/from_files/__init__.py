"""Questions asked of files: large traces, releases, certificates, tournaments, proofs."""
