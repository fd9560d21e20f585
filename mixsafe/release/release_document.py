"""What a release says: how it was made, whom it protects, and what must be kept apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mixsafe.documents.document import (
    WORDS,
    Column,
    CriterionEvidence,
    Document,
    Fact,
    Stands,
    Table,
    Text,
    Tone,
)
from mixsafe.extract.adversaries import ADVERSARIES
from mixsafe.model.answer.next_steps import WEAK_PASS
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import count, listed, plural, share
from mixsafe.model.question.requirement import Rule

Answer = Mapping[str, Any]

EXPOSED = 500
"""Number of exposed people listed, at most."""

_STANDS: Mapping[str, Stands] = {
    "safe": "supports",
    "weak pass": "supports in part",
    "undecided": "open",
    "unsafe": "speaks against",
}
_SHUFFLED = (
    "Each person has one pseudonym, drawn at random, which never changes. One sighting of a person"
    " can give the whole track away."
)
_LIMITS = (
    "The verdict holds for an adversary with these sightings, who also knows the whole release and"
    " how pseudonyms are exchanged, but not which exchanges were made.",
    "Candidates are counted, not weighed: each possible one counts, however likely it is.",
)


def release_document(answer: Answer, name: str, handed_on: str) -> Document:
    """The document of a release.

    Parameters
    ----------
    answer
        How the release was made and what was verified, as JSON has it.
    name
        Of the data.
    handed_on
        What may be published and what may not, as :func:`handing_on` says it.
    """
    verified = "cells" in answer
    verdict = answer["verdict"] if verified else None
    tone: Tone = "plain" if verdict is None else Verdict(verdict).value
    parts: list[Table | Text] = [Text("What to hand on", (handed_on,), pages_only=True)]
    if verified and answer["not_private"]:
        parts.append(_exposed(answer))
    return Document(
        title=f"A release of {name}",
        word="Made" if verdict is None else WORDS[verdict],
        tone=tone,
        sentence=_sentence(answer),
        meaning=(
            "The release shows places and times under pseudonyms."
            + " It was verified after the pseudonyms were exchanged; who is undecided counts as"
            " failing." * verified
        ),
        facts=tuple(_facts(answer) if verified else ()),
        parts=tuple(parts),
        next_steps=_next_steps(answer),
        limits=_LIMITS if verified else ("Nothing was verified: a shuffle exchanges nothing.",),
        evidence=tuple(evidence(answer)),
    )


def handing_on(public: Iterable[Path], secret: Iterable[Path]) -> str:
    """The last line about a release: what may be handed on, and what may not."""
    published, kept = (", ".join(map(str, paths)) for paths in (public, secret))
    return f"Publish {published} only. Keep secret: {kept}."


def _sentence(answer: Answer) -> str:
    """How many people fail, and how much of the release is protected."""
    people = plural(answer["users"], "person", "people")
    if "cells" not in answer:
        return f"{people} at {plural(answer['times'], 'time', 'times')}. {_SHUFFLED}"
    cells, failing = answer["cells"], len(answer["users_failing"])
    shown = plural(cells["shown"], "published cell", "published cells")
    who = f"{count(failing)} of {people} {'fails' if failing == 1 else 'fail'}"
    if not failing:
        who = f"All {people} pass"
    return (
        f"{who}; {count(cells['private'])} of {shown} can"
        f" be of {count(answer['k'])} people or more."
    )


def _facts(answer: Answer) -> Iterator[Fact]:
    cells = answer["cells"]
    yield Fact("Mix zones", _zones(answer))
    yield Fact("Rule", _rule(answer))
    yield Fact("Adversary", _seen(answer) or f"sightings from {answer['adversary']}")
    yield Fact("Undecided", plural(cells["undecided"], "cell", "cells"))
    yield Fact("Suppressed", plural(answer["suppressed"], "cell", "cells"))


def _zones(answer: Answer) -> str:
    """In how many zones pseudonyms are exchanged, and whether fewer would do."""
    text = f"{count(answer['zones'])}, pseudonyms exchanged at random in each"
    fewest = answer.get("minimum_zones")
    if fewest is None:
        return text
    proven = "fewer will not do"
    if fewest["status"] != "optimal":
        proven = f"fewer than {fewest['bound']} will not do"
    asked = f"{fewest['requirements']} stretches of time of users"
    return f"{text}, of {fewest['zones_there_are']}; for {asked}, {proven}"


def _seen(answer: Answer) -> str:
    """What the adversary saw, in words; empty: a list of the controller says it."""
    name = answer["adversary"]
    return f"{ADVERSARIES[name].sentence}." if name in ADVERSARIES else ""


def _next_steps(answer: Answer) -> tuple[str, ...]:
    if answer.get("users_failing"):
        return ("--enforce suppresses cells until nobody fails.",)
    return (WEAK_PASS,) if answer.get("verdict") == "weak pass" else ()


def _exposed(answer: Answer) -> Table:
    """Who is shown without being protected, the most exposed first."""
    failing, exposed = set(answer["users_failing"]), answer["not_private"]
    ordered = sorted(
        exposed, key=lambda person: (person["user"] not in failing, -len(person["times"]))
    )
    rows = [
        (
            str(person["user"]),
            "fails" if person["user"] in failing else "passes",
            len(person["times"]),
        )
        for person in ordered[:EXPOSED]
    ]
    return Table(
        "People who are exposed",
        f"{listed(len(rows), len(exposed), 'person', 'people')} with published cells"
        " that are not protected",
        (
            Column("person", "name"),
            Column("by the rule", filter="Rule"),
            Column("cells not protected", "count"),
        ),
        rows,
        pages_only=True,
    )


def evidence(answer: Answer) -> Iterator[CriterionEvidence]:
    """What an officer is told: the data, whom the release protects, how, and what is secret."""
    people = plural(answer["users"], "person", "people")
    yield CriterionEvidence(
        "data",
        (
            f"The release was made from these data: {people} at"
            f" {plural(answer['times'], 'time', 'times')} each, with one pseudonym for each person"
            " at each time.",
        ),
    )
    if "cells" in answer:
        yield _singling_out(answer, people)
        yield CriterionEvidence("measures", (_measures(answer),))
    else:
        yield CriterionEvidence("measures", (_SHUFFLED,))
    yield CriterionEvidence("secrets", (_secrets(seeded=answer["seeded"]),))


def _singling_out(answer: Answer, people: str) -> CriterionEvidence:
    cells, failing = answer["cells"], len(answer["users_failing"])
    shown, private = cells["shown"], cells["private"]
    seen = _seen(answer)
    return CriterionEvidence(
        "singling_out",
        (
            f"Of {people} in the release, {count(failing)} {'is' if failing == 1 else 'are'} not"
            f" shown to be protected. The rule: {_rule(answer)}. Of"
            f" {plural(shown, 'published entry', 'published entries')}, {count(private)}"
            f" ({share(private / max(shown, 1))}) can be of at least {count(answer['k'])} people;"
            f" for {count(cells['undecided'])} it is undecided, which counts as failing."
            f"{seen and ' '}{seen}",
        ),
        _STANDS[answer["verdict"]],
    )


def _rule(answer: Answer) -> str:
    return Rule.parse(answer["rule"]).words.replace("user", "person")


def _measures(answer: Answer) -> str:
    cells, failing = answer["cells"], len(answer["users_failing"])
    suppressed, shown = answer["suppressed"], cells["shown"]
    fail = "Nobody fails by the rule in this release."
    if failing:
        fail = f"{plural(failing, 'person still fails', 'people still fail')} by the rule."
    zones = plural(answer["zones"], "mix zone", "mix zones")
    return (
        f"Pseudonyms were exchanged at random in {zones}."
        f" {plural(suppressed, 'entry was', 'entries were')} suppressed;"
        f" {plural(shown, 'entry is', 'entries are')} published. For {count(cells['private'])} of"
        f" these, at least {count(answer['k'])} people are possible. {fail}"
    )


def _secrets(*, seeded: bool) -> str:
    drawn = (
        "The pseudonyms were drawn without a seed, from the operating system's source of random"
        " numbers."
    )
    if seeded:
        drawn = (
            "The pseudonyms were drawn with a seed: whoever learns the seed can undo the release,"
            " too. A release for publication must be made without a seed."
        )
    return (
        "Making the release wrote a secret table that says who had which pseudonym. This is the"
        " additional information that must be kept apart. Whoever has it can undo the release."
        f" {drawn}"
    )
