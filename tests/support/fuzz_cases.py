"""Commands with the files that they read: one of each kind and format, all small and all good."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from typer.testing import CliRunner

from mixsafe_cli.app import app

REGIONS = 1024
CALM = ("--engine", "bounds")
RUN = CliRunner()


@dataclass(frozen=True)
class Case:
    """A command, the files that it reads, and those of them that are changed.

    Parameters
    ----------
    words
        Of the command line; files are named by their names in the case's folder, and what is
        written by names that begin with ``out``.
    files
        Content by name.
    changed
        Names of the files that are changed, one at a time.
    """

    words: tuple[str, ...]
    files: Mapping[str, bytes]
    changed: tuple[str, ...]

    @property
    def name(self) -> str:
        """The command and the file that is changed."""
        return f"{self.words[0]} {self.changed[0]}"


def _csv(header: str, rows: list[tuple[object, ...]]) -> bytes:
    return "\n".join([header, *(",".join(map(str, row)) for row in rows), ""]).encode()


def _rows(users: int, steps: int, random: np.random.Generator) -> list[tuple[int, int, int]]:
    """Users, times and regions; few regions, so that they meet."""
    return [
        (user, time, int(random.integers(1, 4)))
        for user in range(1, users + 1)
        for time in range(1, steps + 1)
    ]


def contest_traces(users: int = 4, days: int = 2, first: int = 1) -> bytes:
    """Traces as in the contest: 20 steps a day."""
    random = np.random.default_rng(1)
    rows = [
        (user, time, int(random.integers(1, 5)))
        for user in range(1, users + 1)
        for time in range(first, first + 20 * days)
    ]
    return _csv("user_id,time_id,reg_id", rows)


def _coordinates() -> dict[str, list[object]]:
    return {
        "user_id": ["ann", "ann", "bob", "bob", "cid", "cid"],
        "time": [1211018404, 1211018464, 1211018404, 1211018464, 1211018404, 1211018464],
        "lat": [37.75, 37.75, 37.75, 37.76, 37.75, 37.75],
        "lon": [-122.39, -122.39, -122.39, -122.39, -122.39, -122.39],
    }


def _parquet() -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(pa.table(_coordinates()), buffer)
    return buffer.getvalue()


def _archive() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name in ("new_abboip", "new_eckecky"):
            text = b"37.75 -122.39 0 1211018464\n37.75 -122.39 1 1211018404\n"
            member = tarfile.TarInfo(f"cabspottingdata/{name}.txt")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    return buffer.getvalue()


COORDINATES = _csv("user_id,time,lat,lon", list(zip(*_coordinates().values(), strict=True)))
PROBLEM = {
    "name": "p", "users": ["a", "b", "c"], "horizon": 4,
    "zones": [[1, ["a", "b"]], [2, ["b", "c"]], [3, ["a", "c"]]],
    "knowledge": [["a", 0], ["a", 4]], "requirements": [["b", 2, 2], ["c", 3, 2]],
}  # fmt: skip
ONE = json.dumps(PROBLEM).encode()
LINES = b"\n".join([ONE, ONE.replace(b'"p"', b'"q"'), b""])
SMALL = _csv("user_id,time_id,reg_id", _rows(4, 6, np.random.default_rng(0)))
ZONES = b"time_id,zone_id,user_id\n1,0,1\n1,0,2\n2,0,1\n2,0,2\n3,1,2\n3,1,3\n"
SEEN = b"user_id,time_id\n1,1\n2,3\n1,6\n"
ASKED = b"user_id,time_id,k\n1,3,2\n2,4,2\n"
PLACES = b"user_id,time_id,reg_id\n"
CONFIG = b'k = 2\nrule = "share:0.5"\ncolumn = ["user_id=user_id"]\nper-user = true\n'
TEAMS = (
    b'[[team]]\nname = "us"\nanonymise = "A1"\nidentify = "I3"\ninfer = "T3"\n'
    b'[[team]]\nname = "them"\nanonymise = "A4-1-1"\nidentify = "I1"\ninfer = "T1"\n'
)
OUT = ("-o", "out.csv", "--json", "out.json")
FEW = ("--iterations", "3")
"""Sweeps of a sampler: what is read is the same."""


def _made(folder: Path, words: tuple[str, ...], name: str) -> bytes:
    """What a command writes, for commands that read it."""
    RUN.invoke(app, [str(folder / word) if "." in word else word for word in words])
    return (folder / name).read_bytes()


def simple_cases() -> list[Case]:
    """Cases whose files are written here."""
    ask = ("--k", "2", *CALM, *OUT)
    verify = ("verify", "t.csv", *ask)
    contest, reference = contest_traces(), contest_traces(first=41)
    named = {"org.csv": contest, "ref.csv": reference}
    return [
        Case(verify, {"t.csv": SMALL}, ("t.csv",)),
        Case(("verify", "c.csv", *ask), {"c.csv": COORDINATES}, ("c.csv",)),
        Case(("verify", "t.parquet", *ask), {"t.parquet": _parquet()}, ("t.parquet",)),
        Case(("verify", "zones.csv", *ask), {"zones.csv": ZONES}, ("zones.csv",)),
        Case(("verify", "p.json", *CALM, *OUT), {"p.json": ONE}, ("p.json",)),
        Case(("verify", "p.jsonl", *CALM, "--json", "out.json"), {"p.jsonl": LINES}, ("p.jsonl",)),
        Case(("verify", "cabs.tar.gz", *ask), {"cabs.tar.gz": _archive()}, ("cabs.tar.gz",)),
        Case(
            (*verify, "--adversary", "seen.csv"), {"t.csv": SMALL, "seen.csv": SEEN}, ("seen.csv",)
        ),
        Case(
            ("verify", "t.csv", *CALM, *OUT, "--requirements", "asked.csv"),
            {"t.csv": SMALL, "asked.csv": ASKED},
            ("asked.csv",),
        ),
        Case(
            (*verify, "--user-list", "users.txt"),
            {"t.csv": SMALL, "users.txt": b"1\n2\n3\n"},
            ("users.txt",),
        ),
        Case(("verify", "t.csv", *CALM, *OUT, "--config", "c.toml"),
             {"t.csv": SMALL, "c.toml": CONFIG}, ("c.toml",)),
        Case(("zones", "t.csv", *OUT, "--graph", "out.graphml"), {"t.csv": SMALL}, ("t.csv",)),
        Case(("optimize", "p.json", "--time-limit", "5", *OUT), {"p.json": ONE}, ("p.json",)),
        Case(
            ("pseudonymize", "t.csv", "--method", "shuffle", "-o", "out.csv", "--table",
             "out_secret.csv", "--steps-per-day", "2"),
            {"t.csv": SMALL}, ("t.csv",),
        ),
        Case(
            ("pseudonymize", "t.csv", "--method", "mixzone", *CALM, "--k", "2", "-o", "out.csv",
             "--table", "out_secret.csv", "--steps-per-day", "2"),
            {"t.csv": SMALL}, ("t.csv",),
        ),
        Case(("contest", "anonymize", "A4", "org.csv", "-o", "out.csv"), named, ("org.csv",)),
        Case(("synthesize", "train", "org.csv", "-o", "out.npz", *FEW), named, ("org.csv",)),
        Case(("contest", "utility", "org.csv", "ref.csv", "--json", "out.json"), named,
             ("ref.csv",)),
        Case(("contest", "tournament", "teams.toml", "-o", "out_t", "--users", "3", "--days", "1",
              "--workers", "1"),
             {"teams.toml": TEAMS}, ("teams.toml",)),
    ]  # fmt: skip


def derived_cases(folder: Path) -> list[Case]:
    """Cases whose files other commands write.

    Parameters
    ----------
    folder
        Where they may be written.
    """
    contest, reference = contest_traces(), contest_traces(first=41)
    for name, content in (("org.csv", contest), ("ref.csv", reference), ("t.csv", SMALL),
                          ("p.json", ONE)):  # fmt: skip
        (folder / name).write_bytes(content)
    _made(folder, ("contest", "anonymize", "A1", "org.csv", "-o", "ano.csv"), "ano.csv")
    _made(folder, ("pseudonymize", "org.csv", "--method", "shuffle", "-o", "pub.csv", "--table",
                   "ptable.csv"), "pub.csv")  # fmt: skip
    _made(folder, ("contest", "attack", "I1", "ref.csv", "pub.csv", "-o", "etable.csv"),
          "etable.csv")  # fmt: skip
    proven = ["--certificates", str(folder / "proofs"), "--json", str(folder / "r.json")]
    RUN.invoke(app, ["verify", str(folder / "t.csv"), "--k", "2", *CALM, "--quiet", *proven])
    _made(folder, ("optimize", "p.json", "--json", "m.json", "--quiet"), "m.json")
    _made(folder, ("synthesize", "train", "org.csv", "-o", "m.npz"), "m.npz")
    kept = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    proofs = {f"proofs/{one.name}": one.read_bytes() for one in (folder / "proofs").iterdir()}
    known = {**kept, "seen.csv": PLACES + b"".join(contest.splitlines(True)[1:60:7])}
    audit = ("audit", "pub.csv", "--knowledge", "seen.csv", "--k", "2", *CALM, *OUT)
    return [
        Case(audit, known, ("pub.csv",)),
        Case(audit, known, ("seen.csv",)),
        Case(("report", "r.json", "-o", "out.html"), kept, ("r.json",)),
        Case(("report", "m.json", "-o", "out.html"), kept, ("m.json",)),
        Case(("check", "proofs", "--json", "out.json"), proofs, tuple(sorted(proofs))),
        Case(("contest", "score", "utility", "org.csv", "ano.csv"), kept, ("ano.csv",)),
        Case(("contest", "score", "reid", "ptable.csv", "etable.csv"), kept,
             ("ptable.csv", "etable.csv")),
        Case(("contest", "attack", "I3", "ref.csv", "pub.csv", "-o", "out.csv"), kept,
             ("ref.csv", "pub.csv")),
        Case(("synthesize", "sample", "m.npz", "-o", "out_s", "--users", "3", "--days", "2"),
             kept, ("m.npz",)),
    ]  # fmt: skip
