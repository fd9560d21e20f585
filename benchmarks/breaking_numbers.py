"""Are breaking numbers those of brute force over all subsets? Random problems.

    python benchmarks/breaking_numbers.py --problems 2000

Up to seven users, any base knowledge, sightings of the user, of anybody or listed, all targets,
with and without `--away`; of every fourth problem nothing is known before, and only she is seen.
Exit status 1 if any number is another than brute force finds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from mixsafe.model.question.adversary import Knowledge
from tests.breaking.drawn import Drawn, differences, drawn

SIZES = ({"max_assignments": 100}, {"max_users": 7, "max_horizon": 4, "max_assignments": 60})


def main() -> None:
    """Ask, compare, and say how often they differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    began, asked, wrong = time.process_time(), Counter[str](), 0
    for number in range(given.problems):
        question = _question(np.random.default_rng([given.seed, number]), number)
        of = question.sightings if isinstance(question.sightings, str) else "listed"
        asked[f"{question.target}, {of}"] += 1
        for line in differences(question):
            wrong += 1
            print(f"problem {number}: {line}")
    for word, count in sorted(asked.items()):
        print(f"{count:6,}  {word}")
    seconds = time.process_time() - began
    print(f"{given.problems:,} problems, {wrong} differences, {seconds:.0f} s of processor time")
    sys.exit(1 if wrong else 0)


def _question(random: np.random.Generator, number: int) -> Drawn:
    """A question; of every fourth nothing is known before."""
    question = drawn(random, **SIZES[number % len(SIZES)])
    if number % 4:
        return question
    posed = replace(question.problem, knowledge=Knowledge.from_pairs([]))
    return replace(question, problem=posed, sightings="self")


if __name__ == "__main__":
    main()
