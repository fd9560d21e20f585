"""Terminal output of what can be followed through a feed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import plural, share
from mixsafe.report.pages.feed_page import found as found_in_data
from mixsafe.report.pages.feed_page import sentence
from mixsafe_cli.failures import EXIT_STATUS
from mixsafe_cli.render.printing import (
    SHOWN,
    WORDS,
    Part,
    Written,
    facts,
    headline,
    more_than_shown,
    table,
    what_next,
)

if TYPE_CHECKING:
    from mixsafe.tracklets.problems import LinkAnswer

_SIDES = {"ends": "from where they begin", "begins": "from where they end"}


def show(found: Mapping[str, Any], files: Written) -> Iterator[Part]:
    """What was decided.

    Parameters
    ----------
    found
        As :func:`mixsafe.report.view_models.feed_view.feed_view` makes it, with its name.
    files
        Where the answer went.
    """
    if found["contradiction"]:
        yield headline("CONTRADICTED", WORDS[Verdict.UNDECIDED][1], sentence(found))
        yield facts([("Shown by", _some(found["contradiction"]))])
        yield what_next([
            "Say who may leave the fleet (--low-battery, --depots, --bulk), or leave out --closed;"
            " with --truth, the rules are tested."
        ])  # fmt: skip
        return
    yield headline(*WORDS[Verdict(found["verdict"])], sentence(found))
    yield facts(_facts(found))
    yield ""
    yield _counts(found)
    yield ""
    yield _without(found)
    if found["remedies"] is not None:
        yield ""
        yield from _remedies(found)
    yield what_next(list(_next(found)))
    yield files.where("Candidates of each ride", "rides.csv")
    yield files.page("feed.json")


def _some(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN:,} more" * (len(names) > SHOWN))


def _facts(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    summary = found["summary"]
    snapshots = plural(summary["snapshots"], "snapshot", "snapshots")
    source = f"{snapshots}, " if summary["snapshots"] else ""
    yield (
        "Data",
        f"{found['name']}: {source}{summary['tracklets']:,} identifiers,"
        f" {summary['links']:,} links",
    )
    yield "Time zone", found["tz"]
    for reason, count in found.get("skipped", {}).items():
        done = "nowhere in particular" if reason == "no position" else "skipped"
        yield reason.capitalize(), f"{count:,} {done}"
    yield (
        "Fleet",
        "closed, but where the options say so"
        if found["closed"]
        else "two bounds: no vehicle leaves or joins unseen, and any may",
    )
    if found["left_out"]:
        many = f"{len(found['left_out']):,} identifiers cannot all continue or have come"
        yield "", f"{many}: vehicles did leave; no ride that this may concern is called safe"
    for one in found["later"]:
        medians = f"{one['median_lower'] or 0:g} to {one['median_upper'] or 0:g}"
        yield (
            one["time"],
            f"of {one['identifiers']:,} identifiers before, {one['safe']:,} have {found['k']}"
            f" candidates then, {one['unsafe']:,} have fewer; median {medians}",
        )
    for place, one in enumerate(found["rules"]):
        tested = ""
        if one["true_links"]:
            tested = f" (excludes {one['excluded']:,} of {one['true_links']:,} true links)"
        yield "" if place else "Rules", f"{one['sentence']}{tested}"
    for place, one in enumerate(found["findings"]):
        yield "" if place else "Found", found_in_data(one)


def _counts(found: Mapping[str, Any]) -> Part:
    """Rides by verdict, seen from both sides."""
    columns = ("rides", "safe", "undecided", "unsafe", "followed", "one_place", "without_link")
    rows = []
    for side, words in _SIDES.items():
        counts = found["summary"][side]
        medians = (counts["median_lower"], counts["median_upper"])
        said = ["-" if one is None else f"{one:g}" for one in medians]
        rows.append((words, *(f"{counts[one]:,}" for one in columns), " to ".join(said)))
    names = ("rides", "safe", "undecided", "unsafe", "one candidate", "one place", "no ride")
    headings = ("", *(f">{name}" for name in names), ">median")
    return table(headings, rows, f"Rides by verdict, k = {found['k']}")


def _without(found: Mapping[str, Any]) -> Part:
    rows = [(one["rule"], f"{one['median']:g}", share(one["followed"])) for one in found["without"]]
    fleet = "no vehicle leaves the fleet" if found["closed"] else "any may leave"
    return table(
        ("without", ">candidates, median", ">rides with one"),
        rows,
        f"What fields give away, if {fleet}",
    )


def _remedies(found: Mapping[str, Any]) -> Iterator[Part]:
    yield found["remedies"]["sentence"]
    best = sorted(found["remedies"]["tried"], key=lambda one: -one["safe"])[:SHOWN]
    rows = [(one["change"], str(one["steps"]), share(one["safe"])) for one in best]
    yield table(("change", ">steps", ">rides with k candidates"), rows, "Changes to the feed")


def _next(found: Mapping[str, Any]) -> Iterator[str]:
    """What to do about the verdict."""
    if found["unsound"]:
        yield (
            f"Rules that exclude true links prove nothing: {', '.join(found['unsound'])}. Loosen"
            " them (--battery-rise, --range-rise, --recharged-after, --max-speed, --max-gap), or"
            " leave their fields out (--fields)."
        )
    if found["verdict"] != Verdict.SAFE.value and found["remedies"] is None:
        yield "--remedies finds the mildest changes to the feed that fulfil the rule."
    if found["verdict"] == Verdict.UNDECIDED.value and not found["closed"]:
        yield "If no vehicle leaves unseen, say so: --closed, with --low-battery, --depots, --bulk."
    if found["verdict"] == Verdict.SAFE.value:
        yield "Try what else an adversary may know: --fields, a lower --max-speed, --max-gap."


def show_problems(answers: list[LinkAnswer]) -> Iterator[Part]:
    """A line for each problem."""
    counts = Counter(one.verdict for one in answers)
    worst = next((one for one in EXIT_STATUS if counts[one]), Verdict.SAFE)
    said = ", ".join(f"{counts[one]:,} {WORDS[one][0].lower()}" for one in counts)
    yield headline(*WORDS[worst], f"of {plural(len(answers), 'problem', 'problems')}: {said}")
    rows = [
        (
            one.problem.name,
            "contradicted" if one.bounds.contradiction else one.verdict.value,
            f"{len(one.problem):,}",
            f"{one.problem.n_links:,}",
            f"{one.bounds.proven.sum():,}",
            f"{one.bounds.possible.sum():,}",
        )
        for one in answers[:SHOWN]
    ]
    yield table(("problem", "verdict", ">tracklets", ">links", ">proven", ">possible"), rows)
    yield from more_than_shown(len(answers))
