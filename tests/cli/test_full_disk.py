"""Where a file cannot be written to its end it does not appear, nor a secret one by itself."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixsafe.synthesize.samples import sample
from mixsafe_cli.app import app

DAYS = {
    name: "user_id,time_id,reg_id\n"
    + "".join(f"{n // 40 + 1},{first + n % 40},{n % 7 + 1}\n" for n in range(160))
    for name, first in (("org.csv", 1), ("ref.csv", 41))
}
"""Two days of four people each."""

LEAST = 4096
"""Bytes; one output of each command below is larger. Where all are smaller, nothing goes wrong."""

SMALL = "user_id,time_id,reg_id\n" + "".join(f"{n // 20 + 1},{n % 20 + 1},7\n" for n in range(1200))


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """No file may be longer, as on a disk that is full."""
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, former[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)


@pytest.mark.parametrize(
    "words",
    [
        ["pseudonymize", "t.csv", "--method", "shuffle", "-o", "pub.csv", "--table", "secret.csv"],
        ["zones", "t.csv", "-o", "zones.csv", "--json", "z.json", "--graph", "g.graphml"],
        ["verify", "t.csv", "--k", "2", "--engine", "bounds", "-o", "w.csv", "--json", "r.json",
         "--certificates", "proofs"],
        ["contest", "run", "org.csv", "ref.csv", "-o", "results", "--attacks", "I1,T1",
         "--anonymisers", "A1", "--workers", "1"],
        ["zones", str(sample("cabs")), "--map", "zones.geojson", "-o", "z.csv", "--json", "z.json"],
    ],
    ids=lambda words: " ".join(words[:1] + words[-1:]),
)  # fmt: skip
def test_each_output_of_a_command_appears_whole_or_not_at_all(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"t.csv": SMALL, **DAYS}
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for folder in (whole, cut):
        folder.mkdir()
        monkeypatch.chdir(folder)
        for name, text in given.items():
            Path(name).write_text(text)
        with files_end_at(LEAST) if folder is cut else nullcontext():
            done = CliRunner().invoke(app, [*words, "--quiet"])
    assert done.exit_code == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert "cannot write: file too large" in line
    lines = {
        path.relative_to(cut): len(path.read_bytes().splitlines())
        for path in cut.rglob("*")
        if path.is_file()
    }
    assert all(len((whole / name).read_bytes().splitlines()) == n for name, n in lines.items())
    assert not {Path("secret.csv"), Path("secret.secret.json")} & lines.keys()


@pytest.mark.parametrize("size", [0, 30, 300])
def test_a_run_that_cannot_be_kept_ends_in_a_line_and_can_be_taken_up(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(SMALL)
    asked = ["verify", "t.csv", "--k", "2", "--engine", "bounds", "--resume", "run", "--quiet"]
    with files_end_at(size):
        done = CliRunner().invoke(app, asked)
    assert done.exit_code == 2, done.stderr
    assert done.stderr == "mixsafe: run/checkpoint: cannot write: file too large\n"
    assert Path("run").exists() == (size == 300)
    assert CliRunner().invoke(app, asked).exit_code in (0, 1, 4)
