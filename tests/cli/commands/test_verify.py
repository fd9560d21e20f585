"""``mixsafe verify``, from files to answers and exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import geopandas
import pandas as pd
import pytest
from typer.testing import CliRunner

from mixsafe.synthesize.samples import sample
from mixsafe.verify.presolved import MAX_ZONE
from mixsafe_cli.app import app

TABLE = """user_id,time,lat,lon
ann,2026-01-01T08:00:10Z,50.0,10.0
ann,2026-01-01T08:01:10Z,50.01,10.0
bob,2026-01-01T08:00:20Z,50.0,10.0
bob,2026-01-01T08:01:20Z,50.02,10.0
cy,2026-01-01T08:00:30Z,50.03,10.0
cy,2026-01-01T08:01:30Z,50.02,10.0
"""


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["verify", *(str(argument) for argument in arguments)])


def answer_of(result: Any) -> dict[str, Any]:
    assert result.exit_code in (0, 1, 3, 4), result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


@pytest.fixture
def problem_file(four_walkers: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "four-walkers.json"
    path.write_text(json.dumps(four_walkers))
    return path


@pytest.fixture
def table_file(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


def test_a_problem_is_answered_as_the_format_says(problem_file: Path) -> None:
    answer = answer_of(run(problem_file, "--json", "-"))
    assert answer["name"] == "four-walkers"
    assert (answer["users"], answer["steps"], answer["zones"]) == (4, 6, 2)
    assert answer["engine"] == "auto"
    assert answer["summary"] == {
        "requirements": 2,
        "safe": 2,
        "unsafe": 0,
        "undecided": 0,
        "rule": "every",
        "users": {"safe": 2, "unsafe": 0, "undecided": 0},
        "share_of_time_safe": 1.0,
        "share_of_time_without_data": 0.0,
    }
    assert [(row["user"], row["time"], row["k"]) for row in answer["results"]] == [
        (1, 4, 3),
        (3, 5, 2),
    ]
    assert all(row["verdict"] == "safe" for row in answer["results"])


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (("--k", 2), 1),
        (("--k", 99), 1),
        (("--k", 2, "--at", 4, "--rule", "share:0.5"), 1),
        ((), 0),
        (("--k", 1), 2),
        (("--k", 0), 2),
    ],
    ids=["walker 0 is alone", "too many", "at a time", "the requirements", "one", "none"],
)
def test_the_exit_status_is_the_verdict(
    problem_file: Path, asked: tuple[object, ...], status: int
) -> None:
    assert run(problem_file, *asked, "--quiet").exit_code == status


def test_a_pass_by_the_default_rule_alone_is_a_weak_one_with_a_status_of_its_own(
    table_file: Path, tmp_path: Path
) -> None:
    asked, out = (table_file, "--k", 2, "--adversary", "none", "--json"), tmp_path / "a.json"
    found = run(*asked, out)
    assert found.exit_code == 4
    assert found.stdout.startswith("WEAK PASS  Each of 3 people has 2 candidate pseudonyms at some")
    answer = json.loads(out.read_text())
    assert list(answer)[:2] == ["schema", "verdict"]
    assert (answer["verdict"], answer["document"]["tone"]) == ("weak pass", "weak pass")
    chosen = run(*asked, out, "--rule", "some")
    assert (chosen.exit_code, json.loads(out.read_text())["verdict"]) == (0, "safe")
    assert chosen.stdout.startswith("VALID")
    assert run(*asked, out, "--rule", "every").exit_code == 1


def test_one_candidate_protects_nobody_wherever_it_is_asked_for(
    four_walkers: dict[str, Any], table_file: Path, tmp_path: Path
) -> None:
    problem, asked = tmp_path / "problem.json", tmp_path / "asked.csv"
    problem.write_text(json.dumps(four_walkers | {"requirements": [[1, 4, 2], [2, 4, 1]]}))
    asked.write_text("user_id,time,k\nann,2026-01-01T08:01:00Z,1\n")
    for words in ((problem,), (table_file, "--requirements", asked), (table_file, "--k", 1)):
        refused = run(*words)
        assert refused.exit_code == 2
        assert refused.stderr.count("\n") == 1
        assert "1 is not from 2 to 2147483647" in refused.stderr


def test_more_candidates_than_there_are_users_is_unsafe_and_stops_nothing(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    problems = tmp_path / "problems.jsonl"
    lines = [four_walkers | {"requirements": [[1, 4, k]]} for k in (2, 5, 3)]
    problems.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    for engine in ("auto", "cpsat", "dp", "bounds"):
        found = run(problems, "--engine", engine, "--json", "-")
        assert found.exit_code == 1
        assert "k = 5 asks for more candidates than there are users (4): unsafe" in found.stderr
        answers = [json.loads(line) for line in found.stdout.splitlines()]
        assert [answer["verdict"] for answer in answers] == ["safe", "unsafe", "safe"]
        assert answers[1]["results"][0]["upper"] < 5


def test_a_limit_that_is_reached_is_status_3_and_no_error() -> None:
    limited = ("--engine", "cpsat", "--time-limit", "0.001")
    result = run(sample("cabs"), "--k", 36, *limited, "--json", "-")
    answer = answer_of(result)
    assert result.exit_code == 3
    assert answer["summary"]["users"]["unsafe"] == 0
    assert answer["summary"]["users"]["undecided"] > 0


def test_exhaustive_lists_all_candidates_of_every_user_and_time(problem_file: Path) -> None:
    domains = answer_of(run(problem_file, "--exhaustive", "--json", "-"))["domains"]
    found = {(row["user"], row["time"]): row["pseudonyms"] for row in domains}
    assert len(found) == 4 * 7
    assert found[0, 3] == [0]
    assert found[2, 2] == [2]
    assert sorted(found[2, 3]) == [1, 2, 3]


def test_lines_in_are_lines_out_in_the_same_order(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path, out = tmp_path / "problems.jsonl", tmp_path / "answers.jsonl"
    named = [four_walkers | {"name": f"p{number}"} for number in range(12)]
    named[5]["requirements"] = [[0, 2, 2]]
    path.write_text("".join(f"{json.dumps(problem)}\n" for problem in named))
    result = run(path, "--json", out)
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert [answer["name"] for answer in answers] == [f"p{number}" for number in range(12)]
    assert result.exit_code == 1
    assert "INVALID" in result.stdout.splitlines()[0]
    assert result.stdout.splitlines()[4].startswith("Location privacy of p5")


def test_a_line_that_is_no_problem_is_named(four_walkers: dict[str, Any], tmp_path: Path) -> None:
    path, out = tmp_path / "problems.jsonl", tmp_path / "answers.jsonl"
    path.write_text(f"{json.dumps(four_walkers)}\n{json.dumps(four_walkers)[:-9]}\n")
    result = run(path, "--json", out)
    assert result.exit_code == 2
    assert "line 2" in result.stderr
    assert not out.exists()


def test_every_wire_is_a_row_of_the_output(table_file: Path, tmp_path: Path) -> None:
    for name, read in (("wires.csv", pd.read_csv), ("wires.parquet", pd.read_parquet)):
        out = tmp_path / name
        assert run(table_file, "--k", 2, "--output", out).exit_code == 1
        wires = read(out)
        assert list(wires.columns) == [
            "user_id",
            "from_time",
            "to_time",
            "k",
            "lower",
            "upper",
            "verdict",
            "decided_by",
        ]
        assert wires["user_id"].value_counts().to_dict() == {"ann": 2, "bob": 3, "cy": 2}


def test_adversaries_differ(table_file: Path) -> None:
    verdicts = {
        name: answer_of(run(table_file, "--k", 2, "--adversary", name, "--json", "-"))["summary"]
        for name in ("none", "endpoints")
    }
    assert verdicts["none"]["users"]["safe"] == 3
    assert verdicts["endpoints"]["users"]["safe"] == 0


def test_an_adversary_may_be_a_file(table_file: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen.csv"
    seen.write_text("user_id,time\nann,2026-01-01T08:01:10Z\n")
    answer = answer_of(run(table_file, "--k", 2, "--adversary", seen, "--json", "-"))
    assert answer["summary"]["users"]["safe"] == 3


def test_at_names_times_as_the_data_do(table_file: Path) -> None:
    shared = (table_file, "--k", 2, "--adversary", "none", "--json", "-", "--at")
    answer = answer_of(run(*shared, "2026-01-01T08:00:00Z,2026-01-01T08:01:30Z"))
    assert answer["summary"]["rule"] == "every"
    assert len(answer["results"]) == 6
    assert answer["summary"]["safe"] == 5


def test_requirements_may_be_a_file(table_file: Path, tmp_path: Path) -> None:
    asked = tmp_path / "asked.csv"
    asked.write_text("user_id,time,k\nann,2026-01-01T08:01:10Z,2\ncy,2026-01-01T08:00:10Z,2\n")
    answer = answer_of(
        run(table_file, "--adversary", "none", "--requirements", asked, "--json", "-")
    )
    assert [row["verdict"] for row in answer["results"]] == ["safe", "unsafe"]


def test_columns_may_have_other_names(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(TABLE.replace("user_id,time,lat,lon", "driver,when,lat,lon"))
    named = ("--column", "user_id=driver", "--column", "time=when")
    assert answer_of(run(path, "--k", 2, *named, "--json", "-"))["users"] == 3


def test_per_user_puts_a_row_per_user_into_the_json(problem_file: Path) -> None:
    answer = answer_of(run(problem_file, "--k", 2, "--per-user", "--json", "-"))
    assert [row["user_id"] for row in answer["per_user"]] == [0, 1, 2, 3]


def test_quiet_says_nothing(problem_file: Path) -> None:
    result = run(problem_file, "--quiet")
    assert result.output == ""


def test_the_verdict_comes_first_and_then_who_is_least_protected(problem_file: Path) -> None:
    lines = run(problem_file, "--k", 2).stdout.splitlines()
    assert lines[0] == "INVALID  1 of 4 people never has 2 candidate pseudonyms (0)."
    assert lines[1].startswith("Time       On average a person is protected 50.0% of the time.")
    rule = (
        "'some' (default): a user passes if safe at some time asked. 3 pass, 1 fail, 0 undecided."
    )
    assert any(line.rstrip().endswith(rule) for line in lines)
    least = next(
        n for n, line in enumerate(lines) if line.startswith("People, the least protected")
    )
    assert lines[least + 2].split() == ["0", "0%", "100%", "0%", "0%", "fails", "1", "1", "1"]


def test_where_nobody_is_asked_about_no_table_is_headed(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "problem.json"
    path.write_text(json.dumps({**four_walkers, "requirements": []}))
    assert "least protected" not in run(path).stdout


def test_whose_sightings_count_is_said_of_problems_with_and_without_requirements(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path, result = tmp_path / "problem.json", tmp_path / "result.json"
    bare = {key: four_walkers[key] for key in four_walkers if key != "requirements"}
    for problem, asked in ((four_walkers, ()), (four_walkers, ("--k", 2)), (bare, ("--k", 2))):
        path.write_text(json.dumps(problem))
        said = run(path, *asked, "--json", result).stdout
        assert "The adversary has the sightings that the problem lists (2 sightings)" in said
        assert "before the first and at the last step" not in said
        assert "adversary" not in json.loads(result.read_text())["provenance"]["parameters"]


def test_required_of_traces_is_not_what_the_adversary_knows(
    table_file: Path, tmp_path: Path
) -> None:
    asked = tmp_path / "asked.csv"
    asked.write_text("user_id,time,k\nann,2026-01-01T08:01:00Z,2\n")
    said = run(table_file, "--requirements", asked).stdout
    assert "saw every person before the first and at the last step" in " ".join(said.split())


def test_a_problem_says_itself_what_the_adversary_knows(problem_file: Path) -> None:
    for arguments in (("--adversary", "none"), ("--users", 2), ("--cell-size", 50)):
        result = run(problem_file, *arguments)
        assert result.exit_code == 2
        assert "cannot be given" in result.stderr


def test_an_input_is_never_overwritten(table_file: Path) -> None:
    result = run(table_file, "--k", 2, "--output", table_file)
    assert result.exit_code == 2
    assert table_file.read_text() == TABLE


def test_nothing_is_written_when_the_input_is_bad(tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.csv", tmp_path / "wires.csv"
    bad.write_text(TABLE.replace("50.02,10.0\ncy", "north,10.0\ncy"))
    result = run(bad, "--k", 2, "--output", out, "--json", tmp_path / "answer.json")
    assert result.exit_code == 2
    assert "line 5" in result.stderr
    assert "'lat'" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_without_a_source_the_sample_is_verified() -> None:
    result = run("--k", 3)
    assert result.exit_code == 1
    assert result.stdout.startswith("INVALID  17 of 200 people never have 3 candidate pseudonyms")
    assert "town.csv: 200 users" in result.stdout


def test_a_place_that_everybody_shares_is_refused_with_its_file(tmp_path: Path) -> None:
    crowd = tmp_path / "crowd.csv"
    rows = "".join(f"1,0,{user}\n" for user in range(MAX_ZONE + 1))
    crowd.write_text(f"time_id,zone_id,user_id\n{rows}")
    result = run(crowd, "--k", 3)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    says = f"crowd.csv, column 'zone_id': {MAX_ZONE + 1} users are in one mix zone at time 1"
    assert says in result.stderr


def test_where_people_are_exposed_can_be_read_as_a_map(tmp_path: Path) -> None:
    """The hours on the map are those of the table of verdicts, place by place."""
    common = ["--k", "3", "--cells", "h3:8", "--time-step", "600"]
    maps = {ending: tmp_path / f"exposure.{ending}" for ending in ("parquet", "geojson")}
    for path in maps.values():
        done = run(sample("cabs"), *common, "--map", path, "--json", tmp_path / "found.json")
        assert done.exit_code == 4, done.stderr
    table = geopandas.read_parquet(maps["parquet"])
    features = geopandas.read_file(maps["geojson"])
    assert [shape.wkb for shape in table.geometry] == [shape.wkb for shape in features.geometry]
    for name in ("place", "hours_at_risk", "hours_present", "safety_begins"):
        assert table[name].tolist() == features[name].tolist()
    parts = json.loads((tmp_path / "found.json").read_text())["document"]["parts"]
    (shown,) = (part for part in parts if part["kind"] == "map")
    assert not any("no mark" in line for line in shown["text"])
    hours = sum(map(sum, shown["exposure"]["risk"])) / 6
    assert table["hours_at_risk"].sum() == pytest.approx(hours, abs=1e-3)
    assert table["share_at_risk"].tolist() == pytest.approx(
        (table["hours_at_risk"] / table["hours_present"]).tolist(), abs=1e-4
    )
    assert table["most_at_risk"].dropna().between(0, 23).all()


@pytest.mark.parametrize(
    ("source", "more", "complaint"),
    [
        ("town", ["--k", "3"], "not known where people were; coordinates are needed"),
        ("cabs", ["--k", "3", "--at", "2026-01-01T09:00:00Z"], "--at cannot be given: --map"),
    ],
)
def test_a_map_that_cannot_be_is_refused_before_deciding(
    tmp_path: Path, source: str, more: list[str], complaint: str
) -> None:
    done = run(
        sample(source), *more, "--map", tmp_path / "e.geojson", "--output", tmp_path / "w.csv"
    )
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert complaint in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("time", ["6008-01-01T08:00:30Z", "9999-12-30T00:00:00Z"])
def test_a_time_that_is_thousands_of_years_off_is_named_or_takes_no_time(
    time: str, tmp_path: Path
) -> None:
    path = tmp_path / "slip.csv"
    path.write_text(TABLE + f"cy,{time},50.02,10.0\n")
    asked = (path, "--k", "2", "--engine", "bounds", "--adversary")
    found = run(*asked, "daily")
    assert found.exit_code == 2
    (line,) = found.stderr.splitlines()
    assert line.startswith(f"mixsafe: {path}, line 8, column 'time': the data span ")
    assert f"user cy at {time[:10]}" in line
    assert line.endswith("choose a period (--start, --end)") or "--time-step" in line
    early = run(*asked, "daily", "--end", "2027-01-01")
    assert early.exit_code in (1, 4), early.stderr
    home = run(*asked, "home", "--json", "-")
    assert home.exit_code in ((0, 1) if time < "9" else (2,)), home.stderr
