"""No output of a command overwrites another one, or an input, however the files are named."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import mixsafe
from mixsafe_cli.app import app
from tests.support.every_command import EVERY

OUTPUTS = ("output", "table", "candidates", "json", "plot", "map", "graph", "certificate",
           "certificates", "export")  # fmt: skip
"""Options by which commands write; ``--resume`` has a test of its own."""

FILES_READ = (
    *("audit", "costs", "depots", "further", "inferred", "knowledge", "original", "places"),
    *("reference", "regions", "release", "requirements", "since", "source", "testing", "user_list"),
    *("data", "train", "truth"),
)
"""Options by which commands read; each argument is read, too."""

NEITHER = ("resume", "temporary_folder")


def options(path: tuple[str, ...], names: tuple[str, ...]) -> list[Any]:
    """Options of a command, of those names; flags take no file."""
    params = [one for one in EVERY[path].params if one.param_type_name == "option"]
    return [one for one in params if one.name in names and not one.is_flag]


def arguments(path: tuple[str, ...]) -> list[Any]:
    """Arguments of a command that are files."""
    params = EVERY[path].params
    named = [one for one in params if one.param_type_name == "argument"]
    return [one for one in named if one.name not in ("method", "name")]


WAYS = ("q/../{}", "linked_{}", "hard_{}")
"""Other names of a file: through folders, a symbolic link, a hard link."""


def cases(found: Iterable[tuple[tuple[str, ...], Any, Any]]) -> list[Any]:
    """A case for each two options of a command, in turn by one other name of the file."""
    return [
        pytest.param(path, one, other, way, id=" ".join((*path, one.name, other.name)))
        for (path, one, other), way in zip(found, itertools.cycle(WAYS), strict=False)
    ]


PAIRS = cases(
    (path, *sorted(pair, key=lambda one: OUTPUTS.index(one.name)))
    for path in EVERY
    for pair in itertools.combinations(options(path, OUTPUTS), 2)
)

READ = cases(
    (path, output, read)
    for path in EVERY
    for output in options(path, OUTPUTS)[:1]
    for read in (*options(path, FILES_READ), *arguments(path))
    if output.name not in ("certificates", "export")
)


def line(path: tuple[str, ...], given: dict[str, str]) -> list[str]:
    """A command line with what the command cannot do without; ``given``: by option or argument."""
    words = list(path)
    for one in EVERY[path].params:
        if one.param_type_name == "argument":
            if one.name in given or one.required:
                words.append(given.get(one.name, "A1" if one.name == "method" else "in.csv"))
        elif one.opts[0] in given:
            words += [one.opts[0], given[one.opts[0]]]
        elif one.required:
            words += [one.opts[0], "shuffle" if one.name == "method" else f"{one.name}.csv"]
    return words


def call(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])


def files() -> dict[str, bytes]:
    """All files with what is in them."""
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with an input, an output of earlier, and other ways to both."""
    monkeypatch.chdir(tmp_path)
    Path("q").mkdir()
    for name in ("in.csv", "out.csv"):
        Path(name).write_text("user_id,time_id,reg_id\n1,1,1\n2,1,1\n")
        Path(f"linked_{name}").symlink_to(name)
        os.link(name, f"hard_{name}")


def test_an_option_for_a_file_is_either_written_or_read() -> None:
    """A new option for files has to be in one of the lists, else nothing is compared with it."""
    known = {*OUTPUTS, *FILES_READ, *NEITHER}
    for path in EVERY:
        for one in EVERY[path].params:
            kind = str(getattr(one, "type_descriptor", None) or getattr(one, "type", ""))
            if one.param_type_name == "option" and "path" in kind.lower():
                assert one.name in known, (path, one.name)


@pytest.mark.parametrize(("path", "one", "second", "way"), PAIRS)
def test_two_outputs_that_are_one_file_are_refused(
    path: tuple[str, ...], one: Any, second: Any, way: str
) -> None:
    before, other = files(), way.format("out.csv")
    done = call(*line(path, {one.opts[0]: "out.csv", second.opts[0]: other}))
    assert done.exit_code == 2, done.output
    assert f"{other}: {one.opts[0]} and {second.opts[0]} are the same f" in done.stderr
    assert files() == before


