"""Results of every kind that the officer's page takes, all of one data set, as files have them.

Each number occurs once, so that a page shows which one it has taken.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from mixsafe.breaking import breaking_document
from mixsafe.check.checked_document import evidence as checked_evidence
from mixsafe.compare import comparison_document
from mixsafe.contest.run_document import run_document
from mixsafe.contest.score_document import score_document
from mixsafe.documents.document import Document, Evidence
from mixsafe.model.question.requirement import Rule
from mixsafe.release.assumption_document import evidence as assumed_evidence
from mixsafe.release.release_document import evidence as released_evidence
from mixsafe.tasks.remedies.protection_document import measures, released
from mixsafe.unicity import curves_document
from mixsafe.weigh.weighing_document import evidence

ORIGINAL, RELEASE = "0f" * 32, "1e" * 32
"""SHA-256 of the original, and of the release that was made of it."""

SEAL = "2d" * 32
"""SHA-256 of the certificate of the verification."""

ANN, FILE = "ann-the-named", "secretfile"
"""A person's name, and a part of all names of files."""


def provenance(command: str, what: str = "source", sha: str = ORIGINAL) -> dict[str, Any]:
    name = f"{FILE}.csv"
    return {
        "command": f"mixsafe {command} {name} --k 3 --adversary {name} --json {FILE}.json",
        "versions": {"mixsafe": "0.1.0"},
        "inputs": [{"what": what, "name": name, "bytes": 7, "sha256": sha}],
        "parameters": {"k": 3},
        "seed": 0,
    }


def document(*evidence: Evidence) -> dict[str, Any]:
    """A document that says so much to an officer."""
    return Document("title", "word", "plain", "A sentence.", "", evidence=evidence).to_dict()


def _headline(view: str, number: int, **more: Any) -> dict[str, Any]:
    """The view model of a verdict, with numbers from one on, and shares of so many thousandths."""
    return {
        "kind": "privacy",
        "view": view,
        "verdict": "unsafe",
        "asked": {"k": number + 1, "rule_words": "a user passes if safe at some time asked"},
        "people": {"safe": number + 2, "unsafe": number + 3, "undecided": number + 4},
        "time": {"safe": 0.1, "unsafe": 0.5 + number / 1e5, "undecided": 0.0101 + number / 1e5},
        "data": {
            "tracks": number + 5,
            "steps": number + 6,
            "first": number + 7,
            "last": number + 8,
            "zones": number + 9,
        },
        "adversary": {
            "words": f"The adversary saw {ANN}",
            "sightings": number + 10,
            "users": number + 11,
        },
        "headline": {
            "share_of_time_safe": 0.3021 + number / 1e5,
            "share_of_time_known": 0.2011 + number / 1e5,
            "followed": number + 12,
            "worst": {"user": ANN, "share_of_remaining_time_followed": 0.811 + number / 1e5},
        },
        "users": {"user": [ANN, "bob-the-safe"], "verdict": ["unsafe", "safe"]},
        **more,
    }


def _places(number: int) -> dict[str, Any]:
    shares = ("share_of_safe_time", "undecided_share_of_safe_time")
    return {
        "distinct": 1,
        "one_place": dict(zip(shares, (0.0212 + number / 1e5, 0.0323 + number / 1e5), strict=True)),
        "sensitive": dict(zip(shares, (0.0434 + number / 1e5, 0.0545 + number / 1e5), strict=True)),
    }


VERIFY = {
    "schema": "verify 1",
    "verdict": "unsafe",
    "certificate_sha256": SEAL,
    "summary": {"places": _places(100)},
    "lasting": {"safe": True, "unsafe": False, "why": []},
    "report": _headline(
        "publisher",
        100,
        apart={"no_zone": {"count": 121}, "no_data": {"count": 122}},
        provenance=provenance("verify"),
    ),
}

AUDIT = {
    "schema": "audit 1",
    "verdict": "unsafe",
    "tracks": 231,
    "exchange": "zones",
    "threat_model": ["The adversary has the whole release, but no secret table."],
    "summary": {
        "share_of_tracks_tied": 0.0656,
        "share_of_tracks_undecided": 0.0767,
        "places": _places(200),
    },
    "zones_that_hide": {"something": 232, "nothing": 233, "undecided": 234},
    "without_exchange": {"share_of_time_safe": 0.0878},
    "report": _headline("auditor", 200, provenance=provenance("audit", "release", RELEASE)),
}
AUDIT["report"]["headline"]["share_of_time_shown"] = 0.6127

