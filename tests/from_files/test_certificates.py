"""Exported proofs: complete, readable, and confirmed by checkers that are not ours."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import milp

from mixsafe.certify.certify import certify
from mixsafe.check.checker import check
from mixsafe.check.minima import alone
from mixsafe.errors import InputError
from mixsafe.from_files.certificates import export_proofs
from mixsafe.model.answer.verdict import UNSAFE
from mixsafe.verify.verification import verify
from tests.support.oracles import domains_of
from tests.support.random_problems import random_problem
from tests.support.refuted import CHECKERS, by_clauses, cores_by_clauses, is_installed
from tests.support.strategies import problem
from tests.support.tampered_minima import certified as of_minimum

LINKED = problem(
    5,
    8,
    [(1, [0, 1, 4]), (3, [0, 2, 3, 4]), (5, [0, 4])],
    [(0, 2), (1, 6), (2, 3), (3, 2), (3, 8), (4, 3)],
)


def certified(asked, k):
    return by_clauses(certify(verify(asked, k=k, engine="bounds", keep_proof_data=True)))


@pytest.fixture(name="theirs", params=CHECKERS)
def _theirs(request):
    """A checker of DRAT that is not ours: one in Python, and one that is proven to be correct."""
    if not is_installed(request.param):
        pytest.skip(f"the checker {request.param} is not installed: pip install {request.param}")
    return CHECKERS[request.param]


@pytest.fixture(name="hundreds", scope="module")
def _hundreds(tmp_path_factory):
    """Proofs of every unsafe verdict on 300 random problems, which brute force confirms."""
    random, certificates = np.random.default_rng(15), []
    for _ in range(300):
        asked = random_problem(random)
        truth = domains_of(asked)
        certificate = by_clauses(certify(verify(asked, engine="bounds", keep_proof_data=True)))
        claims = certificate.claims
        for one in np.flatnonzero(claims.verdict == UNSAFE).tolist():
            left = truth[int(claims.row[one]), int(claims.start[one])]
            assert left <= set(claims.candidates[one].tolist())
            assert len(left) < claims.k[one]
        assert check(certificate).unsafe_claimed == 0
        certificates.append(certificate)
    folder = tmp_path_factory.mktemp("hundreds") / "proofs"
    return folder, export_proofs(certificates, folder)


def test_checkers_that_are_not_ours_confirm_every_unsafe_verdict(hundreds, theirs):
    folder, number = hundreds
    files = sorted(folder.glob("*.cnf"))
    assert len(files) == number > 100
    assert all(theirs(file, file.with_suffix(".drat")) for file in files)


def test_checkers_that_are_not_ours_refuse_a_proof_without_one_of_its_clauses(hundreds, theirs):
    folder, _ = hundreds
    file = max(folder.glob("*.cnf"), key=lambda file: file.stat().st_size)
    lines = file.read_text().splitlines(keepends=True)
    _, _, variables, clauses = lines[0].split()
    lines[0] = f"p cnf {variables} {int(clauses) - 1}\n"
    forged = folder / "forged.cnf"
    accepted = 0
    for clause in range(1, len(lines)):
        forged.write_text("".join(lines[:clause] + lines[clause + 1 :]))
        accepted += theirs(forged, file.with_suffix(".drat"))
    forged.unlink()
    assert accepted == 0


def test_the_manifest_says_which_claim_each_refutation_is_of(tmp_path):
    certificate = certified(LINKED, 5)
    number = export_proofs([certificate], tmp_path / "proofs")
    told = json.loads((tmp_path / "proofs" / "manifest.json").read_text())
    (only,) = told["certificates"]
    claims = certificate.claims
    assert len(only["unsafe"]) == number == np.count_nonzero(claims.verdict == UNSAFE)
    for one in only["unsafe"]:
        text = (tmp_path / "proofs" / f"{one['refutation']}.txt").read_text()
        candidates = ", ".join(map(str, one["candidates"]))
        assert f"After step {one['from']} user {one['user']} has one of the pseudonyms" in text
        assert candidates in text.splitlines()[0]
    sentences = (tmp_path / "proofs" / only["closures"]).read_text().splitlines()
    assert len(sentences) == len(certificate.hall_sets) > 0


def test_lrat_names_clauses_that_are_there_and_ends_with_the_empty_one(tmp_path):
    export_proofs([certified(LINKED, 5)], tmp_path / "proofs")
    for file in (tmp_path / "proofs").glob("*.lrat"):
        number = int(file.with_suffix(".cnf").read_text().split()[3])
        for line in file.read_text().splitlines():
            name, *rest = map(int, line.split())
            number += 1
            assert name == number
            assert all(0 < one < number for one in rest[rest.index(0) + 1 : -1])
        assert rest[0] == 0


@pytest.fixture(name="minima", scope="module")
def _minima(tmp_path_factory):
    """Proofs of minimum sets, whose cores are refuted by clauses where they do not fall at once."""
    random, certificates = np.random.default_rng(8), []
    for number in range(30):
        asked = random_problem(random, max_users=4, max_zones=6)
        certificate = cores_by_clauses(of_minimum(asked, "members" if number % 2 else "count"))
        assert check(certificate).least.is_minimum
        certificates.append(certificate)
    folder = tmp_path_factory.mktemp("minima") / "proofs"
    return folder, certificates, export_proofs(certificates, folder)


def told_of(folder):
    return json.loads((folder / "manifest.json").read_text())["certificates"]


def test_checkers_that_are_not_ours_confirm_every_core_of_a_minimum(minima, theirs):
    folder, _, number = minima
    cores = [core for one in told_of(folder) for core in one["minimum"]["cores"]]
    assert len(cores) == number > 30
    for core in cores:
        file = folder / f"{core['refutation']}.cnf"
        assert theirs(file, file.with_suffix(".drat"))


def test_a_solver_that_is_not_ours_counts_what_zones_cost_that_have_one_of_each_core(minima):
    folder, certificates, _ = minima
    bounds = []
    for told, certificate in zip(told_of(folder), certificates, strict=True):
        minimum, named = told["minimum"], certificate.chosen.zones.tolist()
        least = least_of_opb((folder / minimum["cost"]).read_text())
        zones = {one["zone"]: one for one in minimum["zones"]}
        assert least == minimum["bound"] == sum(zones[zone]["cost"] for zone in named)
        assert [zone for zone, one in zones.items() if one["chosen"]] == named
        bounds.append(least)
    assert max(bounds) > 2


def least_of_opb(text):
    """The least objective of a pseudo-Boolean problem, by SciPy."""
    head, objective, *rows = text.splitlines()
    n = int(head.split()[2])

    def dense(terms):
        row, numbers = np.zeros(n), terms.split()
        for times, name in zip(numbers[::2], numbers[1::2], strict=True):
            row[int(name.removeprefix("x")) - 1] = int(times)
        return row

    assert int(head.split()[4]) == len(rows)
    if not rows:
        return 0
    least = dense(objective.removeprefix("min:").removesuffix(";"))
    needs = np.array([dense(row.removesuffix(">= 1 ;")) for row in rows])
    found = milp(least, integrality=np.ones(n), bounds=(0, 1), constraints=(needs, 1, np.inf))
    return round(found.fun)


def test_unsafe_claims_of_a_minimum_are_about_the_zones_that_were_chosen(tmp_path):
    """User 2 meets nobody in the zone that is chosen, and could meet somebody in the other one."""
    asked = problem(3, 4, [(1, [0, 1]), (2, [0, 2])], [], [(1, 1, 2), (2, 2, 3)])
    first = replace(asked, requirements=asked.requirements.those(slice(1)))
    whole = replace(of_minimum(first), problem=asked)
    left = alone(whole, whole.chosen).problem
    changed = replace(
        certify(verify(left, keep_proof_data=True)), problem=asked, chosen=whole.chosen
    )
    assert check(changed).unsafe_confirmed == 1
    export_proofs([changed], tmp_path / "proofs")
    (told,) = told_of(tmp_path / "proofs")
    assert [one["shown_by"] for one in told["unsafe"]] == ["reachability"]


def test_nothing_is_written_of_a_certificate_with_a_wrong_proof(tmp_path):
    certificate = certified(LINKED, 5)
    lemmas = certificate.clause_proofs.lemmas
    forged = replace(
        certificate.clause_proofs, lemmas=replace(lemmas, values=np.zeros_like(lemmas.values))
    )
    with pytest.raises(InputError, match="refutation 0"):
        export_proofs([replace(certificate, clause_proofs=forged)], tmp_path / "proofs")
    assert not (tmp_path / "proofs").exists()


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "kept").write_text("kept")
    with pytest.raises(InputError, match="not empty"):
        export_proofs([certified(LINKED, 5)], tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["kept"]
