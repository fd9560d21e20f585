"""Clusters that cannot be used: one clear line each, exit status 2, and nothing written."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import distributed.versions
import pytest
from distributed import Client
from typer.testing import CliRunner

from mixsafe.errors import InputError
from mixsafe.machinery.cluster import dask_executor
from mixsafe.machinery.cluster.connecting import ClusterWanted, check_reached, connected
from mixsafe_cli.app import app
from tests.support.machines import elsewhere


def refused(tmp_path: Path, *arguments: str) -> str:
    """What a command says that cannot use its cluster."""
    table = tmp_path / "table.csv"
    words = ["verify", "--k", "3", "--output", str(table), "--cluster", *arguments]
    done: Any = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert not table.exists()
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    "address",
    ["nonsense", "local:0", "local:two", "tcp://127.0.0.1", "127.0.0.1:99999", "127.0.0.1:999999"],
)
def test_what_is_no_address_is_refused_at_once(address, tmp_path):
    assert f"'{address}' is no" in refused(tmp_path, address)


def test_an_address_where_nobody_answers_is_refused_soon(tmp_path):
    with socket.socket() as taken:  # and does not listen
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        assert f"no Dask scheduler at {address}: connection refused" in refused(tmp_path, address)


def test_an_address_where_somebody_else_answers_is_refused_soon():
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        says = f"no Dask scheduler at {address}: it does not answer"
        with pytest.raises(InputError, match=says):
            check_reached(address, timeout=0.2)


def test_options_of_a_cluster_need_one_and_memory_is_that_of_a_local_one(tmp_path):
    done: Any = CliRunner().invoke(app, ["verify", "--k", "3", "--cluster-folder", str(tmp_path)])
    assert done.exit_code == 2
    assert "--cluster-folder cannot be given: there is no --cluster" in done.stderr
    with pytest.raises(InputError, match="only to workers of a local cluster"):
        ClusterWanted("127.0.0.1:8786", worker_memory=10**9)
    assert ClusterWanted("local:3").workers == 3
    assert ClusterWanted("local").workers >= 1


def older_numpy():
    """In a worker: its NumPy is another one."""
    real = distributed.versions._version_cached
    distributed.versions._version_cached = lambda name: "0.1" if name == "numpy" else real(name)


def other_code():
    """In a worker: somebody changed a file of mixsafe."""
    dask_executor.code_digest.cache_clear()
    dask_executor.__file__ = os.path.join(os.getcwd(), "mixsafe", "cluster", "dask_executor.py")


def test_workers_of_other_versions_are_refused(tmp_path):
    with elsewhere(tmp_path) as (address, _):
        with Client(address, set_as_default=False) as client:
            client.run(other_code)
        line = refused(tmp_path, address)
        assert "has other code of mixsafe" in line
        assert "install the same on all machines" in line
        with Client(address, set_as_default=False) as client:
            client.run(older_numpy)
        line = refused(tmp_path, address)
        assert "has numpy 0.1, and this program numpy " in line
        assert "install the same versions on all machines" in line


def test_a_folder_that_workers_do_not_see_is_refused(tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    with elsewhere(there) as (address, _):
        # Under this name each process finds the folder in which it was started.
        line = refused(tmp_path, address, "--cluster-folder", "/proc/self/cwd")
        assert "does not see what this program writes there" in line
        assert "give a folder that all machines share" in line
    assert not list(there.glob("token-*"))
    assert not list(Path.cwd().glob("token-*"))


def test_workers_with_several_threads_are_refused(tmp_path):
    with elsewhere(tmp_path, threads=2) as (address, _):
        line = refused(tmp_path, address)
        assert "has 2 threads, and needs one" in line
        assert "--nthreads 1" in line


def test_a_scheduler_without_workers_is_refused(tmp_path):
    with elsewhere(tmp_path, workers=0) as (address, _):
        wanted = ClusterWanted(address, timeout=1.0)
        with pytest.raises(InputError, match="has no workers"), connected(wanted):
            pytest.fail("there is no worker")
