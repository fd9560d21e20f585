"""Results of each kind, as files have them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mixsafe.check.checked_document import checked_document
from mixsafe.contest.run_document import run_document
from mixsafe.contest.tournament.tournament_document import tournament_document
from mixsafe.documents.document import Document
from mixsafe.release.assumption_document import assumption_document

VERIFIED: dict[str, Any] = {
    "schema": "verify 1",
    "name": "<i>p</i>",
    "verdict": "unsafe",
    "document": Document(
        "Location privacy of <i>p</i>",
        "Invalid",
        "unsafe",
        "1 of 2 people never has 3 candidate pseudonyms (ann).",
        "",
    ).to_dict(),
}
TEAM = {
    "name": "<b>us</b>", "rank": 1, "valid": True, "problem": "", "utility": 0.8, "s_R_min": 0.9,
    "s_R_min_by": "I3", "s_T_min": 0.7, "s_T_min_by": "T3",
}  # fmt: skip
CHALLENGE = {
    "challenge": "TRP",
    "ranked_by": "s_T",
    "teams": [TEAM],
    "benchmark": None,
    "awards": {"best": {"by": "s_T", "teams": ["<b>us</b>"]}},
    "attacks": [
        {"attacker": "I3", "victim": "us", "answers": "ids", "team": False, "score": {"value": 0.9},
         "problem": ""}
    ],
}  # fmt: skip
TOURNAMENT = {"challenges": [CHALLENGE]}
SPREAD = {"mean": 0.25, "low": 0.2, "high": 0.3, "least": 0.1, "most": 0.4}
DRAW = {
    "unsafe": 0.25, "unsafe_low": 0.2, "unsafe_high": 0.3, "undecided": 0.0, "found": 0.1,
    "contradicted": 0.0, "guess": 0.5, "unsafe_time": 0.3, "undecided_time": 0.0,
    "named": 0.2, "named_error": 0.0, "weighed": 1.0, "learned": 1.0,
}  # fmt: skip
ASSUMED: dict[str, Any] = {
    "name": "<i>p</i>", "exchange": "zones", "k": 3, "rule": "some", "sightings_per_user": 2,
    "draws": [DRAW, DRAW], "random_guess": 0.01,
    "shares": {name: SPREAD for name in DRAW if name not in ("unsafe_low", "unsafe_high")},
}  # fmt: skip
CHECKED: dict[str, Any] = {
    "name": "<i>p</i>", "known": None, "users": 30, "users_without_data": 0,
    "knowledge": "distinct", "users_claimed": [], "steps": 40, "adversary": "endpoints", "k": 3,
    "requirements": None, "rule": "some", "engine": "auto", "version": "0.1.0",
    "problem_sha256": "f2", "certificate_sha256": "83", "problem_of": "the certificate's own",
    "verdict": "unsafe", "users_by_verdict": {"safe": 24, "unsafe": 6, "undecided": 0},
    "safe_replayed": 128, "unsafe_proven_again": 78,
    "unsafe_proven_by": {"reachability": 77, "closures": 1, "clauses": 0},
    "unsafe_claimed": 0, "undecided": 0,
}  # fmt: skip


def score(attack: str, kind: str, value: float, baseline: float = 0.9) -> dict[str, Any]:
    """A row of the scores of ``contest run``."""
    return {
        "anonymiser": "A1", "pseudonymization": "shuffle", "valid": True, "attack": attack,
        "score": kind, "value": value, "low": value - 0.1, "high": value + 0.1, "attempts": 10.0,
        "baseline": baseline, "seconds": 0.1,
    }  # fmt: skip


SCORES = [
    score("utility", "utility", 1.0, 0.1),
    score("I3", "reid", 0.6),
    score("I1", "reid", 0.9),
    score("T3", "trace", 0.7),
]


def scored(scores: Sequence[Mapping[str, Any]] = SCORES) -> dict[str, Any]:
    """What ``contest run`` writes."""
    document = run_document(scores).to_dict()
    return {"schema": "contest run 1", "scores": scores, "document": document}


def held(found: Mapping[str, Any] = TOURNAMENT) -> dict[str, Any]:
    """What ``contest tournament`` writes."""
    document = tournament_document(found["challenges"]).to_dict()
    return {"schema": "contest tournament 1", **found, "document": document}


def checked(**more: Any) -> dict[str, Any]:
    """What ``check`` writes."""
    found = {**CHECKED, **more}
    return {"schema": "check 1", **found, "document": checked_document(found).to_dict()}


def assumed(**more: Any) -> dict[str, Any]:
    """What ``audit --assume`` writes."""
    found = {**ASSUMED, **more}
    return {"schema": "audit 1", **found, "document": assumption_document(found).to_dict()}


def write(folder: Path, content: object, name: str = "result.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def without_times(answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer without the times that it took, which differ from run to run."""
    told = answer["document"]
    facts = [fact for fact in told["facts"] if fact["label"] != "Decision"]
    taken = ("seconds", "processor_seconds")
    kept = {key: value for key, value in answer.items() if key not in taken}
    return {**kept, "document": {**told, "facts": facts}}
