"""``mixsafe zones``."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from mixsafe.synthesize.samples import sample
from mixsafe_cli.app import app

TRACES = "user_id,time_id,reg_id\n1,1,7\n1,2,8\n2,1,7\n2,2,9\n3,1,7\n3,2,9\n4,1,1\n4,2,2\n"


def test_zones_are_written_a_row_per_membership_and_read_back(tmp_path: Path) -> None:
    traces, out = tmp_path / "traces.csv", tmp_path / "zones.csv"
    traces.write_text(TRACES)
    done = CliRunner().invoke(app, ["zones", str(traces), "-o", str(out)])
    assert done.exit_code == 0, done.stderr
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert rows[0] == ["time_id", "zone_id", "user_id"]
    assert [(row[0], row[2]) for row in rows[1:]] == [
        ("1", "1"),
        ("1", "2"),
        ("1", "3"),
        ("2", "2"),
        ("2", "3"),
    ]
    again = CliRunner().invoke(app, ["zones", str(out), "--json", "-"])
    assert json.loads(again.stdout)["memberships"] == 5


def test_the_summary_counts_zones_sizes_and_users_who_never_meet(tmp_path: Path) -> None:
    traces = tmp_path / "traces.csv"
    traces.write_text(TRACES)
    done = CliRunner().invoke(app, ["zones", str(traces), "--json", "-"])
    summary = json.loads(done.stdout)
    assert (summary["users"], summary["zones"], summary["positions"]) == (4, 2, 8)
    assert summary["sizes"] == {"2": 1, "3": 1}
    assert summary["users_who_never_meet"] == 1
    said = CliRunner().invoke(app, ["zones", str(traces)]).stdout
    assert "4, of whom 1 never meet anyone" in said
    assert "1 of 2, 1 of 3 users" in said


def test_larger_cells_make_more_meetings() -> None:
    def memberships(size: int) -> int:
        arguments = ["zones", str(sample("cabs")), "--cell-size", str(size), "--json", "-"]
        count: int = json.loads(CliRunner().invoke(app, arguments).stdout)["memberships"]
        return count

    assert memberships(50) < memberships(100) < memberships(400)


def test_problems_have_no_traces_to_look_for_zones_in(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.write_text(
        '{"name": "p", "users": 2, "horizon": 1, "zones": [[1, [0, 1]]], "knowledge": []}'
    )
    done = CliRunner().invoke(app, ["zones", str(path)])
    assert done.exit_code == 2
    assert "problems say themselves" in done.stderr
