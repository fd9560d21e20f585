"""Published studies of the contest: each is a table and a picture.

    python benchmarks/contest_study.py length orgtraces.csv reftraces.csv -o length.csv
    python benchmarks/contest_study.py fairness TEAMS -o fairness.csv --plot fairness.svg
    python benchmarks/contest_study.py --help

The studies are those of the contest paper, of the document that came with the organizers' programs
and of team 004's slides; docs/contest_studies.md has what they find. TEAMS is a folder with
orgtraces_team001_data01_IDP.csv and reftraces_team001_data01_IDP.csv for each team, as `mixsafe
synthesize sample --teams 17 -o TEAMS` writes it. The same options and seed give the same table.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.contest_guesses import GUESS_STUDIES
from benchmarks.contest_scores import SCORE_STUDIES
from benchmarks.contest_traces import TRACE_STUDIES
from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.io.contest.reading import read_regions
from mixsafe.report.drawing import check_ending

STUDIES = [*SCORE_STUDIES, *GUESS_STUDIES, *TRACE_STUDIES]


def main(words: Sequence[str] | None = None) -> None:
    """Repeat a study; ends with status 2 and one line where that is impossible."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(metavar="STUDY", required=True)
    for study in STUDIES:
        command = commands.add_parser(study.name, help=study.about, description=study.about)
        command.set_defaults(study=study, complain=command.error)
        for argument in study.arguments:
            argument.add_to(command)
        command.add_argument("--regions", type=Path, help="info_region.csv of the contest")
        command.add_argument("--steps-per-day", type=int, default=20, help="times per day")
        command.add_argument("-o", "--output", type=Path, required=True, help="table, .csv")
        command.add_argument("--plot", type=picture, help="picture, .png or .svg")
    options = parser.parse_args(words)
    try:
        options.rules = rules_of(options.regions, options.steps_per_day)
        options.study.repeat(options)
    except InputError as error:
        options.complain(str(error))


def picture(name: str) -> Path:
    """The path of a picture; refused before any work if its ending is unknown."""
    check_ending(Path(name))
    return Path(name)


def rules_of(regions: Path | None, steps_per_day: int) -> Rules:
    """The contest's rules, with other regions and days."""
    rules = Rules(steps_per_day=steps_per_day, home_steps=min(2, steps_per_day))
    return rules if regions is None else replace(rules, regions=read_regions(regions))


if __name__ == "__main__":
    main()
