"""``mixsafe contest attack``: what an adversary makes of a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError, about
from mixsafe_cli.options.contest_options import (
    AttackRules,
    MethodOptions,
    QuietButResult,
    ReferenceFile,
    TrainFolder,
    say,
)
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.targets import OutputFile, check_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mixsafe.contest.base.parts import Attacker
    from mixsafe.contest.base.reference import Reference
    from mixsafe.model.mobility.complete_traces import TraceMatrix


@takes_records
def attack(
    method: Annotated[
        str,
        typer.Argument(
            help="I1 to I3, IF, IF-P, LINK, POST, MATCH; T1 to T3, TS, TS-P, LINK-T, POST-T, GUESS;"
            " or a long name."
        ),
    ],
    reference: ReferenceFile,
    public: Annotated[Path, typer.Argument(metavar="PUB", help="The release to attack.")],
    output: OutputFile,
    how: MethodOptions,
    rules: AttackRules,
    train: TrainFolder = None,
    quiet: QuietButResult = False,
) -> None:
    """Guess users (I…, LINK, POST, MATCH: an ETABLE) or original regions (T…: an ETRACES).

    Parameters: IF (n_0,lambda,scheme), TS (n,scheme); IF-P (n_0,lambda,reach) and TS-P (n) are team
    004's own programs. LINK, POST and MATCH, and LINK-T and POST-T,
    are for releases whose pseudonyms are exchanged at mix zones, or with --param 0 for shuffled
    ones; they answer for each pseudonym and time (pse_id,time_id,user_id). GUESS reads no release.

    For example:

      mixsafe contest attack I2 reftraces.csv pubtraces.csv -o etable.csv

      mixsafe contest attack POST reftraces.csv pubtraces.csv --param 0 -o etable.csv

      mixsafe contest attack POST reftraces.csv pubtraces.csv --train samples -o etable.csv

      mixsafe contest attack TS reftraces.csv pubtraces.csv --param 5 -o etraces.csv
    """
    import numpy as np

    from mixsafe.contest.base.parts import label
    from mixsafe.contest.base.reference import Reference
    from mixsafe.contest.registry import attacker, parse_parameters
    from mixsafe.io.contest.reading import read_public, read_traces
    from mixsafe.io.contest.writing import write_inferred_ids, write_inferred_traces
    from mixsafe.model.mobility.complete_traces import TraceMatrix

    check_target("--output", output)
    chosen = attacker(method, parse_parameters(how.param))
    kept = rules.read()
    learned = Reference(read_traces(reference, kept.regions.count), kept)
    release = read_public(public, kept.regions.count)
    shown = TraceMatrix(release.code, release.first_time)
    learned = trained(train, [chosen], learned, shown, quiet=quiet)
    with about(public):
        answer = chosen.attack(learned, release, np.random.default_rng(how.entropy))
    if chosen.answers == "ids":
        write_inferred_ids(output, answer, release.first_time)
    else:
        write_inferred_traces(output, answer)
    say(f"{label(chosen)}: {answer.size} answers in {output}", quiet)


def trained(
    folder: Path | None,
    attackers: Sequence[Attacker],
    known: Reference,
    shown: TraceMatrix,
    *,
    quiet: bool,
) -> Reference:
    """Reference traces with weights trained on the sample teams of ``--train``, if it is given.

    Raises
    ------
    InputError
        No attacker has weights, or sample teams that cannot be used.
    """
    if folder is None:
        return known
    from mixsafe.contest.posterior.guesses import PosteriorAttacker
    from mixsafe.from_files.tournaments.sample_teams import trained_on
    from mixsafe_cli.progress import progress
    from mixsafe_cli.terminal import document_lines, tell

    if not any(isinstance(one, PosteriorAttacker) for one in attackers):
        names = ", ".join(one.short for one in attackers)
        raise InputError(
            f"--train: {names} has no weights to train", hint="use POST, MATCH or POST-T"
        )
    with progress(quiet) as report:
        learned, document = trained_on(folder, known, shown, report)
    if not quiet:
        tell(document_lines([document]))
    return learned
