"""Whoever reads what a command prints may go, as ``head`` does; files are written all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("both", [False, True], ids=["answers", "notes too"])
def test_files_are_written_although_nobody_reads_what_is_said(tmp_path: Path, both: bool) -> None:
    """The note is on twice the same time of a user; the verdict is in the exit status as ever."""
    traces, out = tmp_path / "t.csv", tmp_path / "out.json"
    rows = [(who, time) for who in (1, 2) for time in (1700000040, 1700000100, 1700000101)]
    traces.write_text("user_id,time,lat,lon\n" + "".join(f"{w},{t},50,10\n" for w, t in rows))
    path = [entry for entry in sys.path if entry]
    program = f"import sys; sys.path[:0] = {path!r}; from mixsafe_cli.app import app; app()"
    reader, writer = os.pipe()
    os.close(reader)
    asked = ["verify", str(traces), "--k", "2", "--engine", "bounds", "--json", str(out)]
    done = subprocess.run(
        [sys.executable, "-c", program, *asked],
        stdout=writer,
        stderr=writer if both else subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert done.returncode == 4
    assert b"mixsafe:" not in (done.stderr or b"")
    assert '"verdict"' in out.read_text(encoding="utf-8")
