"""The inspector's page in a browser."""

import random
import re

import ferrograph as fg
import pytest

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}

HOSTILE = '</script><img src="http://127.0.0.1:9/x" onerror="document.title=1"><b>&amp;'


@pytest.fixture(scope="module")
def inspection():
    """The page of a function with a branch, a loop and a call, of two traces and with times."""

    @fg.function
    def callee(x):
        return fg.tanh(x)

    @fg.function
    def step(x, factor):
        y = x * factor
        if fg.reduce_sum(y) > 0.0:
            y += 1.0
        else:
            y = fg.exp(y)
        while fg.reduce_sum(y) < 100.0:
            y = y * 2.0
        return callee(y)

    with fg.profile() as taken:
        step(fg.ones([2]), fg.constant(2.0))
    step(fg.ones([3]), fg.constant(2.0))
    return fg.inspect(step, taken)


class Opened:
    """A page in the browser, with what it said and what it asked for."""

    def __init__(self, context, file):
        self.page, self.said, self.requests = context.new_page(), [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.file = file
        self.page.goto(file.as_uri())

    def tab(self, name):
        self.page.get_by_role("tab", name=name, exact=True).click()

    def focused(self):
        """The key of the node that has the focus."""
        return self.page.evaluate("document.activeElement.dataset.key ?? null")

    def node(self, op):
        """The first node with that operation."""
        return self.page.locator(".node").filter(has_text=re.compile(rf"^[▸▾ ]*{op}")).first

    def selected(self):
        """The fields of what is selected, by their names."""
        names = self.page.locator("#selection dt").all_inner_texts()
        return dict(zip(names, self.page.locator("#selection dd").all_inner_texts(), strict=True))

    def lines(self):
        """The texts of the source lines that are marked."""
        texts = self.page.locator("#source .line.marked span:nth-child(3)").all_inner_texts()
        return [text.strip() for text in texts]

    def overflow(self):
        """By how much the page is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")

    def overlaps(self):
        """Pairs of nodes of the outer graph that overlap."""
        return self.page.evaluate("""() => {
            const all = [...document.querySelectorAll("#graph svg > .node > rect.frame")];
            const boxes = all.map((rect) => rect.getBoundingClientRect());
            const found = [];
            boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {
                const across = a.right > b.left && b.right > a.left;
                if (across && a.bottom > b.top && b.bottom > a.top) found.push([i, i + 1 + j]);
            }));
            return found;
        }""")

    def check(self):
        """Nothing was said, and nothing asked for but the page itself."""
        assert self.said == []
        assert [url for url in self.requests if not url.startswith("data:")] == [self.file.as_uri()]


@pytest.fixture
def opened(browser, tmp_path):
    """Opens an inspection at a size of the window; at the end it is checked."""
    contexts, pages = [], []

    def make(inspection, size=DESKTOP, **options):
        contexts.append(browser.new_context(viewport=size, **options))
        file = tmp_path / f"page{len(contexts)}.html"
        inspection.save(file)
        pages.append(Opened(contexts[-1], file))
        return pages[-1]

    yield make
    for page in pages:
        page.check()
    for context in contexts:
        context.close()


def test_nodes_and_lines_are_selected_together(opened, inspection):
    page = opened(inspection)
    page.node("Mul").click()
    assert page.lines() == ["y = x * factor"]
    found = page.selected()
    assert (found["operation"], found["gives"]) == ("Mul", "float32[2]")
    page.page.locator("#source .line.has").filter(has_text="return callee(y)").click()
    assert page.lines() == ["return callee(y)"]
    assert page.page.locator(".node.marked").count() >= 1
    assert "Call" in page.selected()["nodes"]


def test_types_are_on_the_edges(opened, inspection):
    page = opened(inspection)
    assert "float32[2]" in page.page.locator(".type").all_text_contents()
    assert page.page.locator(".edge").count() > 5


def test_regions_are_folded_and_unfolded(opened, inspection):
    page = opened(inspection)
    before = page.page.locator(".node").count()
    branch = page.node(".*If")
    assert branch.get_attribute("aria-expanded") == "false"
    branch.dblclick()
    assert page.node(".*If").get_attribute("aria-expanded") == "true"
    assert page.page.locator(".region text").first.text_content().startswith("then: ")
    assert page.page.locator(".node").count() > before
    page.page.get_by_text("unfold all").click()
    assert page.page.locator(".node[aria-expanded=false]").count() == 0
    assert page.overlaps() == []
    page.page.get_by_text("fold all", exact=True).click()
    assert page.page.locator(".node").count() == before
    assert page.overlaps() == []


def test_the_keyboard_goes_along_edges(opened, inspection):
    page = opened(inspection)
    keys = page.page.keyboard
    page.page.locator("#graph .node[tabindex='0']").focus()
    page.node("Mul").focus()
    page.node("Mul").click()
    mul = page.focused()
    keys.press("ArrowUp")
    assert page.selected()["operation"] == "Placeholder"
    keys.press("ArrowDown")
    assert page.focused() == mul
    # Along the edges down to what holds regions.
    for _ in range(30):
        if page.page.locator(".node:focus").get_attribute("aria-expanded"):
            break
        keys.press("ArrowDown")
    holder = page.focused()
    keys.press("Enter")
    assert page.page.locator(".node:focus").get_attribute("aria-expanded") == "true"
    keys.press("ArrowDown")
    assert page.focused().startswith(f"{holder}.0.")
    for _ in range(30):
        if page.focused() == holder:
            break
        keys.press("ArrowUp")
    assert page.focused() == holder
    keys.press("Enter")
    assert page.page.locator(".node:focus").get_attribute("aria-expanded") == "false"
    keys.press("Escape")
    assert page.page.locator(".node.selected").count() == 0


def test_the_focus_is_seen_and_tab_goes_through_the_parts(opened, inspection):
    page = opened(inspection)
    found = []
    for _ in range(14):
        page.page.keyboard.press("Tab")
        found.append(
            page.page.evaluate("""() => {
                const at = document.activeElement;
                const frame = at.classList.contains("node") ? at.querySelector("rect.frame") : at;
                const style = getComputedStyle(frame);
                const isWide = parseFloat(style.strokeWidth) > 2;
                const part = at.closest("#finder, #tabs, #graph, #source, .bar");
                return [part?.id || "bar", frame === at ? style.outlineStyle !== "none" : isWide];
            }""")
        )
    assert {"finder", "tabs", "graph", "source", "bar"} <= {part for part, _ in found}
    assert all(seen for _, seen in found[:6])
    # One stop in the graph, and one in the source.
    assert [part for part, _ in found].count("graph") == 1


def test_the_search_finds_nodes_within_regions(opened, inspection):
    page = opened(inspection)
    page.page.keyboard.press("/")
    assert page.page.evaluate("document.activeElement.id") == "search"
    page.page.keyboard.type("exp")
    assert re.fullmatch(r"\d+ nodes?", page.page.locator("#found").inner_text())
    for _ in range(20):
        page.page.keyboard.press("Enter")
        if page.selected()["operation"] == "Exp":
            break
    assert page.selected()["operation"] == "Exp"
    assert page.lines() == ["y = fg.exp(y)"]
    assert page.page.locator(".node.selected").is_visible()
    page.page.keyboard.press("Escape")
    assert page.page.locator("#search").input_value() == ""
    assert page.page.locator(".node.found, .node.selected").count() == 0


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_fits_the_window(opened, inspection, size, scheme):
    page = opened(inspection, size, color_scheme=scheme)
    for tab in ("Graph", "Plan", "Memory", "Time", "Lines", "Traces"):
        page.tab(tab)
        panel = page.page.locator("[role=tabpanel]:visible")
        assert panel.count() == 1
        assert len(panel.inner_text().strip()) > 20, tab
        assert panel.bounding_box()["height"] > 300
        assert page.overflow() <= 0, tab
        parts = [
            page.page.locator(part).bounding_box()
            for part in ("header", "#tabs", "#columns", "footer")
        ]
        for above, below in zip(parts, parts[1:], strict=False):
            assert above["y"] + above["height"] <= below["y"] + 1, tab
    back = page.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (back == "rgb(255, 255, 255)") == (scheme == "light")


def test_steps_lead_to_nodes_and_lines(opened, inspection):
    page = opened(inspection)
    page.tab("Time")
    row = page.page.locator("#time tr.has[data-node]:not([data-line=''])").first
    row.click()
    assert page.selected()["name"] == row.get_attribute("data-node")
    assert len(page.lines()) == 1
    page.tab("Plan")
    rows = page.page.locator("#plan tr.has")
    assert rows.count() > 3
    rows.first.focus()
    page.page.keyboard.press("ArrowDown")
    page.page.keyboard.press("Enter")
    assert page.page.locator("#plan tr.marked").count() >= 1
    assert len(page.lines()) == 1
    page.tab("Lines")
    assert "y = y * 2.0" in page.page.locator("#lines").inner_text()
    page.tab("Traces")
    assert "shape axis 0: 2 -> 3" in page.page.locator("#traces").inner_text()


def test_memory_has_a_bar_for_each_step(opened):
    f = fg.function(lambda x: fg.reduce_sum(fg.matmul(x, x) @ x) + fg.reduce_max(x))
    f(fg.ones([32, 32]))
    inspection = fg.inspect(f)
    page = opened(inspection)
    page.tab("Memory")
    steps = inspection.data["traces"][0]["plan"]["steps"]
    bars = page.page.locator("#memory rect.has[role=button]")
    assert bars.count() == len(steps)
    # The product of two matrices is alive while the next one is made.
    texts = [bars.nth(i).get_attribute("aria-label") for i in range(len(steps))]
    assert any(re.search(r"MatMul: 8 KiB", text) for text in texts), texts


def test_another_trace_is_chosen(opened, inspection):
    page = opened(inspection)
    page.page.locator("#trace").select_option("1")
    assert "float32[?]" in page.page.locator(".type").all_text_contents()


def test_text_is_text(opened):
    f = fg.function(lambda x: x + 1)
    f(fg.constant(1))
    inspection = fg.inspect(f)
    data = inspection.data
    data["title"] = HOSTILE
    data["sources"][0]["file"] = HOSTILE
    (trace,) = data["traces"]
    trace["name"] = HOSTILE
    for node in trace["graphs"][0]["nodes"]:
        node["name"] = node["op"] = HOSTILE
        node["types"] = [HOSTILE] * len(node["types"])
        node["attrs"] = {HOSTILE: HOSTILE}
        node["line"] = [HOSTILE, 1, HOSTILE]
    for made in trace["plan"]["steps"]:
        made["operation"] = made["node"] = made["kind"] = HOSTILE
        made["line"] = [HOSTILE, 1, HOSTILE]
    for record in data["retraces"]:
        record["causes"] = [{"text": HOSTILE, "fix": HOSTILE}]
        record["action"] = HOSTILE
    data["profile"] = {"steps": None, "events": [{"ph": "X", "name": HOSTILE, "ts": 0, "dur": 1}]}
    page = opened(inspection)
    for tab in ("Graph", "Plan", "Memory", "Time", "Lines", "Traces"):
        page.tab(tab)
        assert page.page.locator("img, b").count() == 0
        assert page.page.title().startswith(HOSTILE)
    page.tab("Graph")
    page.page.locator(".node").first.click()
    assert page.selected()["name"] == HOSTILE


def test_the_policy_refuses_what_is_put_in(browser, tmp_path, inspection):
    inspection.save(tmp_path / "page.html")
    context = browser.new_context()
    page = context.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    found = page.evaluate("""async () => {
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        const image = new Image();
        const refused = new Promise((done) => {
            image.onerror = () => done(true);
            image.onload = () => done(false);
        });
        image.src = "http://127.0.0.1:9/x.png";
        const fetched = await fetch("http://127.0.0.1:9/").then(() => true, () => false);
        return [Boolean(window.ran), await refused, fetched];
    }""")
    context.close()
    assert found == [False, True, False]


def test_a_frame_of_a_notebook_draws_the_page(browser, inspection):
    page = browser.new_page(viewport=DESKTOP)
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.set_content(f"<p>before</p>{inspection._repr_html_()}<p>behind</p>")
    frame = page.frame_locator("iframe")
    frame.locator(".node").first.click()
    assert "Placeholder" in frame.locator("#selection").inner_text()
    font = frame.locator("body").evaluate("(body) => getComputedStyle(body).fontFamily")
    assert font.endswith("monospace")
    assert said == []
    page.close()


def test_a_trace_alone_has_its_times(opened, tmp_path):
    f = fg.function(lambda x: x @ x)
    with fg.profile() as taken:
        for _ in range(3):
            f(fg.ones([8, 8]))
    inspection = fg.inspect(f, taken)
    data = inspection.data
    data.update(traces=[], retraces=[], sources=[])
    data["profile"]["steps"] = None
    page = opened(inspection)
    tabs = page.page.get_by_role("tab").all_inner_texts()
    assert tabs == ["Time", "Lines"]
    row = page.page.locator("#time tr.has").filter(has_text="MatMul").inner_text()
    assert "kernel" in row and "\t3\t" in row
    assert page.page.locator("#time rect.has").count() == 6


def large():
    """A function of some 2,000 nodes, whose edges cross."""
    chosen = random.Random(1)

    @fg.function
    def f(x):
        made = [x, x + 1.0, x * 2.0]
        while len(made) < 1900:
            first, other = chosen.choices(made[-25:], k=2)
            made.append(chosen.choice([fg.add, fg.multiply, fg.maximum])(first, other))
        return fg.add_n(made[-25:])

    f.get_concrete_function(fg.TensorSpec([4], fg.float32))
    return fg.inspect(f)


def test_two_thousand_nodes_are_drawn_in_two_seconds(browser, tmp_path):
    inspection = large()
    n = len(inspection.data["traces"][0]["graphs"][0]["nodes"])
    assert 1900 < n < 2100
    assert len(inspection.html) < 2_000_000
    inspection.save(tmp_path / "page.html")
    page = browser.new_page(viewport=DESKTOP)
    session = page.context.new_cdp_session(page)
    # The time of the page's own thread, whatever else the machine does meanwhile.
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate("() => new Promise(requestAnimationFrame)")
    assert page.locator(".node").count() == n
    found = session.send("Performance.getMetrics")["metrics"]
    page.close()
    took = {metric["name"]: metric["value"] for metric in found}
    assert 0 < took["TaskDuration"] < 2, took
