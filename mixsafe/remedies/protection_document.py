"""What remedies say: which of them make data pass, and what each costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mixsafe.documents.atlas import Context
from mixsafe.documents.document import (
    WORDS,
    Axis,
    Chart,
    Column,
    CriterionEvidence,
    Document,
    Fact,
    Look,
    Panel,
    Part,
    Series,
    Table,
    Text,
    Value,
)
from mixsafe.model.answer.follower_wording import only_believable, zones_sentences
from mixsafe.model.answer.next_steps import WEAK_PASS
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import count, plural, share
from mixsafe.model.question.requirement import Rule
from mixsafe.release import release_document
from mixsafe.remedies.applying import Applied
from mixsafe.remedies.remedy import (
    AS_IT_IS,
    HIDE,
    LEAVE_OUT,
    Protection,
    Remedy,
    Row,
    frontier,
    not_published,
)
from mixsafe.remedies.suppression import LargestGroup

_ANSWERS = {
    "safe": "A remedy passes",
    "unsafe": "No remedy passes",
    "undecided": "Undecided",
}

_ALSO = {
    "": ("series-0", "nothing else"),
    LEAVE_OUT: ("series-1", "people left out"),
    HIDE: ("series-2", "stretches hidden"),
}
"""Colour and words of what is done besides."""

_EVERYBODY = {"safe": "yes", "weak pass": "yes", "undecided": "undecided", "unsafe": "no"}
"""Whether everybody passes, by the verdict."""

_FILES = {
    "publish/release.csv": "places and times under pseudonyms that are exchanged in all mix zones",
    "publish/cells.csv": "the middle of each cell",
    "secret/traces.csv": "the same as the release under the names of people",
    "secret/kept.csv": "who is published",
    "secret/hidden.csv": "stretches that are hidden",
    "secret/problem.json": "mix zones, sightings, and what is asked of the published stretches",
    "secret/remedy.json": "the remedy, its costs, and how to verify it",
}


def protection_document(
    answer: Protection,
    name: str,
    context: Context,
    *,
    pages: bool = True,
    all_rungs: bool = False,
) -> Document:
    """The document of remedies.

    Parameters
    ----------
    name
        Of the data.
    pages
        With the parts that only pages show.
    all_rungs
        List all remedies, to be compared; otherwise those that no other one beats come first.
    """
    now, rows = answer.remedies[0], [remedy.to_dict() for remedy in answer.remedies]
    verdict = now.verdict if now.passes else answer.verdict
    weak = any(remedy.verdict is Verdict.WEAK_PASS for remedy in answer.remedies)
    return Document(
        title=f"Remedies for {name}",
        word=WORDS[now.verdict.value] if now.passes else _ANSWERS[verdict.value],
        tone=verdict.value,
        sentence=_sentence(answer, name),
        meaning=(
            "Each remedy was tried on the data, and the result verified. A remedy passes if"
            f" everybody who is still published passes: {answer.rule.words}."
        ),
        facts=tuple(_facts(answer.group, context)),
        parts=tuple(_parts(rows, answer.group, pages, all_rungs)),
        next_steps=(WEAK_PASS,) if weak else (),
        evidence=(measures(rows, answer.rule),),
    )


def _facts(group: LargestGroup, context: Context) -> Iterator[Fact]:
    problem, share_of_best = group.asked.problem, group.asked.rules.believable
    if share_of_best:
        yield Fact("Zones", only_believable(share_of_best))
    elif problem.zones_followed is not None:
        yield Fact("Zones", zones_sentences(problem.zones_followed))
    yield Fact("Data", context.data(problem.zones))


def _sentence(answer: Protection, name: str) -> str:
    now, *others = answer.remedies
    if now.passes:
        return f"{name} passes as it is."
    passing = [remedy for remedy in others if remedy.passes]
    if passing:
        return f"{name} fails as it is; {'; '.join(_passing(passing))}."
    best = max(others, key=lambda remedy: (remedy.pass_share, -remedy.left_out))
    many = f"{count(best.counts['safe'])} of {count(sum(best.counts.values()))} people pass"
    return f"{name}: best is '{best.name}', by which {many}."


def _passing(remedies: Sequence[Remedy]) -> Iterator[str]:
    """Remedies that pass, in words: the mildest of each kind, and how many combinations of two."""
    kinds: set[str] = set()
    for remedy in remedies:
        if remedy.name not in kinds and None in (remedy.option.ladder, remedy.option.also):
            yield _named(remedy)
        kinds.add(remedy.name)
    both = sum(None not in (remedy.option.ladder, remedy.option.also) for remedy in remedies)
    if both:
        yield f"{plural(both, 'combination passes', 'combinations pass')}"


def _named(remedy: Remedy) -> str:
    """A remedy that passes, in words."""
    ladder, row = remedy.option.ladder, remedy.to_dict()
    words = []
    if ladder:
        words.append({
            "larger cells": f"with cells of {_size(row)}",
            "longer steps": f"with steps of {_length(row)}",
        }.get(ladder, f"with rotations '{row['rotate']}'"))  # fmt: skip
    if remedy.hiding is not None:
        words.append(f"with {share(remedy.hidden)} of the time hidden")
    elif remedy.left_out:
        words.append(f"without {plural(remedy.left_out, 'person', 'people')}")
    who = "the others pass" if remedy.left_out and remedy.hiding is None else "all pass"
    return f"{' and '.join(words)} {who}"


def _parts(
    rows: Sequence[Row], group: LargestGroup, pages: bool, all_rungs: bool
) -> Iterator[Part]:
    best = list(rows) if all_rungs else frontier(rows)
    others = [row for row in rows if row not in best]
    if pages:
        yield remedies_chart(rows)
    lines = list(_explained(best))
    if others:
        beaten = plural(
            len(others),
            "other remedy costs as much or more and protects",
            "other remedies cost as much or more and protect",
        )
        lines.append(f"{beaten} no more (listed on the page).")
    title = "All rungs" if all_rungs else "Remedies that no other one beats"
    yield _table(title, best, lines)
    if others and pages:
        yield _table("All other remedies", others, (), folded=True)
    sentence = _about_group(group)
    if sentence:
        yield Text("The largest group", (sentence,))


def _about_group(group: LargestGroup) -> str:
    """The proof of the largest group, or the bounds on it; empty: nobody is left out."""
    kept, most = int(group.kept.sum()), int(group.at_best.sum())
    if not group.left_out.any():
        return ""
    rounds = plural(group.rounds, "round", "rounds")
    if not group.exact:
        return (
            f"The largest group that passes has {count(kept)} to {count(most)} people; more time"
            " (--time-limit) may tell."
        )
    if kept:
        people = plural(kept, "person", "people")
        return f"Every group that passes is a part of these {people}: proven, in {rounds}."
    return f"No group of people passes, whoever is left out: proven, in {rounds}."


_COLUMNS: tuple[tuple[Column, Callable[[Row], Value]], ...] = (
    (Column("no.", "count"), lambda row: row["number"]),
    (Column("remedy"), lambda row: _short(row)),
    (Column("verdict", "verdict"), lambda row: row["verdict"]),
    (Column("left out", "count"), lambda row: row["left_out"]),
    (Column("hidden", "share"), lambda row: row["share_of_time_hidden"] or 0),
    (Column("lost", "share"), lambda row: row["share_of_fixes_lost"]),
    (Column("off", "metres"), lambda row: row["metres"]),
    (Column("late", "minutes"), lambda row: row["minutes"]),
    (Column("pass", "count"), lambda row: row["users"]["safe"]),
    (Column("fail", "count"), lambda row: row["users"]["unsafe"]),
    (Column("open", "count"), lambda row: row["users"]["undecided"]),
    (Column("protected", "share"), lambda row: row["share_of_time_safe"]),
    (Column("took", "seconds"), lambda row: row["seconds"]),
)
"""Columns and their values; those that say nothing are left out."""

_RARE = ("hidden", "open")
"""Columns that say nothing if all their values are 0."""


def _table(title: str, rows: Sequence[Row], text: Sequence[str], *, folded: bool = False) -> Table:
    """A row for each remedy, by number."""
    names = [column.name for column, _ in _COLUMNS]
    values = [[value(row) for row in rows] for _, value in _COLUMNS]
    there = [
        any(column) if name in _RARE else any(value is not None for value in column)
        for name, column in zip(names, values, strict=True)
    ]
    columns = [column for (column, _), shown in zip(_COLUMNS, there, strict=True) if shown]
    cells = [column for column, shown in zip(values, there, strict=True) if shown]
    caption = plural(len(rows), "remedy", "remedies")
    return Table(
        title, caption, columns, list(zip(*cells, strict=True)), text, folded, folded=folded
    )


def _explained(rows: Sequence[Row]) -> Iterator[str]:
    """What columns say that need it."""
    yield "Protected: share of published time at which people are safe."
    if any(row["share_of_fixes_lost"] is not None for row in rows):
        yield "Lost: share of all fixes that are not published."
    if any(row["share_of_time_hidden"] for row in rows):
        yield "Hidden: share of the time asked about that is not published; otherwise all are safe."
    if any(row["users"]["undecided"] for row in rows):
        yield "Open: people who are undecided; more time (--time-limit) may tell."
    if any(row["metres"] is not None or row["minutes"] is not None for row in rows):
        yield "Off: how far a fix moves. Late: how much its time moves."


def _kinds(row: Row) -> tuple[str, str]:
    """How the data of a remedy are published, and what is done besides."""
    name = row["remedy"]
    for also in (LEAVE_OUT, HIDE):
        if name.endswith(also):
            return name.removesuffix(also).removesuffix(", "), also
    return name.removesuffix(AS_IT_IS), ""


def _short(row: Row) -> str:
    """A remedy in a few words."""
    ladder, also = _kinds(row)
    words = {
        "larger cells": f"cells {_size(row)}",
        "longer steps": f"steps {_length(row)}",
        "rotations": f"change {row['rotate']}",
    }
    return (
        ", ".join(filter(None, (words.get(ladder), also.split(" stretches")[0]))) or row["remedy"]
    )


def _size(row: Row) -> str:
    size = row["cell_size"]
    if size is None:
        return "-"
    return size if isinstance(size, str) else f"{size:g} m"


def _length(row: Row) -> str:
    seconds = row["time_step"]
    if seconds is None:
        return "-"
    return f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds} s"


def remedies_chart(rows: Sequence[Row]) -> Chart:
    """A row per form of the data, the mildest on top; what is not published to the right."""
    forms: dict[str, str] = {}
    for row in rows:
        forms.setdefault(_form(row), _form_words(row))
    places = {form: place for place, form in enumerate(forms)}
    series = []
    for also, (colour, words) in _ALSO.items():
        for passes in (True, False):
            chosen = [
                row
                for row in rows
                if _kinds(row)[1] == also and (_EVERYBODY[row["verdict"]] == "yes") is passes
            ]
            if chosen:
                look: Look = "dots" if passes else "hollow"
                series.append(
                    Series(
                        words if passes else f"{words}, does not pass",
                        colour,
                        [places[_form(row)] for row in chosen],
                        [not_published(row) for row in chosen],
                        look,
                        size=8,
                        names=[str(row["number"]) for row in chosen] if passes else (),
                    )
                )
    most = max(map(not_published, rows))
    panel = Panel(
        series,
        Axis("share of the data that is not published", low=-0.01, high=max(most * 1.08, 0.05)),
        Axis(names=tuple(forms.values())),
        height=0.5 * len(forms) + 1.9,
    )
    caption = "What each remedy costs. Those that pass are filled and have their numbers."
    return Chart("What remedies cost", "remedies", caption, (panel,))


def _form(row: Row) -> str:
    """What all remedies of a form have in common."""
    return str([row[name] for name in ("cell_size", "time_step", "rotate")])


def _form_words(row: Row) -> str:
    """How the data are published, with what that costs."""
    ladder, metres, minutes = _kinds(row)[0], row["metres"], row["minutes"]
    if ladder == "larger cells":
        return f"cells of {_size(row)}" + ("" if metres is None else f" (off by {metres:,.3g} m)")
    if ladder == "longer steps":
        late = "" if minutes is None else f" (late by {minutes:.2g} min)"
        return f"steps of {row['time_step'] / 60:g} min{late}"
    return f"all change {row['rotate']}" if ladder == "rotations" else AS_IT_IS


def measures(rows: Sequence[Row], rule: Rule) -> CriterionEvidence:
    """What an officer is told of remedies: what each costs, and who is protected afterwards."""
    words = rule.words.replace("user", "person")
    sentences = [
        "Remedies that no other one beats, what each costs, and what is proven of those who are"
        f" still published (the rule: {words}; who is undecided neither passes nor fails):"
    ]
    everybody = {_EVERYBODY[row["verdict"]] for row in rows}
    if "yes" not in everybody:
        makes = "is proven to make" if "undecided" in everybody else "makes"
        sentences.append(f"No remedy that was tried {makes} everybody pass.")
    best = frontier(rows)
    others = [row for row in rows if row not in best]
    tables = [_officer_table("Remedies that no other one beats", best)]
    if others:
        tables.append(_officer_table("All other remedies", others, folded=True))
    return CriterionEvidence("measures", sentences, tables=tables)


def _officer_table(title: str, rows: Sequence[Row], *, folded: bool = False) -> Table:
    return Table(
        title,
        title,
        (
            Column("no.", "count"),
            Column("remedy"),
            Column("what it costs", wide=True),
            Column("pass", "count"),
            Column("fail", "count"),
            Column("undecided", "count"),
            Column("time protected"),
            Column("everybody passes"),
        ),
        [
            (
                row["number"],
                row["remedy"],
                "; ".join(_costs(row)) or "nothing",
                *(row["users"][word] for word in ("safe", "unsafe", "undecided")),
                _protected(row),
                _EVERYBODY[row["verdict"]],
            )
            for row in rows
        ],
        folded=folded,
    )


def _protected(row: Row) -> str:
    """Share of published time that is protected, or why there is none."""
    if row["share_of_time_safe"] is not None:
        return share(row["share_of_time_safe"])
    return "undecided" if row["users"]["undecided"] else "nobody is left"


def _costs(row: Row) -> Iterator[str]:
    """What a remedy costs, in words."""
    if row["left_out"]:
        part = row["share_of_fixes_left_out"]
        data = "" if part is None else f" ({share(part)} of the data)"
        yield f"{plural(row['left_out'], 'person', 'people')}{data} left out"
    if row["cell_size"] is not None:
        yield f"cells {_size(row)}"
    if row["time_step"] is not None:
        yield f"steps {count(row['time_step'])} s"
    if row["rotate"]:
        yield f"pseudonyms change {row['rotate']}"
    if row["share_of_time_hidden"]:
        yield f"{share(row['share_of_time_hidden'])} of the time hidden"
    if row["share_of_fixes_lost"]:
        yield f"{share(row['share_of_fixes_lost'])} of the data lost in all"
    if row["metres"]:
        yield f"places {row['metres']:,.0f} m off on average"
    if row["minutes"]:
        yield f"times {row['minutes']:.1f} min late on average"


def applied_document(remedy: Remedy, rule: Rule, done: Applied | None) -> Document:
    """The document of a remedy that was to be applied.

    Parameters
    ----------
    done
        What was written; None: the remedy does not pass.
    """
    verdict = remedy.verdict if done is None else done.verdict
    number = f"Remedy {remedy.option.number}, {remedy.name}"
    row = remedy.to_dict()
    parts: list[Part] = []
    if done is None:
        sentence = f"{number}, does not pass. Nothing was written."
    elif done.folder is None:
        sentence = (
            f"{number}: what was written does not pass when it is read again, and was removed."
        )
    else:
        people = plural(sum(remedy.counts.values()), "person", "people")
        sentence = f"{number}: the data of {people} in {done.folder} pass."
        files = [(name, _FILES[name]) for name in done.files]
        parts.append(
            Table("Files", "What was written", (Column("file"), Column("what it is")), files)
        )
        parts.append(
            Text("Verified", (f"Verified as read from these files. Once more: {done.how}",))
        )
        parts.append(Text("What to hand on", (handing_on(done.folder),), pages_only=True))
    return Document(
        title=number,
        word=WORDS[verdict.value],
        tone=verdict.value,
        sentence=sentence,
        meaning="The data of one remedy were written, read again and verified.",
        parts=tuple(parts),
        evidence=(measures([row], rule), *released(row, written=bool(done and done.folder))),
    )


def handing_on(folder: Path) -> str:
    """What of a folder may be handed on, and what may not."""
    return release_document.handing_on([folder / "publish"], [folder / "secret"])


def released(row: Mapping[str, Any], *, written: bool) -> Iterator[CriterionEvidence]:
    """What an officer is told of a release that was written."""
    if not written:
        return
    yield CriterionEvidence(
        "data",
        (
            f"A release was made from these data by remedy {row['number']} ('{row['remedy']}')."
            " What was written was read again, and everybody in it passes.",
        ),
    )
    yield CriterionEvidence(
        "secrets",
        (
            "Beside the release, the same data were written under the names of people, with lists"
            " of who is published and of what is hidden. They must be kept apart: whoever has them"
            " can undo the release. The pseudonyms were drawn from the operating system's source"
            " of random numbers, without a seed, and were not kept.",
        ),
    )
