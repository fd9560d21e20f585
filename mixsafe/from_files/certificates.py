"""Certificates from files: replayed by the checker, and their proofs for other programs.

Proofs of unsafe claims and of lower bounds are in DIMACS, DRAT and LRAT; the cost bound of a
minimum set is a pseudo-Boolean problem, in OPB.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mixsafe.check import claim_clauses as kinds
from mixsafe.check.checker import Checked
from mixsafe.check.checker import check as replay
from mixsafe.check.claim_clauses import ClaimClauses
from mixsafe.check.derivation import lemmas_of
from mixsafe.check.minima import alone, of_core
from mixsafe.check.reached import Reached
from mixsafe.check.unsafe import WORDS, reached_in, shown_unsafe
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.machinery.files import atomic_folder, new_file, secret
from mixsafe.model.answer.certificate import Certificate, ChosenZones, ClauseProof, ZoneCore
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import fingerprint


def opb_of(chosen: ChosenZones, zones: MixZones) -> str:
    """A pseudo-Boolean problem, whose least objective is what the cores cost.

    ``xN`` is 1 if zone N - 1, or the place with that number, is chosen. Each line below the
    objective is a core of which some is: those of requirements that not even all zones meet, which
    are empty, are left out.

    Source: format of the Pseudo-Boolean Competition, Roussel and Manquinho, "Input/Output Format
    and Solver Requirements for the Competitions of Pseudo-Boolean Solvers", 2012.
    """
    of, cost = chosen.priced(zones)
    cores = [np.unique(of[core.off]).tolist() for core in chosen.cores if len(core.off)]
    some = np.unique(of[chosen.cores.off.values])
    return "\n".join(
        [
            f"* #variable= {len(cost)} #constraint= {len(cores)}",
            f"min: {_sum((int(cost[one]), one) for one in some.tolist())};",
            *(f"{_sum((1, one) for one in core)}>= 1 ;" for core in cores),
            "",
        ]
    )


def listed_zones(chosen: ChosenZones, zones: MixZones) -> list[dict[str, Any]]:
    """Zones that are chosen or in a core, with their steps, users, and costs or places."""
    of, cost = chosen.priced(zones)
    users, named, places = zones.users, set(chosen.zones.tolist()), chosen.places
    return [
        {
            "zone": zone,
            "step": int(zones.time[zone]),
            "users": users[zones.members[zones.ptr[zone] : zones.ptr[zone + 1]]].tolist(),
            "cost": int(cost[of[zone]]),
            "chosen": zone in named,
            **({} if places is None else {"variable": int(of[zone]) + 1}),
            **({} if places is None else {"place": places.names[of[zone]]}),
        }
        for zone in np.union1d(chosen.zones, chosen.cores.off.values).tolist()
    ]


def _sum(terms: Iterable[tuple[int, int]]) -> str:
    """Zones or places, each times a number."""
    return "".join(f"{times:+d} x{number + 1} " for times, number in terms)


def check(certificate: Certificate | str | os.PathLike[str]) -> Checked:
    """Replay a certificate, witness by witness; no engine takes part.

    Parameters
    ----------
    certificate
        What ``certify`` returned; or the folder that it was written to. Of a folder with several
        certificates :func:`mixsafe.io.certificates.certificate_reader.read_certificates` gives
        each.

    Raises
    ------
    InputError
        The file was changed or damaged or holds not one certificate, or a claim does not follow
        from its witnesses.

    Examples
    --------
    >>> import mixsafe
    >>> problem = mixsafe.pose(mixsafe.load(mixsafe.sample("town")))
    >>> answer = mixsafe.verify(problem, k=3, keep_proof_data=True)
    >>> mixsafe.check(mixsafe.certify(answer)).verdict
    <Verdict.UNSAFE: 'unsafe'>
    """
    if isinstance(certificate, Certificate):
        return replay(certificate)
    read = read_certificates(certificate)
    if len(read) != 1:
        raise InputError(
            f"there are {len(read)} certificates in it", file=certificate, hint="check each"
        )
    return replay(read[0])


_KINDS = {
    kinds.BEGIN: "is somewhere at the first step",
    kinds.ONWARD: "leaves the zone to which it came",
    kinds.BACK: "came to the zone that it leaves",
    kinds.FILLED: "some token is on the wire",
    kinds.NEXT: "the same token at the next sighting",
    kinds.LAST: "the same token at the last sighting",
    kinds.APART: "no token is on two wires at once, no two are on one",
    kinds.OFF: "the claim turned round: a candidate is elsewhere",
}


@secret()
def export_proofs(certificates: Sequence[Certificate], folder: str | os.PathLike[str]) -> int:
    """Write what shows unsafe claims, checked before, into a folder that is new or empty.

    ``manifest.json`` says of every unsafe claim what shows it. A refutation by clauses is
    ``NAME.cnf`` with ``NAME.drat`` and, the same with what each lemma follows from, ``NAME.lrat``;
    ``NAME.txt`` says what its variables and clauses are about.
    ``closures-N.txt`` has the Hall sets of certificate N in sentences. Of a minimum set of zones
    each core is an unsafe claim, too, and ``cost-N.opb`` is what zones cost that have one of each.

    Parameters
    ----------
    certificates
        With the problems that they are about.
    folder
        Where to.

    Returns
    -------
    int
        Number of refutations.

    Raises
    ------
    InputError
        A proof is wrong, or the folder is not empty or cannot be written.
    """
    with atomic_folder(folder) as draft:
        exported = [_export(one, str(number), draft) for number, one in enumerate(certificates)]
        text = json.dumps({"format": "mixsafe proofs 1", "certificates": exported}, indent=1)
        _write(draft / "manifest.json", f"{text}\n")
    cores = [one.chosen.cores for one in certificates if one.chosen is not None]
    return sum(len(one.clause_proofs) for one in certificates) + sum(
        len(one.refutations) for one in cores
    )


class _Names(NamedTuple):
    """What rows and tokens are called, and whom or what claims are about, and leave."""

    rows: list[Any]
    tokens: list[Any]
    about: list[Any]
    candidates: list[Any]

    @classmethod
    def of(cls, certificate: Certificate) -> _Names:
        rows, audited = certificate.problem.zones.users.tolist(), certificate.audited
        if audited is None:
            return cls(rows, rows, rows, rows)
        known = audited.seen.users.tolist()
        tokens = [*known, *(f"somebody {n}" for n in range(len(known), len(rows)))]
        return cls(rows, tokens, tokens, rows)


def _write(path: Path, text: str) -> None:
    new_file(path).write_text(text, encoding="utf-8", newline="\n")


def _export(certificate: Certificate, number: str, draft: Path) -> dict[str, Any]:
    """Write the proofs of one certificate; returns its entry of the manifest."""
    problem, chosen = certificate.problem, certificate.chosen
    entry = {"name": problem.name, "problem": fingerprint(problem)}
    if chosen is None:
        return {**entry, **_export_claims(certificate, number, draft)}
    claims = _export_claims(alone(certificate, chosen), number, draft)
    cores = [
        _export_core(of_core(certificate, core), core, f"{number}-core-{n}", draft)
        for n, core in enumerate(chosen.cores)
    ]
    cost = f"cost-{number}.opb"
    _write(draft / cost, opb_of(chosen, problem.zones))
    zones = listed_zones(chosen, problem.zones)
    minimum = {"weight": chosen.weight, "bound": chosen.bound, "cost": cost, "zones": zones}
    return {**entry, **claims, "minimum": {**minimum, "cores": cores}}


def _export_core(
    certificate: Certificate, core: ZoneCore, number: str, draft: Path
) -> dict[str, Any]:
    """Write what shows the unsafe claim that a core is."""
    entry = _export_claims(certificate, number, draft)
    (claim,) = entry["unsafe"]
    return {"zones": core.off.tolist(), "closures": entry["closures"], **claim}


def _export_claims(certificate: Certificate, number: str, draft: Path) -> dict[str, Any]:
    """Write what shows the unsafe claims of a problem; what the manifest says of them."""
    claims = certificate.claims
    names = _Names.of(certificate)
    shown = shown_unsafe(certificate)
    hall_sets = f"closures-{number}.txt" if len(certificate.hall_sets) else None
    if hall_sets is not None:
        _write(draft / hall_sets, _hall_sets_text(certificate))
    if len(certificate.clause_proofs):
        reached = reached_in(certificate)
        reached.close(list(certificate.hall_sets))
        reached.follow()
        for place, proof in enumerate(certificate.clause_proofs):
            _export_proof(reached, proof, draft / _name(number, place), names)
    return {
        "closures": hall_sets,
        "unsafe": [
            {
                "user": names.about[claims.row[claim]],
                "from": int(claims.start[claim]),
                "to": int(claims.end[claim]),
                "k": int(claims.k[claim]),
                "candidates": [names.candidates[one] for one in claims.candidates[claim].tolist()],
                "shown_by": WORDS[by],
                "refutation": _name(number, proof) if proof >= 0 else None,
            }
            for claim, by, proof in zip(
                shown.claim.tolist(), shown.by.tolist(), claims.proof[shown.claim].tolist(),
                strict=True,
            )
        ],
    }  # fmt: skip


def _name(certificate: str, proof: int) -> str:
    return f"refutation-{certificate}-{proof}"


def _hall_sets_text(certificate: Certificate) -> str:
    """Closures in sentences."""
    names = _Names.of(certificate)
    lines = [
        f"After step {one.time} the {len(one.rows)} tokens"
        f" {', '.join(str(names.tokens[token]) for token in one.tokens.tolist())}"
        f" can be on the rows {', '.join(str(names.rows[row]) for row in one.rows.tolist())} only."
        for one in certificate.hall_sets
    ]
    return "".join(f"{line}\n" for line in lines)


def _export_proof(reached: Reached, proof: ClauseProof, target: Path, names: _Names) -> None:
    """Write the files of one refutation; no comments in those for programs: not all skip them."""
    of_claim = ClaimClauses(reached, proof)
    named = proof.needed.reshape(-1, 3).tolist()
    clauses = [of_claim.clause(*name) for name in named]
    lemmas = list(lemmas_of(proof.lemmas.tolist()))
    head = f"p cnf {of_claim.n_variables} {len(clauses)}"
    last = len(clauses) + 1
    for suffix, lines in (
        (".txt", _sentences(reached, proof, of_claim, names)),
        (".cnf", [head, *map(_line, clauses)]),
        (".drat", [_line(lemma) for lemma, _ in lemmas]),
        (".lrat", [f"{n} {_line(one)} {_line(of)}" for n, (one, of) in enumerate(lemmas, last)]),
    ):
        _write(target.with_suffix(suffix), "".join(f"{line}\n" for line in lines))


def _line(numbers: Sequence[int]) -> str:
    return " ".join(map(str, [*numbers, 0]))


def _sentences(
    reached: Reached, proof: ClauseProof, of_claim: ClaimClauses, names: _Names
) -> Iterator[str]:
    """What clauses and variables are about."""
    off = ", ".join(str(names.candidates[one]) for one in proof.off.tolist())
    yield f"After step {proof.step} user {names.about[proof.row]} has one of the pseudonyms {off}:"
    yield "that all of these are elsewhere contradicts the clauses."
    variables: set[int] = set()
    for number, name in enumerate(proof.needed.reshape(-1, 3).tolist(), 1):
        clause = of_claim.clause(*name)
        variables.update(map(abs, clause))
        yield f"clause {number}, {_line(clause)}: {_KINDS[name[0]]}"
    for variable in sorted(variables):
        token, wire = of_claim.about(variable)
        row, start, end = reached.row[wire], reached.start[wire], reached.end[wire]
        where = f"{names.tokens[token]} on the row {names.rows[row]}, steps {start} to {end}"
        yield f"variable {variable}: {where}"
