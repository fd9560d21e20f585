"""The front door: everything that the commands do is there, and goes, on the sample."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.main import get_command

import mixsafe
from mixsafe.model.release import Sightings
from mixsafe.release.evidence import Evidence, Published
from mixsafe.synthesize.ppmtf.train import TrainingSettings
from mixsafe_cli.app import app
from tests.support.link_oracle import random_links

ELSEWHERE = {
    "contest": "mixsafe.contest",
    "datasets": "mixsafe.io.data_sets",
    "zones": "mixsafe.extract.zones",
}
"""Commands that are no function at the front door, and where they live: with many functions, or
under another name."""


@pytest.fixture(scope="module")
def traces() -> mixsafe.Traces:
    return mixsafe.load(mixsafe.sample("town"))


@pytest.fixture(scope="module")
def problem(traces: mixsafe.Traces) -> mixsafe.Problem:
    return mixsafe.pose(traces)


@pytest.fixture(scope="module")
def answer(problem: mixsafe.Problem) -> mixsafe.Verification:
    return mixsafe.verify(problem, k=3, keep_proof_data=True)


def functions() -> list[str]:
    """Names of the functions at the front door."""
    return [name for name in mixsafe.__all__ if inspect.isfunction(getattr(mixsafe, name))]


def test_every_command_has_a_function_at_the_front_door_or_a_place_of_its_own() -> None:
    missing = set(get_command(app).commands) - set(functions()) - set(ELSEWHERE)
    assert missing <= {"weigh", "breaking"}


def test_every_function_says_what_it_takes_returns_and_refuses() -> None:
    for name in functions():
        function = getattr(mixsafe, name)
        signature = inspect.signature(function)
        assert function.__doc__, name
        assert signature.return_annotation is not inspect.Signature.empty, name
        for parameter in signature.parameters.values():
            assert parameter.annotation is not inspect.Parameter.empty, (name, parameter)


def test_everything_says_what_it_is_in_a_line(
    traces: mixsafe.Traces, four_walkers: dict[str, object]
) -> None:
    problem = mixsafe.pose(traces)
    matrix = mixsafe.town(20, days=1, random=np.random.default_rng(1))
    release = mixsafe.pseudonymize(matrix, k=2)
    published = Published.of_cells(release.public)
    person, step = np.zeros(1, np.int32), np.ones(1, np.int32)
    seen = Sightings(np.array(["ann"]), person, step, published.place[:1])
    protection = mixsafe.protect(published.zones, k=2)
    shown = [
        traces,
        problem,
        problem.zones,
        problem.knowledge,
        mixsafe.positions(traces),
        matrix,
        release,
        release.privacy,
        release.public,
        release.table,
        published,
        seen,
        Evidence.of(published, seen),
        protection,
        protection.remedies[0],
        protection.group,
        random_links(np.random.default_rng(1)),
        mixsafe.verify(problem, k=2, engine="bounds"),
        mixsafe.optimize(small(four_walkers)),
        mixsafe.breaking(small(four_walkers), at_most=1),
        mixsafe.weigh(small(four_walkers)),
        mixsafe.Atlas.of(traces),
    ]
    for one in shown:
        said = repr(one)
        assert "\n" not in said, said
        assert len(said) < 700, said
        assert "array(" not in said, said
    assert repr(traces) == "<Traces: 200 users, 8,000 fixes>"
    assert repr(problem).startswith("<Problem traces: 200 users, 40 steps, 1,497 mix zones, 400")


def test_traces_are_loaded_selected_and_posed_step_by_step(traces: mixsafe.Traces) -> None:
    some = mixsafe.select(traces, users=20, seed=1)
    where = mixsafe.positions(some)
    zones = mixsafe.mix_zones(where)
    known = mixsafe.knowledge("endpoints", zones, where)
    presolved = mixsafe.pose(some, adversary="endpoints")
    assert zones.n_users == 20
    assert len(zones) == len(presolved.zones)
    assert np.array_equal(known.time, presolved.knowledge.time)


def test_an_answer_is_certified_written_read_and_checked(
    answer: mixsafe.Verification, tmp_path: Path
) -> None:
    made = mixsafe.certify(answer)
    assert mixsafe.check(made).verdict is answer.verdict
    mixsafe.write_certificates(tmp_path, [made])
    (read,) = mixsafe.read_certificates(tmp_path)
    assert mixsafe.check(tmp_path) == mixsafe.check(read) == mixsafe.check(made)


def test_a_file_of_several_certificates_is_not_taken_for_one(
    answer: mixsafe.Verification, tmp_path: Path
) -> None:
    made = mixsafe.certify(answer)
    mixsafe.write_certificates(tmp_path, [made, made])
    with pytest.raises(mixsafe.InputError, match="2 certificates"):
        mixsafe.check(tmp_path)


def test_an_answer_becomes_a_page(
    answer: mixsafe.Verification, traces: mixsafe.Traces, tmp_path: Path
) -> None:
    page = mixsafe.report(answer, tmp_path / "report.html", atlas=mixsafe.Atlas.of(traces))
    assert page == (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")


def test_zones_are_minimized_and_the_answer_becomes_a_page(four_walkers: dict[str, object]) -> None:
    problem = small(four_walkers)
    found = mixsafe.optimize(problem)
    assert (found.status, found.minimum) == ("optimal", 1)
    assert mixsafe.optimize(problem, k=2, at=[2]).minimum is None
    with pytest.raises(mixsafe.InputError, match="go together"):
        mixsafe.optimize(problem, k=2)
    assert "mix zone" in mixsafe.report(found)


def test_breaking_numbers_are_found(four_walkers: dict[str, object]) -> None:
    found = mixsafe.breaking(small(four_walkers), at_most=1)
    assert isinstance(found, mixsafe.BreakingNumbers)
    assert len(found.table) == found.summary["targets"] == 2


def test_engines_are_compared_and_the_comparison_becomes_a_page(
    four_walkers: dict[str, object],
) -> None:
    question = mixsafe.Question(small(four_walkers))
    found = mixsafe.compare([question], engines=("bounds", "dp"))
    assert list(found.table["engine"]) == ["bounds", "dp"]
    assert found.sentence in mixsafe.report(found)


def test_a_release_is_made_and_audited(traces: mixsafe.Traces) -> None:
    random = np.random.default_rng(1)
    release = mixsafe.pseudonymize(traces, k=3, random=random)
    assert release.privacy is not None
    shuffled = mixsafe.pseudonymize(mixsafe.town(40, random=random), method="shuffle")
    user = np.arange(5, dtype=np.int32)
    secret = shuffled.table
    place = shuffled.public.code[secret.pseudonym[user, 0], 0].astype(np.int64)
    seen = mixsafe.Sightings(user + 1, user, np.ones(5, np.int32), place)
    answer = mixsafe.audit(shuffled.public, seen, k=2, exchanged=False)
    assert len(answer.users) == 5
    assert "<html" in mixsafe.report(answer)


def test_what_makes_data_pass_is_found_and_written(traces: mixsafe.Traces, tmp_path: Path) -> None:
    found = mixsafe.protect(traces, 3, rule="share:0.9", rotations=())
    (number,) = [one.option.number for one in found.remedies if one.name == "leave out"]
    done = mixsafe.apply_remedy(found, number, tmp_path / "protected")
    assert done.verdict is mixsafe.Verdict.SAFE
    folder = tmp_path / "protected"
    assert {*done.files} == {str(path.relative_to(folder)) for path in folder.glob("*/*")}
    kept = mixsafe.load(folder / "secret" / "traces.csv")
    assert mixsafe.verify(kept, k=3, rule="share:0.9").verdict is mixsafe.Verdict.SAFE
    with pytest.raises(mixsafe.InputError, match=r"remedy 1 is none of those that pass: 2, 3"):
        mixsafe.apply_remedy(found, 1, tmp_path / "other")
    with pytest.raises(mixsafe.InputError, match="not empty"):
        mixsafe.apply_remedy(found, number, tmp_path / "protected")


def test_a_release_is_audited_from_files(tmp_path: Path) -> None:
    release, seen = tmp_path / "pub.csv", tmp_path / "seen.csv"
    release.write_text("pse_id,time_id,reg_id\n3,1,1\n3,2,2\n4,1,1\n4,2,3\n", encoding="utf-8")
    seen.write_text("user_id,time_id,reg_id\n1,2,2\n", encoding="utf-8")
    answer = mixsafe.audit(release, seen, k=2, exchanged=False)
    assert answer.verdict is mixsafe.Verdict.UNSAFE
    assert answer.intervals["upper"].tolist() == [1]


def test_traces_with_gaps_are_no_release(traces: mixsafe.Traces, tmp_path: Path) -> None:
    path = tmp_path / "gap.csv"
    path.write_text("user_id,time_id,reg_id\n1,1,1\n1,2,1\n2,1,1\n", encoding="utf-8")
    with pytest.raises(mixsafe.InputError, match="some users are not in one region"):
        mixsafe.pseudonymize(mixsafe.load(path))
    with pytest.raises(mixsafe.InputError, match="are not named 1 to 10"):
        mixsafe.pseudonymize(mixsafe.select(traces, users=10, seed=1))
    with pytest.raises(mixsafe.InputError, match="unknown method"):
        mixsafe.pseudonymize(traces, method="magic")


def test_traces_are_synthesized(traces: mixsafe.Traces) -> None:
    quick = TrainingSettings(z=2, iterations=2)
    plan = mixsafe.SamplingPlan(users=7, seed=1)
    made = mixsafe.synthesize(traces, plan, settings=quick)
    assert (made.n_users, made.n_steps) == (7, 20)
    fleet = mixsafe.cabs(3, steps=2, random=np.random.default_rng(1))
    assert len(fleet.users) == 3


def test_who_meets_whom_is_a_graph(four_walkers: dict[str, object]) -> None:
    assert mixsafe.graph(small(four_walkers)).number_of_nodes() > 0


def small(four_walkers: dict[str, object]) -> mixsafe.Problem:
    """The four walkers' problem."""
    from mixsafe.io.problems.problem import problem_of

    return problem_of(four_walkers, "four-walkers", "problem")


SIGNATURES = """
[mypy]
mypy_path = {root}
follow_imports = silent
cache_dir = {nowhere}

[mypy-numpy.*,pandas.*]
follow_imports = skip
"""
"""What functions are; what is in them takes five times as long, and `.ci/run` looks there."""


def test_a_type_checker_sees_the_true_signatures(root: Path, tmp_path: Path) -> None:
    program, settings = tmp_path / "program.py", tmp_path / "mypy.ini"
    settings.write_text(SIGNATURES.format(root=root, nowhere=os.devnull), encoding="utf-8")
    program.write_text(
        "import mixsafe\n"
        "reveal_type(mixsafe.verify)\n"
        "reveal_type(mixsafe.check)\n"
        "reveal_type(mixsafe.report)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", settings, program],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    shown = done.stdout
    assert "Module" not in shown, shown
    assert "mixsafe.verify.verification.Verification" in shown, shown
    assert "mixsafe.check.checker.Checked" in shown, shown
    assert "mixsafe.report.page.Page" in shown, shown
