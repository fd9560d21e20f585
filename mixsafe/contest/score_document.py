"""What a score says: what an attack found, or how useful a release still is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mixsafe.documents.document import CriterionEvidence, Document, Fact, Stands
from mixsafe.model.answer.wording import count, share

Row = Mapping[str, Any]

_TITLES = {
    "utility": "Usefulness of a release",
    "reid": "Attack on pseudonyms",
    "trace": "Attack on whereabouts",
}
_MEANINGS = {
    "utility": (
        "s_U compares the published places with the original ones: 1 where they are the same, 0"
        " where nothing useful is left."
    ),
    "reid": (
        "An attack guessed whose each pseudonym is. s_R is the share of pseudonyms whose owner it"
        " did not find: 1 is best for the people in the data."
    ),
    "trace": (
        "An attack guessed where everybody was. s_T is the share of the score for right places that"
        " it did not get: 1 is best for the people in the data. Near guesses count in part, and"
        " hospitals count ten times."
    ),
}
_RANDOM = {
    "utility": "A random release has",
    "reid": "A random guess leaves",
    "trace": "A random guess leaves",
}


def score_document(score: Row, *, answers: int = 1, required: float | None = None) -> Document:
    """The document of a score.

    Parameters
    ----------
    score
        As :meth:`mixsafe.contest.base.score.Score.to_dict` has it.
    answers
        Attacks, of which it is the strongest.
    required
        Utility that a valid release reaches; None: the score is of attacks.
    """
    kind, (low, high) = score["score"], score["interval"]
    return Document(
        title=_TITLES[kind],
        word="Scored" if required is None else "Useful" if score["valid"] else "Not useful",
        tone="plain",
        sentence=_sentence(score, answers, required),
        meaning=_MEANINGS[kind],
        facts=(
            Fact("95% interval", f"{low:.3f} to {high:.3f}"),
            Fact("Attempts", int(score["attempts"]), "count"),
            Fact(_RANDOM[kind], score["baseline"], "score"),
        ),
        limits=("Attacks that were not run may be stronger.",) if required is None else (),
        evidence=tuple(_evidence(score)),
    )


def _sentence(score: Row, answers: int, required: float | None) -> str:
    value = f"{score['value']:.3f}"
    if required is not None:
        return f"Utility s_U is {value}; a valid release has {required:g} or more."
    found, guess = share(1 - score["value"]), share(1 - score["baseline"])
    attack = "the attack" if answers == 1 else f"the strongest of {count(answers)} attacks"
    if score["score"] == "reid":
        return (
            f"Re-identification privacy s_R is {value}: {attack} names the owner of {found} of the"
            f" pseudonyms (guessing: {guess})."
        )
    return (
        f"Trace inference privacy s_T is {value}: {attack} gets {found} of the score for right"
        f" places (guessing: {guess})."
    )


def _evidence(score: Row) -> Iterator[CriterionEvidence]:
    """What an officer is told."""
    part = share(score["value"])
    if score["score"] == "utility":
        enough = "enough" if score["valid"] else "too little"
        sentence = (
            f"Usefulness of the published places: {part} of the score of unchanged ones, which is"
            f" {enough} by the requirement that was set."
        )
        yield CriterionEvidence("measures", (sentence,))
        return
    found, guess = share(1 - score["value"]), share(1 - score["baseline"])
    least, most = (share(1 - end) for end in reversed(score["interval"]))
    spread = (
        f"({least} to {most} with 95% confidence, from {count(int(score['attempts']))} attempts)"
    )
    if score["score"] == "reid":
        sentence = (
            f"A program guessed whose the pseudonyms are. {found} of its guesses are right"
            f" {spread}; of random guesses, {guess} are right."
        )
        yield CriterionEvidence("testing", (sentence,), _stands(score))
        return
    sentence = (
        "A program guessed from the release and from earlier days where people were. It got"
        f" {found} of the score for right places {spread}; a random guess gets {guess}. Near"
        " guesses count in part, and hospitals count ten times."
    )
    for criterion in ("inference", "testing"):
        yield CriterionEvidence(criterion, (sentence,), _stands(score))


def _stands(score: Row) -> Stands:
    """Against if an attack finds more than a random guess beyond its interval."""
    if score["value"] >= score["baseline"]:
        return "supports"
    return "speaks against" if score["interval"][1] < score["baseline"] else "open"
