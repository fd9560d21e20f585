"""How far `mixsafe optimize` comes on a day of cabs: seconds, minimum and gap by number of users.

    MIXSAFE_DATA=… python benchmarks/minimum_zones.py --sizes 10,25,50,100,200,536 --limit 60
    MIXSAFE_DATA=… python benchmarks/minimum_zones.py --sizes 100,536 --per place

Prints the table of docs/optimize.md. One day of Cabspotting, cells of 100 m, steps of 60 s. For
each seed a sample of users is drawn, and of them up to five with a requirement of k = 3 each, at a
step at which engine `bounds` does not exclude that with everybody's ends known; samples without
such users are left out. A run that did not end counts with the limit. With `--per place` cells are
chosen, each with all of its zones.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import cast

import numpy as np

import mixsafe
from mixsafe.compare.experiment import Known, draw_requirements
from mixsafe.extract.select import select
from mixsafe.extract.zones import by_hour, zone_places
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.answer import MinimumZones
from mixsafe.optimize.minimum import minimum_zones


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10,25,50,100,200,536")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--known", default="asked,everyone")
    parser.add_argument("--per", choices=["place", "place:hour"])
    asked = parser.parse_args()
    archive = Path(os.environ["MIXSAFE_DATA"]) / "cabspotting" / "cabspottingdata.tar.gz"
    traces = mixsafe.load(archive)
    if not isinstance(traces, Traces):
        raise TypeError(f"{archive} holds no traces")
    print("| users | known | runs | proven | median s | cost | bound |")
    print("| ---: | --- | ---: | ---: | ---: | --- | --- |")
    for size in map(int, asked.sizes.split(",")):
        for known in asked.known.split(","):
            answers = [
                _answer(drawn, asked.per, asked.limit)
                for seed in range(asked.seeds)
                if (drawn := _drawn(traces, size, seed, cast(Known, known))) is not None
            ]
            if answers:
                print(_row(size, known, answers, asked.limit), flush=True)


def _drawn(traces: Traces, size: int, seed: int, known: Known) -> Problem | None:
    """The problem of one sample; None where no requirement comes into question."""
    posed = mixsafe.pose(select(traces, days=1, users=size, seed=seed))
    drawn = draw_requirements(posed, count=5, k=3, seed=seed, known=known)
    if drawn.requirements is None or not len(drawn.requirements):
        return None
    return drawn


def _answer(drawn: Problem, per: str | None, limit: float) -> MinimumZones:
    """The fewest zones, or the fewest places."""
    places = None if per is None else zone_places(drawn.zones)
    if places is not None and per == "place:hour":
        places = by_hour(places, drawn.zones)
    return minimum_zones(drawn, places=places, course=Course.begin(SolveLimits(limit)))


def _row(size: int, known: str, answers: list[MinimumZones], limit: float) -> str:
    """A row of the table."""
    ended = [answer.status in ("optimal", "infeasible") for answer in answers]
    seconds = [a.seconds if end else limit for a, end in zip(answers, ended, strict=True)]
    cost = ", ".join("-" if a.minimum is None else str(a.minimum) for a in answers)
    bound = ", ".join("-" if a.bound is None else str(a.bound) for a in answers)
    median = np.median(seconds)
    shown = f"{median:.1f}" if median < limit else f"> {limit:.0f}"
    return f"| {size} | {known} | {len(answers)} | {sum(ended)} | {shown} | {cost} | {bound} |"


if __name__ == "__main__":
    main()
