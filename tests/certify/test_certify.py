"""Certificates: what is written is replayed, and nothing false passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from mixsafe.certify import wanted
from mixsafe.certify.certify import certify
from mixsafe.certify.witness_pool import Pool
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.io.certificates.certificate_writer import write_certificates
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.verdict import UNDECIDED, Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.question.requirement import Rule
from mixsafe.solver.sat.cpsat import FlowModel
from mixsafe.solver.strategy import Strategy
from mixsafe.verify.verification import verify
from tests.support.certificates import claims_in, witnesses_in
from tests.support.oracles import domains_of
from tests.support.strategies import problem, problems, requirements_of

FRIENDS = problem(
    5,
    6,
    [(1, [0, 1]), (2, [1, 2, 3]), (3, [0, 3]), (5, [0, 1, 2])],
    [(user, t) for user in range(4) for t in (0, 6)],
    [(0, 3, 2), (1, 2, 2), (4, 3, 2), (3, 2, 1)],
)
"""Some exchange and come back; user 4 meets nobody."""

ONLY_SOLVER = Strategy(neighbourhoods=(), random_walk_solutions=0, annealing=())


def certificate_of(asked: Any, **options: Any) -> Certificate:
    return certify(verify(asked, keep_proof_data=True, **options))


def written(certificate: Certificate, folder: Path) -> Path:
    return write_certificates(folder, [certificate])


def test_a_certificate_needs_the_proof_data_of_its_verdicts() -> None:
    with pytest.raises(InputError, match="keep_proof_data"):
        certify(verify(FRIENDS))


@settings(max_examples=60)
@given(problems(max_users=5, max_zones=6))
def test_every_verdict_on_a_requirement_is_certified(asked: Any) -> None:
    answer = verify(asked, engine="cpsat", keep_proof_data=True)
    found = check(certify(answer))
    assert answer.results is not None
    verdicts = answer.results["verdict"].tolist()
    assert found.safe == verdicts.count("safe")
    assert found.unsafe_confirmed + found.unsafe_claimed == verdicts.count("unsafe")
    assert found.verdict is answer.verdict


@settings(max_examples=40)
@given(
    problems(max_users=5, max_zones=6),
    st.sampled_from([Rule("every"), Rule("some"), Rule("share", 0.5)]),
)
def test_an_audit_of_everything_is_certified_for_every_rule(asked: Any, rule: Rule) -> None:
    answer = verify(asked, k=2, rule=rule, engine="dp", keep_proof_data=True)
    found = check(certify(answer))
    assert {verdict.value: n for verdict, n in found.users.items()} == answer.summary["users"]
    assert found.verdict is answer.verdict


@settings(max_examples=60)
@given(problems(max_users=5, max_zones=6))
def test_what_is_proven_again_by_reachability_is_unsafe(asked: Any) -> None:
    certificate = certificate_of(asked, k=2, engine="cpsat")
    domains = domains_of(asked)
    claims = [claim for claim in claims_in(certificate.claims) if claim.verdict is Verdict.UNSAFE]
    assert all(len(domains[claim.row, claim.start]) < claim.k for claim in claims)
    assert all(domains[claim.row, claim.start] <= set(claim.candidates) for claim in claims)


@pytest.mark.parametrize("engine", ["auto", "cpsat", "dp", "bounds"])
def test_every_engine_can_be_certified(engine: str) -> None:
    certificate = certificate_of(FRIENDS, engine=engine)
    found = check(certificate)
    assert (found.safe, found.unsafe_confirmed) == (3, 1)
    assert all(len(claim.witnesses) in (0, claim.k) for claim in claims_in(certificate.claims))


SEEN_LATE = problem(
    3, 10, [(3, [1, 2]), (4, [0, 1, 2]), (5, [0, 1, 2])], [(2, 9), (2, 10)], [(2, 5, 2)]
)
"""One user is seen twice, never at step 0; witnesses need a solver."""


@settings(max_examples=60)
@example(asked=SEEN_LATE, engine="dp", everywhere=False)
@given(
    asked=problems(max_users=5, max_horizon=10, max_zones=6),
    engine=st.sampled_from(["auto", "cpsat", "dp", "bounds"]),
    everywhere=st.booleans(),
)
def test_whoever_answered_safe_answers_can_be_certified(
    asked: Any, engine: str, everywhere: bool
) -> None:
    answer = verify(asked, k=2 if everywhere else None, engine=engine, keep_proof_data=True)
    found = check(certify(answer))
    counts = (found.safe, found.unsafe_confirmed + found.unsafe_claimed, found.undecided)
    assert counts == tuple(answer.summary[word] for word in ("safe", "unsafe", "undecided"))


def test_a_solver_is_told_where_tokens_start_and_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted, "FOR_WITNESSES", ONLY_SOLVER)
    answer = verify(FRIENDS, engine="dp", keep_proof_data=True)
    assert check(certify(answer)).safe == answer.summary["safe"]


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    certificate = certificate_of(FRIENDS, k=2)
    (again,) = read_certificates(written(certificate, tmp_path))
    assert claims_in(again.claims) == claims_in(certificate.claims)
    assert witnesses_in(again) == witnesses_in(certificate)


def test_the_same_question_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = (written(certificate_of(FRIENDS, k=2), tmp_path / name) for name in ("one", "two"))
    files = [path.name for path in one.iterdir()]
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in files)


@settings(max_examples=200)
@given(st.data())
def test_no_changed_byte_passes_unless_it_means_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.getbasetemp() / "bytes"
    if not folder.exists():
        written(certificate_of(FRIENDS), folder)
    path = folder / data.draw(st.sampled_from(sorted(one.name for one in folder.iterdir())))
    content = path.read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    piece, cut = data.draw(st.binary(max_size=2)), data.draw(st.integers(0, 2))
    changed = content[:place] + piece + content[place + cut :]
    assume(changed != content)
    whole = read_certificates(folder)
    path.write_bytes(changed)
    try:
        found = read_certificates(folder)
    except InputError:
        return
    finally:
        path.write_bytes(content)
    assert found.manifest == whole.manifest


HARD = problem(
    4,
    8,
    [(1, [0, 1]), (2, [1, 2]), (3, [2, 3]), (5, [2, 3]), (6, [1, 2]), (7, [0, 1])],
    [(user, t) for user in range(4) for t in (0, 8)],
    [(0, 4, 2), (3, 4, 3)],
)
"""One swap shows nothing at step 4 of user 0 but user 1's token; user 3 needs more than swaps."""


