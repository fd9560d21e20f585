"""The picture at the top of README and home page is what its script draws."""

from __future__ import annotations

import runpy
from pathlib import Path


def test_the_picture_of_mix_zones_is_the_one_that_is_drawn(root: Path) -> None:
    script = root / "docs/figures/mix_zones_picture.py"
    drawn = runpy.run_path(str(script))["picture"]()
    kept = script.with_name("mix_zones.svg").read_text(encoding="utf-8")
    assert drawn == kept, f"run: python {script.relative_to(root)}"
