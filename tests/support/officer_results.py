"""Results of every kind that the officer's page takes, all of one data set, as files have them.

Each number occurs once, so that a page shows which one it has taken.
"""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from mixsafe.breaking import breaking_document
from mixsafe.check.checked_document import evidence as checked_evidence
from mixsafe.compare import comparison_document
from mixsafe.contest.run_document import run_document
from mixsafe.contest.score_document import score_document
from mixsafe.documents.atlas import Context
from mixsafe.documents.document import CriterionEvidence, Document
from mixsafe.model.answer.headline import Headline, HeadlineQuestion, Worst
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.requirement import Rule
from mixsafe.release.assumption_document import evidence as assumed_evidence
from mixsafe.release.audit_document import evidence as audit_evidence
from mixsafe.release.release_document import evidence as released_evidence
from mixsafe.remedies.protection_document import measures, released
from mixsafe.unicity import curves_document
from mixsafe.verify.privacy.privacy import Judged
from mixsafe.verify.verification_document import evidence as verification_evidence
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


def document(*evidence: CriterionEvidence) -> dict[str, Any]:
    """A document that says so much to an officer."""
    return Document("title", "word", "plain", "A sentence.", "", evidence=evidence).to_dict()


def judged_of(noun: str, number: int, counts: tuple[int, int, int] | None = None,
              **changes: Any) -> Judged:  # fmt: skip
    """Whom an answer judges, with numbers from one on, and shares of so many thousandths.

    Parameters
    ----------
    counts
        Who passes, fails, and is undecided.
    changes
        Of the headline, or of the record.
    """
    passing, failing, undecided = counts or (number + 2, number + 3, number + 4)
    places = changes.pop("places", _places(number))
    every = changes.pop("every", number + 5 if noun == "tracks" else 3 * number + 20)
    least = places["distinct"] if places else 1
    asked = HeadlineQuestion(
        Rule.parse("some"), number + 1, noun, TimeAxis(number + 6), True, least
    )
    headline = Headline(
        Verdict.UNSAFE,
        asked,
        passing + failing + undecided,
        {Verdict.SAFE: passing, Verdict.UNSAFE: failing, Verdict.UNDECIDED: undecided},
        (ANN,),
        0,
        number + 12,
        0.3021 + number / 1e5,
        0.2011 + number / 1e5,
        0.5555 + number / 1e5,
        0.0132 + number / 1e5,
        Worst(ANN, 0, 8110 + number, 10_000),
    )
    known = {name: changes.pop(name) for name in list(changes) if hasattr(headline, name)}
    return Judged(
        replace(headline, **known), [ANN] if failing else [], places, every, number + 6,
        str(number + 7), str(number + 8), number + 9, **changes,
    )  # fmt: skip


def computed(judged: Judged) -> list[float]:
    """Numbers that a document computes of an answer about all people."""
    worst = judged.headline.worst
    assert worst is not None
    sums = [judged.n_people, judged.not_shown, judged.followed_time, judged.undecided_time]
    return [*sums, worst.steps / worst.of]


def _numbers(judged: Judged) -> dict[str, Any]:
    """What the JSON of an answer says of it."""
    headline = judged.headline
    return {
        "verdict": headline.verdict.value,
        "k": headline.asked.k,
        "steps": judged.steps,
        "first": int(judged.first),
        "last": int(judged.last),
        "zones": judged.zones,
        "with_data": judged.every,
        "headline": headline.to_dict(),
        "users": {one.value: number for one, number in headline.counts.items()},
    }


def _places(number: int) -> dict[str, Any]:
    shares = ("share_of_safe_time", "undecided_share_of_safe_time")
    return {
        "distinct": 1,
        "one_place": dict(zip(shares, (0.0212 + number / 1e5, 0.0323 + number / 1e5), strict=True)),
        "sensitive": dict(zip(shares, (0.0434 + number / 1e5, 0.0545 + number / 1e5), strict=True)),
    }


def verified(judged: Judged, command: str = "verify", *, lasting: bool = True) -> dict[str, Any]:
    """What ``verify`` writes of an answer."""
    apart, seen = {"no_zone": {"count": 121}, "no_data": {"count": 122}}, (110, 111)
    final = {"safe": lasting, "unsafe": False, "why": []}
    said = verification_evidence(judged, apart, seen, Context(adversary="She saw all"), final)
    return {
        "schema": "verify 1",
        **_numbers(judged),
        "certificate_sha256": SEAL,
        "summary": {"places": judged.places},
        "apart": apart,
        "seen": list(seen),
        "lasting": final,
        "document": document(*said),
        "provenance": provenance(command),
    }


VERIFY_JUDGED = judged_of("pseudonyms", 100)
VERIFY = verified(VERIFY_JUDGED)
AUDIT_JUDGED = judged_of("tracks", 200, every=231, shown_share=0.6127)


def audited(judged: Judged) -> dict[str, Any]:
    """What ``audit`` writes of an answer."""
    found = {
        "schema": "audit 1",
        **_numbers(judged),
        "per_user": [],
        "tracks": judged.every,
        "exchange": "zones",
        "threat_model": ["The adversary has the whole release, but no secret table."],
        "summary": {
            "share_of_tracks_tied": 0.0656,
            "share_of_tracks_undecided": 0.0767,
            "places": judged.places,
        },
        "zones_that_hide": {"something": 232, "nothing": 233, "undecided": 234},
        "without_exchange": {"share_of_time_safe": 0.0878},
        "provenance": provenance("audit", "release", RELEASE),
    }
    return {**found, "document": document(*audit_evidence(judged, found))}


AUDIT = audited(AUDIT_JUDGED)

ASSUMED: dict[str, Any] = {
    "schema": "audit 1",
    "k": 301,
    "rule": "some",
    "sightings_per_user": 302,
    "draws": [{}, {}],
    "shares": {
        "unsafe": {"mean": 0.4111, "low": 0.4022, "high": 0.4233},
        "undecided": {"mean": 0.1344},
        "named": {"mean": 0.1677},
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
        CriterionEvidence(
            "measures", ("1,001 zones are enough; 1,002 are needed; 1,003 are not met.",)
        )
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
