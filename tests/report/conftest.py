"""What the tests of pages share: answers about small worlds, and a real browser."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from mixsafe.documents.atlas import Atlas
from mixsafe.extract.pose import pose
from mixsafe.io.problems.problem import read_problems
from mixsafe.io.sources import load
from mixsafe.model.mobility.traces import Traces
from mixsafe.report.pages.privacy_page import privacy_page
from mixsafe.report.view_models.verification_view import view_model
from mixsafe.synthesize.samples import sample
from mixsafe.verify.verification import Verification, verify

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1200,1000",
)


@pytest.fixture(scope="session")
def town() -> Verification:
    """The town that ships with the package, k = 3, by bounds only: some of it stays undecided."""
    traces = load(sample("town"))
    return verify(pose(traces), k=3, engine="bounds", keep_proof_data=True)


@pytest.fixture(scope="session")
def town_view(town: Verification) -> dict[str, Any]:
    traces = load(sample("town"))
    assert isinstance(traces, Traces)
    return view_model(
        town, adversary="The adversary knows both ends", atlas=Atlas.of(traces, time_step=60)
    )


@pytest.fixture(scope="session")
def town_page(town_view: dict[str, Any]) -> str:
    return privacy_page(town_view)


@pytest.fixture
def walkers(four_walkers: dict[str, Any], tmp_path: Path) -> Verification:
    """The four walkers and what was required of two of them."""
    path = tmp_path / "walkers.json"
    path.write_text(json.dumps(four_walkers))
    (problem,) = read_problems(path)
    return verify(problem, keep_proof_data=True)


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core, which finds what keeps people from using a page."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Debian's Chromium without a screen; skips where it or its driver is not there."""
    binary, service = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or service is None:
        pytest.skip("there is no chromium with its chromedriver on this machine")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(service))
    driver.set_page_load_timeout(600)
    driver.set_script_timeout(600)
    yield driver
    driver.quit()
