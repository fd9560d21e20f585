"""The grid: the same whoever computes it, in the organizers' table."""

import csv
import io

import numpy as np

from mixsafe.contest.obfuscations import Cheat, MergeAndHide, NoObfuscation
from mixsafe.contest.pseudonymizers import MIXZONE, SHUFFLE
from mixsafe.contest.registry import linking_attackers, organizers_attackers, team_attackers
from mixsafe.contest.run import Plan, organizers_table, run, score_rows, scores_table


def plan(**changes):
    settings = {
        "anonymisers": [NoObfuscation(), MergeAndHide(1, 1, 0.5), Cheat(1)],
        "attackers": {
            SHUFFLE: organizers_attackers(),
            MIXZONE: [*organizers_attackers(), *linking_attackers(MIXZONE)],
        },
    }
    return Plan(**{**settings, **changes})


def test_workers_do_not_change_the_result(original, reference):
    one = run(original, reference, plan())
    assert run(original, reference, plan(), workers=2) == one


def test_leaving_a_pseudonymization_out_does_not_change_the_others(original, reference):
    alone = run(original, reference, plan(attackers={MIXZONE: linking_attackers(MIXZONE)}))
    both = run(
        original, reference, plan(attackers={SHUFFLE: [], MIXZONE: linking_attackers(MIXZONE)})
    )
    assert alone == [outcome for outcome in both if outcome.pseudonymization == MIXZONE]


def test_obfuscations_start_from_the_seed_afresh(original, reference):
    alone = run(original, reference, plan(anonymisers=[Cheat(1)]))
    every = run(original, reference, plan())
    assert alone[0].utility == every[-1].utility


def test_progress_counts_to_the_end(original, reference):
    told = []
    run(original, reference, plan(), progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_the_organizers_table_has_their_columns_and_full_floats(original, reference):
    outcomes = run(original, reference, plan())
    shuffled = [outcome for outcome in outcomes if outcome.pseudonymization == SHUFFLE]
    rows = list(csv.reader(io.StringIO(organizers_table(shuffled))))
    assert rows[0] == ["Ano", "Util", "I1", "I2", "I3", "T1", "T2", "T3"]
    assert [row[0] for row in rows[1:]] == ["A1", "A2-1-1-0.5", "A5-1"]
    assert float(rows[2][7]) == shuffled[1].privacy["T3"].value


def test_other_attacks_get_columns_of_their_own(original, reference):
    attackers = {MIXZONE: [*linking_attackers(MIXZONE), organizers_attackers()[0]]}
    table = organizers_table(run(original, reference, plan(attackers=attackers)))
    header, first, *_ = csv.reader(io.StringIO(table))
    assert header[-2:] == ["LINK", "LINK-T"]
    assert first[3] == ""
    assert first[2]
    assert first[8]


def test_every_score_is_listed_with_its_uncertainty(original, reference):
    outcomes = run(original, reference, plan())
    rows = list(csv.DictReader(io.StringIO(scores_table(score_rows(outcomes)))))
    assert len(rows) == 3 * (7 + 9)
    for row in rows:
        assert float(row["low"]) <= float(row["value"]) <= float(row["high"])
        assert float(row["attempts"]) > 0


def test_the_strongest_attack_is_the_lowest_score(original, reference):
    outcome = run(original, reference, plan())[0]
    lowest = min(outcome.privacy[name].value for name in ("I1", "I2", "I3"))
    assert outcome.strongest("reid").value == lowest
    assert run(original, reference, plan(attackers={SHUFFLE: []}))[0].strongest("reid") is None


def test_team_004_s_threshold_is_a_quarter_of_the_days(reference):
    _, swap = team_attackers(reference.traces, reference.rules)
    assert swap.threshold == 1


def test_independent_obfuscations_use_another_stream(original, reference):
    hidden = [MergeAndHide(0, 0, 0.5)]
    compatible = run(original, reference, plan(anonymisers=hidden))
    independent = run(original, reference, plan(anonymisers=hidden, compatible=False))
    assert compatible[0].utility != independent[0].utility
    assert np.isfinite(independent[0].utility.value)
