"""Decide exactly whether pseudonymized location traces are safe to publish.

The shop window: what a user of the library needs, loaded when it is first asked for.

>>> import mixsafe
>>> traces = mixsafe.load(mixsafe.sample("town"))
>>> answer = mixsafe.verify(traces, k=3)
>>> answer.users.head()  # doctest: +SKIP
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING

from mixsafe.version import __version__ as __version__

if TYPE_CHECKING:
    from mixsafe.breaking.breaking import breaking as breaking
    from mixsafe.breaking.breaking_answer import BreakingNumbers as BreakingNumbers
    from mixsafe.certify.certify import certify as certify
    from mixsafe.check.checker import Checked as Checked
    from mixsafe.compare.comparison import Comparison as Comparison
    from mixsafe.compare.comparison import compare as compare
    from mixsafe.compare.experiment import Question as Question
    from mixsafe.describing.describe import describe as describe
    from mixsafe.describing.description import Description as Description
    from mixsafe.documents.atlas import Atlas as Atlas
    from mixsafe.errors import InputError as InputError
    from mixsafe.errors import MixsafeError as MixsafeError
    from mixsafe.extract.adversaries import knowledge as knowledge
    from mixsafe.extract.exchange.rules import ExchangeRules as ExchangeRules
    from mixsafe.extract.pose import pose as pose
    from mixsafe.extract.positions import positions as positions
    from mixsafe.extract.select import select as select
    from mixsafe.extract.zones import mix_zones as mix_zones
    from mixsafe.from_files.certificates import check as check
    from mixsafe.interactive.asking import audit as audit
    from mixsafe.interactive.asking import optimize as optimize
    from mixsafe.interactive.asking import verify as verify
    from mixsafe.io.certificates.certificate_reader import read_certificates as read_certificates
    from mixsafe.io.certificates.certificate_writer import write_certificates as write_certificates
    from mixsafe.io.gbfs.reading import read_feed as read_feed
    from mixsafe.io.sources import load as load
    from mixsafe.model.answer.certificate import Certificate as Certificate
    from mixsafe.model.answer.verdict import Verdict as Verdict
    from mixsafe.model.course import SolveLimits as SolveLimits
    from mixsafe.model.mobility.complete_traces import TraceMatrix as TraceMatrix
    from mixsafe.model.mobility.traces import Positions as Positions
    from mixsafe.model.mobility.traces import Traces as Traces
    from mixsafe.model.question.adversary import Knowledge as Knowledge
    from mixsafe.model.question.mix_zones import MixZones as MixZones
    from mixsafe.model.question.problem import Problem as Problem
    from mixsafe.model.question.requirement import Requirements as Requirements
    from mixsafe.model.question.requirement import Rule as Rule
    from mixsafe.model.release import Sightings as Sightings
    from mixsafe.network.graphs import graph as graph
    from mixsafe.optimize.answer import MinimumZones as MinimumZones
    from mixsafe.release.audit import Audit as Audit
    from mixsafe.release.pseudonymize import Release as Release
    from mixsafe.release.pseudonymize import pseudonymize as pseudonymize
    from mixsafe.remedies.applying import apply_remedy as apply_remedy
    from mixsafe.remedies.protecting import protect as protect
    from mixsafe.remedies.remedy import Protection as Protection
    from mixsafe.report.reporting import report as report
    from mixsafe.synthesize.ppmtf.train import synthesize as synthesize
    from mixsafe.synthesize.ppmtf.virtual_users import SamplingPlan as SamplingPlan
    from mixsafe.synthesize.samples import sample as sample
    from mixsafe.synthesize.scenarios.cabs import cabs as cabs
    from mixsafe.synthesize.scenarios.town import town as town
    from mixsafe.tracklets.feeds import links as links
    from mixsafe.tracklets.follower import Betting as Betting
    from mixsafe.tracklets.rules import LinkRules as LinkRules
    from mixsafe.verify.verification import Verification as Verification
    from mixsafe.weigh.exchange_models import ByMovement as ByMovement
    from mixsafe.weigh.exchange_models import TakingPart as TakingPart
    from mixsafe.weigh.weighing import Weighing as Weighing
    from mixsafe.weigh.weighing import weigh as weigh

_HOME = {
    "Atlas": "documents.atlas",
    "Audit": "release.audit",
    "Betting": "tracklets.follower",
    "BreakingNumbers": "breaking.breaking_answer",
    "ByMovement": "weigh.exchange_models",
    "Certificate": "model.answer.certificate",
    "Checked": "check.checker",
    "Comparison": "compare.comparison",
    "Description": "describing.description",
    "ExchangeRules": "extract.exchange.rules",
    "InputError": "errors",
    "Knowledge": "model.question.adversary",
    "LinkRules": "tracklets.rules",
    "MinimumZones": "optimize.answer",
    "MixZones": "model.question.mix_zones",
    "MixsafeError": "errors",
    "Positions": "model.mobility.traces",
    "Problem": "model.question.problem",
    "Protection": "remedies.remedy",
    "Question": "compare.experiment",
    "Release": "release.pseudonymize",
    "Requirements": "model.question.requirement",
    "Rule": "model.question.requirement",
    "SamplingPlan": "synthesize.ppmtf.virtual_users",
    "Sightings": "model.release",
    "SolveLimits": "model.course",
    "TakingPart": "weigh.exchange_models",
    "TraceMatrix": "model.mobility.complete_traces",
    "Traces": "model.mobility.traces",
    "Verdict": "model.answer.verdict",
    "Verification": "verify.verification",
    "Weighing": "weigh.weighing",
    "apply_remedy": "remedies.applying",
    "audit": "interactive.asking",
    "breaking": "breaking.breaking",
    "cabs": "synthesize.scenarios.cabs",
    "certify": "certify.certify",
    "check": "from_files.certificates",
    "compare": "compare.comparison",
    "describe": "describing.describe",
    "graph": "network.graphs",
    "knowledge": "extract.adversaries",
    "links": "tracklets.feeds",
    "load": "io.sources",
    "mix_zones": "extract.zones",
    "optimize": "interactive.asking",
    "pose": "extract.pose",
    "positions": "extract.positions",
    "protect": "remedies.protecting",
    "pseudonymize": "release.pseudonymize",
    "read_certificates": "io.certificates.certificate_reader",
    "read_feed": "io.gbfs.reading",
    "report": "report.reporting",
    "sample": "synthesize.samples",
    "select": "extract.select",
    "synthesize": "synthesize.ppmtf.train",
    "town": "synthesize.scenarios.town",
    "verify": "interactive.asking",
    "weigh": "weigh.weighing",
    "write_certificates": "io.certificates.certificate_writer",
}


__all__ = sorted(_HOME)  # type checkers see the imports above


class _FrontDoor(ModuleType):
    """The front door, where a function keeps its name though a folder is called so, too.

    When ``mixsafe.verify.verification`` is first imported, Python binds the folder ``verify`` to
    its name here, and would take the place of the function of that name.
    """

    def __setattr__(self, name: str, value: object) -> None:
        """Bind a name, unless it is a folder's that is a function's, too."""
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _FrontDoor


def __getattr__(name: str) -> object:
    """Load a name from the module that it lives in."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """All names, loaded or not."""
    return sorted({*globals(), *__all__})
