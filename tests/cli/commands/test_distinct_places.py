"""``--distinct-places`` and named places, from files to answers, tables and pages."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app

# Users 1 and 2 meet, then part; 3 and 4 meet, and stay together.
REGIONS = """user_id,time_id,reg_id
1,1,1
2,1,1
3,1,2
4,1,2
1,2,5
2,2,6
3,2,7
4,2,7
1,3,5
2,3,6
3,3,8
4,3,8
"""


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def regions(tmp_path):
    path = tmp_path / "regions.csv"
    path.write_text(REGIONS)
    return path


def test_the_answer_says_where_candidates_are_together(regions, tmp_path):
    table, page = tmp_path / "wires.csv", tmp_path / "result.json"
    asked = ("verify", regions, "--k", 2, "--adversary", "none", "--rule", "every")
    assert run(*asked, "--json", tmp_path / "plain.json").exit_code == 0
    result = run(*asked, "--distinct-places", 2, "--json", page, "--output", table)
    assert result.exit_code == 1, result.stderr
    words = " ".join(result.stdout.split())
    assert "2 candidate pseudonyms at 2 or more places" in words
    assert "All candidates are at one place (cell or region) for 66.7% of the time" in words
    answer = json.loads(page.read_text())
    plain = json.loads((tmp_path / "plain.json").read_text())
    assert set(answer["summary"]) == {*plain["summary"], "places"}
    places = answer["summary"]["places"]
    assert places["distinct"] == 2
    assert not places["named"]
    # all four at the first step, in their meetings, and 3 and 4 at the other two
    assert places["one_place"]["share_of_time"] == round(8 / 12, 6)
    assert places["sensitive"] is None
    wires = pd.read_csv(table)
    assert wires.columns[-2:].tolist() == ["places_lower", "places_upper"]
    assert run("report", page, "-o", tmp_path / "page.html").exit_code == 0
    html = (tmp_path / "page.html").read_text()
    assert "All candidates are at one place (cell or region) for 66.7% of the time" in html
    assert "at too few places" in html


def test_requirements_at_steps_have_places_of_their_own(regions, tmp_path):
    asked = tmp_path / "asked.csv"
    asked.write_text("user_id,time_id,k\n1,1,2\n1,2,2\n3,3,2\n")
    result = run(
        "verify", regions, "--requirements", asked, "--adversary", "none",
        "--distinct-places", 2, "--json", "-",
    )  # fmt: skip
    found = json.loads(result.stdout)["results"]
    assert [one["verdict"] for one in found] == ["unsafe", "safe", "unsafe"]
    assert [one["places_lower"] for one in found] == [1, 2, 1]


def test_every_user_and_time_is_listed(regions):
    found = run(
        "verify", regions, "--exhaustive", "--adversary", "none", "--distinct-places", 1,
        "--json", "-",
    )  # fmt: skip
    listed = json.loads(found.stdout)["places"]
    assert {(one["user_id"], one["time_id"]): one["upper"] for one in listed} == {
        **{(user, t): 1 for user in (1, 2, 3, 4) for t in (1, 2, 3)},
        (1, 2): 2,
        (1, 3): 2,
        (2, 2): 2,
        (2, 3): 2,
    }
    assert all(one["lower"] == one["upper"] for one in listed)


def test_an_audit_counts_places_of_tracks(regions, tmp_path):
    release, seen = tmp_path / "release.csv", tmp_path / "seen.csv"
    rows = sorted(line.split(",") for line in REGIONS.split()[1:])
    lines = [f"{int(user) + 4},{time},{region}" for user, time, region in rows]
    release.write_text("\n".join(["pse_id,time_id,reg_id", *lines, ""]))
    seen.write_text("user_id,time_id,reg_id\n1,1,1\n2,1,1\n3,1,2\n4,1,2\n")
    result = run(
        "audit", release, "--knowledge", seen, "--k", 2, "--distinct-places", 2,
        "--output", tmp_path / "users.csv", "--json", tmp_path / "audit.json",
    )  # fmt: skip
    assert result.exit_code == 1, result.stderr
    found = pd.read_csv(tmp_path / "users.csv")
    assert set(found["lower"]) == {2}  # for all of the time
    assert set(found["places_upper"]) == {1}  # one place in the meetings
    answer = json.loads((tmp_path / "audit.json").read_text())
    assert answer["summary"]["places"]["distinct"] == 2
    assert answer["summary"]["places"]["one_place"]["share_of_time"] == round(8 / 12, 6)
    assert "at 2 or more places" in " ".join(result.stdout.split())


def test_the_best_guess_of_a_place_is_in_the_table_and_the_summary(regions, tmp_path):
    table = tmp_path / "weights.csv"
    result = run(
        "weigh", regions, "--adversary", "none", "--json", tmp_path / "weights.json",
        "--output", table,
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "Betting on the likeliest place is right" in " ".join(result.stdout.split())
    found = pd.read_csv(table).dropna(subset="best_place")
    assert set(found["best_place"]) <= {0.5, 1.0}
    weights = json.loads((tmp_path / "weights.json").read_text())["weights"]
    # surely right in the meetings and for 3 and 4, else one of two
    assert weights["places"]["share_right"] == pytest.approx((8 + 4 / 2) / 12, abs=1e-6)
    assert run("report", tmp_path / "weights.json", "-o", tmp_path / "w.html").exit_code == 0
    assert "Betting on the likeliest place is right" in (tmp_path / "w.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--distinct-places", 0), "--distinct-places"),
        (("--distinct-places", 2, "--certificates", "CERTIFICATES"), "--distinct-places"),
        (("--distinct-places", 2, "--together"), "--together"),
    ],
)
def test_what_does_not_go_together_is_refused(regions, tmp_path, arguments, said):
    given = [tmp_path / one if str(one).isupper() else one for one in arguments]
    result = run("verify", regions, "--k", 2, *given)
    assert result.exit_code == 2
    assert said in result.stderr


def test_sources_without_positions_are_refused(tmp_path):
    problem = tmp_path / "one.json"
    problem.write_text('{"name": "p", "users": 2, "horizon": 3, "zones": [[2, [0, 1]]]}')
    result = run("verify", problem, "--k", 2, "--distinct-places", 2)
    assert result.exit_code == 2
    assert "where the candidates are is unknown" in result.stderr
