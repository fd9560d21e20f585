"""What a run of the contest says: how many people the strongest attacks find in each release.

Its chart shows the privacy of releases: who is found to the right, where they were upwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

from mixsafe.contest.pseudonymizers import PSEUDONYMIZERS
from mixsafe.contest.registry import ANONYMISERS, ATTACKERS, about
from mixsafe.documents.document import (
    Axis,
    Chart,
    Column,
    CriterionEvidence,
    Document,
    Fact,
    Look,
    Panel,
    Series,
    Stands,
    Table,
    Text,
    Value,
)
from mixsafe.model.answer.wording import count, plural, share

_MARKS: tuple[tuple[Look, Look], ...] = (
    ("dots", "hollow"),
    ("triangles", "hollow triangles"),
    ("crosses", "crosses"),
)
"""Of kinds: releases that are useful enough, and those that are not."""

_COLOURS = tuple(f"series-{number}" for number in range(7))
_SIZE = 6.0
"""Of a mark, points."""

Row = Mapping[str, Any]

MEANING = (
    "An attacker who identifies a pseudonym has all data published under it. Scores go from 0 to"
    " 1, and 1 is best for the people in the data: s_U says how useful a release still is, s_R how"
    " few pseudonyms, and s_T how few locations an attacker finds."
)

ATTACKER = (
    "Attackers have the release and reference traces of the same people from other days, and answer"
    " whose each pseudonym is (ids), or where everybody was (traces). Obfuscation changes places"
    " before pseudonyms are given. A release is valid when it is useful enough."
)

LIMIT = (
    "A release is as private as its strongest attack leaves it; attacks that were not run may be"
    " stronger."
)

CAPTION = (
    "Each point is a valid release against the strongest of the attacks that were run: further up"
    " and to the right is more private. Names without room are in the table."
)

STRONGEST = ("POST", "POST-T")
"""The attacks that find most people and places, whether pseudonyms are exchanged or not."""

SAFER = "without which releases look safer than they are"

_OFFICERS = 20
"""Releases that an officer's page lists, at most."""

FINDS = {
    "reid": "names the owner of {} of the pseudonyms",
    "trace": "finds {} of where people were",
}
"""What an attack finds, by the kind of its score."""


class Point(NamedTuple):
    """A release in the chart.

    Parameters
    ----------
    name
        Of the release.
    kind, family
        Its mark, and its colour.
    reid, trace
        s_R and s_T that its strongest attacks leave.
    valid
        Whether it is useful enough to count; hollow if not.
    """

    name: str
    kind: str
    family: str
    reid: float
    trace: float
    valid: bool = True


def release_panel(points: Sequence[Point], legend: str = "") -> Panel:
    """Re-identification privacy to the right, trace inference privacy upwards.

    The contest paper's figures 8 and 9.

    Parameters
    ----------
    points
        One or more; where there is no room for all names, the most private ones have theirs.
    legend
        Its title.
    """
    ordered = sorted(points, key=lambda point: (not point.valid, -point.reid - point.trace))
    kinds = sorted({point.kind for point in points}, reverse=True)  # shuffle, then mixzone
    families = sorted({point.family for point in points})
    marks = dict(zip(kinds, cycle(_MARKS), strict=False))
    shades = dict(zip(families, cycle(_COLOURS), strict=False))
    alike: dict[tuple[str, str, bool], list[Point]] = {}
    for point in ordered:
        alike.setdefault((point.family, point.kind, point.valid), []).append(point)
    drawn = [
        Series(
            "",
            shades[family],
            [point.trace for point in some],
            [point.reid for point in some],
            marks[kind][not valid],
            size=_SIZE,
            names=[point.name for point in some],
        )
        for (family, kind, valid), some in alike.items()
    ]
    left, right = _ends([point.reid for point in points])
    bottom, top = _ends([point.trace for point in points])
    return Panel(
        [*drawn, *_explained(marks, shades, hollow=not all(point.valid for point in points))],
        Axis("re-identification privacy, s_R", low=left, high=right),
        Axis("trace inference privacy, s_T", low=bottom, high=top),
        height=6,
        legend=legend,
    )


