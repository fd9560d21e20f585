"""A tournament: the same whoever computes it, fair to all, and no team can break it."""

import csv
import io
import json
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pytest

from mixsafe.contest.attacks import (
    HomeProbIds,
    HomeProbTraces,
    RandomIds,
    VisitProbIds,
    VisitProbTraces,
)
from mixsafe.contest.base.score import Score
from mixsafe.contest.obfuscations import Cheat, MergeAndHide, NoObfuscation
from mixsafe.contest.tournament.challenges import IDP, TRP
from mixsafe.contest.tournament.hold import BENCHMARK, Tournament, hold
from mixsafe.contest.tournament.standings import (
    Attack,
    Standings,
    TeamEntry,
    attacks_table,
    teams_table,
)
from mixsafe.contest.tournament.teams import DataSet, Team
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells

HOME = Team("home", NoObfuscation(), HomeProbIds(), HomeProbTraces())
HIDES = Team("hides", MergeAndHide(0, 0, 0.9), VisitProbIds(), VisitProbTraces())
GUESSES = Team("guesses", MergeAndHide(1, 0, 0.1), RandomIds())


@dataclass(frozen=True)
class Fixed:
    """A team that hands in the same whatever it is given; an exception is raised."""

    name: str
    cells: object = None
    answer: object = None

    def obfuscate(self, original, rules, random):
        return self._give(self.cells, original, rules)

    def attack(self, answers, target, reference, release, random):
        return self._give(self.answer, answers, release)

    @staticmethod
    def _give(what, *arguments):
        if isinstance(what, Exception):
            raise what
        return what(*arguments) if callable(what) else what


def data_set(number, users=6):
    region = np.random.default_rng(number).integers(16, size=(users, 16)).astype(np.int32)
    return DataSet(TraceMatrix(region[:, 8:].copy(), 9), TraceMatrix(region[:, :8].copy(), 1))


def tournament(rules, *teams, benchmark=True, **changes):
    sets = [data_set(number) for number in range(len(teams) + benchmark)]
    lenient = replace(rules, required_utility=0.5)
    return Tournament(**{"teams": teams, "sets": sets, "rules": lenient, "seed": 5, **changes})


@pytest.fixture
def held(rules):
    return hold(tournament(rules, HOME, HIDES, GUESSES))


def test_workers_do_not_change_the_result(rules, held):
    again, _ = hold(tournament(rules, HOME, HIDES, GUESSES), workers=2)
    assert again == held[0]


def test_every_team_attacks_every_other_and_the_benchmark_but_never_itself(held):
    standings, _ = held
    made = {(a.attacker, a.victim, a.answers) for a in standings.attacks if a.team}
    victims = ("home", "guesses", BENCHMARK)  # what "hides" handed in is not valid
    both = ("ids", "traces")
    expected = {("home", v, kind) for v, kind in product(victims, both) if v != "home"}
    expected |= {("hides", v, kind) for v, kind in product(victims, both)}
    expected |= {("guesses", v, "ids") for v in victims if v != "guesses"}
    assert made == expected


def test_the_judge_makes_the_sample_attacks_on_every_valid_release(held):
    standings, _ = held
    made = {(a.attacker, a.victim) for a in standings.attacks if not a.team}
    names = ("I1", "I2", "I3", "T1", "T2", "T3")
    assert made == set(product(names, ("home", "guesses", BENCHMARK)))


def test_a_release_without_utility_has_no_privacy_and_is_not_published(held):
    standings, published = held
    entry = standings.entries[1]
    assert not entry.valid
    assert "is below 0.5" in entry.problem
    assert standings.privacy(entry, "ids") == standings.privacy(entry, "traces") == 0
    assert [one is not None for one in published] == [True, False, True, True]
    assert "hides" not in standings.awards["anonymization"]


def test_what_is_published_is_the_team_s_cells_by_pseudonym(rules, held):
    _, published = held
    original = data_set(0).original.region
    assert np.array_equal(published[0].release.code, original[published[0].table.user[:, 0]])


def test_another_seed_gives_other_pseudonyms(rules, held):
    _, published = hold(tournament(rules, HOME, HIDES, GUESSES, seed=6))
    assert not np.array_equal(published[0].table.user, held[1][0].table.user)


def test_who_else_takes_part_does_not_change_a_release_or_an_attack_on_it(rules, held):
    other = Fixed("hides", RuntimeError("late"))
    standings, published = hold(tournament(rules, HOME, other, GUESSES))
    assert np.array_equal(published[2].table.user, held[1][2].table.user)
    of_home = [a for a in standings.attacks if a.attacker == "home"]
    assert of_home == [a for a in held[0].attacks if a.attacker == "home"]


