"""How many people POST finds, and for how much of the time: shuffled and exchanged pseudonyms.

    MIXSAFE_DATA=… python benchmarks/contest_people.py

s_R counts pseudonyms, of an exchanged release at each time. This counts people: those who are found
at one time or more, and at half of the times or more. Team 001's data, no obfuscation.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.obfuscations import NoObfuscation
from mixsafe.contest.pseudonymizers import MIXZONE, PSEUDONYMIZERS, SHUFFLE
from mixsafe.contest.registry import attacker
from mixsafe.io.contest.reading import read_traces


def main() -> None:
    """Print a row for each pseudonymization."""
    data, rules = Path(os.environ["MIXSAFE_DATA"]) / "pwscup2019", Rules()
    original, earlier = (
        read_traces(data / f"{kind}traces_team001_data01_IDP.csv", rules.regions.count)
        for kind in ("org", "ref")
    )
    known, random = Reference(earlier, rules), np.random.default_rng(1)
    cells = NoObfuscation().anonymise(original, rules, random)
    print("| pseudonyms | found | people found once | half of the time | at 8:00 |")
    print("| --- " * 5 + "|")
    for method in (SHUFFLE, MIXZONE):
        table = PSEUDONYMIZERS[method].table(cells, random)
        post = attacker("POST", [int(method == MIXZONE)])
        answer = post.attack(known, table.publish(cells), random).reshape(len(table.user), -1)
        user, named = np.broadcast_arrays(table.user, answer)
        times = np.bincount(user[user == named], minlength=len(user)) / user.shape[1]
        by_time = np.broadcast_to(user == named, original.region.shape).mean(axis=0)
        first = by_time[rules.step_of_day(original.time_ids) == 0].mean()
        shares = (times.mean(), (times > 0).mean(), (times >= 0.5).mean(), first)
        print(f"| {method} | " + " | ".join(f"{share:.4f}" for share in shares) + " |", flush=True)


if __name__ == "__main__":
    main()