def _explained(
    marks: dict[str, tuple[Look, Look]], shades: dict[str, str], *, hollow: bool
) -> list[Series]:
    """The legend: marks of kinds, colours of families; one entry for both where they are one."""
    if marks.keys() == shades.keys():
        shown = [Series(kind, shades[kind], (), look=marks[kind][0], size=_SIZE) for kind in marks]
    else:
        shown = [
            Series(kind, "faint", (), look=mark, size=_SIZE) for kind, (mark, _) in marks.items()
        ]
        shown += [
            Series(family, shade, (), look="dots", size=_SIZE) for family, shade in shades.items()
        ]
    if hollow:
        shown.append(Series("hollow: not useful enough", "faint", (), look="hollow", size=_SIZE))
    return shown


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis: what there is, and some room for names."""
    low, high = min(values), max(values)
    room = max(0.12 * (high - low), 0.01)
    return low - room, high + room


def run_document(scores: Sequence[Row]) -> Document:
    """The document of a run.

    Parameters
    ----------
    scores
        Rows of :func:`mixsafe.contest.run.score_rows`.
    """
    releases = releases_of(scores)
    missing = _missing(scores)
    charts = release_chart([release for release in releases if release["valid"]])
    return Document(
        title="A run of the contest",
        word="Done",
        tone="plain",
        sentence=_sentence(releases),
        meaning=MEANING,
        facts=tuple(_facts(releases, scores)),
        parts=(*charts, _release_table(releases), _score_table(scores), *_glossary(scores)),
        next_steps=(f"Run {missing}, too (--attacks all), {SAFER}.",) if missing else (),
        limits=(LIMIT, *_without(missing)),
        evidence=(_evidence(releases, scores),),
    )


def releases_of(scores: Sequence[Row]) -> list[dict[str, Any]]:
    """Releases of a run: those that are valid first, the most private of them first.

    Each has ``name``, ``kind`` (of pseudonyms), ``valid`` and ``utility``. Under ``reid`` and
    ``trace`` is the row of the strongest attack of that kind; None: there is none.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in scores:
        name, kind, score = row["anonymiser"], row["pseudonymization"], row["score"]
        release = found.setdefault(
            (name, kind),
            {"name": name, "kind": kind, "valid": row["valid"]}
            | dict.fromkeys(("utility", "reid", "trace")),
        )
        if score == "utility":
            release[score] = row["value"]
        elif release[score] is None or row["value"] < release[score]["value"]:
            release[score] = row
    return sorted(found.values(), key=_most_private_first)


def _most_private_first(release: Row) -> tuple[bool, float, float]:
    left = [1.0 if release[kind] is None else -release[kind]["value"] for kind in ("reid", "trace")]
    return not release["valid"], left[0], left[1]


def release_chart(releases: Sequence[Row]) -> list[Chart]:
    """A chart of the releases that were attacked in both ways; none: there is no such release."""
    points = [
        Point(
            one["name"],
            one["kind"],
            one["name"].partition("-")[0],
            one["reid"]["value"],
            one["trace"]["value"],
            one["valid"],
        )
        for one in releases
        if one["reid"] is not None and one["trace"] is not None
    ]
    title = "Privacy of the valid releases"
    return [Chart(title, "privacy", CAPTION, (release_panel(points),))] if points else []


def _missing(scores: Sequence[Row]) -> str:
    """Names of the strongest attacks that some release was spared; empty: none."""
    releases: dict[tuple[str, str], set[str]] = {}
    for row in scores:
        release = row["anonymiser"], row["pseudonymization"]
        releases.setdefault(release, set()).add(row["attack"])
    spared = [name for name in STRONGEST if any(name not in run for run in releases.values())]
    return " and ".join(spared)


def _without(missing: str) -> Iterator[str]:
    """That the strongest attacks were not run, if so."""
    if missing:
        yield f"Not run: {missing}, {SAFER}."


def _sentence(releases: Sequence[Row]) -> str:
    """What the best attack finds in the most private release."""
    valid = [release for release in releases if release["valid"]]
    for kind, finds in FINDS.items():
        attacked = [release[kind] for release in valid if release[kind] is not None]
        if attacked:
            best = max(attacked, key=lambda row: row["value"])
            part, guess = share(1 - best["value"]), share(1 - best["baseline"])
            return (
                f"In the most private release the best attack {finds.format(part)} (guessing:"
                f" {guess})."
            )
    return "No valid release was attacked." if valid else "No release is useful enough."


def _facts(releases: Sequence[Row], scores: Sequence[Row]) -> Iterator[Fact]:
    valid = sum(release["valid"] for release in releases)
    yield Fact("Releases", f"{count(len(releases))}, {count(valid)} of them useful enough")
    best = next((one for one in releases if one["valid"] and one["reid"] is not None), None)
    if best is not None:
        attack = best["reid"]["attack"]
        yield Fact("Most private", f"{best['name']} ({best['kind']}); the best attack is {attack}")
    yield Fact("Attacks", ", ".join(_attacks(scores)) or "none")


