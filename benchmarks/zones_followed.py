"""How many mix zones of a day of cabs are real, and what believable exchanges cost.

    python benchmarks/zones_followed.py cabspottingdata.tar.gz [--verify]

A row for each definition of a zone: the members whom somebody names right who bets on how people
move, by chance, pairs of zones with two members, and beliefs above 0.95. With ``--verify``, a row
for each share of a believable permutation: time protected (k = 3), people who lose protection, and
seconds of processor time.
"""

from __future__ import annotations

import argparse
import time

import mixsafe
from mixsafe.extract.exchange.followed import Followed, FollowedMembers
from mixsafe.model.mobility.traces import Traces

ZONES = ((100.0, 60), (200.0, 300), (400.0, 300))
SHARES = (0.0, 0.01, 0.05, 0.2)


def followed_zones(
    traces: Traces, cell: float, step: int
) -> tuple[FollowedMembers, FollowedMembers]:
    """Who is named in zones: in all, and in those with two members."""
    positions = mixsafe.positions(traces, cell_size=cell, time_step=step)
    followed = Followed.of(mixsafe.mix_zones(positions), traces)
    return followed.total(), followed.total(2, 2)


def follow(traces: Traces) -> None:
    """Print how many zones are real, by their definition."""
    print("cell, m  step, s   zones  named  chance  named of two  sure  right when sure")
    for cell, step in ZONES:
        total, two = followed_zones(traces, cell, step)
        print(
            f"{cell:7g}  {step:7}  {total.zones:6,}  {total.named / total.members:5.1%}"
            f"  {total.zones / total.members:6.1%}  {two.named / two.members:12.1%}"
            f"  {total.sure / total.members:4.1%}  {total.sure_right / max(total.sure, 1):15.1%}"
        )


def verify(traces: Traces) -> None:
    """Print what verdicts on believable candidates are, by the share of a permutation."""
    print("share  protected  people who lose protection  processor, s")
    safe: list[float] = []
    for share in SHARES:
        begin = time.process_time()
        found = mixsafe.verify(traces, k=3, rules=mixsafe.ExchangeRules(believable=share))
        spent = time.process_time() - begin
        now = found.users["safe_share"].tolist()
        safe = safe or now
        losing = sum(mine < before for mine, before in zip(now, safe, strict=True))
        protected = found.summary["share_of_time_safe"]
        print(f"{share:5g}  {protected:9.2%}  {losing:26}  {spent:12.1f}")


def main() -> None:
    """Read a day and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("traces", help="Cabspotting, as published")
    parser.add_argument(
        "--verify", action="store_true", help="also decide with believable exchanges"
    )
    options = parser.parse_args()
    traces = mixsafe.select(mixsafe.load(options.traces), days=1)
    follow(traces)
    if options.verify:
        verify(traces)


if __name__ == "__main__":
    main()
