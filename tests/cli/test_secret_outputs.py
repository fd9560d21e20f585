"""Which outputs of all commands are secret: for their owner alone, from when they are there."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner

import mixsafe
from mixsafe.machinery import files
from mixsafe_cli.app import app
from tests.support.every_command import EVERY
from tests.support.fuzz_cases import CALM, FEW, ONE, PLACES, SMALL, contest_traces
from tests.support.fuzz_further_cases import VEHICLES

OUT = ("-o", "{}.csv", "--json", "{}.json")
TOWN = ("town.csv", "--k", "3", "--rule", "share:0.9", "--rotations", "none")

MADE = (
    ("pseudonymize", "org.csv", "--method", "shuffle", "-o", "pub.csv", "--table", "ids.csv",
     "--json", "pub.json"),
    ("pseudonymize", "t.csv", "--method", "mixzone", "--k", "2", *CALM, "-o", "rel",
     "--certificates", "rel_proofs"),
    ("protect", *TOWN, *OUT),
    ("protect", *TOWN, "--apply", "3", "-o", "hid"),
    ("protect", "c.csv", "--k", "2", "--adversary", "none", "--cell-sizes", "150", "--rotations",
     "none", "--apply", "2", "-o", "cells"),
    ("verify", "t.csv", "--k", "2", *CALM, *OUT, "--plot", "verify.png", "--certificates",
     "verify_proofs", "--resume", "verify_run"),
    ("check", "verify_proofs", "--export", "check_proofs", "--json", "check.json"),
    ("zones", "t.csv", *OUT, "--graph", "zones.graphml"),
    ("zones", "c.csv", "--map", "zones.geojson"),
    ("optimize", "p.json", *OUT, "--certificates", "optimize_proofs"),
    ("breaking", "t.csv", "--k", "2", "--at-most", "1", *OUT),
    ("breaking", "t.csv", "--k", "2", "--at-most", "1", "--resume", "breaking_run"),
    ("weigh", "t.csv", "--time-limit", "2", *OUT, "--resume", "weigh_run"),
    ("compare", "p.json", "--engines", "dp", *OUT),
    ("audit", "pub.csv", "--knowledge", "at.csv", "--k", "2", *CALM, *OUT, "--candidates",
     "audit_tracks.csv", "--certificates", "audit_proofs"),
    ("links", "v.csv", "--k", "2", *OUT, "--certificate", "links.npz"),
    ("report", "verify.json", "-o", "report.html"),
    ("contest", "anonymize", "A1", "org.csv", "-o", "ano.csv"),
    ("contest", "attack", "I1", "ref.csv", "pub.csv", "-o", "guesses.csv"),
    ("contest", "run", "org.csv", "ref.csv", "-o", "run", "--attacks", "I1,T1", "--anonymisers",
     "A1", "--workers", "1"),
    ("contest", "tournament", "-o", "held", "--users", "3", "--days", "1", "--workers", "1"),
    ("contest", "score", "reid", "ids.csv", "guesses.csv", "--json", "score.json"),
    ("contest", "utility", "org.csv", "ref.csv", "--json", "utility.json"),
    ("synthesize", "train", "org.csv", "-o", "model.npz", *FEW),
    ("synthesize", "town", "--users", "3", "--days", "1", "-o", "synthetic.csv"),
    ("datasets", "make", "town", "-o", "samples"),
)  # fmt: skip
"""Commands that write; {} is the name of the command."""

ALIKE = {
    "contest tournament check": "an answer on standard output",
    "contest score": "results as JSON",
    "synthesize": "synthetic data",
    "datasets": "a list of data sets",
}
"""Commands that are not run here, because others write the same kind of output."""

SECRET = (
    "ids.csv", "ids.secret.json", "rel/secret/*", "*_proofs/*", "links.npz", "*_run/checkpoint",
    "protect.csv", "hid/secret/*", "cells/secret/*", "zones.csv", "zones.graphml", "optimize.csv",
    "ano.csv", "held/secret/*", "held/distributed/*/*",
)  # fmt: skip
"""Who is who, who met whom, the data by name, seeds, proofs of these, and journals."""

CLOSED = ("rel/secret", "*_proofs", "*_run", "hid/secret", "cells/secret", "held/secret",
          "held/distributed", "held/distributed/*")  # fmt: skip
"""Folders that others may not enter."""

OPEN = (
    "pub.csv", "rel/publish/*", "hid/publish/*", "cells/publish/*", "*.json", "verify.csv",
    "verify.png", "zones.geojson", "breaking.csv", "weigh.csv", "compare.csv",
    "audit.csv", "audit_tracks.csv", "links.csv", "report.html", "guesses.csv", "run/*",
    "held/public/*", "held/*.csv", "held/*.json", "held/*.png", "model.npz", "synthetic.csv",
    "samples/*",
)  # fmt: skip
"""Releases, results, guesses, pages, pictures and synthetic data."""


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what all commands write; drafts are looked at when they are complete."""
    folder = tmp_path_factory.mktemp("written")
    given = {
        "t.csv": SMALL, "p.json": ONE, "v.csv": VEHICLES, "org.csv": contest_traces(),
        "ref.csv": contest_traces(first=41), "town.csv": mixsafe.sample("town").read_bytes(),
        "at.csv": PLACES + b"".join(contest_traces().splitlines(True)[1:60:7]), "c.csv": _cabs(),
    }  # fmt: skip
    for name, content in given.items():
        (folder / name).write_bytes(content)
    right = files.settle

    def settle(draft: Path, target: Path) -> None:
        if files._SECRET.get():
            for one in (draft, *draft.rglob("*")):
                assert rights(one) == (0o700 if one.is_dir() else 0o600), one
        right(draft, target)

    before = os.umask(0o022)
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "settle", settle)
        for words in MADE:
            done = CliRunner().invoke(app, [*(one.format(words[0]) for one in words), "--quiet"])
            assert done.exit_code in (0, 1, 3, 4), (words, done.output)
    os.umask(before)
    for name in given:
        (folder / name).unlink()
    return folder


