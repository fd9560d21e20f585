"""Tests of clusters need the extra cluster, which is among what developers install."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("distributed") else ["test_*.py"]