ASSUMED: dict[str, Any] = {
    "schema": "audit 1",
    "k": 301,
    "rule": "some",
    "sightings_per_user": 302,
    "draws": [{}, {}],
    "shares": {
        "unsafe": {"mean": 0.4111, "low": 0.4022, "high": 0.4233},
        "undecided": {"mean": 0.1344},
        "found": {"mean": 0.1455},
    },
    "random_guess": 0.0566,
    "provenance": provenance("audit", "release", RELEASE),
}

ASSUMED["document"] = document(*assumed_evidence(ASSUMED))

_WEIGHTS = {
    "settled": True,
    "follower_right": 0.2711,
    "counting_says": 0.2622,
    "bet": 0.533,
    "share_bet_on": 0.2244,
    "bets_right": 0.9355,
    "median_effective": 481.7,
    "share_not_settled": 0.0466,
    "places": {"share_right": 0.6177},
}
WEIGH = {
    "schema": "weigh 1",
    "verdict": "settled",
    "weights": _WEIGHTS,
    "document": document(*evidence(_WEIGHTS)),
    "provenance": provenance("weigh"),
}

_ASKED = {"target": "lost", "k": 3, "at_most": 501, "sightings": "self"}
_BROKEN = {
    "targets": 5020,
    "broken": 503,
    "robust": 504,
    "never": 505,
    "undecided": 506,
    "broken_by": [507, 508],
}
_NUMBERS = [{"user_id": ANN, "status": "broken", "lower": 0, "upper": 0}]
BREAKING = {
    "schema": "breaking 1",
    "verdict": "unsafe",
    "asked": _ASKED,
    "summary": _BROKEN,
    "breaking": _NUMBERS,
    "document": document(breaking_document.evidence(_ASKED, _BROKEN, _NUMBERS)),
    "provenance": provenance("breaking"),
}

_CURVE = {"worst": [0.0, 0.711], "perhaps": [0.0, 0.722], "chance": [{}, {"mean": 0.733}]}
_CURVES = {
    "people": 601,
    "k": 602,
    "at_most": 603,
    "draws": 20,
    "curves": {
        "static": _CURVE,
        "exchanged": {"worst": [0.611], "perhaps": [0.622], "chance": [{"mean": 0.633}]},
    },
}
CURVES = {
    "schema": "breaking 1",
    **_CURVES,
    "document": document(curves_document.evidence(_CURVES)),
    "provenance": provenance("breaking"),
}

PROTECT: dict[str, Any] = {
    "schema": "protect 1",
    "verdict": "safe",
    "rule": "some",
    "remedies": [
        {
            "number": 709,
            "remedy": "leave out",
            "verdict": "weak pass",
            "left_out": 701,
            "share_of_fixes_left_out": 0.0711,
            "cell_size": 702,
            "time_step": 703,
            "share_of_fixes_lost": 0.0733,
            "share_of_time_hidden": 0.0744,
            "metres": 708,
            "minutes": 70.8,
            "rotate": "daily",
            "users": {"safe": 704, "unsafe": 705, "undecided": 706},
            "share_of_time_safe": 0.7122,
        }
    ],
    "left_out": [ANN],
    "applied": 709,
    "provenance": {
        **provenance("protect"),
        "outputs": [{"what": "release", "name": f"{FILE}.csv", "bytes": 7, "sha256": RELEASE}],
    },
}


def protected(*rows: dict[str, Any]) -> dict[str, Any]:
    """What ``protect`` says of these remedies."""
    evidence = (measures(rows, Rule.parse("some")), *released(rows[0], written=True))
    return {**PROTECT, "remedies": list(rows), "document": document(*evidence)}


PROTECT = protected(*PROTECT["remedies"])
_MADE: dict[str, Any] = {
    "schema": "pseudonymize 1",
    "verdict": "weak pass",
    "method": "mixzone",
    "users": 801,
    "times": 802,
    "zones": 803,
    "k": 804,
    "adversary": "endpoints",
    "rule": "some",
    "suppressed": 805,
    "cells": {"shown": 8060, "private": 807, "undecided": 808},
    "not_private": [],
    "users_failing": [1, 2, 3, 4, 5, 6, 7],
    "seeded": False,
}
PSEUDONYMIZE = {
    **_MADE,
    "document": document(*released_evidence(_MADE)),
    "provenance": {
        **provenance("pseudonymize"),
        "outputs": [{"what": "release", "name": f"{FILE}.csv", "bytes": 7, "sha256": RELEASE}],
    },
}