def test_exchanged_pseudonyms_are_scored_by_time(rules):
    meets = Fixed("meets", lambda original, _: Cells.of_regions(original.region * 0, 16, 9))
    found = tournament(rules, HOME, meets, pseudonymization="mixzone")
    _, published = hold(replace(found, rules=replace(rules, required_utility=0.0)))
    owner = published[1].table.user
    assert owner.shape == (6, 8)
    assert (owner != owner[:, :1]).any()


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (RuntimeError("it\nbroke"), "RuntimeError: it broke"),
        (None, "nothing was handed in"),
        (np.zeros((6, 8)), "must be Cells, not ndarray"),
        (Cells.of_regions(np.zeros((5, 8), np.int32), 16, 9), "5 users, 8 times from 9"),
        (Cells.of_regions(np.zeros((6, 8), np.int32), 16, 1), "from 1 on and 16 regions"),
        (Cells.of_regions(np.zeros((6, 8), np.int32), 17, 9), "17 regions"),
    ],
)
def test_what_is_no_release_counts_against_its_team_only(rules, cells, problem):
    standings, _ = hold(tournament(rules, HOME, Fixed("odd", cells)))
    assert problem in standings.entries[1].problem
    assert standings.entries[0].valid
    assert {a.victim for a in standings.attacks} == {"home", BENCHMARK}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (KeyError("x"), "KeyError"),
        ([1, 2], "must be an array of whole numbers"),
        (np.zeros(6), "must be an array of whole numbers"),
        (np.zeros((2, 2), int), "shape (2, 2) instead of (6, 8)"),
        (np.full((6, 8), -1), "-1, of 0 to"),
        (np.full((6, 8), 16), "16, of 0 to"),
    ],
)
def test_what_is_no_answer_finds_nothing_and_stops_nobody(rules, answer, problem):
    standings, _ = hold(tournament(rules, HOME, Fixed("odd", answer=answer)))
    of_odd = [a for a in standings.attacks if a.attacker == "odd"]
    assert len(of_odd) == 4
    assert all(a.score is None and problem in a.problem for a in of_odd)
    assert standings.attack_sum("odd", "ids") == 3  # home, the benchmark, its own
    assert standings.awards["re-identification"] == ("home",)


def test_a_team_cannot_change_what_others_get(rules):
    def vandal(answers, release):
        release.code[:] = 0

    standings, _ = hold(tournament(rules, HOME, Fixed("vandal", answer=vandal)))
    of_vandal = [a for a in standings.attacks if a.attacker == "vandal"]
    assert all("read-only" in a.problem for a in of_vandal)


def entry(name, problem=None):
    return TeamEntry(name, Score("utility", 0.8, 10, 0.1, problem is None), problem)


def attack(attacker, victim, answers, value, team=True):
    kind = "reid" if answers == "ids" else "trace"
    return Attack(attacker, victim, answers, team, Score(kind, value, 10, 0.9))


@pytest.fixture
def standings():
    """Three teams, c without a valid release; a and c attack."""
    attacks = [
        attack("I2", "a", "ids", 0.6, team=False),
        attack("c", "a", "ids", 0.5),
        attack("c", "b", "ids", 0.7),
        attack("c", "judge", "ids", 0.2),
        attack("a", "b", "ids", 0.1),
        attack("a", "judge", "ids", 0.1),
        attack("T2", "a", "traces", 0.3, team=False),
        attack("T2", "b", "traces", 0.3, team=False),
        attack("c", "b", "traces", 0.4),
    ]
    teams = (entry("a"), entry("b"), entry("c", "late"))
    return Standings(teams, entry("judge"), tuple(attacks))


def test_the_strongest_attack_counts_whoever_made_it(standings):
    a, b, c = standings.entries
    assert standings.privacy(a, "ids") == 0.5
    assert standings.strongest("a", "ids").attacker == "c"
    assert standings.privacy(b, "traces") == 0.3
    assert standings.strongest("b", "traces").attacker == "T2"
    assert standings.privacy(c, "ids") == 0
    assert standings.privacy(standings.benchmark, "traces") == 1  # nobody attacked it


def test_sums_run_over_all_releases_and_a_missing_attack_and_the_own_release_count_one(standings):
    assert standings.attack_sum("a", "ids") == pytest.approx(1 + 0.1 + 0.1)
    assert standings.attack_sum("b", "ids") == 3
    assert standings.attack_sum("c", "ids") == pytest.approx(0.5 + 0.7 + 1 + 0.2)


def test_awards_go_to_the_highest_trace_privacy_and_the_lowest_sums(standings):
    assert standings.awards == {
        "anonymization": ("a", "b"),  # equal, so both
        "re-identification": ("a",),
        "trace inference": ("c",),
    }


