"""What others reach of a cluster: folders, sockets, and what takes a certificate."""

from __future__ import annotations

import contextlib
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import dask
import psutil
import pytest
from distributed import Client
from typer.testing import CliRunner

from mixsafe.errors import InputError
from mixsafe.machinery.cluster.connecting import ClusterWanted, connected
from mixsafe.machinery.cluster.shared import DiskFolder
from mixsafe_cli.app import app

NOBODY = 65534


def rights(path: Path | str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def listening() -> set[Any]:
    """Where this process and its children listen."""
    this = psutil.Process()
    found: set[Any] = set()
    for process in (this, *this.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            connections = process.net_connections("inet")
            found |= {one.laddr for one in connections if one.status == psutil.CONN_LISTEN}
    return found


def as_nobody(path: Path | str) -> int:
    """Status of a program that lists a folder as a user who has no rights of his own."""
    program = f"import os; os.setgid({NOBODY}); os.setuid({NOBODY}); os.listdir({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    return done.returncode


@pytest.fixture(autouse=True)
def open_handed() -> Any:
    """A user whose files everybody may read and write."""
    before = os.umask(0)
    yield
    os.umask(before)


def test_folders_that_a_run_makes_are_for_nobody_else(tmp_path: Path) -> None:
    os.chmod(tmp_path, 0o755)
    place = tmp_path / "shared"
    folder = DiskFolder(str(place))
    folder.write("block", [b"secret"])
    assert rights(place) == 0o700
    assert not folder.others_may_write
    if hasattr(os, "getuid") and os.getuid() == 0:
        assert as_nobody(place) != 0
        assert as_nobody("/") == 0


def test_all_that_a_local_cluster_has_is_this_machines_and_this_users(tmp_path: Path) -> None:
    said: list[str] = []
    others = listening()
    with connected(ClusterWanted("local:1"), said.append) as executor:
        assert rights(dask.config.get("temporary-directory")) == 0o700
        assert rights(executor._folder.place) == 0o700
        own = listening() - others
        assert len(own) > 2
        assert {address.ip for address in own} == {"127.0.0.1"}
    assert not any("other users can write" in one for one in said)


def test_who_may_write_to_the_folder_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    said: list[str] = []
    with connected(ClusterWanted("local:1", str(tmp_path)), said.append):
        pass
    assert any("other users can write to" in one for one in said)


def test_whoever_has_no_certificate_does_not_get_in() -> None:
    with connected(ClusterWanted("local:1", tls=True)) as executor:
        address = executor._client.scheduler.address
        assert address.startswith("tls://")
        assert executor._client.submit(sum, [1, 2]).result() == 3
        plain = address.replace("tls://", "tcp://")
        with pytest.raises(OSError):  # noqa: PT011 -- reset, or never answered
            Client(plain, timeout=1, set_as_default=False)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--cluster-tls"], "--cluster-tls cannot be given: there is no --cluster"),
        (
            ["--cluster", "tcp://10.0.0.1:8786", "--cluster-tls"],
            "connections to tcp://10.0.0.1:8786 are not encrypted; use tls://10.0.0.1:8786",
        ),
        (["--cluster", "tls://127.0.0.1:1"], "no certificate to connect to tls://127.0.0.1:1 with"),
    ],
)
def test_what_cannot_be_encrypted_is_one_line(words: list[str], complaint: str) -> None:
    done = CliRunner().invoke(app, ["verify", "--k", "3", *words])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert complaint in done.stderr


def test_certificates_that_are_no_files_are_one_line(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.pem")
    names = ("ca-file", "client.cert", "client.key")
    with (
        dask.config.set({f"distributed.comm.tls.{name}": missing for name in names}),
        pytest.raises(InputError, match="invalid certificates in Dask's configuration"),
    ):
        ClusterWanted("tls://127.0.0.1:1").security()
