"""The site as it is built: its pages, links, search, and how a browser shows them.

It runs where mkdocs is installed, as after `make docs`.
"""

import functools
import html.parser
import http.server
import json
import subprocess
import sys
import threading
import urllib.parse
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WIDTHS = {"desktop": 1280, "phone": 390}
# Pages of every kind: text, tables, code, long signatures, an error, the search.
SHOWN = [
    "index.html",
    "architecture.html",
    "behaviour.html",
    "coverage.html",
    "errors/index.html",
    "errors/StagingError.html",
    "glossary.html",
    "guide/functions.html",
    "guide/index.html",
    "guide/keras.html",
    "performance.html",
    "reference/ferrograph.data.html",
    "reference/ferrograph.errors.html",
    "reference/ferrograph.nn.html",
    "reference/index.html",
    "search.html",
]


class Page(html.parser.HTMLParser):
    """The places and links of a page."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.tags = set(), [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.tags.add(tag)
        self.ids |= {named[key] for key in ("id", "name") if named.get(key)}
        self.links += [named[key] for key in ("href", "src") if named.get(key)]


def is_new(built):
    """Whether a site was built after the last change of what it is made of."""
    sources = [ROOT / "mkdocs.yml", *(ROOT / "docs").rglob("*"), *(ROOT / "python").rglob("*.py")]
    index = built / "index.html"
    return index.exists() and index.stat().st_mtime > max(f.stat().st_mtime for f in sources)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the site: that of `make docs` where it is up to date, else built here."""
    pytest.importorskip("mkdocs", reason="mkdocs is not installed; `make docs` does that")
    built = ROOT / "site"
    if is_new(built):
        return built
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """Each page of the site by its path."""
    return {
        file.relative_to(site).as_posix(): Page(file.read_text())
        for file in sorted(site.rglob("*.html"))
    }


def test_examples_are_no_quotations(pages):
    reference = [path for path in pages if path.startswith("reference/")]
    assert len(reference) > 50
    assert [path for path in reference if "blockquote" in pages[path].tags] == []


def test_links_within_the_site_lead_somewhere(site, pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            # The page for what is not found is shown at any address, and links from the root.
            base = "/" if parts.path.startswith("/") else f"/{path}"
            target = urllib.parse.unquote(urllib.parse.urljoin(base, parts.path)).lstrip("/")
            target = target or (path if not parts.path else "index.html")
            place = urllib.parse.unquote(parts.fragment)
            is_there = (site / target).is_file()
            if is_there and place and target in pages:
                is_there = place in pages[target].ids
            if not is_there:
                broken.append(f"{path}: {link}")
    assert broken == []


def test_links_out_of_the_site_are_encrypted(pages):
    found = {link for page in pages.values() for link in page.links if "://" in link}
    assert {link for link in found if not link.startswith("https://")} == set()


def test_every_function_is_in_the_search_index(site):
    index = json.loads((site / "search" / "search_index.json").read_text())
    titles = {entry["title"] for entry in index["docs"]}
    assert {"matmul", "GradientTape", "OutOfRangeError", "Architecture"} <= titles


@pytest.fixture(scope="module")
def address(site):
    """Where the site is served from."""
    handler = functools.partial(QuietHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        pass


@pytest.fixture(params=WIDTHS)
def tab(browser, request):
    """A tab of a browser of some width, and what goes wrong in it."""
    page = browser.new_page(viewport={"width": WIDTHS[request.param], "height": 800})
    wrong = []
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda failed: wrong.extend(lost(failed)))
    page.on("response", lambda got: wrong.append(got.url) if got.status >= 400 else None)
    yield page, wrong
    page.close()


def lost(request):
    """A request that failed, unless the next page put an end to it."""
    if request.failure != "net::ERR_ABORTED":
        yield f"{request.url}: {request.failure}"


def test_pages_fit_their_window_and_load_in_whole(address, tab):
    page, wrong = tab
    wide = {}
    for path in SHOWN:
        page.goto(f"{address}/{path}", wait_until="networkidle")
        over = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        if over > 0:
            wide[path] = over
    assert wrong == []
    assert wide == {}


def test_a_search_finds_the_function_first(address, tab):
    page, wrong = tab
    page.goto(f"{address}/search.html?q=matmul", wait_until="networkidle")
    page.wait_for_selector("#mkdocs-search-results article")
    first = page.locator("#mkdocs-search-results article h3").first.inner_text()
    assert first.strip() == "matmul"
    assert wrong == []


def test_a_page_has_one_heading_of_the_first_level(address, tab):
    page, _ = tab
    page.goto(f"{address}/errors/OutOfRangeError.html", wait_until="load")
    assert page.locator("h1").all_inner_texts() == ["OutOfRangeError"]


def test_the_pages_that_are_shown_exist():
    missing = [path for path in SHOWN if path != "search.html" and not source_of(path).exists()]
    assert missing == []


def source_of(path):
    return (ROOT / "docs" / path).with_suffix(".md")
