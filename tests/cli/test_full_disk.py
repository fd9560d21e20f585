"""Where a file cannot be written to its end nothing appears, the secret files first of all."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixsafe.synthesize.samples import sample
from mixsafe_cli.app import app

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
        ["zones", str(sample("cabs")), "--map", "zones.geojson", "-o", "z.csv", "--json", "z.json"],
    ],
    ids=lambda words: " ".join(words[:1] + words[-1:]),
)  # fmt: skip
def test_all_outputs_of_a_command_appear_or_none(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(SMALL)
    with files_end_at(4096):
        done = CliRunner().invoke(app, [*words, "--quiet"])
    assert done.exit_code == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert "cannot write: file too large" in line
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