def _attacks(scores: Sequence[Row]) -> list[str]:
    """Names of the attacks."""
    return list(dict.fromkeys(row["attack"] for row in scores if row["score"] in FINDS))


def _release_table(releases: Sequence[Row]) -> Table:
    return Table(
        "Releases",
        "Valid releases first, the most private of them first, with the strongest attacks",
        (
            Column("obfuscation"),
            Column("pseudonyms", filter="Pseudonyms"),
            Column("valid", filter="Valid"),
            Column("s_U", "score"),
            Column("s_R", "score"),
            Column("left by"),
            Column("s_T", "score"),
            Column("left by"),
        ),
        [
            [one["name"], one["kind"], "yes" if one["valid"] else "no", one["utility"],
             *_strongest(one["reid"]), *_strongest(one["trace"])]
            for one in releases
        ],
    )  # fmt: skip


def _strongest(attack: Row | None) -> tuple[Value, Value]:
    """What the strongest attack of a kind leaves, and which it is."""
    return (None, None) if attack is None else (attack["value"], attack["attack"])


def _score_table(scores: Sequence[Row]) -> Table:
    return Table(
        "Scores",
        "All scores, with 95% intervals and what random guesses would leave",
        (
            Column("obfuscation"),
            Column("pseudonyms"),
            Column("attack", filter="Attack"),
            Column("score", "score"),
            Column("95% interval"),
            Column("random", "score"),
        ),
        [
            [row["anonymiser"], row["pseudonymization"], row["attack"], row["value"],
             f"{row['low']:.3f} to {row['high']:.3f}", row["baseline"]]
            for row in scores
        ],
        pages_only=True,
    )  # fmt: skip


def _glossary(scores: Sequence[Row]) -> Iterator[Table | Text]:
    """What was assumed, and what the names mean that occur, those that are registered."""
    yield Text("Assumptions", (ATTACKER,), pages_only=True)
    known = {method.short: about(method) for method in (*ANONYMISERS, *ATTACKERS)}
    used = dict.fromkeys(row["pseudonymization"] for row in scores)
    rows = [(name, f"{PSEUDONYMIZERS[name].sentence}.") for name in used if name in PSEUDONYMIZERS]
    used = dict.fromkeys(row["anonymiser"].partition("-")[0] for row in scores)
    used |= dict.fromkeys(row["attack"] for row in scores)
    rows += [(name, known[name][:1].upper() + known[name][1:]) for name in used if known.get(name)]
    columns = Column("name"), Column("meaning", wide=True)
    yield Table("Names", "Obfuscations, pseudonyms and attacks", columns, rows, pages_only=True)


def _evidence(releases: Sequence[Row], scores: Sequence[Row]) -> CriterionEvidence:
    """What an officer is told: the strongest attacks on each valid release, the worst first."""
    valid = [release for release in releases if release["valid"]]
    ordered = sorted(valid, key=_least_left)[:_OFFICERS]
    sentence = (
        f"{plural(len(_attacks(scores)), 'attack was', 'attacks were')} run. The table shows what"
        " the strongest attack of each kind finds in each release, beside a random guess, the"
        " least private release first."
    )
    columns = (
        Column("release"),
        Column("usefulness", "share"),
        Column("whose pseudonyms are"),
        Column("where people were"),
    )
    rows = [
        [
            f"{one['name']} ({one['kind']})",
            one["utility"],
            _found(one["reid"]),
            _found(one["trace"]),
        ]
        for one in ordered
    ]
    return CriterionEvidence(
        "testing",
        (sentence, *_without(_missing(scores))),
        _stands([one[kind] for one in ordered for kind in FINDS if one[kind] is not None]),
        tables=(Table("Releases", "Valid releases", columns, rows),),
    )


def _least_left(release: Row) -> float:
    """Privacy of a release against the strongest attack of all."""
    return min(1.0 if release[kind] is None else release[kind]["value"] for kind in FINDS)


def _found(attack: Row | None) -> str:
    """What an attack finds, beside what a random guess does."""
    if attack is None:
        return "not attacked"
    found, guess = share(1 - attack["value"]), share(1 - attack["baseline"])
    return f"{found} found by {attack['attack']}; a guess: {guess}"


def _stands(attacks: Sequence[Row]) -> Stands:
    """Against if an attack finds more than a random guess."""
    if not attacks:
        return "open"
    better = any(attack["value"] < attack["baseline"] for attack in attacks)
    return "speaks against" if better else "supports"
