"""s_R,min against s_T,min of a release of each team, and their correlation (figure 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle

from scipy import stats

from mixsafe.contest.base.parts import Anonymiser, Attacker
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.grid import organizers_attackers, submissions
from mixsafe.contest.pseudonymizers import SHUFFLE
from mixsafe.contest.registry import anonymiser
from mixsafe.contest.run import Outcome, Plan, run
from mixsafe.contest.workers import counted
from mixsafe.errors import InputError
from mixsafe.model.mobility.trace_matrix import TraceMatrix


def team_privacy(
    teams: Sequence[tuple[TraceMatrix, TraceMatrix]],
    rules: Rules,
    *,
    anonymisers: Sequence[Anonymiser] | None = None,
    attackers: Callable[[Reference], Sequence[Attacker]] | None = None,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome]:
    """Scores of releases, each of another team's traces, with shuffled pseudonyms.

    Parameters
    ----------
    teams
        Reference and original traces of each; where there are more releases than teams, the first
        teams have another one.
    anonymisers
        Of one team each; default: ``submissions``, and as the organizers' benchmark pseudonyms
        alone.
    attackers
        Given what is learned of a team; default: the organizers'.
    seed
        Of obfuscation, pseudonyms and attacks; each release has its own stream.
    progress
        Called with the number of releases done and of all.
    """
    methods = [*submissions(), anonymiser("A1")] if anonymisers is None else list(anonymisers)
    pairs = zip(methods, cycle(teams), strict=False)
    found = []
    for number, (method, (reference, original)) in counted(
        enumerate(pairs), len(methods), progress
    ):
        learned = Reference(reference, rules)
        chosen = organizers_attackers() if attackers is None else attackers(learned)
        plan = Plan([method], {SHUFFLE: chosen}, seed + number, compatible=False)
        found += run(original, learned, plan)
    return found


def privacy_correlation(outcomes: Sequence[Outcome]) -> float:
    """Pearson's R of s_R,min and s_T,min over the valid releases.

    Raises
    ------
    InputError
        Fewer than three valid releases, or attacks of one kind only.
    """
    valid = [one for one in outcomes if one.utility.valid]
    lowest = [[one.strongest(kind) for kind in ("reid", "trace")] for one in valid]
    values = [[it.value for it in pair if it is not None] for pair in lowest if None not in pair]
    if len(values) < 3:
        raise InputError(
            f"a correlation needs three valid releases at least, not {len(values)}",
            hint="attack identities and traces, and give more obfuscations",
        )
    return float(stats.pearsonr(*zip(*values, strict=True)).statistic)
