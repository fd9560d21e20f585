"""Take the pictures of pages in the gallery: ``page_*.png``.

Run it when pages have changed, in a checkout with Debian's chromium and chromedriver. It makes the
results with the commands that the gallery names, in a temporary folder, and takes two minutes::

    python docs/figures/page_pictures.py [audit verify …]

A picture keeps the first sentence of its page, and a test compares what the gallery quotes with it.
Each sentence is printed, too.
"""

from __future__ import annotations

import io
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

from PIL import Image, PngImagePlugin
from selenium import webdriver

PICTURES = Path(__file__).parent
COMMAND = (sys.executable, "-c", "from mixsafe_cli.app import app; app()")
WIDTH = 795
SCALE = 3 / 4
"""Pixels of a picture for each pixel of a page."""
SENTENCE = "Description"
"""Key of the first sentence among a picture's texts (PNG's word for it)."""

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")

SEEN = """user_id,time_id,reg_id
7,3,848
7,30,848
52,3,927
52,30,927
101,3,432
101,30,670
150,3,153
150,30,467
"""
"""Sightings of four people, as in the guide to audits."""

TOWN = "datasets make town --quiet"


class Picture(NamedTuple):
    """A picture of a page: the commands that make ``page.html``, and what is shown of it."""

    height: int
    commands: tuple[str, ...]
    heading: str = ""
    """Heading at which the picture begins; none: it begins with the page."""


def _of_result(
    height: int, *commands: str, result: str = "result.json", heading: str = ""
) -> Picture:
    """A picture of the page of one result."""
    return Picture(height, (*commands, f"report {result} -o page.html"), heading)


PAGES = {
    "audit": _of_result(
        512,
        TOWN,
        "pseudonymize town.csv --method mixzone --engine bounds --seed 1 -o exchanged.csv"
        " --table secret.csv --quiet",
        "audit exchanged.csv --knowledge seen.csv --engine bounds --json result.json",
    ),
    "verify": _of_result(640, "verify --k 3 --json result.json"),
    "officer": Picture(
        640,
        (
            TOWN,
            "verify town.csv --k 3 --engine bounds --certificates proofs --json verify.json",
            "check proofs --json check.json",
            "protect town.csv --k 3 --engine bounds --leave-out --json protect.json",
            "pseudonymize town.csv --method mixzone --k 3 --engine bounds --seed 1 -o release"
            " --json made.json",
            "audit release/publish/pubtraces.csv --knowledge seen.csv --k 3 --engine bounds"
            " --json audit.json",
            "report verify.json check.json protect.json made.json audit.json --for officer"
            ' --controller "Town council" --purpose "Planning of bus lines"'
            ' --recipient "University of the town"'
            ' --secrets "In a safe; deleted when the release is published" -o page.html',
        ),
    ),
    "map": _of_result(
        615,
        "datasets make cabs --quiet",
        "verify cabs.csv --k 3 --cells h3:8 --json result.json",
        heading="Where people are exposed",
    ),
    "minimum": _of_result(450, "optimize --k 2 --at 20 --users 60 --json result.json"),
    "feed": _of_result(
        645,
        "synthesize fleet --vehicles 300 --days 2 -o feed",
        "links feed --k 3 --rule share:0.97 --json result.json",
    ),
    "weights": _of_result(848, "weigh --users 30 --json result.json"),
    "breaking": _of_result(570, "breaking --k 3 --at-most 2 --json result.json"),
    "contest": _of_result(
        848,
        "synthesize town --users 40 --days 2 --seed 1 -o orgtraces.csv --quiet",
        "synthesize town --users 40 --days 2 --seed 1 -o reftraces.csv --quiet",
        "contest run orgtraces.csv reftraces.csv -o results --anonymisers A1,A4-4-1"
        " --attacks sample",
        result="results",
    ),
}


def browser() -> webdriver.Chrome:
    """Debian's Chromium without a screen."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for flag in FLAGS:
        options.add_argument(flag)
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))


def taken(picture: Picture, chrome: webdriver.Chrome) -> tuple[Image.Image, str]:
    """The picture, and the first sentence of its page, if it shows it."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("seen.csv").write_text(SEEN, encoding="utf-8")
        for command in picture.commands:
            _run(command)
        chrome.get(Path("page.html").resolve().as_uri())
    _resize(chrome, picture.height)
    chrome.execute_script(
        "const start = [...document.querySelectorAll('h2')]"
        ".find(heading => heading.textContent === arguments[0]);"
        "if (start) window.scrollTo("
        "{top: start.getBoundingClientRect().top - 8, behavior: 'instant'});",
        picture.heading,
    )
    sentence = chrome.execute_script(
        "return document.querySelector('.sentence').textContent.trim()"
    )
    shot = Image.open(io.BytesIO(chrome.get_screenshot_as_png()))
    return shot, "" if picture.heading else sentence


def _run(command: str) -> None:
    """Run a command of mixsafe; a verdict is no failure."""
    status = subprocess.run([*COMMAND, *shlex.split(command)], stdout=subprocess.DEVNULL).returncode
    if status not in {0, 1, 3, 4}:
        raise SystemExit(f"mixsafe {command}: exit status {status}")


def _resize(chrome: webdriver.Chrome, height: int) -> None:
    """Let the window's inside be as large as the picture."""
    chrome.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {
            "width": round(WIDTH / SCALE),
            "height": round(height / SCALE),
            "deviceScaleFactor": SCALE,
            "mobile": False,
        },
    )


def main(names: list[str]) -> None:
    """Take the pictures with these names, or all."""
    chrome = browser()
    try:
        for name in names or PAGES:
            image, sentence = taken(PAGES[name], chrome)
            texts = PngImagePlugin.PngInfo()
            texts.add_itxt(SENTENCE, sentence)
            target = PICTURES / f"page_{name}.png"
            colours = image.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE)
            colours.save(target, optimize=True, pnginfo=texts)
            sys.stdout.write(f"{target.name}: {sentence}\n")
    finally:
        chrome.quit()


if __name__ == "__main__":
    main(sys.argv[1:])
