"""``mixsafe verify --certificates`` and ``mixsafe check``, from file to exit status."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.certify import certify
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.certificate import ClauseProofs, HallSets
from mixsafe.model.course import Course, Deadline, MemoryLimits
from mixsafe.solver.registry import Engine
from mixsafe.synthesize.samples import sample
from mixsafe_cli.app import app
from tests.support.certificates import sealed_again
from tests.support.memory import commands_have


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def source(four_walkers: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "walkers.json"
    path.write_text(json.dumps(four_walkers))
    return path


@pytest.mark.parametrize(("k", "status"), [((), 0), (("--k", 2, "--rule", "some"), 1)])
def test_check_comes_to_the_verdict_that_verify_came_to(
    source: Path, tmp_path: Path, k: tuple[object, ...], status: int
) -> None:
    folder = tmp_path / "proofs"
    assert run("verify", source, *k, "--certificates", folder, "--quiet").exit_code == status
    for place in (folder, folder / "manifest.json"):
        found = run("check", place)
        assert found.exit_code == status, found.stderr
        assert "every witness replayed" in found.stdout


def test_a_weak_pass_is_one_for_the_checker_too_unless_the_rule_is_said(tmp_path: Path) -> None:
    path, folder = tmp_path / "zones.csv", tmp_path / "proofs"
    path.write_text("time_id,zone_id,user_id\n1,0,cy\n1,0,dan\n2,0,ann\n2,0,bob\n")
    asked = ("verify", path, "--k", 2, "--adversary", "none", "--certificates", folder, "--quiet")
    assert run(*asked).exit_code == 4
    found = run("check", folder, "--json", "-")
    assert (found.exit_code, json.loads(found.stdout)["verdict"]) == (4, "weak pass")
    assert run("check", folder, "--rule", "some").exit_code == 0


def test_a_question_left_open_is_status_3(tmp_path: Path) -> None:
    path, folder = tmp_path / "open.json", tmp_path / "proofs"
    zones = [[1, [0, 1]], [2, [1, 2]], [3, [0, 2]]]
    known = [[user, t] for user in range(3) for t in (0, 3)]
    asked = {"users": 3, "horizon": 3, "zones": zones, "knowledge": known}
    path.write_text(json.dumps({**asked, "requirements": [[1, 1, 2]]}))
    limits = ("--engine", "bounds", "--certificates", folder, "--quiet")
    status = run("verify", path, *limits).exit_code
    assert run("check", folder, "--quiet").exit_code == status


@pytest.mark.parametrize(
    ("asked", "status", "verdict"),
    [
        ([[1, 1, 2]], 3, "undecided"),
        ([[1, 1, 2], [0, 3, 2]], 1, "unsafe"),
        ([[1, 1, 2], [1, 3, 2]], 1, "unsafe"),
    ],
    ids=["nothing else", "another user fails", "she fails anyway"],
)
def test_who_fails_by_claims_alone_is_named_and_undecided(
    asked: list[list[int]], status: int, verdict: str, tmp_path: Path
) -> None:
    """User b is unsafe at step 1, which Hall sets or clauses show; without them it is a claim."""
    path, folder, page = (tmp_path / name for name in ("p.json", "proofs", "page.html"))
    zones = [[1, ["a", "b"]], [2, ["b", "c"]], [3, ["a", "c"]]]
    known = [[user, t] for user in "abc" for t in (0, 3)]
    requirements = [["abc"[user], step, k] for user, step, k in asked]
    told = {"users": list("abc"), "horizon": 3, "zones": zones, "knowledge": known}
    path.write_text(json.dumps({**told, "requirements": requirements}))
    assert run("verify", path, "--certificates", folder, "--quiet").exit_code == 1
    assert run("check", folder, "--quiet").exit_code == 1
    (own,) = read_certificates(folder)
    claims = replace(own.claims, proof=np.full(len(own.claims), -1, np.int32))
    bare = replace(own, claims=claims, hall_sets=HallSets.of([]), clause_proofs=ClauseProofs.of([]))
    write_certificates(folder, [bare])

    shown = run("check", folder, "--json", tmp_path / "found.json")
    found = json.loads((tmp_path / "found.json").read_text())
    alone = [] if len(requirements) == 2 and requirements[1][0] == "b" else ["b"]
    assert (shown.exit_code, found["verdict"], found["users_claimed"]) == (status, verdict, alone)
    assert found["unsafe_claimed"] == 1
    assert found["users_by_verdict"]["undecided"] == len(alone)
    assert ("1 undecided user fails by claims without proof" in shown.stdout) == bool(alone)
    assert ("Users who fail only by claims" in str(found["document"])) == bool(alone)
    assert run("report", tmp_path / "found.json", "-o", page).exit_code == 0
    assert ("Users who fail only by claims" in page.read_text(encoding="utf-8")) == bool(alone)


def test_certificates_that_would_be_too_large_are_refused_before_anything_is_decided(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands_have(MemoryLimits(whole_bytes=0), monkeypatch)
    monkeypatch.setattr(Engine, "decider", lambda *_: lambda *_: pytest.fail("somebody decides"))
    folder = tmp_path / "proofs"
    refused(run("verify", source, "--certificates", folder), "proof data of certificates of")
    assert not folder.exists()


def test_a_limit_of_time_holds_for_certificates(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []

    def late(answers: object, need: object, course: Course, **rest: object) -> Any:
        given.append(course.left)
        return pool(answers, need, course.until(Deadline(0.0)), **rest)

    pool = certify.Pool
    monkeypatch.setattr(certify, "Pool", late)
    folder, options = tmp_path / "proofs", ("--k", 2, "--time-limit", 5000, "--certificates")
    run("verify", source, *options, folder, "--quiet")
    assert len(given) == 1
    assert 0 < given[0] < 5000
    assert run("check", folder, "--quiet").exit_code in (0, 1, 3)


def test_several_problems_are_one_file_of_certificates(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    path, folder = tmp_path / "many.jsonl", tmp_path / "proofs"
    path.write_text("".join(f"{json.dumps({**four_walkers, 'name': n})}\n" for n in "ab"))
    assert run("verify", path, "--certificates", folder, "--quiet").exit_code == 0
    found = run("check", folder, "--json", "-")
    answers = [json.loads(line) for line in found.stdout.splitlines()]
    assert [answer["name"] for answer in answers] == ["a", "b"]
    assert all(answer["safe_replayed"] == 2 for answer in answers)


def test_a_changed_certificate_is_one_line_and_status_2(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    run("verify", source, "--certificates", folder, "--quiet")
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"every"', '"some"'))
    refused(run("check", folder), "was changed or damaged")


def refused(found: Any, message: str) -> None:
    assert found.exit_code == 2, found.output
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert "bug" not in found.stderr


def test_all_that_a_certificate_says_of_itself_is_printed_and_written(
    source: Path, tmp_path: Path
) -> None:
    folder, json_file = tmp_path / "proofs", tmp_path / "found.json"
    run("verify", source, "--k", 2, "--rule", "share:0.5", "--certificates", folder, "--quiet")
    shown = run("check", folder, "--json", json_file).stdout
    told = json.loads(json_file.read_text())
    for key in ("name", "users", "steps", "adversary", "k", "rule", "engine", "version"):
        assert str(told[key]) in shown
    for key in ("problem_sha256", "certificate_sha256", "problem_of"):
        assert told[key] in shown
    assert (told["k"], told["rule"], told["engine"]) == (2, "share:0.5", "auto")
    assert "the certificate's own" in told["problem_of"]


@pytest.fixture(scope="module")
def certified_town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("town") / "proofs"
    status = run("verify", "--k", 2, "--days", 1, "--certificates", folder, "--quiet").exit_code
    assert status in (0, 1, 4)
    return folder


@pytest.fixture
def town(certified_town: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(certified_town, tmp_path / "town"))


@pytest.mark.parametrize(
    ("demanded", "message"),
    [
        (("--k", 3), "k is 2, not 3"),
        (("--rule", "every"), "the rule is 'some', not 'every'"),
        (("--adversary", "daily"), "the adversary is 'endpoints', not 'daily'"),
    ],
)
def test_what_is_not_as_demanded_is_one_line_and_status_2(
    town: Path, demanded: tuple[object, ...], message: str
) -> None:
    refused(run("check", town, *demanded), message)
    met = ("--k", 2, "--rule", "some", "--adversary", "endpoints")
    assert run("check", town, *met).exit_code in (0, 1, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "steps, zones, knowledge differ"),
        (("--days", 1, "--users", 20), "users"),
        (("--days", 1, "--min-users", 3), "zones differ"),
        (("--days", 1, "--at", 5, "--k", 2), "requirements differ"),
    ],
)
def test_a_certificate_of_another_problem_than_that_of_the_source_is_refused(
    town: Path, options: tuple[object, ...], message: str
) -> None:
    data = sample()
    assert run("check", town, "--source", data, "--days", 1).exit_code in (0, 1, 4)
    refused(run("check", town, "--source", data, *options), message)


def test_a_problem_that_is_that_of_the_source_is_said_to_be(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    run("verify", source, "--certificates", folder, "--quiet")
    assert "the same as that of" in run("check", folder, "--source", source).stdout
    found = json.loads(source.read_text())
    for key, word in (("knowledge", "knowledge"), ("zones", "zones"), ("requirements", "require")):
        source.write_text(json.dumps({**found, key: found[key][1:]}))
        refused(run("check", folder, "--source", source), word)
    source.write_text(json.dumps([found, found]))
    refused(run("check", folder, "--source", source), "2 problems, and there are 1 certificates")


def test_a_sighting_that_is_left_out_of_a_certificate_is_found_by_its_source(
    source: Path, tmp_path: Path
) -> None:
    found = json.loads(source.read_text())
    source.write_text(json.dumps({**found, "knowledge": found["knowledge"][1:]}))
    folder = tmp_path / "proofs"
    run("verify", source, "--certificates", folder, "--quiet")
    assert run("check", folder).exit_code in (0, 1, 4)
    source.write_text(json.dumps(found))
    refused(run("check", folder, "--source", source), "knowledge differ")


def test_a_certificate_resealed_with_another_rule_says_it_and_is_refused_where_it_counts(
    town: Path,
) -> None:
    sealed_again(town, lambda manifest, _: manifest["parts"][0].update(rule="every"))
    assert "rule every" in run("check", town).stdout
    refused(run("check", town, "--rule", "some"), "the rule is 'every', not 'some'")


def test_users_who_are_said_to_have_no_data_are_told_and_refused_where_there_are(
    four_walkers: dict[str, Any], tmp_path: Path
) -> None:
    """She meets nobody, and fails; without data she would not be counted."""
    source, folder = tmp_path / "walkers.json", tmp_path / "proofs"
    less = {key: four_walkers[key] for key in four_walkers if key != "requirements"}
    source.write_text(json.dumps({**less, "users": 5}))
    run("verify", source, "--k", 2, "--rule", "some", "--certificates", folder, "--quiet")
    before = json.loads(run("check", folder, "--source", source, "--json", "-").stdout)
    (own,) = read_certificates(folder)
    zones = replace(own.problem.zones, absent=np.array([4]))
    forged = replace(own, problem=replace(own.problem, zones=zones))
    write_certificates(folder, [forged])
    after = json.loads(run("check", folder, "--json", "-").stdout)
    assert (before["users_without_data"], after["users_without_data"]) == (0, 1)
    assert after["users_by_verdict"]["unsafe"] == before["users_by_verdict"]["unsafe"] - 1
    assert after["problem_sha256"] != before["problem_sha256"]
    assert "5 users, 1 of them without data" in run("check", folder).stdout
    refused(run("check", folder, "--source", source), "users without data differ")


def test_proofs_are_exported_into_a_folder_that_is_new_or_empty(town: Path, tmp_path: Path) -> None:
    folder = tmp_path / "exported"
    found = run("check", town, "--export", folder)
    assert found.exit_code == 1, found.stderr
    told = json.loads((folder / "manifest.json").read_text())
    (only,) = told["certificates"]
    claims = {one["shown_by"] for one in only["unsafe"]}
    assert claims <= {"reachability", "closures", "clauses"}
    refused(run("check", town, "--export", folder), "--export: the folder is not empty")


def test_options_of_a_source_need_one(town: Path) -> None:
    refused(run("check", town, "--days", 1), "there is no --source")


def test_a_certificate_of_format_1_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "certificate.json").write_text("{}")
    refused(run("check", tmp_path), "write it again")


def test_a_folder_without_a_certificate_is_refused(tmp_path: Path) -> None:
    found = run("check", tmp_path)
    assert found.exit_code == 2
    assert "no certificate" in found.stderr


def test_certificates_are_not_written_over_a_file(source: Path) -> None:
    found = run("verify", source, "--certificates", source)
    assert found.exit_code == 2
    assert "need a folder" in found.stderr


def test_checking_loads_no_engine() -> None:
    program = (
        f"import sys; sys.path[:0] = {[entry for entry in sys.path if entry]!r}\n"
        "import mixsafe.io.certificates.certificate_reader, mixsafe.check.checker\n"
        "wrong = [m for m in sys.modules if m in ('ortools', 'numba', 'mixsafe.network')\n"
        "         or m.startswith('mixsafe.verify.') and 'checker' not in m]\n"
        "assert not wrong, wrong\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
