"""What people install is what is tested: the sdist, and the wheel that is built from it."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the sdist, and the wheel that was built from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    root = Path(__file__).resolve().parent.parent
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, root]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_wheel_has_both_packages_their_types_and_the_samples(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {
        "mixsafe",
        "mixsafe_cli",
    }
    for name in (
        "mixsafe/py.typed",
        "mixsafe_cli/py.typed",
        "mixsafe/synthesize/data/town.csv",
        "mixsafe/synthesize/data/cabs.csv",
        "mixsafe/report/templates/document.html",
        "mixsafe/report/static/datatables.min.js",
        "mixsafe/report/static/datatables.LICENSE.txt",
    ):
        assert name in names
    assert not [name for name in names if name.endswith((".nbi", ".nbc", ".pyc"))]


def test_the_wheel_names_the_licences_of_all_that_is_in_it(built: Path) -> None:
    """Pages hold copies of Leaflet (BSD-2-Clause) and DataTables (MIT), whose terms go along."""
    (wheel,) = built.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    (name,) = (one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
    said = archive.read(name).decode().split("\n\n")[0].splitlines()
    assert "License-Expression: MIT AND BSD-2-Clause" in said
    files = {line.partition(": ")[2] for line in said if line.startswith("License-File: ")}
    assert files == {
        "LICENSE",
        "mixsafe/report/static/datatables.LICENSE.txt",
        "mixsafe/report/static/leaflet.LICENSE.txt",
    }


def test_the_sdist_has_all_that_is_needed_to_test_it(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in (
        ".ci/lowest",
        ".ci/run",
        ".ci/smoke.py",
        "CHANGELOG.md",
        "CITATION.cff",
        "CONTRIBUTING.md",
        "LICENSE",
        "benchmarks/verify.py",
        "datasets/README.md",
        "datasets/town.csv",
        "docs/develop/architecture.svg",
        "docs/index.md",
        "mixsafe/synthesize/data/town.csv",
        "tests/test_wheel.py",
    ):
        assert name in names


def test_the_wheel_verifies_its_sample_where_there_is_no_checkout(
    built: Path, tmp_path: Path
) -> None:
    (wheel,) = built.glob("*.whl")
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    program = (
        "import mixsafe, pathlib, sys\n"
        f"assert pathlib.Path(mixsafe.__file__).is_relative_to({str(site)!r}), mixsafe.__file__\n"
        "from mixsafe_cli.app import app\n"
        "app()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "verify", "--k", "3", "--engine", "bounds"],
        cwd=tmp_path,
        # Interpreted, the sample takes seconds; compiling everything anew would take longer.
        env={**os.environ, "PYTHONPATH": str(site), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "INVALID" in done.stdout
