"""What exchange at mix zones does to the contest's scores, against every attack there is.

    MIXSAFE_DATA=… python benchmarks/contest_mix_zones.py [--grid | --schemes | --towns | --ahead]

Means over five seeds of six obfuscations, as in benchmarks/contest_notebook.md; with --grid one
seed of all the organizers' settings (--seeds says how many); with --schemes IF and TS with each of
their schemes; with --towns ten small towns whose reference days are the released ones; with --ahead
how often an older attack is ahead of POST or POST-T in 13 towns. Needs the PWS Cup 2019 data, or
--team with orgtraces… and reftraces… of team 001, data set 01.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mixsafe.contest.base.parts import Anonymiser, Attacker
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.link_attack import LinkIds, LinkTraces
from mixsafe.contest.obfuscations import (
    Cheat,
    ClusterVisits,
    MergeAndHide,
    NoObfuscation,
    PlanarLaplace,
    RandomizedResponse,
    ShiftRareRegions,
)
from mixsafe.contest.posterior.guesses import (
    HabitTraces,
    MatchedIds,
    PosteriorIds,
    PosteriorTraces,
)
from mixsafe.contest.pseudonymizers import MIXZONE, SHUFFLE
from mixsafe.contest.registry import (
    linking_attackers,
    organizers_anonymisers,
    organizers_attackers,
    posterior_attackers,
    team_attackers,
)
from mixsafe.contest.run import Plan, run
from mixsafe.contest.team_attacks import FuzzyVisitVector, SwapFrequentRegions
from mixsafe.io.contest.reading import read_regions, read_traces
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.scenarios.town import town

SEEDS = range(1, 6)
SCHEMES = range(1, 7)
EXCHANGES = 20
IDS = ("I1", "I2", "I3", "IF", "LINK", "POST", "MATCH")
TRACES = ("T1", "T2", "T3", "TS", "LINK-T", "GUESS", "POST-T")
METHODS = [
    NoObfuscation(),
    PlanarLaplace(4, 1),
    Cheat(0.3),
    Cheat(1),
    ShiftRareRegions(12, 4, 3),
    ClusterVisits(100),
]

Scores = dict[tuple[str, str], dict[str, list[float]]]


def scores_of(
    teams: tuple[TraceMatrix, Reference],
    methods: Sequence[Anonymiser],
    attackers: dict[str, Sequence[Attacker]],
    seeds: Sequence[int],
) -> Scores:
    """All scores by obfuscation and pseudonymization, with the seconds of processor time."""
    scores: Scores = defaultdict(lambda: defaultdict(list))
    for method in methods:
        start = time.process_time()
        for seed in seeds:
            for outcome in run(*teams, Plan([method], attackers, seed)):
                row = scores[outcome.anonymiser, outcome.pseudonymization]
                row["s_U"].append(outcome.utility.value)
                for name, score in outcome.privacy.items():
                    row[name].append(score.value)
        spent = time.process_time() - start
        print(f"{outcome.anonymiser}: {spent:.1f} s of processor time", flush=True)
    return scores


def show(scores: Scores, names: Sequence[str]) -> None:
    """A table of means: the strongest attack named, with its standard deviation over seeds."""
    print("\n| obfuscation | pseudonyms | s_U | " + " | ".join([*names, "strongest (SD)"]) + " |")
    print("| --- " * (len(names) + 4) + "|")
    for (method, pseudonyms), row in scores.items():
        mean = {name: float(np.mean(values)) for name, values in row.items()}
        cells = [f"{mean[name]:.4f}" for name in ("s_U", *names)]
        best = min(names, key=lambda name: mean[name])
        cells.append(f"{best} ({np.std(row[best], ddof=int(len(row[best]) > 1)):.4f})")
        print(f"| {method} | {pseudonyms} | " + " | ".join(cells) + " |")


def losses(scores: Scores) -> None:
    """Where POST finds less than another attack, or POST-T less than habits alone: the largest."""
    pairs = [("POST", name) for name in IDS if name != "POST"] + [
        ("POST-T", name) for name in TRACES[:-1]
    ]
    print()
    for mine, other in pairs:
        lost = {key: float(np.mean(row[mine]) - np.mean(row[other])) for key, row in scores.items()}
        worst = max(lost, key=lambda key: lost[key])
        behind = sum(value > 0 for value in lost.values())
        print(
            f"{mine} against {other}: behind in {behind} of {len(lost)},"
            f" {lost[worst]:+.4f} at most ({', '.join(worst)})"
        )


def schemes(teams: tuple[TraceMatrix, Reference], threshold: int) -> None:
    """IF and TS with each scheme of TF and IDF, on releases whose pseudonyms are shuffled."""
    print("\n| obfuscation | " + " | ".join(f"IF {n}" for n in SCHEMES) + " | "
          + " | ".join(f"TS {n}" for n in SCHEMES) + " |")  # fmt: skip
    print("| --- " * (1 + 2 * len(SCHEMES)) + "|")
    found: dict[str, list[str]] = defaultdict(list)
    for kind in ("IF", "TS"):
        for scheme in SCHEMES:
            one: Attacker = (
                FuzzyVisitVector(scheme=scheme)
                if kind == "IF"
                else SwapFrequentRegions(threshold, scheme)
            )
            for outcome in run(*teams, Plan(METHODS, {SHUFFLE: [one]}, 1)):
                found[outcome.anonymiser].append(f"{outcome.privacy[kind].value:.4f}")
    for method, values in found.items():
        print(f"| {method} | " + " | ".join(values) + " |")


def towns() -> None:
    """What is found of exchanged days that attackers know: nobody does anything new.

    Means over exchanges, with standard deviations: tracks that go the same way cannot be told
    apart, and who names another user on each of them finds more or fewer by luck.
    """
    attackers: list[Attacker] = [LinkIds(), PosteriorIds(), MatchedIds()]
    print("| people | seed | cells | " + " | ".join(one.short for one in attackers) + " |")
    print("| --- " * (3 + len(attackers)) + "|")
    for people in (60, 150):
        for seed in SEEDS:
            region = town(people, days=2, random=np.random.default_rng(seed)).region
            known, original = Reference(TraceMatrix(region), Rules()), TraceMatrix(region, 41)
            found = defaultdict(list)
            for exchange in range(1, EXCHANGES + 1):
                plan = Plan([NoObfuscation()], {MIXZONE: attackers}, attack_seed=exchange)
                (outcome,) = run(original, known, plan)
                for name, score in outcome.privacy.items():
                    found[name].append((1 - score.value) * region.size)
            cells = [f"{np.mean(one):.1f} ({np.std(one, ddof=1):.1f})" for one in found.values()]
            print(f"| {people} | {seed} | {region.size} | " + " | ".join(cells) + " |", flush=True)


def ahead() -> None:
    """How often an attack is ahead of POST or POST-T: by three standard errors of the difference.

    Five obfuscations of 13 towns, both pseudonymizations, twenty of each.
    """
    methods: list[Anonymiser] = [
        NoObfuscation(), PlanarLaplace(4, 1), RandomizedResponse(8), MergeAndHide(0, 0, 0.5),
        MergeAndHide(1, 1, 0.1),
    ]  # fmt: skip
    leads: dict[tuple[str, str], list[float]] = defaultdict(list)
    for people, days, seeds in ((60, 2, SEEDS), (60, 4, SEEDS), (150, 2, SEEDS[:3])):
        for seed in seeds:
            region = town(people, days=days, random=np.random.default_rng(seed)).region
            teams = (
                TraceMatrix(region[:, -40:], 41),
                Reference(TraceMatrix(region[:, :40]), Rules()),
            )
            for method in methods:
                for exchanged, how in enumerate((SHUFFLE, MIXZONE)):
                    attackers = [
                        *(kind(exchanged) for kind in (LinkIds, MatchedIds, PosteriorIds)),
                        *(LinkTraces(exchanged), HabitTraces(), PosteriorTraces(exchanged)),
                    ]
                    scores = defaultdict(list)
                    for draw in range(1, EXCHANGES + 1):
                        (outcome,) = run(*teams, Plan([method], {how: attackers}, attack_seed=draw))
                        for name, score in outcome.privacy.items():
                            scores[name].append(score.value)
                    for name, best in zip(scores, ["POST"] * 3 + ["POST-T"] * 3, strict=True):
                        lead = np.array(scores[best]) - np.array(scores[name])
                        error = np.std(lead, ddof=1) / np.sqrt(EXCHANGES)
                        sure = lead.mean() > max(3 * error, 1e-9)
                        leads[name, how].append(float(lead.mean()) if sure else 0.0)
    print("| attack | pseudonyms | cases | ahead | largest lead |")
    print("| --- | --- | --- | --- | --- |")
    for (name, how), found in leads.items():
        count = np.count_nonzero(found)
        print(f"| {name} | {how} | {len(found)} | {count} | {max(found):.4f} |")


def main() -> None:
    """Print the tables."""
    words = argparse.ArgumentParser()
    words.add_argument("--grid", action="store_true")
    words.add_argument("--schemes", action="store_true")
    words.add_argument("--towns", action="store_true")
    words.add_argument("--ahead", action="store_true")
    words.add_argument("--team", type=Path)
    words.add_argument("--seeds", type=int, help="default: 5, with --grid 1")
    asked = words.parse_args()
    if asked.towns:
        towns()
        return
    if asked.ahead:
        ahead()
        return
    folder = asked.team or Path(os.environ["MIXSAFE_DATA"]) / "pwscup2019"
    cities = folder / "info_region.csv"
    rules = Rules(regions=read_regions(cities)) if cities.exists() else Rules()
    original, earlier = (
        read_traces(folder / f"{kind}traces_team001_data01_IDP.csv", rules.regions.count)
        for kind in ("org", "ref")
    )
    teams, tuned = (original, Reference(earlier, rules)), team_attackers(earlier, rules)
    if asked.schemes:
        schemes(teams, tuned[1].threshold)  # type: ignore[attr-defined]
        return
    both = {
        name: [
            *organizers_attackers(), *tuned, *linking_attackers(name), *posterior_attackers(name)
        ]
        for name in (SHUFFLE, MIXZONE)
    }  # fmt: skip
    methods = organizers_anonymisers() if asked.grid else METHODS
    seeds = asked.seeds or (1 if asked.grid else len(SEEDS))
    scores = scores_of(teams, methods, both, range(1, seeds + 1))
    for names in (IDS, TRACES):
        show(scores, names)
    losses(scores)


if __name__ == "__main__":
    main()