def test_in_the_challenge_of_id_dishall_set_releases_are_ranked_by_re_identification(standings):
    idp = replace(standings, challenge=IDP)
    assert (standings.ranks, idp.ranks) == ({"a": 1, "b": 1}, {"a": 1, "b": 2})
    assert idp.awards == {"anonymization": ("a",), "re-identification": ("a",)}


def test_each_challenge_has_chance_of_its_own(rules):
    one, other = (
        hold(tournament(rules, HOME, GUESSES, challenge=challenge))[1][0].table.user
        for challenge in (IDP, TRP)
    )
    assert not np.array_equal(one, other)


def test_sample_traces_are_neither_released_nor_attacked(rules):
    sets = [data_set(number) for number in range(5)]
    found = tournament(rules, HOME, GUESSES, sets=sets)
    assert list(found.samples) == sets[3:]
    standings, published = hold(found)
    assert len(published) == 3
    assert {a.victim for a in standings.attacks} <= {"home", "guesses", BENCHMARK}


def test_nobody_wins_what_nobody_took_part_in():
    nothing = Standings((entry("a", "late"), entry("b", "late")), None, ())
    assert set(nothing.awards.values()) == {()}
    assert nothing.correlation is None


def test_correlation_is_over_the_teams_alone():
    teams = tuple(entry(name) for name in "abc")
    attacks = [
        attack("I", name, answers, value, team=False)
        for name, ids, traces in (("a", 0.1, 0.2), ("b", 0.2, 0.4), ("c", 0.3, 0.6))
        for answers, value in (("ids", ids), ("traces", traces))
    ]
    attacks += [attack("I", "judge", kind, 0.9 * (kind == "ids"), team=False) for kind in ("ids",)]
    assert Standings(teams, entry("judge"), tuple(attacks)).correlation == pytest.approx(1)
    assert Standings(teams[:2], None, tuple(attacks)).correlation is None


def test_tables_and_json_tell_the_same(held):
    standings, _ = held
    found = json.loads(json.dumps(standings.to_dict()))
    rows = list(csv.DictReader(io.StringIO(teams_table([standings]))))
    assert [row["name"] for row in rows] == ["home", "hides", "guesses", BENCHMARK]
    for row, team in zip(rows, [*found["teams"], found["benchmark"]], strict=True):
        assert float(row["s_T_min"]) == team["s_T_min"]
        assert row["valid"] == ("yes" if team["valid"] else "no")
    attacks = list(csv.DictReader(io.StringIO(attacks_table([standings]))))
    assert len(attacks) == len(found["attacks"]) == len(standings.attacks)
    for row in attacks:
        assert float(row["low"]) <= float(row["value"]) <= float(row["high"])


@pytest.mark.parametrize(
    ("teams", "changes", "message"),
    [
        ([HOME], {}, "two teams at least"),
        ([HOME, replace(GUESSES, name="home")], {}, "two teams are called 'home'"),
        ([HOME, replace(GUESSES, name=BENCHMARK)], {}, f"two teams are called '{BENCHMARK}'"),
        ([HOME, GUESSES], {"sets": [data_set(0)]}, "1 data sets for 2 teams"),
        ([HOME, GUESSES], {"sets": [data_set(0)] * 6}, "6 data sets for 2 teams"),
        ([HOME, GUESSES], {"pseudonymization": "none"}, "unknown pseudonymization 'none'"),
    ],
)
def test_a_tournament_that_cannot_be_held_is_refused(rules, teams, changes, message):
    with pytest.raises(InputError, match=message):
        tournament(rules, *teams, **changes)


def test_a_team_needs_a_name_and_attackers_in_their_places():
    with pytest.raises(InputError, match="needs a name"):
        Team("")
    with pytest.raises(InputError, match="T3 answers traces, where ids"):
        Team("a", identifier=HomeProbTraces())
    with pytest.raises(InputError, match="I3 answers ids, where traces"):
        Team("a", inferrer=HomeProbIds())


def test_traces_of_other_users_are_refused():
    with pytest.raises(InputError, match="6 users in the original traces, but 5"):
        DataSet(data_set(0).original, data_set(0, users=5).reference)


def test_cheating_beats_who_names_people_and_not_who_names_places(rules):
    """The paper's point: perfectly safe from re-identification, not from trace inference."""
    lenient = replace(rules, required_utility=0.0)
    homes = np.arange(16, dtype=np.int32)[:, None].repeat(8, axis=1)
    same = DataSet(TraceMatrix(homes, 9), TraceMatrix(homes.copy(), 1))
    cheats = Team("cheats", Cheat(1))
    found = Tournament([HOME, cheats], [same, same], lenient, seed=1)
    standings, _ = hold(found)
    assert standings.privacy(standings.entries[1], "ids") > 0.7
    assert standings.privacy(standings.entries[1], "traces") < 1e-9
