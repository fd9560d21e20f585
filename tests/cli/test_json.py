"""JSON of every command begins alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app

PROBLEM = {
    "name": "p",
    "users": 3,
    "horizon": 6,
    "zones": [[1, [0, 1]], [3, [1, 2]], [5, [0, 1]]],
    "knowledge": [[0, 0], [0, 6]],
    "requirements": [[2, 1, 2], [1, 4, 2]],
}
TRACES = "user_id,time_id,reg_id\n" + "".join(
    f"{user},{time},{1 + (user * time) % 3}\n" for user in range(1, 5) for time in range(1, 9)
)
SEEN = "user_id,time_id,reg_id\n1,1,2\n"

COMMANDS: dict[str, tuple[tuple[str, ...], object]] = {
    "verify": (("p.json",), "unsafe"),
    "audit": (("t.csv", "--knowledge", "seen.csv", "--k", "2"), ...),
    "optimize": (("p.json",), "unsafe"),
    "protect": (("p.json",), ...),
    "breaking": (("p.json", "--at-most", "1"), ...),
    "weigh": (("p.json",), "settled"),
    "compare": (("p.json", "--engines", "auto,bounds", "--time-limit", "20"), None),
    "zones": (("t.csv",), None),
    "datasets": (("list",), None),
    "check": (("proofs",), "unsafe"),
}


def files_in(folder: Path) -> None:
    (folder / "p.json").write_text(json.dumps(PROBLEM))
    (folder / "t.csv").write_text(TRACES)
    (folder / "seen.csv").write_text(SEEN)


@pytest.mark.parametrize("command", COMMANDS)
def test_it_begins_with_the_form_that_it_has_and_with_the_verdict(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files_in(tmp_path)
    monkeypatch.chdir(tmp_path)
    if command == "check":
        CliRunner().invoke(app, ["verify", "p.json", "--certificates", "proofs", "-q"])
    words, verdict = COMMANDS[command]
    done = CliRunner().invoke(app, [command, *words, "--json", "-", "-q"])
    assert done.exit_code in (0, 1, 3, 4), done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert list(answer)[:2] == ["schema", "verdict"]
    assert answer["schema"] == f"{command} 1"
    if verdict is not ...:
        assert answer["verdict"] == verdict


def test_problems_by_the_line_have_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.jsonl").write_text(f"{json.dumps(PROBLEM)}\n" * 2)
    for command, rows in (("breaking", "breaking"), ("weigh", "wires")):
        done = CliRunner().invoke(app, [command, "p.jsonl", "--json", "-", "-q"])
        assert done.exit_code == 0, done.stderr
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        assert [len(answer[rows]) > 0 for answer in answers] == [True, True]
    refused = CliRunner().invoke(app, ["weigh", "p.jsonl", "-o", "wires.csv"])
    assert refused.exit_code == 2
    assert "use --json" in refused.stderr
    done = CliRunner().invoke(app, ["weigh", "p.jsonl", "--exhaustive", "--json", "-", "-q"])
    first = json.loads(done.stdout.splitlines()[0])
    assert first["posterior"][0] == {
        "user_id": 0, "from_time": 0, "to_time": 0, "by": "alone", "chances": [[0, 1.0]],
    }  # fmt: skip


def test_records_in_lines_are_traces_whose_answer_has_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only problems in lines are answered in lines, without what a page needs."""
    monkeypatch.chdir(tmp_path)
    row = '{{"user_id":"{}","time":"2024-03-01T1{}:00:00Z","lat":50.0{},"lon":10.0}}\n'
    rows = (row.format(user, hour, hour) for user in "ab" for hour in (0, 1))
    (tmp_path / "records.jsonl").write_text("".join(rows))
    (tmp_path / "p.jsonl").write_text(f"{json.dumps(PROBLEM)}\n")
    pages = []
    for source in ("records.jsonl", "p.jsonl"):
        done = CliRunner().invoke(app, ["weigh", source, "--json", "-", "-q"])
        assert done.exit_code == 0, done.stderr
        pages.append("provenance" in json.loads(done.stdout))
        assert (done.stdout.count("\n") == 1) == (source == "p.jsonl")
    assert pages == [True, False]
