"""Processes of a script do not run the script again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
sys.path[:0] = {path!r}
import mixsafe
print("the script runs")
problem = mixsafe.pose(mixsafe.load({source!r}))
found = mixsafe.compare([mixsafe.Question(problem)], engines=["bounds", "dp"], k=2)
print(*found.table["status"])
"""


def test_a_comparison_in_a_script_without_a_guard_runs_it_once(tmp_path: Path) -> None:
    source, script = tmp_path / "t.csv", tmp_path / "script.py"
    source.write_text("user_id,time_id,reg_id\n1,1,1\n2,1,1\n1,2,1\n2,2,1\n")
    path = [entry for entry in sys.path if entry]
    script.write_text(SCRIPT.format(path=path, source=str(source)))
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.stdout.splitlines() == ["the script runs", "decided decided"], done.stderr
