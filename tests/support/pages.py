"""Pages in a browser, and a name that is code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HOSTILE = "<script>document.title = 'owned'</script>"


def show(browser: Any, page: str, folder: Path) -> list[str]:
    """Open a page; returns what it asked of the network, and what the console complained about."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8", newline="")
    browser.get("about:blank")  # away from the browser's own first page, if it still loads
    browser.get_log("browser"), browser.get_log("performance")
    browser.get(path.as_uri())
    asked = []
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            asked.append(message["params"]["request"]["url"])
    others = [url for url in asked if not url.startswith(("data:", path.as_uri()))]
    return others + [entry["message"] for entry in browser.get_log("browser")]
