"""People of whom there are no data, and people who meet nobody: told apart, judged rightly."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixsafe_cli.app import app

ROWS = """user_id,time_id,reg_id
ann,1,5
bob,1,5
ann,2,6
bob,2,6
cid,1,7
dan,9,7
"""


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """Ann and Bob meet, Cid meets nobody, Dan comes after the period."""
    path = tmp_path / "traces.csv"
    path.write_text(ROWS)
    return path


def run(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.stdout


def test_whoever_has_no_data_does_not_fail_and_whoever_meets_nobody_is_named(
    traces: Path, tmp_path: Path
) -> None:
    out = tmp_path / "r.json"
    asked = ("--end", "3", "--adversary", "none", "--k", 2)
    status, said = run("verify", traces, *asked, "--json", out, "--per-user")
    found = json.loads(out.read_text())
    assert status == 1
    assert found["users"] == 4
    assert found["summary"]["users"] == {"safe": 2, "unsafe": 1, "undecided": 0}
    assert found["apart"] == {
        "no_data": {"count": 1, "users": ["dan"]},
        "no_zone": {"count": 1, "users": ["cid"]},
    }
    assert [row["user_id"] for row in found["per_user"]] == ["ann", "bob", "cid"]
    told = (
        "1 person has no data in the period (dan). Nothing of them is published",
        "1 person is in no mix zone (cid). No pseudonym exchange can protect them",
    )
    assert all(one in " ".join(said.split()) for one in told)
    least = said[said.index("People, the least protected first") :].splitlines()
    assert least[2].split()[:2] == ["cid", "0%"]
    tables = [part for part in found["document"]["parts"] if part["kind"] == "table"]
    first = [part["rows"][0][0] for part in tables if part["columns"][0]["name"] == "person"]
    assert first == ["cid", "cid"]  # intervals, and people
    page = tmp_path / "r.html"
    assert run("report", out, "-o", page)[0] == 0
    text = page.read_text()
    assert all(one in text for one in told)


def test_absent_people_alone_are_no_reason_to_fail_and_the_certificate_agrees(
    traces: Path, tmp_path: Path
) -> None:
    traces.write_text(ROWS.replace("cid,1,7\n", ""))
    asked = ("--end", "3", "--adversary", "none", "--k", 2, "--rule", "every")
    proofs = tmp_path / "proofs"
    assert run("verify", traces, *asked, "--certificates", proofs)[0] == 0
    status, said = run("check", proofs, "--source", traces, "--end", "3", "--adversary", "none")
    assert (status, "2 users pass, 0 fail" in " ".join(said.split())) == (0, True)


def test_a_certificate_that_hides_somebody_who_meets_others_is_refused(
    traces: Path, tmp_path: Path
) -> None:
    from mixsafe.io.certificates.certificate_folder import seal_of

    proofs = tmp_path / "proofs"
    run("verify", traces, "--adversary", "none", "--k", 2, "--certificates", proofs, "--quiet")
    path = proofs / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["parts"][0]["absent"] = [0]
    path.write_text(json.dumps({**manifest, "sha256": seal_of(manifest)}))
    result = CliRunner().invoke(app, ["check", str(proofs)])
    assert result.exit_code == 2
    assert "user ann is both absent and in a mix zone" in result.stderr


def test_optimize_answers_for_what_can_be_met(traces: Path, tmp_path: Path) -> None:
    asked, out = tmp_path / "asked.csv", tmp_path / "r.json"
    asked.write_text("user_id,time_id,k\nann,2,2\ncid,2,2\n")
    words = ("--requirements", asked, "--adversary", "none", "--json", out)
    status, said = run("optimize", traces, *words)
    found = json.loads(out.read_text())
    assert (status, found["status"], found["minimum"], found["unmet"]) == (1, "infeasible", None, 1)
    rest = found["rest"]
    assert (rest["requirements"], rest["status"], rest["minimum"]) == (1, "optimal", 1)
    sentence = "For the 1 other: 1 mix zone is enough, and no fewer. This is proven."
    assert sentence in " ".join(said.split())
    page = tmp_path / "r.html"
    assert run("report", out, "-o", page)[0] == 0
    assert sentence in page.read_text()
