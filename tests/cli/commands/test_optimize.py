"""``mixsafe optimize``, from files to answers and exit status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from mixsafe.model.course import Course
from mixsafe.optimize import minimum
from mixsafe.optimize.answer import MinimumZones
from mixsafe.optimize.minimum import minimum_zones
from mixsafe_cli.app import app


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["optimize", *(str(argument) for argument in arguments)])


@pytest.fixture
def problem_file(four_walkers: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "four-walkers.json"
    path.write_text(json.dumps(four_walkers))
    return path


def test_a_problem_is_answered_as_the_format_says(problem_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "needed.csv"
    result = run(problem_file, "--json", "-", "-o", out)
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert answer.pop("seconds") >= 0
    assert answer.pop("document")["word"] == "Optimal"
    assert answer.pop("provenance")["inputs"]
    assert answer.pop("command")[0] == "optimize"
    assert list(answer)[:2] == ["schema", "verdict"]
    assert answer == {
        "schema": "optimize 1",
        "verdict": "safe",
        "name": "four-walkers",
        "knowledge": "paper",
        "status": "optimal",
        "minimum": 1,
        "bound": 1,
        "zones": [1],
    }
    assert pd.read_csv(out)["user_id"].tolist() == [1, 2, 3]


def test_members_may_be_what_a_zone_costs(problem_file: Path) -> None:
    answer = json.loads(run(problem_file, "--weight", "members", "--json", "-").stdout)
    assert answer["minimum"] == 3


def test_certificates_take_a_quarter_of_the_limit_from_the_search(
    problem_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = list[float]()

    def timed(*asked: Any, course: Course, **options: Any) -> MinimumZones:
        left.append(course.left)
        return minimum_zones(*asked, course=course, **options)

    monkeypatch.setattr(minimum, "minimum_zones", timed)
    run(problem_file, "--time-limit", 8000)
    run(problem_file, "--time-limit", 8000, "--certificates", tmp_path / "proofs")
    assert 7000 < left[0] <= 8000
    assert 5000 < left[1] <= 6000


def test_what_cannot_be_met_is_an_answer_that_names_the_requirement(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "problem.json"
    path.write_text(json.dumps(four_walkers | {"requirements": [[1, 4, 2], [0, 3, 2]]}))
    result = run(path)
    assert result.exit_code == 1
    first, *lines = result.stdout.splitlines()
    assert first.startswith("INFEASIBLE  1 of 2 requirements cannot be met, not even with all mix")
    assert ["0", "3", "2"] in [line.split() for line in lines]


def test_where_time_brings_no_set_of_zones_the_status_is_3(problem_file: Path) -> None:
    result = run(problem_file, "--method", "cpsat", "--time-limit", 1e-9, "--json", "-")
    assert result.exit_code == 3, result.stderr
    answer = json.loads(result.stdout)
    assert (answer["verdict"], answer["zones"]) == ("undecided", [])


def test_the_time_that_is_told_is_that_of_what_can_be_met_as_well() -> None:
    result = run("--k", 2, "--at", 20, "--time-limit", 1, "--json", "-")
    assert result.exit_code == 1, result.stderr
    answer = json.loads(result.stdout)
    assert answer["unmet"] > 0
    assert answer["seconds"] >= answer["rest"]["seconds"] > 0


def test_lines_in_are_lines_out_in_the_same_order(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path, out = tmp_path / "problems.jsonl", tmp_path / "answers.jsonl"
    named = [four_walkers | {"name": f"p{number}"} for number in range(3)]
    path.write_text("".join(f"{json.dumps(problem)}\n" for problem in named))
    assert run(path, "--json", out, "--quiet").output == ""
    answers = [json.loads(line) for line in out.read_text().splitlines()]
    assert [answer["name"] for answer in answers] == ["p0", "p1", "p2"]


def test_without_a_source_the_sample_is_meant() -> None:
    found = run("--k", 2, "--at", 9999)
    assert found.exit_code == 2
    assert "town.csv: time 9999 is outside" in found.stderr


def test_everybody_may_be_asked_about_at_some_times(tmp_path: Path) -> None:
    zones = tmp_path / "zones.csv"
    zones.write_text("time_id,zone_id,user_id\n1,0,ann\n1,0,bob\n3,0,ann\n3,0,bob\n")
    asked = ("--k", 2, "--at", 2, "--json", "-")
    assert json.loads(run(zones, *asked, "--adversary", "none").stdout)["zones"] == [0]
    assert json.loads(run(zones, *asked).stdout)["zones"] == [0, 1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--k", 2), "--k needs --at"),
        (("--k", 1, "--at", 2), "--k 1 is not from 2"),
        (("--at", 2), "--at needs --k"),
        (("--weight", "size"), "--weight 'size' is unknown"),
        (("--method", "luck"), "--method 'luck' is unknown"),
        (("--time-limit", 0), "--time-limit 0 is not above 0"),
        (("--workers", -1), "--workers -1 is negative"),
    ],
)
def test_bad_usage_is_one_line(problem_file: Path, options: tuple[object, ...], said: str) -> None:
    result = run(problem_file, *options)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert said in result.stderr


def test_requirements_on_unknown_users_name_their_line(problem_file: Path, tmp_path: Path) -> None:
    asked = tmp_path / "asked.csv"
    asked.write_text("user_id,time_id,k\n1,4,2\n7,4,2\n")
    result = run(problem_file, "--requirements", asked)
    assert result.exit_code == 2
    assert "asked.csv, line 3" in result.stderr


def test_a_problem_that_asks_nothing_is_refused(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "problem.json"
    del four_walkers["requirements"]
    path.write_text(json.dumps(four_walkers))
    result = run(path)
    assert result.exit_code == 2
    assert "has no requirements" in result.stderr


def test_a_certificate_shows_that_the_zones_are_enough_by_themselves_and_nothing_cheaper_is(
    problem_file: Path, four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    proofs = tmp_path / "proofs"
    found = run(problem_file, "--certificates", proofs, "--time-limit", 6000, "--json", "-")
    assert found.exit_code == 0, found.stderr
    zones = json.loads(found.stdout)["zones"]

    def checked(*options: object) -> Any:
        return CliRunner().invoke(app, [str(one) for one in ("check", proofs, *options)])

    told = json.loads(checked("--json", "-").stdout)
    assert (told["verdict"], told["safe_replayed"], told["unsafe_claimed"]) == ("safe", 2, 0)
    assert (told["minimum_proven"], told["cost"], told["bound_proven"]) == (True, *[len(zones)] * 2)
    assert "proven" in checked("--source", problem_file).stdout
    fewer = {**four_walkers, "zones": [four_walkers["zones"][z] for z in zones]}
    problem_file.write_text(json.dumps(fewer))
    assert "zones differ" in checked("--source", problem_file).stderr


@pytest.fixture
def named_places(tmp_path: Path) -> Path:
    """Two zones at two places are enough for (0, 2, 2), or one place with four zones."""
    zones = [[1, [0, 1]], [2, [0, 2]], [3, [0, 3]], [4, [2, 3]], [5, [0, 3]], [7, [0, 1]]]
    asked = {
        "users": 4, "horizon": 7, "zones": zones, "requirements": [[0, 2, 2]],
        "knowledge": [[user, t] for user in range(4) for t in (0, 7)],
        "places": ["P", "R", "R", "R", "R", "Q"], "costs": {"P": 1, "Q": 1, "R": 3},
    }  # fmt: skip
    path = tmp_path / "places.json"
    path.write_text(json.dumps(asked))
    return path


def test_places_are_chosen_at_the_costs_of_the_problem_or_of_a_file(
    named_places: Path, tmp_path: Path
) -> None:
    costs = tmp_path / "costs.csv"
    costs.write_text("place,cost\nR,1\nP,1\nQ,1\n")
    for more, chosen, cost, zones in (
        ((), ["P", "Q"], 2, [0, 5]),
        (("--costs", costs), ["R"], 1, [1, 2, 3, 4]),
    ):
        answer = json.loads(run(named_places, "--per", "place", *more, "--json", "-").stdout)
        assert (answer["places"], answer["minimum"], answer["zones"]) == (chosen, cost, zones)
    assert "places" not in json.loads(run(named_places, "--json", "-").stdout)
    shown = run(named_places, "--per", "place").stdout
    assert "2 places are enough, with 2 mix zones, at a cost of 2, and nothing costs less" in shown


def test_the_minimum_of_places_is_certified_and_its_places_compared_with_the_source(
    named_places: Path, tmp_path: Path
) -> None:
    proofs, proven = tmp_path / "proofs", "proven: places that cost 2, and nothing cheaper"
    run(named_places, "--per", "place", "--certificates", proofs)
    checked = CliRunner().invoke(app, ["check", str(proofs), "--source", str(named_places)])
    assert checked.exit_code == 0
    assert proven in checked.stdout
    other = tmp_path / "other.json"
    merged = json.loads(named_places.read_text())
    merged["places"] = ["P" if one == "R" else one for one in merged["places"]]
    merged["costs"].pop("R")
    other.write_text(json.dumps(merged))
    refused = CliRunner().invoke(app, ["check", str(proofs), "--source", str(other)])
    assert refused.exit_code == 2
    assert "its places are not those of the source" in refused.stderr


def test_the_page_about_places_names_them(named_places: Path, tmp_path: Path) -> None:
    result, page = tmp_path / "result.json", tmp_path / "page.html"
    run(named_places, "--per", "place", "--json", result)
    assert CliRunner().invoke(app, ["report", str(result), "-o", str(page)]).exit_code == 0
    text = page.read_text()
    assert "2 places are enough, with 2 mix zones, at a cost of 2, and nothing costs less." in text
    assert "<td>P</td>" in text
    assert "<td>Q</td>" in text


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("P,1\nX,1", "line 3, column 'place': no mix zone is at place X"),
        ("P,1\nP,1", "line 3, column 'place': place P is listed twice"),
        ("P,1\nQ,-1", "line 3, column 'cost': the cost -1 is not from 0"),
        ("P,1\nQ,1.5", "line 3, column 'cost': '1.5' is not a whole number"),
        ("P,1\nQ,1", "column 'cost': place R has no cost"),
    ],
)
def test_costs_that_do_not_fit_the_places_name_their_line(
    named_places: Path, tmp_path: Path, rows: str, said: str
) -> None:
    costs = tmp_path / "costs.csv"
    costs.write_text(f"place,cost\n{rows}\n")
    result = run(named_places, "--per", "place", "--costs", costs)
    assert result.exit_code == 2
    assert f"costs.csv, {said}" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--per", "zone", "--costs", "{file}"), "--costs are those of places"),
        (("--per", "place", "--weight", "members"), "--weight is what a zone costs"),
        (("--per", "place:hour"), "numbers, which have no hour"),
        (("--per", "city"), "--per 'city' is unknown"),
        (("--map", "map.geojson"), "not known where"),
        (("--budget", "-1"), "--budget -1 is negative"),
        (("--budget", "1", "--method", "dp"), "--budget is for method auto"),
        (("--budget", "1", "--certificates", "proofs"), "certificates are of minima"),
    ],
)
def test_what_does_not_go_with_places_is_one_line(
    named_places: Path, options: tuple[str, ...], said: str
) -> None:
    result = run(named_places, *(one.format(file=named_places) for one in options))
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_problems_without_places_are_refused_where_places_are_to_be_chosen(
    problem_file: Path,
) -> None:
    result = run(problem_file, "--per", "place")
    assert result.exit_code == 2
    assert "the places of the mix zones are unknown" in result.stderr


def test_places_of_traces_are_cells_and_their_hours_and_the_map_shows_them(tmp_path: Path) -> None:
    fixes = [("ann", 0, 0.0), ("bob", 0, 0.0), ("ann", 7200, 0.0), ("bob", 7200, 0.0)]
    fixes += [("ann", 3600, 0.1), ("bob", 3600, 0.2)]
    traces, asked, drawn = tmp_path / "traces.csv", tmp_path / "asked.csv", tmp_path / "m.geojson"
    rows = [f"{who},{1_700_000_000 + second},{east},1.0" for who, second, east in fixes]
    traces.write_text("\n".join(["user_id,time,lon,lat", *rows, ""]))
    asked.write_text(f"user_id,time,k\nann,{1_700_000_000 + 3600},2\n")
    options = ("--requirements", asked, "--json", "-", "--map", drawn)
    by_place = json.loads(run(traces, "--per", "place", *options).stdout)
    assert (by_place["minimum"], len(by_place["zones"])) == (1, 2)
    features = json.loads(drawn.read_text())["features"]
    assert [one["properties"]["place"] for one in features] == by_place["places"]
    by_hour = json.loads(run(traces, "--per", "place:hour", *options).stdout)
    (cell,) = by_place["places"]
    assert by_hour["places"] == [f"{cell} 00:00", f"{cell} 22:00"]
    assert by_hour["minimum"] == 2


def test_a_budget_protects_the_most_people_and_says_that_no_more_can_be(
    named_places: Path, tmp_path: Path
) -> None:
    problem = json.loads(named_places.read_text())
    named_places.write_text(json.dumps(problem | {"requirements": [[0, 2, 2], [2, 3, 2]]}))
    options = (named_places, "--per", "place", "--budget")
    too_little = run(*options, 1)
    assert too_little.exit_code == 1
    assert "0 of 2 people are protected at a cost of 0, and no more can be for 1" in (
        too_little.stdout
    )
    result, page = tmp_path / "result.json", tmp_path / "page.html"
    assert run(*options, 2, "--json", result).exit_code == 1
    answer = json.loads(result.read_text())
    assert (answer["places"], answer["minimum"]) == (["P", "Q"], 2)
    assert answer["budget"] == {"limit": 2, "asked": 2, "protected": 1, "most": 1}
    assert CliRunner().invoke(app, ["report", str(result), "-o", str(page)]).exit_code == 0
    assert (
        "1 of 2 people is protected at a cost of 2, and no more can be for 2." in page.read_text()
    )
    assert json.loads(run(*options, 3, "--json", "-").stdout)["verdict"] == "safe"
