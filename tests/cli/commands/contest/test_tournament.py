"""``mixsafe contest tournament``: the example, teams of code, and teams who hand in files."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mixsafe.from_files.tournaments.teams import example
from mixsafe_cli.app import app
from tests.support.sessions import is_shown, session

SIZE = ("--users", 12, "--days", 1, "--workers", 1, "--quiet")
SMALL = (*SIZE, "--challenge", "TRP")
SALTED = {"secret/judge.json", "public/judge.json.sha256"}
"""Files that differ between tournaments of one seed: each has a salt of its own."""


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def done(*arguments: object) -> str:
    found = run(*arguments)
    assert found.exit_code == 0, found.stderr
    return str(found.stdout)


def tournament(*arguments: object) -> str:
    return done("contest", "tournament", *arguments)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def contents(folder: Path) -> dict[str, bytes]:
    """All files but the picture, without the command that made them."""
    found = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".png"
    }
    if "tournament.json" in found:
        result = json.loads(found["tournament.json"])
        assert result.pop("provenance")["command"].startswith("mixsafe contest tournament")
        found["tournament.json"] = json.dumps(result).encode()
    return found


def test_the_example_is_held_by_default_and_repeats_by_its_seed(tmp_path: Path) -> None:
    tournament("-o", tmp_path / "a", "--seed", 3, *SMALL)
    tournament(example(), "-o", tmp_path / "b", "--seed", 3, *SMALL)
    one, two = (contents(tmp_path / name) for name in "ab")
    assert one.keys() == two.keys()
    assert {name for name in one if one[name] != two[name]} == SALTED
    names = [row["name"] for row in rows(tmp_path / "a" / "teams.csv")]
    assert len(names) == 8
    assert names[-1] == "pseudonyms only"
    (found,) = json.loads((tmp_path / "a" / "tournament.json").read_text())["challenges"]
    assert set(found["awards"]) == {"anonymization", "re-identification", "trace inference"}


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two teams of few algorithms."""
    path = tmp_path / "two.toml"
    lines = ['[[team]]\nname = "a"\nanonymise = "A1"', '[[team]]\nname = "b"\nidentify = "I3"']
    path.write_text("\n".join(lines))
    return path


def test_nothing_public_tells_who_is_who(tmp_path: Path, two: Path) -> None:
    tournament(two, "-o", tmp_path, "--seed", 3, *SMALL)
    kinds = {path.name.split("_")[0] for path in (tmp_path / "public").iterdir()}
    assert kinds == {"reftraces", "pubtraces", "judge.json.sha256"}
    own = sorted(path.name for path in (tmp_path / "distributed" / "team002").iterdir())
    assert own == [f"{kind}_team002_data02_TRP.csv" for kind in ("orgtraces", "reftraces")]
    assert not (tmp_path / "distributed" / "team003").exists()  # the benchmark is nobody's
    assert (tmp_path / "secret").stat().st_mode & 0o077 == 0


def test_the_seed_is_kept_for_the_next_call_and_for_no_other_tournament(
    tmp_path: Path, two: Path
) -> None:
    tournament(two, "-o", tmp_path / "a", *SMALL)
    first = contents(tmp_path / "a")
    tournament(two, "-o", tmp_path / "a", *SMALL)
    assert contents(tmp_path / "a") == first
    tournament(two, "-o", tmp_path / "b", *SMALL)
    assert contents(tmp_path / "b") != first
    for other in (("--users", 13), ("--seed", 1), ("--pseudonymization", "mixzone")):
        found = run("contest", "tournament", two, "-o", tmp_path / "a", *SMALL, *other)
        assert found.exit_code == 2
        assert "another seed or other settings" in found.stderr


FOLDERS = """
[[team]]
name = "Paper"
folder = "paper"

[[team]]
name = "Code"
anonymise = "A4-7-1"
identify = "I3"
infer = "T3"
"""


