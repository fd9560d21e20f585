"""What an answer about links says: which rides can be followed from one identifier to the next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np

from mixsafe.documents.document import (
    WORDS,
    Axis,
    Chart,
    Column,
    Document,
    Fact,
    Panel,
    Part,
    Series,
    Table,
    Text,
)
from mixsafe.geometry.grid import plane
from mixsafe.model.answer.time_followed import times_sentence
from mixsafe.model.answer.wording import count, duration, plural, share
from mixsafe.tracklets.dead_reckoning import are_of_course
from mixsafe.tracklets.feed_numbers import areas, curve, feed_numbers, hours
from mixsafe.tracklets.feeds import FeedAnswer
from mixsafe.tracklets.follower import COURSE_OFF
from mixsafe.tracklets.problems import LinkAnswer

_SIDES = {"ends": "the start", "begins": "the end"}
"""The sides from which rides are seen: an identifier ends where a ride begins."""

_FOLLOWED = {
    "no ride": (0.0, "faint"),
    "up to 10%": (0.1, "amount-1"),
    "up to 50%": (0.5, "amount-2"),
    "more": (1.0, "amount-3"),
}
"""Classes of a place by its share of rides with one candidate: largest share, and colour."""

_NAMES = 10  # identifiers that a fact lists


def feed_document(answer: FeedAnswer, name: str, *, pages: bool = True) -> Document:
    """The document of a feed.

    Parameters
    ----------
    name
        Of the feed.
    pages
        With the parts that only pages show.
    """
    found, verdict = feed_numbers(answer), answer.verdict.value
    contradicted = bool(found["contradiction"])
    rides = plural(found["summary"]["ends"]["followed"], "ride", "rides")
    return Document(
        title=f"Rides in {name}",
        word="Contradicted" if contradicted else WORDS[verdict],
        tone=answer.verdict.value,
        sentence=_contradicted(found) if contradicted else _sentence(found),
        meaning=(
            "A ride is between the end of one identifier and the beginning of another. For"
            f" {rides}, one identifier alone can continue the vehicle, so that it can be followed."
            " A follower who bets rules out nothing: she names the candidate that moves most like"
            " a vehicle."
        ),
        facts=tuple(_facts(found, name)),
        parts=tuple(_contradicted_parts(found) if contradicted else _parts(answer, found, pages)),
        next_steps=tuple(_next_steps(found, verdict)),
        limits=(
            "The adversary has the feed, the rules and any computer, and no other data.",
            "Candidates are counted: several of them may stand in one street.",
            "Beliefs are those of one model of movement, which looks at distance, time and charge:"
            " somebody with a better one, or who knows the rider, is right more often.",
        ),
    )


def _contradicted(found: Mapping[str, Any]) -> str:
    identifiers = plural(len(found["contradiction"]), "identifier", "identifiers")
    return (
        f"{identifiers} cannot all continue: the fleet is not closed, or a rule excludes what"
        " happened."
    )


def _sentence(found: Mapping[str, Any]) -> str:
    """How often a follower is right who bets, and how many rides have enough candidates."""
    summary = found["summary"]
    if summary["kept"]:
        kept = plural(summary["kept"], "identifier stays", "identifiers stay")
        return f"{kept} the same through a ride."
    if not summary["ends"]["rides"]:
        return "There is no ride: no identifier can continue another one."
    if found["follower"] is None:
        return f"In the time given, no follower who bets was tried. {_candidates(found)}"
    return _bets(found)


def _candidates(found: Mapping[str, Any]) -> str:
    """How many rides have enough candidates, seen from both sides."""
    ends, begins = (found["summary"][side] for side in _SIDES)
    fleet = "if no vehicle left the fleet" if found["closed"] else "whoever left the fleet"
    return (
        f"Seen from the start, {count(ends['safe'])} of"
        f" {plural(ends['rides'], 'ride', 'rides')}"
        f" have {found['k']} candidates {fleet}, and {count(ends['unsafe'])} have fewer; seen from"
        f" the end, {count(begins['safe'])} of {count(begins['rides'])}, and"
        f" {count(begins['unsafe'])}. Rule: {found['rule']}{_limit(found)}."
    )


def _limit(found: Mapping[str, Any]) -> str:
    """Up to which belief a candidate is allowed; empty: up to any."""
    bets = found["follower"]
    if bets is None or bets["limit"] >= 1:
        return ""
    return f", no candidate believed above {bets['limit']:g}"


def _bets(found: Mapping[str, Any]) -> str:
    """How often a follower is right who bets, beside one who rules out."""
    bets, ends = found["follower"], found["summary"]["ends"]
    alone = share(ends["followed"] / ends["rides"])
    right = share(_named_right(bets))
    if bets["model"]["learned"] == "nothing":
        return (
            f"A follower who bets on rides at a usual speed names the right ride for about {right}"
            f" (too few rides to learn from); ruling out alone follows {alone}."
        )
    low, high = (share(bets[key]) for key in ("low", "high"))
    how = "counted" if bets["right"] is not None else f"expected, {low} to {high}"
    sure = share(bets["certain"]["share"])
    true = bets["certain"]["right"]
    also = "" if true is None else f", right for {share(true)} of them"
    return (
        f"A follower who bets names the right ride for {right} ({how}; for {sure} with a belief of"
        f" 0.9 or more{also}); ruling out alone follows {alone}."
    )


def _named_right(bets: Mapping[str, Any]) -> float:
    """Share of rides that a follower names correctly: counted, where the truth is known."""
    found: float = bets["expected"] if bets["right"] is None else bets["right"]
    return found


def _facts(found: Mapping[str, Any], name: str) -> Iterator[Fact]:
    summary = found["summary"]
    snapshots = plural(summary["snapshots"], "snapshot", "snapshots")
    source = f"{snapshots}, " if summary["snapshots"] else ""
    yield Fact(
        "Data",
        f"{name}: {source}{count(summary['tracklets'])} identifiers, {count(summary['links'])}"
        " links",
    )
    if found["gaps"] is not None:
        yield Fact("Gaps", _gaps(found["gaps"]))
    yield Fact("Time zone", f"{found['tz']}: of all times and hours here, and of the table")
    for reason, number in found.get("skipped", {}).items():
        words = "skipped"
        if reason == "no position":
            words = "without a position: nowhere in particular, so that no speed excludes them"
        yield Fact(reason.capitalize(), f"{count(number)} {words}")
    yield Fact(
        "Fleet",
        "closed, but where the options say so"
        if found["closed"]
        else "two bounds: no vehicle leaves or joins unseen, and any may",
    )
    if found["left_out"]:
        yield Fact(
            "Left out",
            f"{count(len(found['left_out']))} identifiers cannot all continue or have come:"
            " vehicles did leave; no ride that this may concern is called safe",
        )
    if found["follower"] is not None:
        if found["summary"]["ends"]["rides"]:
            yield Fact("Candidates", _candidates(found))
        since = "from the first record of an identifier on"
        yield Fact("Followed", times_sentence(found["follower"]["followed"], since))
        yield Fact("Movement", _learned(found["follower"]))
    rules = (f"{rule['sentence']}{_excluded(rule)}" for rule in found["rules"])
    yield Fact("Rules", " ".join(rules))


def _gaps(gaps: Mapping[str, Any]) -> str:
    """Where snapshots are missing, and what that does to the answer."""
    longest, usual = (duration(int(gaps[key]), int(gaps[key]), 1) for key in ("longest", "usual"))
    return (
        f"snapshots are missing in {plural(gaps['number'], 'gap', 'gaps')}, {longest} at most"
        f" (usually one every {usual}), {share(gaps['share'])} of the time: rides in them look"
        " safer than they are to whoever has all snapshots"
    )


def _learned(bets: Mapping[str, Any]) -> str:
    """From what the follower has learned how vehicles move."""
    model = bets["model"]
    rides = plural(model["rides"], "ride", "rides")
    known = {
        "beliefs": f"learned without truth, from {rides}, as an adversary can",
        "truth": f"learned from {rides} whose vehicle is known",
        "nothing": f"not learned: {rides} are too few; rides at a usual speed are taken for likely",
    }
    said = known.get(model["learned"], f"learned from {rides} of {model['learned']}")
    if any(are_of_course(table["features"]) for table in model["tables"]):
        points = f"{100 * COURSE_OFF:.0f} percentage points"
        said += (
            f". With headings and speeds her expectation was up to {points} off in simulated"
            " traffic, which the interval holds: count with --truth to know"
        )
    if bets["assigned"] is not None:
        said += _assigned(bets["assigned"])
    if bets["sampling_error"]:
        said += f". Beliefs are of drawn histories; they are {bets['sampling_error']:.3f} off"
    return said


def _assigned(assigned: Mapping[str, Any]) -> str:
    """How often the likeliest history as a whole is right."""
    right, how = assigned["right"], "counted"
    if right is None:
        right, how = assigned["expected"], "expected"
    return f". The likeliest history as a whole is right for {share(right)} ({how})"


def _excluded(rule: Mapping[str, Any]) -> str:
    """How many true links a rule excludes; empty: it was not tested."""
    if not rule["true_links"]:
        return ""
    return f" (excludes {count(rule['excluded'])} of {count(rule['true_links'])} true links)"


def _next_steps(found: Mapping[str, Any], verdict: str) -> Iterator[str]:
    if found["contradiction"]:
        yield (
            "Say who may leave the fleet (--low-battery, --depots, --bulk), or leave out --closed;"
            " with --truth, the rules are tested."
        )
        return
    if found["unsound"]:
        yield (
            f"Rules that exclude true links prove nothing: {', '.join(found['unsound'])}. Loosen"
            " them (--battery-rise, --range-rise, --recharged-after, --max-speed, --max-gap), or"
            " leave their fields out (--fields)."
        )
    if verdict != "safe" and found["remedies"] is None:
        yield "--remedies finds the mildest changes to the feed that fulfil the rule."
    if verdict == "undecided" and not found["closed"]:
        yield "If no vehicle leaves unseen, say so: --closed, with --low-battery, --depots, --bulk."
    if verdict == "safe":
        yield "Try what else an adversary may know: --fields, a lower --max-speed, --max-gap."


def _contradicted_parts(found: Mapping[str, Any]) -> Iterator[Part]:
    names, more = found["contradiction"][:_NAMES], len(found["contradiction"]) - _NAMES
    shown = ", ".join(names) + (f" and {count(more)} more" if more > 0 else "")
    yield Text("Contradiction", (f"Shown by {shown}.",))
    yield from _found_in_data(found)
    yield _rules(found)


def _parts(answer: FeedAnswer, found: Mapping[str, Any], pages: bool) -> Iterator[Part]:
    followed = answer.followed
    if pages and len(followed.ends.which) + len(followed.begins.which):
        yield candidates_chart(answer)
    yield _counts(found)
    if found["follower"] is not None:
        yield from _beliefs(found["follower"])
    by_area, by_hour = (areas(followed), hours(followed, found["tz"])) if pages else ([], [])
    if by_area:
        yield _map(by_area)
    if by_hour:
        yield _hours(by_hour)
    if found["later"]:
        yield _later(found)
    yield _without(found)
    if found["remedies"] is not None:
        if pages:
            yield _remedies_chart(found["remedies"])
        yield _remedies(found["remedies"])
    yield from _found_in_data(found)
    yield _rules(found)


def candidates_chart(answer: FeedAnswer) -> Chart:
    """Share of rides that have at least so many candidates, if nobody or anybody may leave."""
    followed = answer.followed
    shares = curve(followed)
    at = [point["candidates"] for point in shares]
    fewest = Series(
        "if no vehicle leaves", "series-1", [point["lower"] for point in shares], at, "dashes"
    )
    most = Series(
        "if any vehicle may leave the fleet", "series-0", [point["upper"] for point in shares], at
    )
    needed = Series(f"k = {followed.k}", "faint", (0, 1), (followed.k, followed.k), size=1)
    return Chart(
        "How many candidates rides have",
        "candidates",
        "The line is exact for a fleet that no vehicle leaves unseen."
        if followed.closed
        else "Whatever an adversary knows of who left the fleet, the truth is between the lines.",
        (
            Panel(
                (fewest, needed) if followed.closed else (most, fewest, needed),
                Axis("candidates, at least", log=True),
                Axis("share of rides", low=0, high=1),
            ),
        ),
    )


def _counts(found: Mapping[str, Any]) -> Table:
    """Rides by verdict, seen from both sides."""
    keys = ("rides", "safe", "undecided", "unsafe", "followed", "one_place", "without_link")
    medians = ("median_lower", "median_upper")
    rows = []
    for side, words in _SIDES.items():
        counts = found["summary"][side]
        rows.append((words, *(counts[key] for key in (*keys, *medians))))
    names = ("rides", "safe", "undecided", "unsafe", "one candidate", "one place", "no ride")
    return Table(
        "Rides by verdict",
        f"Rides by verdict, k = {found['k']}",
        (
            Column("seen from"),
            *(Column(name, "count") for name in names),
            Column("median, closed", "count"),
            Column("median, open", "count"),
        ),
        rows,
    )


def _beliefs(bets: Mapping[str, Any]) -> Iterator[Part]:
    """What the follower has learned, and whether her beliefs are right."""
    rows = bets["calibration"]
    if rows:
        yield Chart(
            "Whether beliefs are right",
            "calibration",
            "Links by the follower's belief, and the share of them that is true. On the dashed"
            " line, beliefs are right.",
            (
                Panel(
                    (
                        Series("as believed", "faint", (0, 1), (0, 1), "dashes"),
                        Series("links", "series-0", [row["true"] for row in rows],
                               [row["belief"] for row in rows]),
                    ),
                    Axis("belief", low=0, high=1),
                    Axis("share that is true", low=0, high=1),
                ),
            ),
        )  # fmt: skip
    for table in bets["model"]["tables"]:
        yield _movement(table)


def _movement(table: Mapping[str, Any]) -> Chart:
    """Median and range of the last feature of a table, by the first one."""
    edges = [np.asarray(edge) for edge in table["edges"]]
    counts = np.asarray(table["true"])
    first, last = table["features"][0], table["features"][-1]
    upto = np.cumsum(counts, axis=1) / np.maximum(counts.sum(axis=1, keepdims=True), 1e-9)
    rows = np.flatnonzero(counts.sum(axis=1) >= 1)
    middle = [(edge[:-1] + edge[1:]) / 2 for edge in edges]
    at = np.append(middle[0], edges[0][-1])[rows] / _IN[first][1]
    ends = np.append(middle[1], edges[1][-1]) / _IN[last][1]

    def below(part: float) -> list[float]:
        return [float(ends[np.argmax(upto[row] >= part)]) for row in rows]

    look = (("one in ten less", "faint", 0.1), ("median", "series-0", 0.5),
            ("one in ten more", "faint", 0.9))  # fmt: skip
    return Chart(
        f"What the follower has learned: {_IN[last][0]}",
        f"learned {last}",
        f"{_IN[last][0].capitalize()} of rides by {_IN[first][0]}, as the follower takes them to"
        " be.",
        (
            Panel(
                tuple(
                    Series(words, colour, below(part), at.tolist()) for words, colour, part in look
                ),
                Axis(_IN[first][2]),
                Axis(_IN[last][2]),
            ),
        ),
        pages_only=True,
    )


_IN = {
    "distance": ("distance", 1000, "kilometres, straight"),
    "time": ("time", 60, "minutes between identifiers"),
    "battery": ("battery spent", 0.01, "battery spent, percentage points"),
    "range": ("range spent", 1000, "range spent, kilometres"),
    "seconds": ("time", 1, "seconds between identifiers"),
    "unreckoned": ("distance", 1000, "kilometres, straight"),
    "along": ("way ahead of dead reckoning", 1, "metres ahead of dead reckoning"),
    "across": ("way aside of dead reckoning", 1, "metres aside of dead reckoning"),
    "turn": ("change of heading", 1, "degrees"),
    "gain": ("change of speed", 1, "metres per second"),
}
"""Features of rides: name, unit in those of the table, and axis."""


def _map(cells: list[dict[str, float]]) -> Chart:
    """Where rides begin, by the share of them with one candidate."""
    lat, lon = (np.array([cell[key] for cell in cells]) for key in ("lat", "lon"))
    rides, followed = (np.array([cell[key] for cell in cells]) for key in ("rides", "followed"))
    middle = (float(lat.mean()), float(lon.mean()))
    east, north = (metres / 1000 for metres in plane(middle, lat, lon))
    size, part = np.sqrt(8 + 160 * rides / rides.max()), followed / rides
    above, series = -1.0, []
    for label, (most, colour) in _FOLLOWED.items():
        chosen = (part > above) & (part <= most)
        above = most
        if chosen.any():
            y, x, sizes = (values[chosen].round(3).tolist() for values in (north, east, size))
            look: Literal["dots", "hollow"] = "dots" if most else "hollow"
            series.append(Series(label, colour, y, x, look, size=sizes))
    return Chart(
        "Where",
        "areas",
        f"The {plural(len(cells), 'cell', 'cells')} of 500 m where most rides begin, around"
        f" {middle[0]:.5f}, {middle[1]:.5f}; larger circles have more rides, darker ones more that"
        " can be followed.",
        (
            Panel(
                series,
                Axis("kilometres east"),
                Axis("kilometres north"),
                height=5.2,
                equal=True,
                legend="rides with one candidate",
            ),
        ),
    )


def _hours(by_hour: list[dict[str, float]]) -> Table:
    return Table(
        "When",
        "Rides by the hour at which they begin",
        (
            Column("hour"),
            Column("rides", "count"),
            Column("one candidate", "share"),
            Column("candidates, median", "count"),
        ),
        [
            (
                f"{int(row['hour']):02}:00",
                row["rides"],
                row["followed"] / row["rides"],
                row["candidates"],
            )
            for row in by_hour
        ],
        pages_only=True,
    )


def _later(found: Mapping[str, Any]) -> Table:
    return Table(
        "Later",
        "Candidates at later times",
        (
            Column("time"),
            Column("identifiers before", "count"),
            Column(f"with {found['k']} candidates", "count"),
            Column("with fewer", "count"),
            Column("median, at least", "count"),
            Column("median, at most", "count"),
        ),
        [
            tuple(
                row[key]
                for key in ("time", "identifiers", "safe", "unsafe", "median_lower", "median_upper")
            )
            for row in found["later"]
        ],
        text=(
            "Identifiers that a vehicle may have at a later time, over all rides until then, if no"
            " vehicle leaves the fleet.",
        ),
    )


def _without(found: Mapping[str, Any]) -> Table:
    """How many candidates rides would have without some fields."""
    fleet = "no vehicle leaves the fleet" if found["closed"] else "any may leave"
    return Table(
        "By what",
        f"What fields give away, if {fleet}",
        (
            Column("without"),
            Column("candidates, median", "count"),
            Column("rides with one", "share"),
        ),
        [(row["rule"], row["median"], row["followed"]) for row in found["without"]],
    )


def _best_first(remedies: Mapping[str, Any]) -> list[dict[str, Any]]:
    return sorted(
        remedies["tried"], key=lambda tried: (-tried["safe"], tried["right"], tried["steps"])
    )


def _remedies(remedies: Mapping[str, Any]) -> Table:
    keys = ("change", "steps", "safe", "right")
    rows = [tuple(tried[key] for key in keys) for tried in _best_first(remedies)]
    return Table(
        "Changes to the feed",
        "Changes to the feed, the best first",
        (
            Column("change", wide=True),
            Column("steps", "count"),
            Column("rides with k candidates", "share"),
            Column("a follower is right for", "share"),
        ),
        rows,
        text=(
            remedies["sentence"],
            "To publish everything later is no change: whoever has the feed has the same links.",
        ),
    )


def _remedies_chart(remedies: Mapping[str, Any]) -> Chart:
    """Share of rides with k candidates, by how much is changed about the feed."""
    tried = remedies["tried"]
    steps = sorted({change["steps"] for change in tried})
    best = [max(one["safe"] for one in tried if one["steps"] <= most) for most in steps]
    return Chart(
        "What to drop",
        "remedies",
        "Each combination that was tried, and the best of as many steps or fewer.",
        (
            Panel(
                (
                    Series("tried", "faint", [one["safe"] for one in tried],
                           [one["steps"] for one in tried], "dots", size=4),
                    Series("the best", "safe", best, steps, "steps"),
                    Series("required", "unsafe-1", [remedies["share"]] * 2, (0, steps[-1] or 1)),
                ),
                Axis("steps by which fields are coarser"),
                Axis("share of rides with k candidates", low=0, high=1),
            ),
        ),
    )  # fmt: skip


def _found_in_data(found: Mapping[str, Any]) -> Iterator[Text]:
    """What catches the eye in the data, and what to do about it."""
    lines = tuple(f"{one['sentence']} {one['advice']}".strip() for one in found["findings"])
    if lines:
        yield Text("Found in the data", lines)


def _rules(found: Mapping[str, Any]) -> Table:
    """The rules, and how many true links each excludes."""
    tested = "The data do not say which vehicle is which, so the rules were not tested."
    if any(rule["true_links"] for rule in found["rules"]):
        tested = "Tested against the true vehicles: no rule excludes a true link."
    if found["unsound"]:
        tested = (
            f"Tested against the true vehicles: {' and '.join(found['unsound'])} exclude true"
            " links. So nothing is proven of any ride."
        )
    return Table(
        "Rules of the links",
        "Rules, and the share of true links that each excludes, with its 95% interval",
        (
            Column("rule"),
            Column("says", wide=True),
            Column("true links", "count"),
            Column("excluded", "share"),
            Column("at least", "share"),
            Column("at most", "share"),
        ),
        [
            (
                rule["name"],
                rule["sentence"],
                rule["true_links"],
                *(rule[key] if rule["true_links"] else None for key in ("rate", "low", "high")),
            )
            for rule in found["rules"]
        ],
        text=("An identifier can continue another one only if no rule excludes it.", tested),
        pages_only=True,
    )


def link_document(answer: LinkAnswer) -> Document:
    """The document of a problem of tracklets and links."""
    problem, bounds, verdict = answer.problem, answer.bounds, answer.verdict.value
    contradicted = bounds.contradiction is not None
    return Document(
        title=problem.name,
        word="Contradicted" if contradicted else WORDS[verdict],
        tone=answer.verdict.value,
        sentence=(
            f"{plural(len(problem), 'tracklet', 'tracklets')} with"
            f" {plural(problem.n_links, 'link', 'links')}: {count(int(bounds.proven.sum()))} are"
            f" in some history, {count(int(bounds.possible.sum()))} may be."
        ),
        meaning=(
            f"Each tracklet that can continue or come from another needs {answer.k} candidates, on"
            " each side. A link is possible if some history of the whole fleet has it."
        ),
    )
