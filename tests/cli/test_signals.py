"""Control-C, SIGTERM and SIGHUP: a command that is ended leaves nothing of its own behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixsafe.machinery import temporary_files
from mixsafe_cli import signals
from mixsafe_cli.app import app

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")

PROGRAM = """
import hashlib, os, signal, sys, threading
sys.path[:0] = {path!r}
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # whoever runs the tests may have said nohup
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
from mixsafe.certify import certify
from mixsafe_cli import signals
from mixsafe_cli.app import app

def asleep(*_):
    print("certifying", flush=True)
    threading.Event().wait()

def deaf(*_):
    print("certifying", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)  # one step of the interpreter

certify.certified = {how}
signals.GRACE = {grace}
app(["verify", {source!r}, "--k", "2", "--engine", "bounds", "-o", {wires!r}, "--certificates",
     {proofs!r}])
"""


@pytest.mark.parametrize(
    ("how", "number", "grace"),
    [
        ("asleep", signal.SIGTERM, 10_000),
        ("deaf", signal.SIGHUP, 0.1),
        ("asleep", signal.SIGINT, 10_000),
        ("deaf", signal.SIGINT, 0.1),
    ],
    ids=["by itself", "by its listener", "Control-C, by itself", "Control-C, by its listener"],
)
def test_a_command_that_is_ended_leaves_nothing_of_its_own_and_all_of_others(
    how: str, number: signal.Signals, grace: float, tmp_path: Path
) -> None:
    source, proofs = tmp_path / "t.csv", tmp_path / "proofs"
    source.write_text("user_id,time_id,reg_id\n1,1,1\n2,1,1\n1,2,1\n2,2,1\n")
    proofs.mkdir()
    (proofs / "manifest.json").write_text("of an earlier run")
    path = [entry for entry in sys.path if entry]
    names = {"source": str(source), "proofs": str(proofs), "wires": str(tmp_path / "wires.csv")}
    program = PROGRAM.format(path=path, how=how, grace=grace, **names)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "certifying\n"
        assert len(list(tmp_path.iterdir())) == 3  # with a draft of the certificates
        run.send_signal(number)
        try:
            _, said = run.communicate(timeout=600)
        finally:
            run.kill()
    assert run.returncode == 128 + number, said
    reason = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
    assert f"{reason}; nothing half done was written" in said
    assert sorted(tmp_path.iterdir()) == [proofs, source]
    assert (proofs / "manifest.json").read_text() == "of an earlier run"


def test_what_a_command_leaves_that_was_killed_is_gone_after_the_next_one(tmp_path: Path) -> None:
    source, proofs = tmp_path / "t.csv", tmp_path / "proofs"
    source.write_text("user_id,time_id,reg_id\n1,1,1\n2,1,1\n1,2,1\n2,2,1\n")
    path = [entry for entry in sys.path if entry]
    names = {"source": str(source), "proofs": str(proofs), "wires": str(tmp_path / "wires.csv")}
    program = PROGRAM.format(path=path, how="asleep", grace=10_000, **names)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"certifying\n"
        run.kill()
    hidden, kept = sorted(one.name for one in tmp_path.iterdir())
    assert hidden.startswith(".mixsafe-")
    assert kept == "t.csv"
    asked = ["verify", source, "--k", 2, "--engine", "bounds", "--certificates", proofs]
    done = CliRunner().invoke(app, [str(word) for word in asked])
    assert done.exit_code == 4, done.output
    assert sorted(tmp_path.iterdir()) == [proofs, source]


WORKERS = """
import os, sys, threading
sys.path[:0] = {path!r}
from mixsafe.model.course import SolveLimits
from mixsafe.solver.workers import on_processes
from mixsafe_cli.signals import listening

def slow(context, task):
    os.write(1, b"%d\\n" % os.getpid())  # at once: two write here
    threading.Event().wait()

try:
    with listening(), on_processes(slow, None, 2, 2) as mapped:
        list(mapped([1, 2]))
except KeyboardInterrupt:
    sys.exit(7)
"""


def test_workers_end_with_the_command_that_started_them() -> None:
    program = WORKERS.format(path=[entry for entry in sys.path if entry])
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        workers = [int(run.stdout.readline()) for _ in range(2)]
        run.send_signal(signal.SIGTERM)
        assert run.wait(timeout=600) == 7
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_who_is_to_outlive_the_terminal_does() -> None:
    former = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals.listening():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, former)


def test_a_folder_that_is_replaced_is_before_a_signal_is_heard() -> None:
    done = []

    def work() -> None:
        with temporary_files.undisturbed():
            os.kill(os.getpid(), signal.SIGTERM)
            done.append("the second")
        done.append("too late")

    with signals.listening() as listener, pytest.raises(KeyboardInterrupt):
        work()
    assert (done, listener.status) == (["the second"], 143)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_of_what_is_temporary_nothing_stays_but_what_others_put_there(tmp_path: Path) -> None:
    for name in ("draft", "shared"):
        (tmp_path / name).mkdir()
    for file in ("draft/half", "shared/of another", "half.csv"):
        (tmp_path / file).touch()
    temporary_files.note(tmp_path / "draft")
    temporary_files.note(tmp_path / "half.csv")
    temporary_files.take_away()
    assert [one.name for one in tmp_path.rglob("*")] == ["shared", "of another"]