def test_teams_of_files_take_part_in_three_calls(tmp_path: Path) -> None:
    """Nothing yet; then a release; then attacks made with mixsafe itself, and nothing moves."""
    teams, out, paper = tmp_path / "teams.toml", tmp_path / "out", tmp_path / "paper"
    teams.write_text(FOLDERS)
    paper.mkdir()
    tournament(teams, "-o", out, *SMALL)
    assert rows(out / "teams.csv")[0]["problem"] == "nothing was handed in"

    own = out / "distributed" / "team001" / "orgtraces_team001_data02_TRP.csv"
    handed_in = paper / "anotraces_team001_data02_TRP.csv"
    done("contest", "anonymize", "A1", own, "-o", handed_in, "-q")
    tournament(teams, "-o", out, *SMALL)
    assert rows(out / "teams.csv")[0]["utility"] == "1.0"
    releases = {path.name: path.read_bytes() for path in (out / "public").iterdir()}

    for victim in (2, 3):
        set_of = f"team{victim:03d}_data02_TRP.csv"
        known = out / "public" / f"reftraces_{set_of}", out / "public" / f"pubtraces_{set_of}"
        for method, kind in (("LINK", "etable"), ("T2", "etraces")):
            answer = paper / f"{kind}_team001-{victim:03d}.csv"
            done("contest", "attack", method, *known, "-o", answer, "--seed", 1, "-q")
    tournament(teams, "-o", out, *SMALL)
    assert {path.name: path.read_bytes() for path in (out / "public").iterdir()} == releases
    attacks = [row for row in rows(out / "attacks.csv") if row["attacker"] == "Paper"]
    assert [row["victim"] for row in attacks] == [
        "Code",
        "Code",
        "pseudonyms only",
        "pseudonyms only",
    ]
    table = out / "secret" / "ptable_team002_data02_TRP.csv"
    score = done("contest", "score", "reid", table, paper / "etable_team001-002.csv", "-q")
    assert attacks[0]["value"] == score.strip()


def test_a_file_that_is_not_as_it_should_be_is_its_team_s_fault_alone(tmp_path: Path) -> None:
    (tmp_path / "teams.toml").write_text(FOLDERS)
    (tmp_path / "paper").mkdir()
    (tmp_path / "paper" / "anotraces.csv").write_text("reg_id\n-1\n")
    tournament(tmp_path / "teams.toml", "-o", tmp_path / "out", *SMALL)
    paper, code, _ = rows(tmp_path / "out" / "teams.csv")
    assert "line 2, column 'reg_id': '-1' is not a released cell" in paper["problem"]
    assert code["valid"] == "yes"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_release_made_on_windows_is_valid_and_noted_once(tmp_path: Path, workers: int) -> None:
    (tmp_path / "teams.toml").write_bytes(b"\xef\xbb\xbf" + FOLDERS.replace("\n", "\r\n").encode())
    (tmp_path / "paper").mkdir()
    how = (*SIZE[:4], "--seed", 1, "--workers", workers, "--challenge", "TRP")
    teams, out = tmp_path / "teams.toml", tmp_path / "out"
    tournament(teams, "-o", out, *how)
    original = out / "distributed" / "team001" / "orgtraces_team001_data02_TRP.csv"
    cells = [line.rpartition(",")[2] for line in original.read_text().splitlines()]
    handed_in = "\r\n".join(cells).encode()
    (tmp_path / "paper" / "anotraces.csv").write_bytes(handed_in)
    found = run("contest", "tournament", teams, "-o", out, *how)
    assert found.stderr.count("CRLF line ends ignored") == 1
    assert rows(out / "teams.csv")[0]["utility"] == "1.0"


def test_a_release_that_is_withdrawn_is_no_longer_public(tmp_path: Path) -> None:
    (tmp_path / "teams.toml").write_text(FOLDERS)
    paper, out = tmp_path / "paper", tmp_path / "out"
    paper.mkdir()
    tournament(tmp_path / "teams.toml", "-o", out, *SMALL)
    own = out / "distributed" / "team001" / "orgtraces_team001_data02_TRP.csv"
    done("contest", "anonymize", "A1", own, "-o", paper / "anotraces.csv", "-q")
    tournament(tmp_path / "teams.toml", "-o", out, *SMALL)
    public = out / "public" / "pubtraces_team001_data02_TRP.csv"
    assert public.exists()
    (paper / "anotraces.csv").unlink()
    tournament(tmp_path / "teams.toml", "-o", out, *SMALL)
    assert not public.exists()


OWN = """
from dataclasses import dataclass
from mixsafe.contest.obfuscations import NoObfuscation
from mixsafe.contest.tournament.teams import Team

def made():
    return Team("Made", NoObfuscation())

team = Team("Ready")
broken = 7
"""


@pytest.fixture
def own_code(tmp_path: Path) -> Any:
    (tmp_path / "a_team_of_its_own.py").write_text(OWN)
    yield tmp_path
    sys.modules.pop("a_team_of_its_own", None)
    sys.path.remove(str(tmp_path))


def test_teams_of_code_are_found_beside_the_toml_on_any_number_of_workers(own_code: Path) -> None:
    lines = ['[[team]]\nentry = "a_team_of_its_own:made"', '[[team]]\nentry = "a_team_of_its_own"']
    (own_code / "teams.toml").write_text("\n".join(lines))
    for workers in (1, 2):
        out = own_code / f"out{workers}"
        options = (*SIZE[:4], "--workers", workers, "-q", "--seed", 1, "--challenge", "TRP")
        tournament(own_code / "teams.toml", "-o", out, *options)
        assert [row["name"] for row in rows(out / "teams.csv")][:2] == ["Made", "Ready"]
    one, two = (contents(own_code / f"out{workers}") for workers in (1, 2))
    assert one.keys() == two.keys()
    assert {name for name in one if one[name] != two[name]} == SALTED