def _cabs() -> bytes:
    """Four people who are in one place at all times."""
    rows = [f"{who},{1700000040 + 60 * step},37.7,-122.4" for who in "abcd" for step in range(6)]
    return "\n".join(["user_id,time,lat,lon", *rows, ""]).encode()


def found(folder: Path, patterns: tuple[str, ...]) -> set[Path]:
    """Files and folders of the patterns, each of which has some."""
    each = [{*folder.glob(one)} for one in patterns]
    assert all(each), [one for one, some in zip(patterns, each, strict=True) if not some]
    return set().union(*each)


def test_every_command_is_run_or_writes_what_another_one_does() -> None:
    run = {" ".join(path) for path in EVERY if any(one[: len(path)] == path for one in MADE)}
    others = {" ".join(path) for path in EVERY} - run
    assert [one for one in others if not one.startswith(tuple(ALIKE))] == []


def test_what_is_secret_is_for_its_owner_alone(written: Path) -> None:
    loose = {path for path in found(written, SECRET) if path.is_file() and rights(path) != 0o600}
    loose |= {path for path in found(written, CLOSED) if rights(path) != 0o700}
    assert loose == set()


def test_everything_else_is_as_the_umask_says(written: Path) -> None:
    secret = found(written, SECRET)
    others = found(written, OPEN) - secret
    assert {path for path in others if rights(path) not in (0o644, 0o755)} == set()


def test_it_is_decided_of_every_output_whether_it_is_secret(written: Path) -> None:
    known = found(written, SECRET) | found(written, OPEN)
    assert {path for path in written.rglob("*") if path.is_file()} - known == set()


def test_nothing_secret_lies_beside_what_is_published(written: Path) -> None:
    """Whoever hands a folder on hands nothing secret on."""
    secret = {path.parent for path in found(written, SECRET)}
    assert not secret & {written / one / "publish" for one in ("rel", "hid", "cells")}
    for one in ("rel", "hid", "cells"):
        assert {path.name for path in (written / one).iterdir()} == {"publish", "secret"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pseudonymize", "t.csv", "--method", "shuffle", "-o", "pub.csv", "--table", "ids.csv"),
         "Publish pub.csv only. Keep secret: ids.csv, ids.secret.json."),
        (("pseudonymize", "t.csv", "--method", "shuffle", "-o", "rel"),
         "Publish rel/publish only. Keep secret: rel/secret."),
        (("pseudonymize", "t.csv", "--method", "mixzone", *CALM, "-o", "rel", "--table", "ids.csv",
          "--certificates", "proofs"),
         "Publish rel/publish only. Keep secret: ids.csv, ids.secret.json, proofs."),
        (("protect", *TOWN, "--apply", "3", "-o", "out"),
         "Publish out/publish only. Keep secret: out/secret."),
    ],
    ids=range(4),
)  # fmt: skip
def test_the_last_line_says_what_may_be_published(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rel").mkdir()
    Path("t.csv").write_bytes(SMALL)
    Path("town.csv").write_bytes(mixsafe.sample("town").read_bytes())
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1] == said
