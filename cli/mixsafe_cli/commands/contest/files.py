"""``mixsafe contest``: anonymize, attack, score and run, on the organizers' own files."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.commands.contest import run as contest_run
from mixsafe_cli.commands.contest import score as contest_score
from mixsafe_cli.commands.contest import tournament as contest_tournament
from mixsafe_cli.commands.contest import utility as contest_utility
from mixsafe_cli.data.outputs import check_target
from mixsafe_cli.options.contest_options import (
    Original,
    Output,
    Parameters,
    Quiet,
    Reference,
    RegionFile,
    Required,
    Seed,
    StepsPerDay,
    VariantName,
    read_rules,
    say,
)

if TYPE_CHECKING:
    from mixsafe.contest.base.parts import Random

app = typer.Typer(no_args_is_help=True, help=__doc__)
app.add_typer(contest_score.app, name="score")


@app.command()
def anonymize(
    method: Annotated[str, typer.Argument(help="A1 to A5, AS or KM, or the long name.")],
    original: Original,
    output: Output,
    param: Parameters = "",
    seed: Seed = None,
    compatible: Annotated[
        bool,
        typer.Option(
            "--compatible",
            help="Draw as the organizers' programs do; with --seed 1 (their own, and the"
            " default here) the file is theirs, line by line.",
        ),
    ] = False,
    regions: RegionFile = None,
    steps_per_day: StepsPerDay = 20,
    required: Required = 0.7,
    quiet: Quiet = False,
) -> None:
    """Obfuscate original traces: one released cell per row.

    Methods and their parameters: A1 (none), A2 MRLH (mu_x,mu_y,lambda), A3 k-RR (epsilon),
    A4 planar Laplace (l,r), A5 cheating (p), AS shift rare regions (n,d_1,d_2), KM clustering (k).

    For example:

      mixsafe contest anonymize A4 orgtraces.csv --param 4,1 -o anotraces.csv

      mixsafe contest anonymize A2 orgtraces.csv --param 1,1,0.5 --compatible -o anotraces.csv
    """
    from mixsafe.contest.base.parts import label
    from mixsafe.contest.registry import anonymiser, parse_parameters
    from mixsafe.io.contest.reading import read_traces
    from mixsafe.io.contest.writing import write_anonymized

    check_target("--output", output, (original, regions))
    chosen = anonymiser(method, parse_parameters(param))
    rules = read_rules(regions, steps_per_day, required=required)
    traces = read_traces(original, rules.regions.count)
    cells = chosen.anonymise(traces, rules, _random(seed, compatible))
    write_anonymized(output, cells)
    say(f"{label(chosen)}: {cells.code.size} cells in {output}", quiet)


@app.command()
def attack(
    method: Annotated[
        str, typer.Argument(help="I1 to I3, IF, LINK, T1 to T3, TS or LINK-T, or the long name.")
    ],
    reference: Reference,
    public: Annotated[Path, typer.Argument(metavar="PUB", help="The release to attack.")],
    output: Output,
    param: Parameters = "",
    seed: Seed = None,
    regions: RegionFile = None,
    steps_per_day: StepsPerDay = 20,
    variant: VariantName = "program",
    quiet: Quiet = False,
) -> None:
    """Guess users (I…, LINK: an ETABLE) or original regions (T…, LINK-T: an ETRACES).

    Parameters: IF (n_0,lambda,scheme), TS (n). LINK and LINK-T are for releases whose pseudonyms
    are exchanged at mix zones; LINK answers for each pseudonym and time (pse_id,time_id,user_id).

    For example:

      mixsafe contest attack I2 reftraces.csv pubtraces.csv -o etable.csv

      mixsafe contest attack TS reftraces.csv pubtraces.csv --param 5 -o etraces.csv
    """
    import numpy as np

    from mixsafe.contest.base.parts import label
    from mixsafe.contest.base.reference import Reference as Learned
    from mixsafe.contest.registry import attacker, parse_parameters
    from mixsafe.io.contest.reading import read_public, read_traces
    from mixsafe.io.contest.writing import write_inferred_ids, write_inferred_traces

    check_target("--output", output, (reference, public, regions))
    chosen = attacker(method, parse_parameters(param))
    rules = read_rules(regions, steps_per_day, variant)
    learned = Learned(read_traces(reference, rules.regions.count), rules)
    release = read_public(public, rules.regions.count)
    answer = chosen.attack(learned, release, np.random.default_rng(_entropy(seed)))
    if chosen.answers == "ids":
        write_inferred_ids(output, answer, release.first_time)
    else:
        write_inferred_traces(output, answer)
    say(f"{label(chosen)}: {answer.size} answers in {output}", quiet)


app.command()(contest_run.run)
app.command()(contest_utility.utility)
app.command()(contest_tournament.tournament)


def _random(seed: int | None, compatible: bool) -> Random:
    """The organizers' legacy stream, or numpy's Generator."""
    import numpy as np

    if not compatible:
        return np.random.default_rng(_entropy(seed))
    if seed is not None and seed >= 2**32:
        raise InputError(f"--compatible takes seeds below 2^32, not {seed}")
    return np.random.RandomState(1 if seed is None else seed)


def _entropy(seed: int | None) -> int:
    """The seed, or one that nobody can guess."""
    return secrets.randbits(128) if seed is None else seed
