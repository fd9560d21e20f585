"""Page of a replayed certificate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mixsafe.model.question.adversary import READINGS
from mixsafe.report.base.page import capital, count, heading, numbers, plural, table
from mixsafe.report.base.sections import section, sections_page

USERS = 5000
"""Number of users listed, at most."""

_PROOFS = {
    "reachability": "followed token by token, none of the others can come there and home again",
    "closures": "n tokens can be on n rows only, so that no other token is on them",
    "clauses": "a refutation of clauses that the checker wrote itself, replayed lemma by lemma",
}


def certificate_page(checked: Mapping[str, Any]) -> str:
    """The page for what ``check --json`` wrote."""
    claimed = checked["unsafe_claimed"]
    return sections_page(
        f"A certificate of {checked['name']}",
        [
            section("What was replayed", facts=_replayed(checked)),
            section("What it is about", facts=_about(checked)),
            section("How unsafe verdicts are shown", table=_proofs(checked["unsafe_proven_by"])),
            *_claimed(checked["users_claimed"]),
        ],
        word="Checked in part" if claimed else "Checked",
        sentence=_sentence(checked),
        meaning=(
            "The checker uses no engine and no solver. It replays witnesses exchange by exchange"
            " and proofs step by step. A valid certificate shows that its verdicts follow from its"
            " problem; the verdicts may be unsafe."
        ),
        tone="undecided" if claimed else "safe",
    )


def certificates_page(checked: Sequence[Mapping[str, Any]]) -> str:
    """The page for several problems in one certificate."""
    rows = [
        [
            one["name"], one["verdict"] or "-", one["safe_replayed"], one["unsafe_proven_again"],
            one["unsafe_claimed"], one["undecided"], len(one["users_claimed"]),
        ]
        for one in checked
    ]  # fmt: skip
    titles = (
        "safe, replayed", "unsafe, proven again", "claimed, not replayed", "undecided",
        "users who fail by claims alone",
    )  # fmt: skip
    claimed = sum(one["unsafe_claimed"] for one in checked)
    return sections_page(
        "Certificates",
        [
            section(
                "Problems",
                table=table(
                    f"{plural(len(checked), 'problem', 'problems')}, in their order",
                    ["problem", heading("verdict", filter="Verdict"), *numbers(*titles)],
                    rows,
                ),
            )
        ],
        word="Checked in part" if claimed else "Checked",
        sentence=(
            f"All verdicts of {plural(len(checked), 'problem', 'problems')} were replayed"
            + (f" but {count(claimed)}, which are only claimed." if claimed else ".")
        ),
        meaning="No engine and no solver took part in checking.",
        tone="undecided" if claimed else "safe",
    )


def _sentence(checked: Mapping[str, Any]) -> str:
    """The checker's result in one sentence."""
    people, shown = checked["users_by_verdict"], checked["safe_replayed"]
    shown += checked["unsafe_proven_again"]
    claimed = checked["unsafe_claimed"]
    rest = f"; {count(claimed)} are only claimed" if claimed else ""
    by_rule = ", ".join(f"{count(people[one])} {one}" for one in ("safe", "unsafe", "undecided"))
    users = len(checked["users_claimed"])
    alone = f" {count(users)} of the undecided users fail by claims without proof." if users else ""
    return (
        f"{capital(plural(shown, 'verdict was', 'verdicts were'))} replayed{rest}."
        f" By the rule '{checked['rule']}', users are: {by_rule}.{alone}"
    )


def _claimed(users: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Section on users who fail only by claims without a proof."""
    if not users:
        return
    left = len(users) - USERS
    yield section(
        "Users who fail only by claims",
        "These users fail only by unsafe verdicts without a proof that the checker can replay. They"
        " count as undecided.",
        table=table(
            plural(len(users), "user", "users")
            + (f", {count(left)} not listed" if left > 0 else ""),
            ["user"],
            [[user] for user in users[:USERS]],
        ),
    )


def _replayed(checked: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Counts of verdicts."""
    return [
        ("Safe, every witness replayed", count(checked["safe_replayed"])),
        ("Unsafe, proven again", count(checked["unsafe_proven_again"])),
        ("Claimed, not replayed", count(checked["unsafe_claimed"])),
        ("Undecided, of which nothing is claimed", count(checked["undecided"])),
        *_least(checked),
    ]


def _least(checked: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Proven facts about a minimum set of zones, if the certificate is of one."""
    if "bound_proven" not in checked:
        return []
    ending = " (a minimum)" if checked["minimum_proven"] else ""
    return [
        (f"Cost of the zones, by {checked['weight']}", count(checked["cost"])),
        ("Proven: any zones that are enough cost at least", f"{checked['bound_proven']}{ending}"),
        ("Proven: requirements that no zones meet", count(checked["unmet_proven"])),
    ]


def _about(checked: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Which question, and whose."""
    asked, known = checked["k"], checked["known"]
    who, without = plural(checked["users"], "user", "users"), checked["users_without_data"]
    if without:
        who += f" ({count(without)} without data)"
    if known is not None:
        who = f"{plural(known, 'known user', 'known users')}, {checked['users']} tracks"
    return [
        ("Data", f"{checked['name']}: {who}, {plural(checked['steps'], 'step', 'steps')}"),
        ("The adversary", checked["adversary"]),
        ("Sightings", f"{capital(READINGS[checked['knowledge']])}."),
        (
            "Asked",
            f"{count(checked['requirements'])} requirements" if asked is None else f"k = {asked}",
        ),
        ("Rule", checked["rule"]),
        ("Decided by", f"engine {checked['engine']}, mixsafe {checked['version']}"),
        ("The problem is", checked["problem_of"]),
        ("SHA-256 of the problem", checked["problem_sha256"]),
        ("SHA-256 of the certificate", checked["certificate_sha256"]),
    ]


def _proofs(shown: Mapping[str, int]) -> dict[str, Any]:
    """Table of what shows unsafe verdicts."""
    return table(
        "Unsafe verdicts by kind of proof",
        ["by", heading("which is", wide=True), *numbers("verdicts")],
        [[name, _PROOFS.get(name, ""), number] for name, number in shown.items()],
    )
