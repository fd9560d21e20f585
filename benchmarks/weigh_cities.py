"""How many wires that are safe have a likely candidate: the table of docs/weigh.md.

    python benchmarks/weigh_cities.py DATA --seconds 300
    python benchmarks/weigh_cities.py DATA --seconds 900 --only osaka-home

DATA is the folder of published data. Each case is one `mixsafe weigh`, in this process.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from mixsafe_cli.app import app

OSAKA, CABS = (
    "pwscup2019/orgtraces_team001_data01_IDP.csv",
    "cabspotting/cabspottingdata.tar.gz",
)
CASES = {
    "osaka-endpoints": (OSAKA, ()),
    "osaka-home": (OSAKA, ("--adversary", "home")),
    "cabs-endpoints": (CABS, ("--days", "1")),
    "cabs-daily": (CABS, ("--days", "1", "--adversary", "daily")),
}


def main() -> None:
    """Weigh each case, and print its rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--only", choices=CASES, nargs="*", default=list(CASES))
    given = parser.parse_args()
    print("| case | time not settled | k | wires proven safe | settled | above 1/2 | above 0.9 |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in given.only:
        _weigh(name, given.data, given.seconds)


def _weigh(name: str, data: Path, seconds: float) -> None:
    """Weigh a case and print its rows."""
    source, options = CASES[name]
    began, used = time.monotonic(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "weights.json"
        words = ["weigh", str(data / source), *options, "--time-limit", str(seconds)]
        try:
            app([*words, "--json", str(result), "--quiet"])
        except SystemExit as ended:  # a command ends the program
            if ended.code:
                raise
        found = json.loads(result.read_text())["weights"]
    for level in found["levels"]:
        settled = level["wires"] - level["not_settled"]
        likely = " | ".join(f"{level[f'above_{chance}']:,}" for chance in ("0.5", "0.9"))
        missing = f"{found['share_not_settled']:.1%}"
        print(
            f"| {name} | {missing} | {level['k']} | {level['wires']:,} | {settled:,} | {likely} |",
            flush=True,
        )
    wall, cpu = time.monotonic() - began, time.process_time() - used
    print(f"{name}: {wall:.0f} s, {cpu:.0f} s of processor time", flush=True)
    told = ("follower_right", "counting_says", "median_effective", "share_not_settled")
    print(f"  {', '.join(f'{word} {found[word]}' for word in told)}", flush=True)


if __name__ == "__main__":
    main()
