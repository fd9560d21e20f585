"""Pages in a real browser: they open alone, sort, filter and drill down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium.webdriver import Keys

from mixsafe.describing.describe import describe
from mixsafe.describing.description_document import description_document
from mixsafe.documents.atlas import Atlas
from mixsafe.documents.document import Document, Table, several
from mixsafe.model.answer.headline import Headline, HeadlineQuestion, UserShares
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Rule
from mixsafe.report.document_page import document_page
from mixsafe.synthesize.samples import sample
from mixsafe.verify.privacy.decided import Decided, NamedCandidates
from mixsafe.verify.privacy.privacy import PrivacyNumbers
from mixsafe.verify.privacy.privacy_document import Said, privacy_document
from mixsafe.verify.rows import UserRows
from tests.support.pages import HOSTILE, show


def column(browser: Any, table: str, number: int) -> list[str]:
    """Texts of a column of the rows that are shown."""
    cells = browser.find_elements("css selector", f"{table} tbody tr td:nth-child({number})")
    return [cell.text for cell in cells]


def choose(browser: Any, select: Any, value: str) -> None:
    """Choose a value of a list, as a person does."""
    script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
    browser.execute_script(script, select, value)


def users_table(browser: Any) -> str:
    """Selector of the table with everybody, the last of the page."""
    last = browser.find_elements("css selector", "table.interactive")[-1]
    browser.execute_script("arguments[0].id = 'everybody'", last)
    return "#everybody"


def test_a_page_opens_without_a_complaint_and_asks_nothing_of_the_network(
    browser: Any, town_page: str, tmp_path: Path
) -> None:
    assert show(browser, town_page, tmp_path) == []
    said = [one.text for one in browser.find_elements("css selector", ".verdict p")]
    assert said[0].startswith("Invalid. 17 of 200 people never have 3 candidate pseudonyms (2, 8,")
    facts = browser.find_element("css selector", "dl.facts").text
    assert "On average a person is protected 73.9% of the time. For 19.5% the" in facts
    assert (
        "'some' (default): a user passes if safe at some time asked. 182 pass, 17 fail, 1" in facts
    )


def test_a_screen_reader_can_tell_the_parts_of_the_page(
    browser: Any, town_page: str, tmp_path: Path
) -> None:
    show(browser, town_page, tmp_path)
    names = "return [...document.querySelectorAll(arguments[0])].map((one) => one.ariaLabel)"
    pages = browser.execute_script(names, "nav")
    assert len(set(pages)) == len(pages) > 1
    assert all(browser.execute_script(names, "svg[role=img]"))
    assert browser.find_element("css selector", "a.skip").get_attribute("href").endswith("#content")
    unscoped = browser.find_elements("css selector", "th:not([scope])")
    assert unscoped == []
    unnamed = "return [...document.querySelectorAll('select, input')].filter((x) => !x.labels[0])"
    assert browser.execute_script(unnamed) == []


def test_short_tables_have_no_controls_that_nobody_needs(browser: Any, tmp_path: Path) -> None:
    show(browser, document_page(several([])), tmp_path)
    assert browser.find_elements("css selector", ".dt-search, .dt-length, .filter, nav") == []


def test_the_page_would_not_be_let_out_if_it_tried(browser: Any, tmp_path: Path) -> None:
    page = document_page(several([])).replace("<h1>", "<img src='https://example.org/x.png'><h1>")
    complaints = show(browser, page, tmp_path)
    assert any("Content Security Policy" in line for line in complaints)


def test_tables_sort_by_number_not_by_letter(
    browser: Any, town_page: str, town_document: Document, tmp_path: Path
) -> None:
    show(browser, town_page, tmp_path)
    table = users_table(browser)
    heading = browser.find_elements("css selector", f"{table} thead th")[8]
    meetings = sorted(row[8] for row in everybody(town_document))
    for expected in (meetings[:10], meetings[::-1][:10]):
        browser.execute_script("arguments[0].querySelector('.dt-column-order').click()", heading)
        assert [int(text) for text in column(browser, table, 9)] == expected
    assert heading.get_attribute("aria-sort") == "descending"


def test_a_table_can_be_filtered_by_verdict_and_searched_by_name(
    browser: Any, town_page: str, town_document: Document, tmp_path: Path
) -> None:
    show(browser, town_page, tmp_path)
    table = users_table(browser)
    select = browser.find_elements("css selector", ".filter select")[-1]
    options = [option.text for option in select.find_elements("css selector", "option")]
    verdicts = [row[5] for row in everybody(town_document)]
    assert options == ["all", *sorted(set(verdicts))]
    choose(browser, select, "fails")
    assert set(column(browser, table, 6)) == {"fails"}
    info = browser.find_elements("css selector", ".dt-info")[-1].text
    assert f" {verdicts.count('fails')} " in info
    choose(browser, select, "all")
    name = everybody(town_document)[-1][0]
    browser.find_elements("css selector", ".dt-search input")[-1].send_keys(name)
    assert name in column(browser, table, 1)


def test_the_intervals_of_a_person_are_found_by_name(
    browser: Any, town_page: str, town_document: Document, tmp_path: Path
) -> None:
    show(browser, town_page, tmp_path)
    (intervals,) = (
        part for part in town_document.parts if part.title == "The least protected people"
    )
    assert isinstance(intervals, Table)
    name = everybody(town_document)[2][0]
    first = next(row for row in intervals.rows if row[0] == name)
    tables = browser.find_elements("css selector", "table.interactive")
    place = next(
        number
        for number, one in enumerate(tables)
        if "candidates at its start" in one.get_property("textContent")
    )
    browser.execute_script("arguments[0].id = 'intervals'", tables[place])
    select = next(
        one
        for one in browser.find_elements("css selector", ".filter select")
        if f">{name}<" in one.get_attribute("innerHTML")
    )
    choose(browser, select, name)
    assert set(column(browser, "#intervals", 1)) == {name}
    assert column(browser, "#intervals", 6)[0] == first[5]


def test_hostile_names_stay_text(browser: Any, tmp_path: Path) -> None:
    names = np.array([HOSTILE, "</details></main>", '"><img src=x onerror=alert(1)>'], object)
    page = document_page(world(names, 6))
    assert show(browser, page, tmp_path) == []
    assert browser.title == "Location privacy of <b>bold</b>"
    table = users_table(browser)
    assert sorted(column(browser, table, 1)) == sorted(names)
    assert browser.find_elements("css selector", "img, b.name, main b b") == []


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_the_page_follows_the_scheme_of_the_screen_pictures_included(
    browser: Any, town_page: str, tmp_path: Path, scheme: str, dark: bool
) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    show(browser, town_page, tmp_path)
    look = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    paper = browser.execute_script(look, "body", "backgroundColor")
    ink = browser.execute_script(look, "figure svg text", "fill")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert (brightness(paper) < 100) is dark
    assert (brightness(ink) > 150) is dark


def test_light_and_dark_can_be_changed_on_the_page_itself(
    browser: Any, town_page: str, tmp_path: Path
) -> None:
    show(browser, town_page, tmp_path)
    button = browser.find_element("css selector", ".scheme")
    look = "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]"
    for said, dark in (("Dark page", False), ("Light page", True), ("Dark page", False)):
        assert button.text == said
        paper = browser.execute_script(look, "body", "backgroundColor")
        assert (brightness(paper) < 100) is dark
        ink = browser.execute_script(look, "figure svg text", "fill")
        assert (brightness(ink) > 150) is dark
        patch = browser.execute_script(look, ".exposure .legend i", "backgroundColor")
        assert (brightness(patch) < 120) is dark  # the map is painted anew
        button.send_keys(Keys.ENTER)


def test_on_paper_a_dark_page_is_light_and_no_table_is_wider_than_the_sheet(
    browser: Any, town_page: str, tmp_path: Path
) -> None:
    show(browser, town_page, tmp_path)
    browser.find_element("css selector", ".scheme").send_keys(Keys.ENTER)
    sheet = {"width": 700, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", sheet)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    look = "return getComputedStyle(document.body).backgroundColor"
    paper = browser.execute_script(look)
    widths = "return [...document.querySelectorAll('table')].map((one) => one.scrollWidth)"
    widest = max(browser.execute_script(widths))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert brightness(paper) == 255
    assert widest <= 700


def test_a_narrow_screen_never_scrolls_sideways(
    browser: Any, town_page: str, tmp_path: Path
) -> None:
    narrow = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", narrow)
    show(browser, town_page, tmp_path)
    width = browser.execute_script("return document.documentElement.scrollWidth")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert width <= 360


def test_a_large_result_is_a_small_page_that_opens(browser: Any, tmp_path: Path) -> None:
    page = document_page(world(np.arange(2000), 400))
    assert len(page.encode()) < 5_000_000
    assert show(browser, page, tmp_path) == []
    assert " 2,000 " in browser.find_elements("css selector", ".dt-info")[-1].text


def test_the_map_shows_a_time_of_the_day_by_keyboard(
    browser: Any, town_page: str, tmp_path: Path
) -> None:
    assert show(browser, town_page, tmp_path) == []
    slider = browser.find_element("css selector", ".exposure input[type=range]")
    said = browser.find_element("css selector", ".exposure output")
    assert (said.text, slider.get_attribute("aria-valuetext")) == ("all", "all")
    slider.send_keys(Keys.ARROW_RIGHT)
    assert said.text == slider.get_attribute("aria-valuetext") == "1 to 2"
    browser.find_element("css selector", "input[value=safe]").send_keys(Keys.SPACE)
    assert not slider.is_enabled()
    assert browser.find_elements("css selector", ".exposure .legend i")
    focus = "return document.querySelector('.exposure .map').tabIndex"
    assert browser.execute_script(focus) == 0


def test_on_paper_everybody_is_listed_and_then_the_page_is_as_it_was(
    browser: Any, town_page: str, tmp_path: Path
) -> None:
    show(browser, town_page, tmp_path)
    rows = "return [...document.querySelectorAll('table')].at(-1).tBodies[0].rows.length"
    assert browser.execute_script(rows) == 10
    size = "return document.querySelector('.exposure .map').getBoundingClientRect().width"
    on_screen = browser.execute_script(size)
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script(rows) == 200
    # A sheet is laid out after the event; a map that still has the width of the screen is cut.
    assert browser.execute_script(size) == pytest.approx(16 / 2.54 * 96, abs=2)
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script(rows) == 10
    assert browser.execute_script(size) == on_screen


def brightness(colour: str) -> float:
    """Mean of red, green and blue of what a browser computed."""
    numbers = colour[colour.index("(") + 1 : -1].split(",")[:3]
    return sum(float(number) for number in numbers) / 3


def world(names: np.ndarray[Any, Any], steps: int) -> Document:
    """Everybody meets a neighbour in every step; bounds are drawn, whatever the truth is."""
    n_users, random = len(names), np.random.default_rng(7)
    pairs = n_users // 2
    zones = MixZones(
        names,
        TimeAxis(steps),
        np.repeat(np.arange(1, steps + 1, dtype=np.int32), pairs),
        np.arange(0, 2 * pairs * steps + 1, 2, dtype=np.int64),
        np.tile(np.arange(2 * pairs, dtype=np.int32), steps),
        random.integers(1, 1025, pairs * steps),
    )
    row = np.repeat(np.arange(n_users), steps + 1)
    start = np.tile(np.arange(steps + 1), n_users)
    lower = random.integers(1, 5, len(row))
    upper = lower + random.integers(0, 2, len(row))
    shown = [str(name) for name in names[:3]]
    asked = Decided(
        zones, row, start, start, np.full(len(row), 3), lower, upper,
        np.where(start > 0, (start - 1) * pairs, -1), lambda *_: NamedCandidates(shown, 3, 3),
        whole=True,
    )  # fmt: skip
    share = random.random(n_users).round(3)
    verdict = (share < 0.3).astype(np.int8)
    nothing, weight = np.zeros(n_users), np.full(n_users, steps)
    rows = np.arange(n_users), verdict, share, nothing, nothing, np.ones(n_users, np.int64)
    users = UserRows(*rows, weight, np.zeros(n_users, np.int64))
    question = HeadlineQuestion(Rule("some"), 3, "pseudonyms", zones.axis, True)
    shares = UserShares(names, share, nothing, nothing, weight)
    headline = Headline.of(shares, verdict, question)
    best, met = np.full(n_users, 4), np.bincount(zones.members, minlength=n_users)
    found = PrivacyNumbers(
        "<b>bold</b>", zones, headline, names, users, best, lambda: asked, ("Nothing",),
        meetings=met,
    )  # fmt: skip
    known = ("The adversary saw <i>nobody</i>",)
    said = Said(
        (), (), "people", known, "two people", (), "{}", "helps", "helps", headline.sentence
    )
    return privacy_document(found, said, Atlas(), pages=True)


def everybody(document: Document) -> Any:
    """Rows of the table of all people."""
    (table,) = (one for one in document.parts if one.title == "All people")
    assert isinstance(table, Table)
    return table.rows


def test_the_map_of_a_description_is_drawn_without_controls(browser: Any, tmp_path: Path) -> None:
    """The script of maps of exposure draws fixes, too: nothing is said of risk."""
    document = description_document(describe(sample("cabs"), seconds=1), ["cabs.csv"])
    assert show(browser, document_page(document), tmp_path) == []
    legend = browser.find_element("css selector", ".exposure .legend").text
    assert legend.startswith("up to ")
    assert "fixes" in legend
    assert "risk" not in browser.find_element("tag name", "main").text
    assert browser.find_elements("css selector", ".exposure canvas") != []
