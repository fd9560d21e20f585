"""What a minimum set of mix zones says: how many are enough, and whether fewer might be.

It shows zones, requirements and places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.atlas import PLACES, Atlas, Context, ranks_in, zone_told
from mixsafe.documents.document import (
    Axis,
    Chart,
    Column,
    CriterionEvidence,
    Document,
    Fact,
    Panel,
    Part,
    Series,
    Table,
    Text,
    Tone,
    Value,
)
from mixsafe.model.answer.follower_wording import zones_sentences
from mixsafe.model.answer.wording import count, plural
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.optimize.answer import Budget, MinimumZones, Status

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

PEOPLE = 12
"""Members of a zone that are named."""

_COLUMNS = 200  # of a picture, at most

_TONES: dict[Status, Tone] = {
    "optimal": "safe",
    "feasible": "plain",
    "infeasible": "unsafe",
    "undecided": "undecided",
}

_NEXT: dict[Status, str] = {
    "optimal": "Exchange pseudonyms in these zones; all others are not needed.",
    "feasible": "A longer --time-limit may close the gap.",
    "undecided": "A longer --time-limit may close the gap.",
    "infeasible": "Lower these requirements (--requirements), or let more users meet.",
}
_AT_PLACES = "Exchange pseudonyms at these places (--map places.geojson shows them)."
_OTHER_METHOD = "Use --method auto: the search of this method ended before its time limit."
_REQUIREMENT = "At a given time, a person needs at least as many candidate pseudonyms as required."

LIMITS = (
    "The answer holds if pseudonyms are exchanged at random in these zones. It does not check that"
    " they are.",
    "The adversary also knows all traces under their pseudonyms, all mix zones, and how pseudonyms"
    " are exchanged there, but not which exchanges were made.",
)


def written_numbers(answer: MinimumZones) -> Ints:
    """(n_zones,) number of each zone as the problem was written."""
    problem = answer.problem
    return np.array(problem.zone_index or range(len(problem.zones)), np.int64)


def _is_chosen(answer: MinimumZones) -> Flags:
    """(n_zones,) whether a zone is among those that are enough."""
    return np.isin(written_numbers(answer), (answer.rest or answer).zones)


def chosen_zones(answer: MinimumZones, atlas: Atlas | None) -> list[tuple[Value, ...]]:
    """Number, time, place, size and members of each chosen zone, in the order of the problem."""
    zones, written, chosen = answer.problem.zones, written_numbers(answer), _is_chosen(answer)
    rows: list[tuple[Value, ...]] = []
    for zone in np.flatnonzero(chosen)[np.argsort(written[chosen], kind="stable")].tolist():
        told, size = zone_told(zones, zone, atlas, PEOPLE), int(zones.sizes[zone])
        hidden = size - len(told["people"])
        who = ", ".join(told["people"]) + (f" and {count(hidden)} more" if hidden else "")
        rows.append((int(written[zone]), told["time"], told["place"], size, who))
    return rows


def unmet(answer: MinimumZones) -> list[tuple[Value, ...]]:
    """Person, time and k of each requirement that no set of zones meets."""
    zones, asked = answer.problem.zones, answer.problem.requirements
    if asked is None:
        return []
    return [
        (
            str(zones.users[asked.row[number]]),
            zones.axis.label(int(asked.time[number])),
            int(asked.k[number]),
        )
        for number in answer.unmet
    ]


def over_time(answer: MinimumZones) -> dict[str, Any]:
    """Zones by column and size, and requirements by column.

    Returns
    -------
    dict
        ``moments`` (label of each column's first step); ``chosen`` and ``other`` zones: ``at``
        (the middle of their column) and ``size``, once for each pair that occurs; ``met`` and
        ``unmet``: requirements in each column.
    """
    zones, asked = answer.problem.zones, answer.problem.requirements
    steps = zones.axis.steps
    columns = min(_COLUMNS, steps)

    def column(step: npt.NDArray[Any]) -> Ints:
        return (np.maximum(step.astype(np.int64), 1) - 1) * columns // steps

    def dots(hit: Flags) -> dict[str, Any]:
        each = np.column_stack([column(zones.time[hit]), zones.sizes[hit].astype(np.int64)])
        kinds = np.unique(each, axis=0)
        return {"at": (kinds[:, 0] + 0.5).tolist(), "size": kinds[:, 1].tolist()}

    chosen = _is_chosen(answer)
    times = np.zeros(0, np.int64) if asked is None else column(asked.time)
    missed = np.bincount(times[list(answer.unmet)], minlength=columns)
    first = -(-np.arange(columns) * steps // columns) + 1
    return {
        "moments": [zones.axis.label(step) for step in first.tolist()],
        "chosen": dots(chosen),
        "other": dots(~chosen),
        "met": (np.bincount(times, minlength=columns) - missed).tolist(),
        "unmet": missed.tolist(),
    }


def places(answer: MinimumZones, atlas: Atlas | None) -> dict[str, Any] | None:
    """Discs of the places of zones; None where it is not known where they are.

    Returns
    -------
    dict
        ``chosen`` and ``other`` places: ``x``, ``y``, and the ``size`` of a disc in points, the
        largest first, so that none hides another; ``most`` people who meet at one; ``unit`` and
        ``ends`` of the axes; ``words`` about the map; places that are ``left_out``.
    """
    zones, crowds = answer.problem.zones, answer.problem.zones.crowds
    if zones.place is None or crowds is None or not len(zones):
        return None
    if atlas is None or not atlas.drawn:
        return None
    known, _, _, people = crowds
    used = np.bincount(ranks_in(known, zones.place), _is_chosen(answer), len(known)) > 0
    order = np.lexsort((known, -people, ~used))[:PLACES]
    x, y = atlas.position(known[order])
    most = max(int(people[order].max()), 1)
    size = np.sqrt(16 + 700 * people[order] / most)

    def discs(hit: Flags) -> dict[str, Any]:
        values = {"x": np.round(x[hit], 3), "y": np.round(y[hit], 3), "size": size[hit].round(2)}
        return {name: value.tolist() for name, value in values.items()}

    side = Regions.of_contest().columns
    regions = atlas.grid is None
    return {
        "chosen": discs(used[order] & ~np.isnan(x)),
        "other": discs(~used[order] & ~np.isnan(x)),
        "most": most,
        "unit": "regions" if regions else "km",
        "ends": (-0.8, side - 0.2) if regions else (None, None),
        "words": atlas.words,
        "left_out": len(known) - len(order),
    }


def minimum_document(answer: MinimumZones, context: Context, *, pages: bool = True) -> Document:
    """The document of a minimum set of zones or places.

    Parameters
    ----------
    pages
        With the parts that only pages show.
    """
    sentence = _sentence(answer)
    if answer.rest is not None:
        others = plural(_requirements(answer.rest), "other", "others")
        sentence += f" For the {others}: {_sentence(answer.rest)}"
    parts = [*_unmet(answer)]
    if pages:
        parts += _charts(answer, context)
    parts += _chosen(answer, context)
    if answer.notes:
        parts.append(Text("Notes", answer.notes, pages_only=True))
    return Document(
        title=f"Fewest mix zones for {answer.problem.name}",
        word=answer.status.capitalize(),
        tone=_TONES[answer.status],
        sentence=sentence,
        meaning=(
            "A mix zone is a time step at which several people are in one place. An exchange of"
            " their pseudonyms there hides who continues as whom, and has a cost. The answer is the"
            f" cheapest set of mix zones that meets the requirements. {_REQUIREMENT}"
        ),
        facts=tuple(_facts(answer, context)),
        parts=tuple(parts),
        next_steps=(_next(answer),),
        limits=LIMITS,
        evidence=(CriterionEvidence("measures", (sentence,)),),
    )


def _sentence(answer: MinimumZones) -> str:
    """What is enough, and what is proven to be needed."""
    if answer.budget is not None:
        return _budget_sentence(answer.budget, answer.minimum or 0)
    if answer.status == "infeasible":
        total = plural(_requirements(answer), "requirement", "requirements")
        unmet = count(len(answer.unmet))
        return f"{unmet} of {total} cannot be met, not even with all mix zones together."
    bound = 0 if answer.bound is None else answer.bound
    if answer.minimum is None:
        needed = f"at least {_needed(answer, bound)}"
        if answer.places is not None:
            needed = f"a cost of at least {count(bound)} is"
        return f"No set was found; {needed} needed, if the requirements can be met at all."
    if answer.places is not None:
        return _places_sentence(answer, len(answer.places), answer.minimum, bound)
    zones = plural(len(answer.zones), "mix zone", "mix zones")
    are = "is" if len(answer.zones) == 1 else "are"
    if answer.weight == "members":
        zones += f" with {plural(answer.minimum, 'membership', 'memberships')}"
    if answer.status == "feasible":
        if not bound:
            return f"{zones} {are} enough; whether fewer are is not known."
        return f"{zones} {are} enough; at least {_needed(answer, bound)} needed."
    fewer = "no fewer" if answer.weight == "count" else "no fewer memberships"
    return f"{zones} {are} enough, and {fewer}. This is proven."


def _places_sentence(answer: MinimumZones, n: int, cost: int, bound: int) -> str:
    """Chosen places, and whether they are proven cheapest."""
    chosen = plural(n, "place is", "places are")
    zones = plural(len(answer.zones), "mix zone", "mix zones")
    enough = f"{chosen} enough, with {zones}, at a cost of {count(cost)}"
    if answer.status == "optimal":
        return f"{enough}, and nothing costs less. This is proven."
    return f"{enough}; nothing costs less than {count(bound)}."


def _budget_sentence(budget: Budget, cost: int) -> str:
    """Whom a budget protects, and how many it might."""
    enough = (
        f"{count(budget.protected)} of {plural(budget.asked, 'person', 'people')}"
        f" {'is' if budget.protected == 1 else 'are'} protected at a cost of {count(cost)}"
    )
    if budget.most == budget.protected:
        return f"{enough}, and no more can be for {count(budget.limit)}. This is proven."
    return f"{enough}; no more than {count(budget.most)} can be for {count(budget.limit)}."


def _units(answer: MinimumZones) -> tuple[str, str]:
    """One unit of the cost of zones, and many."""
    one = "mix zone" if answer.weight == "count" else "membership"
    return one, f"{one}s"


def _needed(answer: MinimumZones, bound: int) -> str:
    """What is proven to be needed, with the verb."""
    return f"{plural(bound, *_units(answer))} {'is' if bound == 1 else 'are'}"


def _requirements(answer: MinimumZones) -> int:
    asked = answer.problem.requirements
    return 0 if asked is None else len(asked)


def _next(answer: MinimumZones) -> str:
    """What to do with the answer."""
    if answer.status == "optimal" and answer.places is not None:
        return _AT_PLACES
    if answer.status in ("feasible", "undecided") and not answer.out_of_time:
        return _OTHER_METHOD
    return _NEXT[answer.status]


def _facts(answer: MinimumZones, context: Context) -> Iterator[Fact]:
    problem, met = answer.problem, answer.rest or answer
    if problem.zones_followed is not None:
        yield Fact("Zones", zones_sentences(problem.zones_followed))
    some = f", {count(_requirements(met))} of which can be met" if answer.rest is not None else ""
    yield Fact("Requirements", f"{count(_requirements(answer))}{some}")
    sightings = plural(len(problem.knowledge), "sighting", "sightings")
    known = f"{context.adversary} ({sightings})" if context.adversary else sightings
    yield Fact("Adversary", known)
    yield Fact("Data", context.data(problem.zones))
    one, many = ("for places",) * 2 if answer.places is not None else _units(answer)
    if met.minimum is not None:
        yield Fact("Cost found", plural(met.minimum, one, many))
    if met.bound is not None:
        yield Fact("Proven necessary", plural(met.bound, one, many))
    yield Fact("Method", answer.method)
    yield Fact("Search", round(answer.seconds, 3), "seconds")


def _unmet(answer: MinimumZones) -> Iterator[Part]:
    rows = unmet(answer)
    if rows:
        yield Table(
            "Requirements that cannot be met",
            "Requirements that are not met even if pseudonyms are exchanged in every zone",
            (
                Column("person", "name"),
                Column("time", "moment"),
                Column("candidates required", "count"),
            ),
            rows,
        )


def _chosen(answer: MinimumZones, context: Context) -> Iterator[Part]:
    found = (answer.rest or answer).places
    if found:
        caption = f"{plural(len(found), 'place', 'places')} whose mix zones are enough together"
        yield Table("The places", caption, (Column("place"),), [(str(name),) for name in found])
    zones = chosen_zones(answer, context.atlas)
    if zones:
        yield Table(
            "The zones",
            "Mix zones that meet all feasible requirements if pseudonyms are exchanged in them",
            (
                Column("zone"),
                Column("time", "moment"),
                Column("place"),
                Column("people", "count"),
                Column("who", wide=True),
            ),
            zones,
        )


def _charts(answer: MinimumZones, context: Context) -> Iterator[Part]:
    yield _zones_over_time(over_time(answer))
    found = places(answer, context.atlas)
    if found is not None:
        yield _map(found)


def _zones_over_time(numbers: Mapping[str, Any]) -> Chart:
    """All zones by time and size, and the requirements."""
    time = Axis(moments=numbers["moments"])
    others, chosen = numbers["other"], numbers["chosen"]
    zones = [Series("all mix zones", "undecided", others["size"], others["at"], "dots", size=4)]
    if chosen["size"]:
        enough = "zones that are enough together"
        zones.append(Series(enough, "safe", chosen["size"], chosen["at"], "dots", size=7))
    many = max((*others["size"], *chosen["size"]), default=2) > 20
    met, missed = numbers["met"], numbers["unmet"]
    asked = [Series("requirements that can be met", "faint", met, look="bars")]
    if any(missed):
        asked.append(
            Series("that cannot be met", "unsafe-1", missed, look="bars", bottom=met),
        )
    return Chart(
        "The zones over time",
        "zones",
        "Each dot stands for mix zones of that many people at that time; below, how many"
        " requirements there are at each time.",
        (
            Panel(tuple(zones), time, Axis("people in the zone", log=many)),
            Panel(tuple(asked), time, Axis("requirements", low=0), height=2.0),
        ),
    )


def _map(found: Mapping[str, Any]) -> Chart:
    """A disc for each place, those of chosen zones upon the others."""
    looks = (("other", "where mix zones are", "undecided"),
             ("chosen", "where zones that are enough are", "safe"))  # fmt: skip
    series = tuple(
        Series(label, shade, part["y"], part["x"], "discs", size=part["size"])
        for part, label, shade in ((found[name], label, shade) for name, label, shade in looks)
        if part["y"]
    )
    caption = [found["words"]]
    if found["left_out"]:
        caption.append(f"{plural(found['left_out'], 'place is', 'places are')} not drawn.")
    unit, (low, high) = found["unit"], found["ends"]
    panel = Panel(
        series,
        Axis(f"west to east ({unit})", low=low, high=high),
        Axis(f"south to north ({unit})", low=low, high=high),
        height=5.2,
        equal=True,
        legend=f"area: people who meet (largest: {count(found['most'])})",
    )
    return Chart("Where the zones are", "places", " ".join(caption), (panel,))
