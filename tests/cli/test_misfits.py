"""Files that are good each by itself, and do not go together: the message names one of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app

HOW = ("--attacks", "I1", "--anonymisers", "A1", "--workers", "1")
MISFITS = {
    "one user to train on": ("synthesize train one.csv -o m.npz", "one.csv"),
    "one user to learn from": ("synthesize ppmtf one.csv -o made.csv", "one.csv"),
    "habits of fewer users": ("contest attack I1 one.csv pub.csv -o made.csv", "pub.csv"),
    "a tournament of one": ("contest tournament teams.toml -o made", "teams.toml"),
    "a contest of others": (f"contest run two.csv one.csv -o made {' '.join(HOW)}", "two.csv"),
    "traces of others": ("contest utility one.csv two.csv --poi poi.csv --category a", "two.csv"),
}


def traces(users: range) -> str:
    """A day of some users, as in the contest."""
    rows = (f"{user},{time},{1 + user * time % 4}\n" for user in users
            for time in range(1, 21))  # fmt: skip
    return "user_id,time_id,reg_id\n" + "".join(rows)


@pytest.mark.parametrize("name", MISFITS)
def test_what_does_not_go_together_is_refused_with_a_file(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.csv").write_text(traces(range(1, 2)))
    Path("two.csv").write_text(traces(range(1, 3)))
    Path("pub.csv").write_text(traces(range(3, 5)).replace("user_id", "pse_id"))
    Path("poi.csv").write_text("lat,lon,category\n35.65,139.7,a\n")
    team = {"name": "us", "anonymise": "A1", "identify": "I3", "infer": "T3"}
    Path("teams.toml").write_text("[[team]]\n" + "".join(f"{k} = '{v}'\n" for k, v in team.items()))
    words, file = MISFITS[name]
    before = sorted(tmp_path.iterdir())
    done = CliRunner().invoke(app, words.split())
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1), done.stderr
    assert done.stderr.startswith(f"mixsafe: {file}: ")
    assert sorted(tmp_path.iterdir()) == before


def test_more_steps_than_are_counted_are_refused(tmp_path: Path) -> None:
    words = f"synthesize uniform --users 3 --days 1 --steps-per-day {2**64} -o"
    done = CliRunner().invoke(app, [*words.split(), str(tmp_path / "made.csv")])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert f"'--steps-per-day': {2**64} is not from 1 to 2147483647" in done.stderr


def test_a_law_of_exchanges_may_be_given_where_nobody_meets(tmp_path: Path) -> None:
    alone, law = tmp_path / "alone.csv", tmp_path / "law.csv"
    alone.write_text("user_id,time_id,reg_id\n1,1,1\n2,1,2\n")
    law.write_text("user_id,chance\n1,0.5\n")
    done = CliRunner().invoke(app, ["weigh", str(alone), "--exchange", str(law)])
    assert done.exit_code == 0, done.stderr
