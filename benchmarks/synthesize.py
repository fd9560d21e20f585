"""The tables of docs/synthesize.md: quality, diversity, privacy and fairness of synthetic traces.

    MIXSAFE_DATA=… python benchmarks/synthesize.py [quality] [fairness] [time]

``quality`` is the contest paper's figures 16 to 18 on the people flow data, with the regions of the
contest and, as in its appendix C, with 500 users and 400 regions; ``fairness`` its table 2;
``time`` trains on 500 users and 400 regions and samples 2,000 users and 40 days.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.contest_data import Team
from benchmarks.contest_scores import FAIRNESS, PAPERS
from benchmarks.synthesizers import daily_quality, synthesized
from mixsafe.contest.attacks import HomeProbTraces, RandomTraces, VisitProbTraces
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.measure.privacy import (
    error_correlations,
    membership_advantage,
    reidentification_rate,
)
from mixsafe.contest.measure.quality import Occupancy, diversity
from mixsafe.io.contest.reading import read_traces
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.release.exchange import shuffled_table
from mixsafe.synthesize.ppmtf.train import train
from mixsafe.synthesize.ppmtf.virtual_users import SamplingPlan, sample
from mixsafe.synthesize.training import TrainingTraces

STEPS = 35
"""Times per user in the people flow data."""

DAYS = 10
"""Days of each virtual user where quality and privacy are measured, as in appendix C."""

COLUMNS = (
    "TP-TV-Top50", "TM-EMD", "VF-TV", "re-identified", "advantage", "Same-TV", "Diff-TV",
    "difference / SD",
)  # fmt: skip

TEAMS = 17

PAPER_TABLE_2 = ((0.0095, 0.011), (0.0068, 0.0033), (0.00055, 0.00015), (0.0026, 0.0010))
"""Standard deviations of s_R,min and s_T,min: no obfuscation, MRLH, RR, PL."""


def people_flow(name: str, n_users: int, side: int) -> TraceMatrix:
    """The first users' traces on a grid of ``side`` x ``side`` regions."""
    data = Path(os.environ["MIXSAFE_DATA"]) / "peopleflow"
    region = read_traces(data / f"{name}traces_TK.csv", 1024).region[:n_users]
    row, column = np.divmod(region, 32)
    return TraceMatrix((row * side // 32 * side + column * side // 32).astype(np.int32))


def grid(side: int) -> Regions:
    """Central Tokyo in ``side`` x ``side`` regions."""
    return Regions(side, side, 35.65, 139.68, 0.1 / side, 0.12 / side, np.zeros(side * side, bool))


def quality_table(n_users: int, side: int, seed: int = 1) -> None:
    """Figures 16 to 18: a row per synthesizer, ``DAYS`` days of each of its users."""
    count = side * side
    training, testing = (people_flow(name, n_users, side) for name in ("train", "test"))
    known = TrainingTraces.of_matrix(training, count, STEPS)
    began = time.perf_counter()
    trained = train(known, seed=seed)
    print(f"\n{n_users} users, {count} regions; trained in {time.perf_counter() - began:.0f} s\n")
    print("| traces | " + " | ".join(COLUMNS) + " |")
    print("| --- " * (1 + len(COLUMNS)) + "|")
    for name, teams in synthesized(known, trained, DAYS, seed=seed, workers=2):
        print(f"| {name} | " + " | ".join(cells(training, testing, teams, side)) + " |", flush=True)
    print("| test traces | " + " | ".join(distances(training, testing, side)) + " |" * 6)


def cells(
    training: TraceMatrix, testing: TraceMatrix, teams: list[TraceMatrix], side: int
) -> list[str]:
    """What a row of the table says."""
    count = side * side
    rate = reidentification_rate(training, teams[0], count, STEPS)
    gain = membership_advantage(training, testing, teams[0], count, STEPS)
    pairs = diversity(*(Occupancy.of(team, count, STEPS) for team in teams))
    apart = abs(pairs.same - pairs.different) / pairs.different_deviation
    said = [f"{rate:.4f}", f"{gain:.3f}", f"{pairs.same:.4f}", f"{pairs.different:.4f}"]
    return [*distances(training, teams[0], side), *said, f"{apart:.2f}"]


def distances(training: TraceMatrix, other: TraceMatrix, side: int) -> list[str]:
    """TP-TV-Top50, TM-EMD and VF-TV of each day, and their means (appendix B.2)."""
    seen = Occupancy.of(training, side * side, STEPS)
    found = daily_quality(seen, other, grid(side))
    return [f"{found.tp_tv_top50:.3f}", f"{found.tm_emd:.2f}", f"{found.vf_tv:.3f}"]


def contest_teams(n_teams: int = TEAMS) -> list[Team]:
    """Reference and original traces of some teams, two days each, as in the preliminary round."""
    training = people_flow("train", 1000, 32)
    model = train(TrainingTraces.of_matrix(training, 1024, STEPS), seed=1).model
    teams = []
    for team in range(n_teams):
        plan = SamplingPlan(2000, 4, 20, home=20.0, seed=1, team=team)
        region = sample(model, plan, workers=2).region
        teams.append((TraceMatrix(region[:, :40]), TraceMatrix(region[:, 40:], 41)))
    return teams


def fairness_table() -> None:
    """Table 2, and section 5.4 on the same teams."""
    teams, rules = contest_teams(), Rules()
    options = Namespace(rules=rules, anonymisers=None, seed=1, workers=2)
    spreads = FAIRNESS.table(options, FAIRNESS.look(options, teams)).rows
    print("\n| obfuscation | s_R,min | SD | paper's SD | s_T,min | SD | paper's SD |")
    print("| --- " * 7 + "|")
    for spread, published in zip(spreads, PAPER_TABLE_2, strict=True):
        name, _, *ours = spread
        cells = (
            f"{mean:.3f} | {deviation:.5f} | {paper}"
            for mean, deviation, paper in zip(ours[::2], ours[1::2], published, strict=True)
        )
        print(f"| {name} | {' | '.join(cells)} |")
    answers = []
    for reference, original in teams[:3]:
        learned = Reference(reference, rules)
        for number, method in enumerate(PAPERS):
            random = np.random.default_rng(number)
            cells = method.anonymise(original, rules, random)
            release = shuffled_table(cells, random).publish(cells)
            for attacker in (RandomTraces(), VisitProbTraces(), HomeProbTraces()):
                answers.append((original, attacker.attack(learned, release, random)))
    print("\n| hospital weight | R of s_T and the expected error |\n| --- | --- |")
    for weight, value in error_correlations(answers, rules).items():
        print(f"| {weight:g} | {value:.3f} |")


def time_table() -> None:
    """Training on 500 users x 400 regions, sampling 2,000 users x 40 days."""
    known = TrainingTraces.of_matrix(people_flow("train", 500, 20), 400, STEPS)
    began = time.perf_counter()
    model = train(known, seed=1).model
    trained = time.perf_counter() - began
    print(f"\ntrained on 500 users x 400 regions in {trained:.0f} s")
    for seen_only in (True, False):
        for moves in (1, 6):
            began = time.perf_counter()
            sample(model, SamplingPlan(2000, 40, moves=moves, seen_only=seen_only), workers=2)
            spent = time.perf_counter() - began
            print(f"2,000 users x 40 days, {moves=}, {seen_only=}: {spent:.0f} s")


def main() -> None:
    """Print the tables that were asked for; all of them if none was."""
    wanted = sys.argv[1:] or ["quality", "fairness", "time"]
    if "quality" in wanted:
        quality_table(1000, 32)
        quality_table(500, 20)
    if "fairness" in wanted:
        fairness_table()
    if "time" in wanted:
        time_table()


if __name__ == "__main__":
    main()