def test_what_is_not_certified_in_time_is_undecided_and_swaps_always_are() -> None:
    """Of an engine that leaves no witnesses."""
    answer = verify(HARD, k=3, engine="dp", keep_proof_data=True)
    in_time, late = certify(answer), certify(answer, deadline=Deadline(0.0))
    assert in_time.claims.counts[Verdict.SAFE] == answer.summary["safe"]
    assert 0 < late.claims.counts[Verdict.SAFE] < answer.summary["safe"]
    assert late.claims.counts[Verdict.UNSAFE] == answer.summary["unsafe"]
    assert check(late).undecided == late.claims.counts[Verdict.UNDECIDED] > 0
    assert not late.claims.decided_by[late.claims.verdict == UNDECIDED].any()


def test_a_solver_that_stops_early_has_not_shown_that_there_is_no_witness(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FlowModel, "ask", lambda *_: None)
    monkeypatch.setattr(wanted, "FOR_WITNESSES", ONLY_SOLVER)
    answer = verify(HARD, k=3, engine="dp", keep_proof_data=True)
    found = certify(answer)
    assert 0 < found.claims.counts[Verdict.UNDECIDED] < answer.summary["safe"]


@pytest.mark.parametrize("engine", ["auto", "cpsat"])
def test_what_engines_write_down_is_not_asked_again(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pool, "_ask_again", None)
    answer = verify(HARD, k=3, engine=engine, keep_proof_data=True)
    late = certify(answer, deadline=Deadline(0.0))
    assert late.claims.counts[Verdict.SAFE] == answer.summary["safe"]


def test_walks_alone_find_what_few_tokens_can_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted.Lacking, "finish", lambda *_: None)
    answer = verify(HARD, k=3, engine="dp", keep_proof_data=True)
    assert certify(answer).claims.counts[Verdict.SAFE] == answer.summary["safe"]


def test_claims_of_several_k_on_one_wire_have_what_each_asks_for() -> None:
    asked = replace(HARD, requirements=requirements_of((1, 4, 1), (1, 4, 3), (1, 4, 2)))
    certificate = certificate_of(asked)
    assert certificate.claims.witnesses.sizes.tolist() == [1, 3, 2]
