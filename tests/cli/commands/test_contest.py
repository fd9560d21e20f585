"""``mixsafe contest`` end to end on small files."""

import csv
import inspect
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.contest.base.reference import Reference as Learned
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.registry import ANONYMISERS, ATTACKERS
from mixsafe.io.contest.reading import read_anonymized, read_traces
from mixsafe.io.contest.writing import write_id_table, write_public, write_traces
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells
from mixsafe.release.exchange import exchanged_table
from mixsafe_cli.app import app
from mixsafe_cli.commands.contest import run as contest_run


@pytest.fixture
def folder(tmp_path):
    """Ten users of the contest's own regions, two days before and two days after."""
    random = np.random.default_rng(2)
    home = random.integers(1024, size=(10, 1))
    for name, first in (("ref", 1), ("org", 41)):
        region = np.where(random.random((10, 40)) < 0.5, home, random.integers(1024, size=(10, 40)))
        write_traces(tmp_path / f"{name}.csv", TraceMatrix(region.astype(np.int32), first))
    return tmp_path


def call(*words):
    """Standard output of a command that must succeed."""
    result = CliRunner().invoke(app, ["contest", *(str(word) for word in words)])
    assert result.exit_code == 0, result.output
    return result.stdout


def release(folder, cells, table):
    write_public(folder / "pub.csv", table.publish(cells))
    write_id_table(folder / "ptable.csv", table)


def test_an_obfuscation_is_scored_and_attacked(folder):
    call(
        "anonymize",
        "A2",
        folder / "org.csv",
        "--param",
        "1,1,0.2",
        "--seed",
        3,
        "-o",
        folder / "ano.csv",
    )
    original = read_traces(folder / "org.csv", 1024)
    cells = read_anonymized(folder / "ano.csv", original, 1024)
    release(folder, cells, exchanged_table(cells, np.random.default_rng(0)))
    value = float(call("score", "utility", folder / "org.csv", folder / "ano.csv", "--quiet"))
    assert 0 < value < 1
    for method in ("I1", "I2", "I3", "IF", "IF-P", "LINK", "POST", "MATCH"):
        call("attack", method, folder / "ref.csv", folder / "pub.csv", "-o", folder / method)
        score = call("score", "reid", folder / "ptable.csv", folder / method, "-q")
        assert 0 <= float(score) <= 1
    for method in ("T1", "T2", "T3", "TS", "TS-P", "LINK-T", "POST-T", "GUESS"):
        call("attack", method, folder / "ref.csv", folder / "pub.csv", "-o", folder / method)
        score = call("score", "trace", folder / "org.csv", folder / method, "-q")
        assert 0 <= float(score) <= 1


def windows(path):
    """The file as a team on Windows would hand it in."""
    text = path.read_text().replace("\n", "\r\n")
    other = path.with_name(f"windows-{path.name}")
    other.write_bytes(b"\xef\xbb\xbf" + text.encode())
    return other


def test_submissions_of_windows_score_the_same_and_are_noted_once(folder):
    call("anonymize", "A2", folder / "org.csv", "--param", "1,1,0.2", "-o", folder / "ano.csv")
    cells = read_anonymized(folder / "ano.csv", read_traces(folder / "org.csv", 1024), 1024)
    release(folder, cells, exchanged_table(cells, np.random.default_rng(0)))
    for method in ("I3", "T3"):
        attacked = ["ref.csv", "pub.csv"], ["windows-ref.csv", "windows-pub.csv"]
        windows(folder / "ref.csv"), windows(folder / "pub.csv")
        for files, answer in zip(attacked, (method, f"{method}-2"), strict=True):
            known, public = (folder / file for file in files)
            call("attack", method, known, public, "--seed", 1, "-o", folder / answer)
        assert (folder / method).read_bytes() == (folder / f"{method}-2").read_bytes()
    for words in (
        ("utility", folder / "org.csv", folder / "ano.csv"),
        ("reid", folder / "ptable.csv", folder / "I3"),
        ("trace", folder / "org.csv", folder / "T3"),
    ):
        kind, *files = words
        plain = CliRunner().invoke(app, ["contest", "score", *map(str, words)])
        changed = ["contest", "score", kind, *(str(windows(file)) for file in files)]
        other = CliRunner().invoke(app, changed)
        assert other.stdout == plain.stdout
        assert plain.stderr == ""
        assert other.stderr.count("ignored; the file is read as") == 1
        assert CliRunner().invoke(app, [*changed, "--quiet"]).stderr == ""


def test_of_several_attacks_the_strongest_counts(folder):
    cells = Cells.of_regions(read_traces(folder / "org.csv", 1024).region, 1024, 41)
    release(folder, cells, exchanged_table(cells, np.random.default_rng(0)))
    names = ("I1", "I3", "IF")
    for name in names:
        call(
            "attack", name, folder / "ref.csv", folder / "pub.csv", "-o", folder / name, "--seed", 1
        )
    each = [float(call("score", "reid", folder / "ptable.csv", folder / n, "-q")) for n in names]
    every = call("score", "reid", folder / "ptable.csv", *(folder / n for n in names), "-q")
    assert float(every) == min(each)