@pytest.mark.parametrize(("path", "output", "read", "way"), READ)
def test_an_output_that_is_an_input_is_refused(
    path: tuple[str, ...], output: Any, read: Any, way: str
) -> None:
    key = read.name if read.param_type_name == "argument" else read.opts[0]
    before, written = files(), way.format("in.csv")
    done = call(*line(path, {output.opts[0]: written, key: "in.csv"}))
    assert done.exit_code == 2, done.output
    assert f"{written}: {output.opts[0]} would overwrite an input" in done.stderr
    assert files() == before


SHUFFLE = ("pseudonymize", "in.csv", "--method", "shuffle")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*SHUFFLE, "-o", "p.csv", "--table", "t.csv", "--json", "q/../t.secret.json"),
         "t.secret.json of --table and --json are the same file"),
        ((*SHUFFLE, "-o", "t.secret.json", "--table", "t.csv"),
         "--output and t.secret.json of --table are the same file"),
        (("pseudonymize", "in.secret.json", "--method", "shuffle", "-o", "p.csv", "--table",
          "in.csv"), "in.secret.json of --table would overwrite an input"),
        ((*SHUFFLE, "-o", "rel", "--json", "rel/secret/ptable.secret.json"),
         "ptable.secret.json of --table and --json are the same file"),
        ((*SHUFFLE, "-o", "rel", "--json", "rel/publish/pubtraces.csv"),
         "--output and --json are the same file"),
        (("pseudonymize", "in.csv", "--method", "mixzone", "-o", "rel", "--certificates", "rel"),
         "--output and --certificates are the same folder"),
        (("pseudonymize", "in.csv", "--method", "mixzone", "-o", "rel", "--certificates",
          "rel/publish"), "--output is in the folder of --certificates"),
        (("verify", "in.csv", "--k", "2", "--certificates", "c", "--json", "q/../c/a.json"),
         "--json is in the folder of --certificates"),
        (("verify", "in.csv", "--k", "2", "--resume", "run", "--json", "run/checkpoint"),
         "--json and --resume are the same file"),
        (("verify", "in.csv", "--k", "2", "--resume", "run", "--certificates", "run"),
         "--resume is in the folder of --certificates"),
        (("protect", "in.csv", "--k", "2", "--apply", "2", "-o", "new", "--json", "new/a.json"),
         "--json is in the folder of --output"),
        (("check", "proofs", "--export", "x", "--json", "x/a.json"),
         "--json is in the folder of --export"),
        (("check", "proofs", "--json", "proofs/manifest.json"), "--json would overwrite an input"),
        (("verify", "in.csv", "--k", "2", "--user-list", "proofs/users.parquet", "--certificates",
          "proofs"), "--certificates would overwrite an input"),
        (("contest", "run", "in.csv", "in.csv", "-o", "runs", "--plot", "runs/privacy.png"),
         "privacy.png of --output and --plot are the same file"),
        (("contest", "tournament", "-o", "held", "--json", "held/tournament.json"),
         "tournament.json of --output and --json are the same file"),
        (("contest", "tournament", "-o", "held", "--json", "held/secret/judge.json"),
         "secret/judge.json of --output and --json are the same file"),
    ],
    ids=lambda one: one if isinstance(one, str) else " ",
)  # fmt: skip
def test_files_that_a_command_names_itself_are_compared_too(
    words: tuple[str, ...], said: str
) -> None:
    """Companions of outputs, and files in folders of outputs."""
    Path("proofs").mkdir()
    for name in ("proofs/manifest.json", "proofs/users.parquet", "in.secret.json"):
        Path(name).write_bytes(Path("in.csv").read_bytes())
    before = files()
    done = call(*words)
    assert done.exit_code == 2, done.output
    assert said in done.stderr
    assert files() == before
    assert not Path("rel").exists()


def test_devices_may_be_named_twice_and_pages_may_lie_beside_what_they_show() -> None:
    source = mixsafe.sample("town")
    few = ("--users", "20", "--k", "2", "--engine", "bounds", "-q")
    done = call("verify", source, *few, "--json", "/dev/null", "--plot", "/dev/null.png")
    assert "are the same" not in done.output
    Path("q/page.html").write_text("of earlier")
    done = call("report", "q", "-o", "q/page.html")
    assert "overwrite" not in done.output
