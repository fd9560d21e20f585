"""What a replayed certificate says: which of its verdicts are shown, and which only claimed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mixsafe.check.link_check import LinksChecked
from mixsafe.documents.document import Column, CriterionEvidence, Document, Fact, Table
from mixsafe.model.answer.certificate import PLACES
from mixsafe.model.answer.wording import count, plural
from mixsafe.model.question.adversary import READINGS

Answer = Mapping[str, Any]

USERS = 5000
"""Number of users listed, at most."""

_PROOFS = {
    "reachability": "followed token by token, none of the others can come there and home again",
    "closures": "n tokens can be on n rows only, so that no other token is on them",
    "clauses": "a refutation of clauses that the checker wrote itself, replayed lemma by lemma",
}


def checked_document(answer: Answer) -> Document:
    """The document of a checked certificate.

    Parameters
    ----------
    answer
        What the certificate states, and what was replayed, as JSON has it.
    """
    claimed = answer["unsafe_claimed"]
    return Document(
        title=f"A certificate of {answer['name']}",
        word="Checked in part" if claimed else "Checked",
        tone="undecided" if claimed else "safe",
        sentence=_sentence(answer),
        meaning=(
            "The checker uses no engine and no solver. It replays witnesses exchange by exchange"
            " and proofs step by step. A valid certificate shows that its verdicts follow from its"
            " problem; the verdicts may be unsafe."
        ),
        facts=(*_about(answer), *_replayed(answer), *_least(answer)),
        parts=tuple(_parts(answer)),
        evidence=(evidence(answer),),
    )


def _sentence(answer: Answer) -> str:
    """How many verdicts were replayed, and what follows for users."""
    shown = answer["safe_replayed"] + answer["unsafe_proven_again"]
    claimed, users = answer["unsafe_claimed"], answer["users_by_verdict"]
    rest = f"; {count(claimed)} are only claimed" if claimed else ""
    passing, failed, undecided = (users.get(word, 0) for word in ("safe", "unsafe", "undecided"))
    by_rule = (
        f"{plural(passing, 'user passes', 'users pass')}, {plural(failed, 'fails', 'fail')},"
        f" {plural(undecided, 'is', 'are')} undecided"
    )
    alone = len(answer["users_claimed"])
    failing = plural(alone, "undecided user fails", "undecided users fail")
    failing = f" {failing} by claims without proof." if alone else ""
    return (
        f"{plural(shown, 'verdict was', 'verdicts were')} replayed{rest}. By the rule"
        f" '{answer['rule']}', {by_rule}.{failing}"
    )


def _about(answer: Answer) -> Iterator[Fact]:
    """Which question, and whose."""
    users, without = plural(answer["users"], "user", "users"), answer["users_without_data"]
    who = f"{users}, {count(without)} of them without data" if without else users
    if answer["known"] is not None:
        known = plural(answer["known"], "known user", "known users")
        who = f"{known}, {plural(answer['users'], 'track', 'tracks')}"
    asked = f"k = {answer['k']}"
    if answer["k"] is None:
        asked = plural(answer["requirements"], "requirement", "requirements")
    yield Fact(
        "Certificate", f"{answer['name']}, {who}, {plural(answer['steps'], 'step', 'steps')}"
    )
    yield Fact("Adversary", answer["adversary"])
    yield Fact("Sightings", f"{answer['knowledge']}: {READINGS[answer['knowledge']]}")
    yield Fact("Asked", f"{asked}, rule {answer['rule']}")
    yield Fact("Decided by", f"engine {answer['engine']}, mixsafe {answer['version']}")
    yield Fact("Problem", answer["problem_of"])
    yield Fact("SHA-256 of the problem", answer["problem_sha256"])
    yield Fact("SHA-256 of the certificate", answer["certificate_sha256"])


def _replayed(answer: Answer) -> Iterator[Fact]:
    """Numbers of verdicts."""
    yield Fact("Safe", f"{count(answer['safe_replayed'])}, every witness replayed")
    by_proof = ", ".join(
        f"{count(number)} by {proof}"
        for proof, number in answer["unsafe_proven_by"].items()
        if number
    )
    again = f"{count(answer['unsafe_proven_again'])}, proven again"
    yield Fact("Unsafe", f"{again}: {by_proof}" if by_proof else again)
    yield Fact("Claimed", f"{count(answer['unsafe_claimed'])} unsafe verdicts, not replayed")
    yield Fact("Undecided", answer["undecided"], "count")


def _least(answer: Answer) -> Iterator[Fact]:
    """The proven minimum set of zones or places, or the proven bound of its cost."""
    if "bound_proven" not in answer:
        return
    at_places = answer["weight"] == PLACES
    what = "places" if at_places else "zones"
    cost = f"{what} that cost {count(answer['cost'])}"
    cost += "" if at_places else f" by {answer['weight']}"
    if answer["minimum_proven"]:
        yield Fact("Minimum", f"proven: {cost}, and nothing cheaper is enough")
    else:
        least = count(answer["bound_proven"])
        yield Fact(
            "Bound", f"{least} proven: no {what} that cost less are enough; {cost} are named"
        )
    if answer["unmet_proven"]:
        unmet = plural(answer["unmet_proven"], "requirement is", "requirements are")
        yield Fact("Unmet", f"{unmet} met by no zones, proven")


def _parts(answer: Answer) -> Iterator[Table]:
    users = answer["users_claimed"]
    if users:
        left = len(users) - USERS
        more = f", {count(left)} not listed" if left > 0 else ""
        yield Table(
            "Users who fail only by claims",
            f"{plural(len(users), 'user', 'users')}{more}",
            (Column("user", "name"),),
            [(user,) for user in users[:USERS]],
            text=(
                "These users fail only by unsafe verdicts without a proof that the checker can"
                " replay. They count as undecided.",
            ),
        )
    yield Table(
        "How unsafe verdicts are shown",
        "Unsafe verdicts by kind of proof",
        (Column("by"), Column("which is", wide=True), Column("verdicts", "count")),
        [
            (proof, _PROOFS.get(proof, ""), number)
            for proof, number in answer["unsafe_proven_by"].items()
        ],
        pages_only=True,
    )


def evidence(answer: Answer) -> CriterionEvidence:
    """What an officer is told of the validity of the verdicts."""
    safe = plural(answer["safe_replayed"], "'safe' verdict was", "'safe' verdicts were")
    again = answer["unsafe_proven_again"]
    unsafe = plural(again, "'unsafe' verdict was", "'unsafe' verdicts were")
    claimed, undecided = answer["unsafe_claimed"], answer["undecided"]
    return CriterionEvidence(
        "validity",
        (
            "A separate program checked the certificate without trusting the solver:"
            f" {safe} replayed, and {unsafe} proven again. {plural(claimed, 'is', 'are')} claimed"
            f" without a proof, and {plural(undecided, 'is', 'are')} undecided.",
        ),
        title="SHA-256 of the certificate",
        names=(answer["certificate_sha256"],),
    )


def links_checked_document(name: str, tracklets: int, links: int, found: LinksChecked) -> Document:
    """The document of a checked certificate of links.

    Parameters
    ----------
    name, tracklets, links
        Of the problem, and their numbers.
    """
    claimed = found.possible_claimed + found.excluded_claimed + found.undecided
    facts = [
        Fact(
            "Certificate",
            f"{name}, {plural(tracklets, 'tracklet', 'tracklets')},"
            f" {plural(links, 'link', 'links')}",
        )
    ]
    if found.contradiction is not False:
        how = "claimed, not shown" if found.contradiction is None else "shown"
        claimed += found.contradiction is None
        sentence = f"No history covers what must be covered: {how}."
    else:
        sentence = (
            f"{count(found.possible)} links, ends and beginnings, are shown to be in a history, and"
            f" {count(found.excluded)} to be in none."
        )
        facts += [
            Fact(
                "Possible", f"{count(found.possible)} links, ends and beginnings, shown by cycles"
            ),
            Fact("", f"{count(found.possible_claimed)}, claimed, not shown"),
            Fact("Excluded", f"{count(found.excluded)}, shown to be on no cycle"),
            Fact("", f"{count(found.excluded_claimed)}, claimed, not shown"),
            Fact("Undecided", found.undecided, "count"),
        ]
    return Document(
        title=f"A certificate of {name}",
        word="Checked in part" if claimed else "Checked",
        tone="undecided" if claimed else "safe",
        sentence=sentence,
        meaning="The checker uses no engine and no solver: it replays cycles and closed sets.",
        facts=tuple(facts),
    )
