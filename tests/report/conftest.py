"""What the tests of pages share: answers about small worlds, and a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from mixsafe.documents.document import Document
from mixsafe.report.document_page import document_page

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
def town_page(town_document: Document) -> str:
    return document_page(town_document)


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
