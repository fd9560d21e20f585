"""Control-C while sources are sorted on disk."""

import os
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
sys.path[:0] = {path!r}
from mixsafe.extract.large import extraction
from mixsafe.io.traces import in_pieces
from mixsafe_cli.app import app

def endless(*_):
    print("sorting", flush=True)
    threading.Event().wait()

extraction.zones_by_time = endless  # columns lie there then
in_pieces.FIX_BYTES = 10**15  # all sources are large
app(["zones", {source!r}, "-o", {zones!r}, "--temporary-folder", {folder!r}])
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal for one process")
def test_control_c_leaves_no_file_behind(tmp_path):
    source, zones, folder = tmp_path / "fixes.csv", tmp_path / "zones.csv", tmp_path / "folder"
    source.write_text("user_id,time_id,reg_id\n1,1,1\n2,1,1\n1,2,1\n2,2,1\n")
    folder.mkdir()
    path = [entry for entry in sys.path if entry]
    names = {"source": str(source), "zones": str(zones), "folder": str(folder)}
    program = PROGRAM.format(path=path, **names)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout.readline() == "sorting\n"
        assert len(list(folder.iterdir())) == 1
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=600)
    assert (run.returncode, "interrupted" in said) == (130, True)
    assert list(folder.iterdir()) == []
    assert sorted(tmp_path.iterdir()) == [source, folder]
