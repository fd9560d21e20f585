"""Studies of scores: what they compute is what single contests are."""

import json

import numpy as np
import pytest

from benchmarks.contest_data import first_days
from benchmarks.contest_scores import (
    FAIRNESS,
    GRID,
    LENGTH,
    PRIVACY,
    Protection,
    guessed,
    obfuscations_of_run,
    privacy_correlation,
    protection_of,
)
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.obfuscations import NoObfuscation, PlanarLaplace
from mixsafe.contest.pseudonymizers import SHUFFLE
from mixsafe.contest.registry import organizers_attackers
from mixsafe.contest.run import Plan, run
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix

RULES = Rules()


def test_a_length_is_the_contest_on_the_first_days_alone(teams, options):
    options.days = [1, 3]
    found = LENGTH.look(options, [first_days(teams[0], days, RULES) for days in options.days])
    reference, original = teams[0]
    table = LENGTH.table(options, found)
    for days, outcome, row in zip(options.days, found, table.rows, strict=True):
        steps = days * 20
        known = Reference(TraceMatrix(reference.region[:, :steps]), RULES)
        hidden = TraceMatrix(original.region[:, :steps], steps + 1)
        assert run(hidden, known, Plan([NoObfuscation()], attacks())) == [outcome]
        assert row == [days, *(score.value for score in outcome.privacy.values())]


def attacks():
    return {SHUFFLE: organizers_attackers()}


def test_lengths_that_traces_do_not_have_are_refused(teams):
    for days in (0, 4):
        with pytest.raises(InputError, match=f"{days} days cannot be looked at"):
            first_days(teams[0], days, RULES)


def test_the_grid_of_some_days_is_a_run_on_these_days_alone(teams, options):
    options.anonymisers = "A1,A4-1-1"
    found = GRID.look(options, [first_days(teams[0], 2, RULES)])
    reference, original = teams[0]
    known = Reference(TraceMatrix(reference.region[:, :40]), RULES)
    hidden = TraceMatrix(original.region[:, :40], 41)
    methods = [NoObfuscation(), PlanarLaplace(1, 1)]
    assert found == run(hidden, known, Plan(methods, attacks()))
    *_, reid, trace = GRID.table(options, found).rows[0]
    assert (reid, trace) == (found[0].strongest("reid").value, found[0].strongest("trace").value)


def test_fairness_is_the_spread_over_teams_of_the_strongest_attacks(teams, options):
    options.anonymisers = "A1,A4-1-1"
    found = FAIRNESS.look(options, teams)
    plain, noisy = FAIRNESS.table(options, found).rows
    assert (plain[:2], noisy[:2]) == (["A1", 2], ["A4-1-1", 2])
    reid = [outcome.strongest("reid").value for outcome in found[::2]]
    assert plain[2:4] == pytest.approx([np.mean(reid), np.std(reid, ddof=1)])
    assert plain[2] < noisy[2]  # attacks work where nothing is obfuscated


def test_each_release_of_the_correlation_is_of_another_team(teams, options):
    methods = [NoObfuscation(), PlanarLaplace(8, 1), PlanarLaplace(7, 1), PlanarLaplace(0.1, 1)]
    found = PRIVACY.look(options, list(zip(methods, teams * 2, strict=True)))
    assert [one.anonymiser for one in found] == ["A1", "A4-8-1", "A4-7-1", "A4-0.1-1"]
    for number, outcome in enumerate(found):
        reference, original = teams[number % 2]
        plan = Plan([methods[number]], attacks(), 1 + number, compatible=False)
        assert run(original, Reference(reference, RULES), plan) == [outcome]
    useful = [outcome for outcome in found if outcome.utility.valid]
    assert found[3] not in useful
    assert len(useful) == 3
    assert privacy_correlation(found) == privacy_correlation(useful)
    with pytest.raises(InputError, match="three valid releases at least, not 2"):
        privacy_correlation(found[1:])


def write_scores(options, tmp_path, left_out=()):
    """A run of A1 and of A4-1-1, which is not valid; some rows are left out."""
    rows = [
        {"anonymiser": name, "pseudonymization": method, "valid": valid, "attack": attack,
         "score": kind, "value": round(value - loss, 2)}
        for name, valid, loss in (("A1", True, 0.1), ("A4-1-1", False, 0.0))
        for method, attack, kind, value in (
            ("shuffle", "utility", "utility", 0.3),
            ("shuffle", "I3", "reid", 0.9),
            ("shuffle", "POST", "reid", 0.8),
            ("shuffle", "GUESS", "trace", 0.7),
            ("mixzone", "POST", "reid", 0.99),
            ("mixzone", "POST-T", "trace", 0.75),
            ("mixzone", "T3", "trace", 0.95),
        )
        if (valid, method, attack) not in left_out
    ]  # fmt: skip
    (tmp_path / "run.json").write_text(json.dumps({"scores": rows}))
    options.results = tmp_path


def protections(options):
    cases = enumerate(obfuscations_of_run(options))
    return [each for number, case in cases for each in protection_of(options, number, case)]


def test_protection_is_what_the_strongest_attacks_of_each_kind_leave(options, tmp_path):
    write_scores(options, tmp_path)
    assert [each.anonymiser for each in protections(options)] == ["A1"]
    assert guessed(options) == 0.6
    options.anonymisers = "A4-1-1,A1"
    assert protections(options)[0] == Protection(
        "A4-1-1",
        valid=False,
        reid=[(0.8, "POST"), (0.99, "POST")],
        trace=[(0.7, "GUESS"), (0.75, "POST-T")],
    )


def test_a_run_without_the_attacks_that_protection_needs_is_refused(options, tmp_path):
    write_scores(options, tmp_path, [(valid, "shuffle", "GUESS") for valid in (True, False)])
    with pytest.raises(InputError, match="GUESS is not among the attacks"):
        guessed(options)
    write_scores(options, tmp_path, [(True, "mixzone", "POST")])
    with pytest.raises(InputError, match="no reid score of A1 with mixzone"):
        protections(options)
    options.anonymisers = "A3-1"
    with pytest.raises(InputError, match="the run has no A3-1"):
        protections(options)