def _score(kind: str, number: int, what: str, sha: str) -> dict[str, Any]:
    return {
        "schema": "contest score 1",
        "score": kind,
        "value": 0.5 + number / 1e4,
        "interval": [0.45 + number / 1e4, 0.55 + number / 1e4],
        "attempts": 9000 + number,
        "baseline": 0.9 + number / 1e4,
        "provenance": provenance(f"contest score {kind}", what, sha),
    }


REID = _score("reid", 11, "release", RELEASE)
TRACE = _score("trace", 22, "original", ORIGINAL)
UTILITY = {**_score("utility", 33, "original", ORIGINAL), "valid": True}
for found in (REID, TRACE):
    found["document"] = score_document(found).to_dict()
UTILITY["document"] = score_document(UTILITY, required=0.7).to_dict()


def _row(name: str, valid: bool, attack: str, kind: str, value: float, base: float) -> Any:
    return {
        "anonymiser": name, "pseudonymization": "shuffle", "valid": valid, "attack": attack,
        "score": kind, "value": value, "low": 0.5, "high": 0.8, "attempts": 10.0,
        "baseline": base, "seconds": 0.1,
    }  # fmt: skip


SCORES = [
    _row("A1", True, "utility", "utility", 0.9191, 0.1),
    _row("A1", True, "I3", "reid", 0.6161, 0.9292),
    _row("A1", True, "I1", "reid", 0.9, 0.9),
    _row("A1", True, "T3", "trace", 0.7171, 0.9393),
    _row(ANN, False, "T3", "trace", 0.1, 0.9),
]
CONTEST = {
    "schema": "contest run 1",
    "scores": SCORES,
    "document": run_document(SCORES).to_dict(),
    "provenance": provenance("contest run", "original"),
}
OPTIMIZE = {
    "schema": "optimize 1",
    "status": "feasible",
    "minimum": 1001,
    "bound": 1002,
    "unmet": 1003,
    "document": document(
        Evidence("measures", ("1,001 zones are enough; 1,002 are needed; 1,003 are not met.",))
    ),
    "provenance": provenance("optimize"),
}
_COMPARED = {
    "engines": ["auto", "dp", "bounds"],
    "runs": [{}] * 5,
    "agreed": 1009,
    "questions": 1010,
    "sentence": "Two or more engines finished 1,009 of 1,010 questions, with the same answers.",
}
COMPARE = {
    "schema": "compare 1",
    **_COMPARED,
    "document": document(comparison_document.evidence(_COMPARED)),
    "provenance": provenance("compare"),
}
CHECK: dict[str, Any] = {
    "schema": "check 1",
    "verdict": "unsafe",
    "certificate_sha256": SEAL,
    "safe_replayed": 1101,
    "unsafe_proven_again": 1102,
    "unsafe_claimed": 1103,
    "undecided": 1104,
    "provenance": {**provenance("check"), "inputs": []},
}
CHECK["document"] = document(checked_evidence(CHECK))

ALL: dict[str, dict[str, Any]] = {
    "verify": VERIFY,
    "audit": AUDIT,
    "assumed": ASSUMED,
    "weigh": WEIGH,
    "breaking": BREAKING,
    "curves": CURVES,
    "protect": PROTECT,
    "pseudonymize": PSEUDONYMIZE,
    "reid": REID,
    "trace": TRACE,
    "utility": UTILITY,
    "contest": CONTEST,
    "optimize": OPTIMIZE,
    "compare": COMPARE,
    "check": CHECK,
}
"""One result of each kind, by the kind's name."""


def changed(found: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """A result with another value at a path."""
    made = copy.deepcopy(found)
    *above, last = path.split(".")
    place: Any = made
    for key in above:
        place = place[key]
    place[last] = value
    return made


def written(folder: Path, *results: object) -> list[Path]:
    """Files of results, by their place."""
    paths = []
    for number, found in enumerate(results):
        path = folder / f"{FILE}{number}.json"
        path.write_text(found if isinstance(found, str) else json.dumps(found))
        paths.append(path)
    return paths