def test_code_that_is_no_team_is_refused(own_code: Path) -> None:
    for entry, message in {
        "a_team_of_its_own:broken": "cannot load",
        "a_team_of_its_own:missing": "AttributeError",
        "nowhere_at_all:team": "ModuleNotFoundError",
    }.items():
        (own_code / "teams.toml").write_text(f'[[team]]\nentry = "{entry}"\n')
        found = run("contest", "tournament", own_code / "teams.toml", "-o", own_code / "out")
        assert found.exit_code == 2
        assert message in found.stderr
        assert not (own_code / "out").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("team = 1", "there must be teams"),
        ("[[team]]\n[other]", "there must be teams and nothing else"),
        ("[[team]", "this is no TOML"),
        ('[[team]]\nname = "a"', "does not say who plays"),
        ('[[team]]\nname = "a"\nfolder = "x"\ninfer = "T1"', "does not say who plays"),
        ('[[team]]\nfolder = "x"', "team 1 has no name"),
        ('[[team]]\nname = "a"\nattack = "I1"', "'attack' is unknown"),
        ('[[team]]\nname = "a"\nidentify = 7', "'identify' is unknown or no text"),
        ('[[team]]\nname = "a"\nidentify = "I9"', "team 1: unknown attacker 'I9'"),
        ('[[team]]\nname = "a"\nidentify = "T1"', "T1 answers traces, where ids are asked for"),
        ('[[team]]\nname = "a"\ninfer = "T1"', "two teams at least"),
    ],
)
def test_a_file_without_proper_teams_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "teams.toml").write_text(text)
    found = run("contest", "tournament", tmp_path / "teams.toml", "-o", tmp_path / "out", *SMALL)
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--data", "nowhere"], "--data is no folder"),
        (["--data", ".", "--users", "5"], "--users cannot"),
        (["--data", "."], "no files orgtraces_team001_data01_IDP.csv and so on"),
        (["--challenge", "XYZ"], "unknown challenge 'XYZ'; use IDP, TRP, or both"),
        (["--users", "0"], "--users 0"),
        (["--pseudonymization", "none"], "unknown pseudonymization"),
    ],
)
def test_options_that_cannot_be_right_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = run("contest", "tournament", "-o", "out", *options)
    assert found.exit_code == 2
    assert message in found.stderr
    assert not (tmp_path / "out").exists()


def test_data_sets_may_come_from_a_folder_with_one_for_the_benchmark(
    tmp_path: Path, two: Path
) -> None:
    tournament(two, "-o", tmp_path / "towns", "--seed", 1, *SMALL)
    data = tmp_path / "data"
    data.mkdir()
    for number in (1, 2):
        for path in (tmp_path / "towns" / "distributed" / f"team{number:03d}").iterdir():
            shutil.copy(path, data)
    tournament(two, "--data", data, "-o", tmp_path / "out", "--workers", 1, "-q")
    assert len(rows(tmp_path / "out" / "teams.csv")) == 2
    for kind in ("orgtraces", "reftraces"):
        source = data / f"{kind}_team001_data02_TRP.csv"
        shutil.copy(source, data / f"{kind}_team003_data02_TRP.csv")
    tournament(two, "--data", data, "-o", tmp_path / "more", "--workers", 1, "-q")
    assert rows(tmp_path / "more" / "teams.csv")[2]["name"] == "pseudonyms only"


def test_two_challenges_have_data_rankings_and_awards_of_their_own(
    tmp_path: Path, two: Path
) -> None:
    tournament(two, "-o", tmp_path, "--seed", 3, *SIZE)
    own = sorted(path.name for path in (tmp_path / "distributed" / "team001").iterdir())
    names = ("data01_IDP", "data02_TRP")
    assert own == [f"{k}_team001_{n}.csv" for k in ("orgtraces", "reftraces") for n in names]
    texts = {(tmp_path / "distributed" / "team001" / name).read_bytes() for name in own}
    assert len(texts) == 4
    found = json.loads((tmp_path / "tournament.json").read_text())["challenges"]
    assert [(one["challenge"], one["ranked_by"]) for one in found] == [
        ("IDP", "s_R"),
        ("TRP", "s_T"),
    ]
    assert [list(one["awards"]) for one in found] == [
        ["anonymization", "re-identification"],
        ["anonymization", "re-identification", "trace inference"],
    ]
    told = [(row["challenge"], row["name"]) for row in rows(tmp_path / "teams.csv")]
    assert told == [(c, name) for c in ("IDP", "TRP") for name in ("a", "b", "pseudonyms only")]
    alone = tmp_path / "alone"
    tournament(two, "-o", alone, "--seed", 3, *SMALL)
    for path in (alone / "public").glob("*.csv"):  # what else is held changes nothing
        assert path.read_bytes() == (tmp_path / "public" / path.name).read_bytes()