def test_compatible_is_the_organizers_stream_whatever_the_default_seed(folder):
    for name, options in {
        "a": ["--compatible"],
        "b": ["--compatible", "--seed", 1],
        "c": ["--seed", 1],
    }.items():
        call("anonymize", "A3", folder / "org.csv", "-o", folder / name, *options)
    assert (folder / "a").read_bytes() == (folder / "b").read_bytes()
    assert (folder / "a").read_bytes() != (folder / "c").read_bytes()


def test_without_a_seed_no_two_releases_are_alike(folder):
    for name in ("a", "b"):
        call("anonymize", "A3", folder / "org.csv", "-o", folder / name)
    assert (folder / "a").read_bytes() != (folder / "b").read_bytes()


def test_a_score_as_json_is_one_object(folder):
    call("anonymize", "A1", folder / "org.csv", "-o", folder / "ano.csv")
    shown = json.loads(call("score", "utility", folder / "org.csv", folder / "ano.csv", "--json"))
    assert shown["value"] == 1
    assert shown["valid"] is True
    assert shown["attempts"] == 400


def test_a_run_writes_its_tables(folder):
    call(
        "run",
        folder / "org.csv",
        folder / "ref.csv",
        "-o",
        folder / "out",
        "--workers",
        1,
        "--anonymisers",
        "A1,KM",
        "--attacks",
        "all",
        "--plot",
        folder / "privacy.svg",
        "--quiet",
    )
    assert "re-identification privacy" in (folder / "privacy.svg").read_text(encoding="utf-8")
    answer = json.loads((folder / "out" / "run.json").read_text())
    provenance = answer["provenance"]
    assert [file["what"] for file in provenance["inputs"]] == ["original", "reference"]
    assert provenance["seed"] == 1
    with (folder / "out" / "results.csv").open() as file:
        shuffled = list(csv.reader(file))
    with (folder / "out" / "results_mixzone.csv").open() as file:
        exchanged = list(csv.reader(file))
    columns = ["Ano", "Util", "I1", "I2", "I3", "T1", "T2", "T3", "IF", "TS", "LINK", "LINK-T"]
    columns += ["POST", "MATCH", "POST-T", "GUESS", "IF-P", "TS-P"]
    assert shuffled[0] == exchanged[0] == columns
    assert [row[0] for row in shuffled[1:]] == ["A1", "KM-100"]
    with (folder / "out" / "scores.csv").open() as file:
        assert [row["value"] for row in csv.DictReader(file)] == [
            repr(row["value"]) for row in answer["scores"]
        ]


def test_a_run_is_everything_against_everything_unless_told_otherwise():
    learned = Learned(TraceMatrix(np.zeros((3, 40), np.int32)), Rules())
    names = [method.short for method in contest_run.choose_anonymisers("all")]
    assert sorted(set(names)) == sorted(kind.short for kind in ANONYMISERS)
    assert len(names) == 37 + 2
    for pseudonymization in ("shuffle", "mixzone"):
        attackers = contest_run.choose_attackers("all", pseudonymization, learned)
        shorts = {attacker.short for attacker in attackers}
        assert shorts == {kind.short for kind in ATTACKERS}
    defaults = inspect.signature(contest_run.run).parameters
    assert [defaults[name].default for name in ("attacks", "anonymisers")] == ["all", "all"]
    assert defaults["pseudonymization"].default == "both"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["anonymize", "B1", "org.csv", "-o", "x"], "unknown anonymiser 'B1'"),
        (["anonymize", "A4", "org.csv", "-o", "x", "--param", "0,1"], "positive parameters"),
        (["anonymize", "A4", "nowhere.csv", "-o", "x"], "cannot read"),
        (["anonymize", "A1", "org.csv", "-o", "org.csv"], "would overwrite an input"),
        (["attack", "I2", "ref.csv", "org.csv", "-o", "ref.csv"], "would overwrite an input"),
        (["attack", "I2", "ref.csv", "org.csv", "-o", "x"], "give a file of public traces"),
        (["score", "utility", "org.csv", "ref.csv"], "give a file of anonymized traces"),
        (["score", "utility", "org.csv", "org.csv", "--variant", "other"], "unknown variant"),
        (
            ["run", "org.csv", "ref.csv", "-o", "out", "--pseudonymization", "none"],
            "unknown pseudo",
        ),
        (["run", "org.csv", "ref.csv", "-o", "out", "--attacks", "I9"], "unknown attacker 'I9'"),
        (["run", "org.csv", "ref.csv", "-o", "org.csv"], "would overwrite an input"),
        (["run", "org.csv", "ref.csv", "-o", "org.csv/out"], "cannot create the folder"),
    ],
)
def test_bad_input_is_one_line(folder, monkeypatch, words, message):
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(app, ["contest", *words])
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_method_of_your_own_in_the_documentation_runs(folder, root, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    text = (root / "docs" / "contest.md").read_text(encoding="utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    exec(compile(code, "contest.md", "exec"), {"__name__": "documentation"})
    name, utility, trace = capsys.readouterr().out.split()
    assert name == "HH"
    assert 0 < float(utility) < 1
    assert 0 < float(trace) < 1
