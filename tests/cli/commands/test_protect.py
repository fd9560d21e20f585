"""``mixsafe protect``: remedies, who is kept, exit status, and what it refuses."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app

PASSING_IN_PART = {
    "name": "p",
    "users": 5,
    "horizon": 4,
    "zones": [[1, [0, 1]], [2, [1, 2]], [3, [3, 4]]],
    "knowledge": [[user, 0] for user in range(5)],
    "requirements": [[0, 1, 4], [1, 1, 2], [2, 2, 2], [3, 3, 2], [4, 3, 2]],
}
HOPELESS = {**PASSING_IN_PART, "name": "q", "requirements": [[user, 0, 2] for user in range(5)]}


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["protect", *map(str, words)])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("p.json").write_text(json.dumps(PASSING_IN_PART))
    Path("q.json").write_text(json.dumps(HOPELESS))
    Path("both.jsonl").write_text(f"{json.dumps(PASSING_IN_PART)}\n{json.dumps(HOPELESS)}\n")
    return tmp_path


def walk(name: str = "walk.csv", apart: float = 0.0018) -> Path:
    """Four people in a row, 200 m from each to the next, who all stand still for ten minutes."""
    rows = (f"{who},{1700000040 + 60 * minute},{1e-4 + apart * who},0\n" for who in range(4)
            for minute in range(10))  # fmt: skip
    Path(name).write_text("user_id,time,lat,lon\n" + "".join(rows))
    return Path(name)


def test_of_a_problem_it_names_the_kept_and_those_who_are_left_out() -> None:
    done = run("p.json", "--json", "-")
    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["kept"], answer["left_out"], answer["rounds"]) == ([3, 4], [0, 1, 2], 3)
    assert "kept_at_best" not in answer
    assert [one["verdict"] for one in answer["remedies"]] == ["unsafe", "safe"]


def test_of_several_problems_there_is_a_line_each_and_the_worst_counts() -> None:
    done = run("both.jsonl", "--json", "-", "--leave-out")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["verdict"] for one in found] == ["safe", "unsafe"]
    assert found[1]["kept"] == []
    assert done.exit_code == 1


def test_the_terminal_says_what_passes_and_that_it_is_proven() -> None:
    done = run("p.json")
    assert "without 3 people the others pass" in done.stdout
    assert (
        "Every group that passes is a part of these 2 people: proven, in 3 rounds." in done.stdout
    )
    hopeless = run("q.json")
    assert "NO REMEDY PASSES" in hopeless.stdout
    assert "No group of people passes, whoever is left out" in hopeless.stdout
    many = run("both.jsonl")
    assert many.stdout.splitlines()[0] == "NO REMEDY PASSES  1 a remedy passes, 1 no remedy passes."
    assert all(f"{word} remedy passes" in many.stdout for word in ("A", "No"))


def test_undecided_people_leave_bounds_and_another_status() -> None:
    """Whoever is seen at the end of a chain of three zones needs a search, which bounds is not."""
    problem = {
        "name": "r",
        "users": 4,
        "horizon": 9,
        "zones": [[1, [0, 1, 2]], [3, [1, 2, 3]], [5, [0, 1, 3]], [7, [0, 2, 3]]],
        "knowledge": [[user, step] for user in range(4) for step in (0, 9)],
        "requirements": [[user, step, 3] for user in range(4) for step in (2, 4, 6)],
    }
    Path("r.json").write_text(json.dumps(problem))
    answers = {}
    for engine in ("bounds", "auto"):
        done = run("r.json", "--engine", engine, "--json", "-")
        answers[engine] = (done.exit_code, json.loads(done.stdout))
    status, open_ = answers["bounds"]
    truth = set(answers["auto"][1]["kept"])
    best = set(open_.get("kept_at_best", open_["kept"]))
    assert set(open_["kept"]) <= truth <= best
    assert status == (0 if open_["kept"] else 3 if best else 1)


def test_the_output_says_who_is_kept_and_verify_takes_it() -> None:
    CliRunner().invoke(app, ["datasets", "make", "town", "--quiet"])
    done = run(
        "town.csv", "--k", 3, "--rule", "share:0.9", "--output", "kept.csv", "--json", "a.json"
    )
    assert done.exit_code == 0, done.stderr
    leave_out = json.loads(Path("a.json").read_text())["remedies"][1]
    words = "verify town.csv --k 3 --rule share:0.9 --user-list kept.csv --json v.json -q"
    assert CliRunner().invoke(app, words.split()).exit_code == 0
    verified = json.loads(Path("v.json").read_text())
    assert verified["summary"]["users"] == leave_out["users"]
    assert verified["summary"]["share_of_time_safe"] == leave_out["share_of_time_safe"]


def test_larger_cells_are_found_and_verified_again() -> None:
    """In cells of 100 m nobody meets. A corner of the grid lies in the middle of the row."""
    walk()
    done = run("walk.csv", "--k", 2, "--adversary", "none", "--json", "a.json", "--rule", "every")
    answer = json.loads(Path("a.json").read_text())
    tried = {
        one["cell_size"]: one["verdict"]
        for one in answer["remedies"]
        if one["remedy"] == "larger cells"
    }
    assert len(tried) < 4  # of nested cells, halves are enough
    passes = [size for size, verdict in tried.items() if verdict == "safe"]
    assert done.exit_code == 0
    assert f"with cells of {min(passes):g} m all pass" in done.stdout
    for size, verdict in tried.items():
        words = (
            f"verify walk.csv --k 2 --adversary none --rule every --cell-size {size} --json v.json"
        )
        CliRunner().invoke(app, [*words.split(), "-q"])
        assert json.loads(Path("v.json").read_text())["verdict"] == verdict


def test_nothing_has_to_be_done_for_data_that_pass() -> None:
    walk(apart=0.0)
    done = run("walk.csv", "--k", 2, "--adversary", "none", "--rule", "every")
    assert done.exit_code == 0
    assert "walk.csv passes as it is." in done.stdout
    assert "larger cells" not in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("walk.csv", "nothing is asked"),
        ("walk.csv --k 1", "--k 1 is not from 2"),
        ("walk.csv --k 2 --cell-sizes 50", "cells of 50.0 are not larger than those now, 100"),
        ("walk.csv --k 2 --cell-sizes big", "--cell-sizes 'big' is not a number above 0"),
        ("walk.csv --k 2 --cell-sizes h3:99", "unknown cells 'h3:99'"),
        ("walk.csv --k 2 --time-steps 90.5", "--time-steps '90.5' is not whole"),
        ("walk.csv --k 2 --time-steps 60", "steps of 60 s are not longer"),
        ("walk.csv --k 2 --time-steps 90 --leave-out", "--time-steps cannot be given"),
        ("p.json --cell-sizes 200", "--cell-sizes cannot be given: larger cells"),
        ("p.json --max-speed 50", "--max-speed cannot be given"),
        ("both.jsonl -o kept.csv", "--output is for one problem, not 2"),
        ("both.jsonl --plot p.png", "--plot is for one problem, not 2"),
        ("walk.csv --k 2 --rotations often", "'often' is not a schedule of rotation"),
        ("walk.csv --k 2 --rotations daily --leave-out", "--rotations cannot be given"),
        ("p.json --rotations daily", "--rotations cannot be given: a problem says itself"),
        ("walk.csv --k 2 --apply 2", "--apply writes a folder"),
        ("walk.csv --k 2 --apply 99 -o d", "--apply 99: remedies have the numbers 1 to"),
        ("walk.csv --k 2 --apply 2 -o d --plot p.png", "--plot cannot be given"),
        ("walk.csv --k 2 --apply 2 -o walk.csv", "--output is a file, not a folder"),
        ("walk.csv --k 2 --apply 2 -o .", "--output: the folder is not empty"),
        ("p.json --apply 2 -o d", "--apply needs traces"),
        ("walk.csv --requirements walk.csv --apply 2 -o d", "--requirements cannot be given"),
    ],
)
def test_bad_input_is_refused_in_a_line(words: str, says: str) -> None:
    walk()
    done = run(*words.split())
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1), done.stderr
    assert says in done.stderr


@pytest.fixture
def town() -> Path:
    CliRunner().invoke(app, ["datasets", "make", "town", "--quiet"])
    return Path("town.csv")


ASKED = ("--k", 3, "--rule", "share:0.9", "--json", "a.json")


def test_what_a_remedy_writes_passes_in_a_run_of_its_own(town: Path) -> None:
    """By the command that its folder names; with the numbers of the table."""
    run(town, *ASKED)
    tried = json.loads(Path("a.json").read_text())["remedies"]
    assert len({one["number"] for one in tried}) == len(tried) >= 6
    for one in tried:
        folder = f"remedy{one['number']}"
        done = run(town, *ASKED, "--apply", one["number"], "-o", folder)
        answer = json.loads(Path("a.json").read_text())
        costs = {name: value for name, value in one.items() if name != "seconds"}
        assert costs.items() <= {**answer["remedies"][0]}.items()
        if one["verdict"] != "safe":
            assert (done.exit_code, Path(folder).exists(), answer["files"]) == (1, False, [])
            assert "Nothing was written" in done.stdout
            continue
        assert done.exit_code == 0, done.stderr
        assert {str(one.relative_to(folder)) for one in Path(folder).glob("*/*")} == {
            *answer["files"]
        }
        command = json.loads((Path(folder) / "secret" / "remedy.json").read_text())["verify"]
        assert f"Once more: {command}" in " ".join(done.stdout.split())
        again = CliRunner().invoke(app, [*command.split()[1:], "-q", "--json", "v.json"])
        assert again.exit_code == 0
        verified = json.loads(Path("v.json").read_text())
        assert verified["summary"]["users"] == one["users"]
        assert verified["summary"]["share_of_time_safe"] == one["share_of_time_safe"]


def test_the_json_names_what_is_published_by_hash_and_nothing_secret(town: Path) -> None:
    """So that a page for an officer says which release it is, and takes an audit of it."""
    words = (town, *ASKED, "--apply", 2, "-o", "out", "-q")
    assert run(*words).exit_code == 0
    text = Path("a.json").read_text()
    (told,) = json.loads(text)["provenance"]["outputs"]
    digests = {path.name: sha256(path.read_bytes()).hexdigest() for path in Path("out").glob("*/*")}
    assert (told["what"], told["name"]) == ("release", "release.csv")
    assert told["sha256"] == digests.pop("release.csv")
    assert len(digests) == 3
    assert not any(one in text for one in digests.values())
    first = Path("out/publish/release.csv").read_text().splitlines()[1].split(",")
    Path("seen.csv").write_text(f"user_id,time_id,reg_id\n1,{first[1]},{first[2]}\n")
    audit = "--knowledge seen.csv --k 3 --engine bounds --json audit.json -q"
    words = ["audit", "out/publish/release.csv", *audit.split()]
    assert CliRunner().invoke(app, words).exit_code != 2
    page = "report a.json audit.json --for officer -o officer.html"
    done = CliRunner().invoke(app, page.split())
    assert done.exit_code == 0, done.stderr
    shown = Path("officer.html").read_text()
    assert f"Written release: release.csv, SHA-256 {told['sha256']}" in shown
    assert "A release was made from these data by remedy 2 (" in shown
    assert "that it was made from these data" not in shown  # nothing is missing there


def test_a_remedy_that_fails_has_written_nothing_to_name(town: Path) -> None:
    assert run(town, *ASKED, "--apply", 1, "-o", "out", "-q").exit_code == 1
    assert "outputs" not in json.loads(Path("a.json").read_text())["provenance"]


def test_times_that_were_asked_about_are_in_the_command_that_verifies_once_more(town: Path) -> None:
    done = run(town, "--k", 3, "--at", "5,20", "--apply", 2, "-o", "out")
    assert done.exit_code == 0, done.stderr
    command = json.loads(Path("out/secret/remedy.json").read_text())["verify"]
    assert "--at 5,20" in command
    assert CliRunner().invoke(app, [*command.split()[1:], "-q"]).exit_code == 0


def test_longer_steps_are_read_again_as_steps_of_that_length() -> None:
    """Else the written tracks would show no place at most of the steps, and places count."""
    lines = ["user_id,time,lat,lon"]
    for who in range(4):
        for minute in range(who % 2, 20, 2):  # in steps of a minute, nobody meets anybody
            there = who in (2, 3) if minute < 10 else who in (1, 3)
            lines.append(f"{who},{1700000040 + 60 * minute},{0.01 * there},1")
    Path("pairs.csv").write_text("\n".join([*lines, ""]))
    words = ("--k", 2, "--adversary", "none", "--distinct-places", 2, "--rule", "some",
             "--rotations", "none", "--cell-sizes", 150, "--time-steps", 120)  # fmt: skip
    run("pairs.csv", *words, "--json", "a.json")
    tried = json.loads(Path("a.json").read_text())["remedies"]
    passing = {one["remedy"]: one["number"] for one in tried if one["verdict"] == "safe"}
    assert list(passing) == ["longer steps"]
    done = run("pairs.csv", *words, "--apply", passing["longer steps"], "-o", "out")
    assert done.exit_code == 0, done.stdout


def test_the_release_is_drawn_anew_and_nobody_is_in_it_by_name(town: Path) -> None:
    for folder in ("one", "other"):
        run(town, *ASKED, "--apply", 2, "-o", folder)
    one, other = (Path(folder, "publish", "release.csv").read_text() for folder in ("one", "other"))
    assert one.splitlines()[0] == "pseudonym,time_id,reg_id"
    assert len(one.splitlines()) == len(other.splitlines())
    assert one != other
    places = [sorted(line.split(",", 1)[1] for line in text.splitlines()) for text in (one, other)]
    assert places[0] == places[1]


def test_the_picture_is_drawn(town: Path) -> None:
    done = run(town, *ASKED, "--plot", "p.svg")
    assert done.exit_code == 0
    picture = Path("p.svg").read_text()
    for words in ("as it is", "all change every:5", "people left out", "stretches hidden"):
        assert words in picture


def test_requirements_that_name_people_are_not_hidden(town: Path) -> None:
    """Whose cells are hidden would say who was asked about."""
    Path("r.csv").write_text("user_id,time_id,k\n1,5,3\n2,6,3\n")
    run(town, "--requirements", "r.csv", "--json", "a.json", "--rotations", "none")
    tried = json.loads(Path("a.json").read_text())["remedies"]
    assert [one["remedy"] for one in tried] == ["as it is", "leave out"]


@pytest.mark.parametrize("part", [0.2, 0.6, 0.95])
def test_a_run_that_was_stopped_goes_on_to_the_same_answer(town: Path, part: float) -> None:
    """As if it had been killed while it wrote: the journal ends in the middle of an entry."""
    words = (town, *ASKED, "--resume", "journal")
    assert run(*words).exit_code == 0
    whole = json.loads(Path("a.json").read_text())
    journal = Path("journal/checkpoint")
    content = journal.read_bytes()
    journal.write_bytes(content[: int(len(content) * part)])
    assert run(*words).exit_code == 0
    again = json.loads(Path("a.json").read_text())
    for answer in (whole, again):
        for remedy in answer["remedies"]:
            del remedy["seconds"]
    assert again["remedies"] == whole["remedies"]
    assert again["kept"] == whole["kept"]
    assert journal.read_bytes() == content
    other = run(town, "--k", 4, "--rule", "share:0.9", "--resume", "journal")
    assert other.exit_code == 2
    assert "it belongs to a run with" in other.stderr
