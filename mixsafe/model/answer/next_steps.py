"""Advice that follows from a verdict: what to do next, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mixsafe.model.answer.follower_wording import BELIEVABLE
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import plural

WEAK_PASS = (
    "The default rule requires one safe moment only. Require more (--rule share:0.9), or accept one"
    " moment with --rule some."
)

_SAFE = (
    "Exchange pseudonyms at random in every mix zone, and delete the secret of the exchange: the"
    " verdict holds only then. 'mixsafe zones' lists the zones.",
    "Before you sign, try a stronger adversary (--adversary home, or a file of sightings), a"
    " larger --k, or --rule every.",
)

_BELIEVABLE = (
    "Do not publish on this verdict alone: people can be followed through mix zones by how they"
    f" move. Count only what somebody would believe who knows that ({BELIEVABLE})."
    " 'mixsafe zones --follow' compares cells and steps."
)

LIKELY = 0.5
"""Share of right bets from which on a pass is not to be taken for safe."""

_MORE_TIME = "Give it more time (--time-limit)."

_AUTO = "Let --engine auto decide what is open."

_ENDED = (
    "More time does not help: the search ended before its limit. Ask about fewer people (--users)"
    " or steps (--end), or for fewer --distinct-places."
)


def undecided(engine: str, *, out_of_time: bool) -> list[str]:
    """What to do about questions that are left open."""
    steps = [_MORE_TIME] if out_of_time else []
    if engine != "auto":
        steps.append(_AUTO)
    return steps or [_ENDED]


@dataclass(frozen=True)
class Situation:
    """The numbers of a verification on which advice depends.

    Parameters
    ----------
    verdict
        Verdict on all people.
    failing
        Number of people who fail by the rule.
    people
        Number of people asked about.
    alone
        Number of people in no mix zone, of those who fail.
    most_k
        Largest number of candidates required.
    users
        Number of people in the data: the largest possible number of candidates.
    timed
        True: times have a clock, so that mix zones depend on --time-step.
    cells
        True: places are cells, so that mix zones depend on --cell-size.
    engine
        Name of the engine that decided.
    out_of_time
        Whether the time limit ended the search.
    once
        Number of people with data in one step only, of those who fail.
    followed
        Whether somebody who bets follows people through mix zones, which the verdict leaves out.
    """

    verdict: Verdict
    failing: int
    people: int
    alone: int
    most_k: int
    users: int
    timed: bool
    cells: bool = False
    engine: str = "auto"
    out_of_time: bool = True
    once: int = 0
    followed: bool = False


def after_an_audit(
    verdict: Verdict, engine: str, *, out_of_time: bool, but: str = "", believed: float = 0.0
) -> list[str]:
    """What to do about the verdict of an audit.

    Parameters
    ----------
    but
        What a weak pass rests on alone.
    believed
        Share of the time for which a follower who bets names the right track.
    """
    if but and verdict is Verdict.WEAK_PASS:
        steps = [f"This passes {but}. Do not take it for VALID."]
    elif verdict is Verdict.UNDECIDED:
        steps = undecided(engine, out_of_time=out_of_time)
    else:
        steps = [_AFTER_AN_AUDIT[verdict]]
    if verdict.passes and believed >= LIKELY:
        steps.append(
            "It passes because other tracks are possible, which are not likely: a follower who bets"
            " names the right one most of the time. Do not take it for safe."
        )
    return steps


_AFTER_AN_AUDIT = {
    Verdict.UNSAFE: "Do not publish this release as it is. 'mixsafe protect' finds what makes the"
    " original traces pass, and its --apply writes such a release.",
    Verdict.WEAK_PASS: WEAK_PASS,
    Verdict.SAFE: "Require more (--k, --rule every), or assume more knowledge (--assume).",
}


def next_steps(found: Situation) -> list[str]:
    """What to do about the verdict of a verification, the most useful step first."""
    if found.verdict is Verdict.UNSAFE:
        return list(_repairs(found))
    if found.verdict is Verdict.UNDECIDED:
        return undecided(found.engine, out_of_time=found.out_of_time)
    steps = [WEAK_PASS] if found.verdict is Verdict.WEAK_PASS else list(_SAFE)
    return [_BELIEVABLE, *steps] if found.followed else steps


def _repairs(found: Situation) -> Iterator[str]:
    """What can be changed about traces that fail."""
    if found.most_k > found.users:
        yield (
            f"Lower --k: with {plural(found.users, 'person', 'people')} in the data, nobody can"
            f" have {found.most_k:,} candidates."
        )
        return
    if found.once < found.failing:
        yield (
            f"Let more people meet: {_larger(found)} make more mix zones. A zone protects only if"
            " an observer cannot follow a person through it."
        )
    if found.failing < found.people:
        yield (
            f"Remove {_who(found)}, and those who depend on meetings with them: 'mixsafe protect'"
            " finds the largest group that passes, and tries larger cells and longer steps."
        )
    yield (
        "Or require less, if you can defend it: a smaller --k, or a weaker --rule or --adversary."
        " Otherwise do not publish these traces under pseudonyms."
    )


def _larger(found: Situation) -> str:
    """How to make more mix zones."""
    places = "larger cells (--cell-size)" if found.cells else "larger places"
    return f"{places} or longer {'steps (--time-step)' if found.timed else 'time steps'}"


def _who(found: Situation) -> str:
    """The people who fail, and how many of them are in no mix zone."""
    many = f"the {found.failing:,} people who fail"
    who = "the person who fails" if found.failing == 1 else many
    part = "" if found.failing == 1 else "{:,} of them "
    why = [f"{part.format(found.alone)}in no mix zone"] if found.alone else []
    why += [f"{part.format(found.once)}with data in one step only"] if found.once else []
    return f"{who} ({', '.join(why)}, where no exchange can help)" if why else who
