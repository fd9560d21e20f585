"""Options about which exchanges are possible."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from mixsafe.synthesize.samples import sample
from mixsafe_cli.app import app

TOWN, CABS = str(sample("town")), str(sample("cabs"))


def run(*words: str) -> dict[str, object]:
    """The JSON of a command, which may find anything."""
    done = CliRunner().invoke(app, [*words, "--json", "-"])
    assert done.exit_code in (0, 1, 3, 4), done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-speed", "60"], "a greatest speed needs coordinates"),
        (["--max-speed", "0"], "--max-speed 0 is not above 0"),
        (["--max-speed", "-3"], "--max-speed -3 is not above 0"),
        (["--max-speed", "nan"], "--max-speed nan is not above 0"),
        (["--max-speed", "no.csv"], "no such file"),
        (["--max-step", "0"], "--max-step 0 is not above 0"),
        (["--max-step", "2", "--max-speed", "9"], "--max-step cannot be given"),
        (["--error", "5"], "--error cannot be given: it belongs to --max-speed"),
        (["--rotate", "noon"], "'noon' is not a schedule of rotation"),
        (["--rotate", "daily@04:00"], "needs a clock"),
        (["--rotate", "every:40"], "falls between the first and the last step"),
        (["--no-meetings"], "--no-meetings leaves no exchange"),
        (["--believable", "1.5"], "--believable 1.5 is not between 0 and 1"),
        (["--believable", "-0.1"], "--believable -0.1 is not between 0 and 1"),
        (["--believable", "nan"], "'nan' is not a number"),
        (["--together"], "--together needs two releases or more"),
    ],
)
def test_what_cannot_be_right_is_refused_in_one_line(words: list[str], message: str) -> None:
    done = CliRunner().invoke(app, ["verify", TOWN, "--k", "3", *words])
    assert done.exit_code == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_problems_say_themselves_what_is_possible(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.write_text(
        '{"name": "p", "users": 2, "horizon": 2, "zones": [[1, [0, 1]]], "knowledge": []}'
    )
    done = CliRunner().invoke(app, ["verify", str(path), "--k", "2", "--rotate", "daily"])
    assert done.exit_code == 2
    assert "say themselves what is possible" in done.stderr


def test_the_file_of_speeds_names_the_line_at_fault(tmp_path: Path) -> None:
    path = tmp_path / "speeds.csv"
    path.write_text("user_id,max_speed\na,60\nb,0\n")
    done = CliRunner().invoke(app, ["verify", CABS, "--k", "2", "--max-speed", str(path)])
    assert done.exit_code == 2
    assert "speeds.csv, line 3, column 'max_speed': the speed 0.0 is not above 0" in done.stderr


def test_notes_say_what_speed_changes_and_a_speed_for_each_is_as_good(tmp_path: Path) -> None:
    words = ["zones", CABS, "--days", "1", "--max-speed"]
    done = CliRunner().invoke(app, [*words, "30"])
    assert done.exit_code == 0, done.stderr
    assert "within 30 km/h" in done.stderr
    assert "do not allow all exchanges" in done.stderr
    users = pd.read_csv(CABS)["user_id"].unique()
    path = tmp_path / "speeds.csv"
    pd.DataFrame({"user_id": users, "max_speed": 30.0}).to_csv(path, index=False)
    same = CliRunner().invoke(app, [*words, str(path)])
    said = done.stderr.replace("within 30 km/h", "within the speed of each person")
    assert same.stderr == said


def test_the_answer_says_which_exchanges_are_believable() -> None:
    possible = run("verify", CABS, "--k", "2")
    assert run("verify", CABS, "--k", "2", "--believable", "0")["summary"] == possible["summary"]
    believed = run("verify", CABS, "--k", "2", "--believable", "0.2")
    assert believed["summary"] != possible["summary"]
    document = json.dumps(believed["document"])
    assert "in permutations at least 0.2 times as likely as the likeliest one" in document


def test_a_table_of_zones_does_not_hold_what_they_allow(tmp_path: Path) -> None:
    out = tmp_path / "zones.csv"
    done = CliRunner().invoke(app, ["zones", CABS, "--max-speed", "30", "-o", str(out)])
    assert done.exit_code == 2
    assert "a table of zones does not hold what they allow" in done.stderr
    assert not out.exists()


def test_rotation_alone_protects_nobody_whose_ends_are_known_but_otherwise_everybody() -> None:
    rotated = ["verify", TOWN, "--k", "3", "--rotate", "daily", "--no-meetings"]
    found = run(*rotated)
    assert found["zones"] == 1
    assert found["summary"]["share_of_time_safe"] == 0
    free = run(*rotated, "--adversary", "none")
    assert free["summary"]["share_of_time_safe"] == 0.5


def test_what_is_final_is_said(tmp_path: Path) -> None:
    open_end = run("verify", TOWN, "--k", "3", "--adversary", "none")
    assert open_end["lasting"] == {
        "safe": False,
        "unsafe": True,
        "why": ["not everybody is seen at the last step: say --sealed"],
    }
    closed = run("verify", TOWN, "--k", "3", "--adversary", "none", "--sealed")
    assert closed["lasting"] == {"safe": True, "unsafe": True, "why": []}
    homes = [run("verify", TOWN, "--k", "3", "--adversary", "home", *more)
             for more in (["--sealed"], [])]  # fmt: skip
    share = [one["summary"]["share_of_time_safe"] for one in homes]
    assert share[0] < share[1]
    assert [one["lasting"]["safe"] for one in homes] == [False, False]
    centred = run("verify", CABS, "--k", "2", "--sealed")
    assert "the grid is centred on the data" in centred["lasting"]["why"][0]


def test_two_releases_alone_and_together(tmp_path: Path) -> None:
    """With everybody seen in between nobody loses; with homes and slow people somebody does."""
    whole = pd.read_csv(TOWN)
    parts = [tmp_path / "one.csv", tmp_path / "two.csv"]
    early = whole["time_id"] <= 10
    whole[early].to_csv(parts[0], index=False)
    whole[~early & (whole["time_id"] <= 20)].to_csv(parts[1], index=False)
    words = ["verify", *map(str, parts), "--together", "--k", "3", "--time-limit", "4"]
    known = run(*words, "--max-step", "4")
    assert known["losing"] == []
    assert [one["name"] for one in known["releases"]] == ["one", "two"]
    out = tmp_path / "losing.csv"
    found = run(*words, "--max-step", "4", "--adversary", "home", "-o", str(out))
    assert len(pd.read_csv(out)) == len(found["losing"]) > 0
    assert found["between"][0]["fewest_alike"] >= 1
    free = run(*words, "--adversary", "home")
    assert free["losing"] == []
    assert free["between"] == [{"alone": 0, "median_alike": 200, "fewest_alike": 200}]
    said = CliRunner().invoke(app, [*words, "--max-step", "4", "--adversary", "home"])
    assert "people are protected for less time by a release" in said.stdout


def test_releases_without_a_person_in_common_are_refused(tmp_path: Path) -> None:
    whole = pd.read_csv(TOWN)
    parts = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for number, part in enumerate(parts):
        whole[whole["user_id"] % 2 == number].to_csv(part, index=False)
    done = CliRunner().invoke(app, ["verify", *map(str, parts), "--together", "--k", "3"])
    assert done.exit_code == 2
    assert "releases 1 and 2 have no person in common" in done.stderr


def test_two_releases_are_audited_alone_and_together(tmp_path: Path) -> None:
    """One of three was elsewhere at 2, and so she was in the other release."""
    one, two, seen = (tmp_path / name for name in ("one.csv", "two.csv", "seen.csv"))
    header = "pse_id,time_id,reg_id\n"
    one.write_text(f"{header}4,1,5\n4,2,1\n5,1,5\n5,2,32\n6,1,9\n6,2,32\n")
    two.write_text(f"{header}4,2,1\n4,3,2\n5,2,32\n5,3,31\n6,2,32\n6,3,31\n")
    seen.write_text("user_id,time_id,reg_id\n1,1,5\n1,3,31\n")
    words = ["audit", str(one), str(two), "--together", "--knowledge", str(seen), "--k", "2"]
    out = tmp_path / "losing.csv"
    static = [*words, "--exchange", "none"]
    found = run(*static, "--max-step", "9", "-o", str(out))
    assert [one["together"][0]["lower"] for one in found["releases"]] == [1, 2]
    assert [one["alone"][0]["lower"] for one in found["releases"]] == [2, 2]
    assert found["verdict"] == "unsafe"
    assert pd.read_csv(out)["user_id"].tolist() == [1]
    free = run(*static)
    assert (free["losing"], free["verdict"]) == ([], "safe")
    done = CliRunner().invoke(app, ["audit", str(one), str(two), "--knowledge", str(seen)])
    assert done.exit_code == 2
    assert "it needs --together" in done.stderr


ONLY_BELIEVABLE = "Only exchanges that a follower who bets would believe are counted"


@pytest.mark.parametrize(
    "words",
    [
        ["verify", CABS, "--k", "2"],
        ["optimize", CABS, "--k", "2", "--at", "2026-01-01T10:00:00Z", "--users", "6"],
        ["protect", CABS, "--k", "2", "--leave-out", "--users", "6"],
    ],
)
def test_whoever_judges_traces_says_first_how_real_zones_are(words: list[str]) -> None:
    documents = [run(*words, *also)["document"] for also in ([], ["--believable", "0.05"])]
    first, believed = (one["facts"][0] for one in documents)  # type: ignore[index]
    assert first["label"] == believed["label"] == "Zones"
    # The sentence of a verdict, or else the line below it.
    said = f"{documents[0]['sentence']} {first['value']}"  # type: ignore[index]
    assert said.count("A follower who bets on how people move names") == 1
    assert ONLY_BELIEVABLE in believed["value"]
    assert ONLY_BELIEVABLE not in first["value"]


def test_larger_cells_pass_only_where_people_hide() -> None:
    """A ladder of protect is judged by what a follower would believe."""
    words = ["protect", CABS, "--k", "2", "--rule", "share:0.6", "--cell-sizes", "400"]
    words += ["--time-steps", "120", "--rotations", "none", "--users", "12"]
    possible, believed = (
        {row["remedy"]: row["verdict"] for row in run(*words, *also)["remedies"]}  # type: ignore[attr-defined]
        for also in (["--believable", "0"], ["--believable", "0.05"])
    )
    assert possible["as it is"] == "safe"
    assert believed["as it is"] == "unsafe"
    assert believed.get("larger cells") != "safe"
