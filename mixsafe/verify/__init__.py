"""The engines: one file per engine and per proof."""