def test_sample_traces_of_two_teams_go_to_everybody_and_are_not_released(
    tmp_path: Path, two: Path
) -> None:
    tournament(two, "-o", tmp_path, "--seed", 3, *SMALL)
    samples = {path.name for path in (tmp_path / "distributed" / "samples").iterdir()}
    kinds = ("orgtraces", "reftraces")
    assert samples == {f"{kind}_team00{n}_data02_TRP.csv" for kind in kinds for n in (4, 5)}
    assert not {path.name for path in (tmp_path / "public").iterdir()} & samples


def test_a_team_may_play_otherwise_in_each_challenge(tmp_path: Path) -> None:
    text = FOLDERS.replace('anonymise = "A4-7-1"', 'anonymise-IDP = "A1"\nanonymise-TRP = "A4-7-1"')
    (tmp_path / "teams.toml").write_text(text)
    paper, out = tmp_path / "paper", tmp_path / "out"
    paper.mkdir()
    tournament(tmp_path / "teams.toml", "-o", out, *SIZE)
    utility = {row["challenge"]: row["utility"] for row in rows(out / "teams.csv")[1::3]}
    assert utility["IDP"] == "1.0"
    assert float(utility["TRP"]) < 1
    name = "anotraces_team001_data01_IDP.csv"
    own = out / "distributed" / "team001" / name.replace("ano", "org")
    done("contest", "anonymize", "A1", own, "-o", paper / name, "-q")
    tournament(tmp_path / "teams.toml", "-o", out, *SIZE)
    valid = {row["challenge"]: row["valid"] for row in rows(out / "teams.csv")[::3]}
    assert valid == {"IDP": "yes", "TRP": "no"}


def test_of_more_data_sets_than_the_teams_need_the_last_are_left_over_and_said_so(
    tmp_path: Path, two: Path
) -> None:
    tournament(two, "-o", tmp_path / "towns", "--seed", 1, *SMALL)
    own, data = tmp_path / "towns" / "distributed" / "team001", tmp_path / "data"
    data.mkdir()
    for number in range(1, 8):
        for kind in ("orgtraces", "reftraces"):
            source = own / f"{kind}_team001_data02_TRP.csv"
            shutil.copy(source, data / f"{kind}_team{number:03d}_data02_TRP.csv")
    found = run("contest", "tournament", two, "--data", data, "-o", tmp_path / "o", "--workers", 1)
    assert found.exit_code == 0
    assert "IDP is not held" in found.stderr
    assert "TRP: the last 2 of 7 data sets are not used" in found.stderr


def test_standings_are_printed_for_people_and_as_json(tmp_path: Path, two: Path) -> None:
    words = (two, "-o", tmp_path, "--seed", 3, *SIZE[:-1], "--challenge", "TRP")
    text = tournament(*words)
    assert "best anonymization" in text
    assert "the judge's benchmark" in text
    answer = json.loads(tournament(*words, "--json", "-"))
    assert answer == json.loads((tmp_path / "tournament.json").read_text())


def test_the_session_of_the_guide_gives_what_it_shows(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (root / "docs" / "tournament.md").read_text(encoding="utf-8")
    ((command, shown),) = session(page)
    printed = done(*command.split()[1:])
    assert is_shown(shown, printed), printed


def test_the_code_of_the_guide_runs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (root / "docs" / "tournament.md").read_text(encoding="utf-8")
    for block in page.split("```python\n")[1:]:
        exec(compile(block.split("```")[0], "tournament.md", "exec"), {"__name__": "guide"})
    assert "'trace inference': ('b',)" in capsys.readouterr().out


def test_the_judges_seed_is_told_to_nobody(tmp_path: Path) -> None:
    out = tmp_path / "out"
    tournament("-o", out, "--seed", 987654321, *SMALL)
    assert "987654321" in (out / "secret" / "judge.json").read_text()
    told = (out / "tournament.json").read_text()
    assert "987654321" not in told
    assert "--seed SECRET" in told


def test_the_picture_is_drawn_where_it_is_wanted(tmp_path: Path) -> None:
    picture = tmp_path / "teams.svg"
    tournament("-o", tmp_path / "out", "--seed", 3, *SMALL, "--plot", picture)
    assert "re-identification privacy" in picture.read_text(encoding="utf-8")
