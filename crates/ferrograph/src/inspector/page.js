// The page: its views, what is selected in all of them, the search.

class TracesView {
  constructor(page) {
    this.page = page;
    this.scroll = el("div", { class: "scroll padded", id: "traces" });
    this.view = el("div", { class: "view" }, this.scroll);
  }

  show() {
    const { retraces } = this.page.doc;
    this.scroll.replaceChildren();
    if (!retraces.length) this.scroll.append(el("p", { class: "empty" }, "No trace was recorded."));
    for (const record of retraces) this.scroll.append(this.card(record));
  }

  card(record) {
    const head = `${record.kind} #${record.index} of ${record.function}`;
    const nearest = record.nearest === null ? "" : `, nearest: trace #${record.nearest}`;
    const list = el("ul", {});
    for (const cause of record.causes) {
      const item = el("li", {}, cause.text);
      if (cause.fix) item.append(el("div", { class: "fix" }, `fix: ${cause.fix}`));
      list.append(item);
    }
    return el(
      "article",
      { class: "card" },
      el("h3", {}, head),
      el("div", { class: "note" }, `called at ${record.call_site}; ${inTime(record.seconds)}${nearest}`),
      list,
      el("div", {}, `→ ${record.action}`),
    );
  }

  mark() {}
}

/** What tells nodes of several graphs apart, whose names are unique in each: name and line. */
const nodeKey = (node, line) => `${node} ${keyOfLine(line)}`;

class Page {
  constructor(doc) {
    this.doc = doc;
    this.selected = null;
    this.line = "";
    this.found = [];
    this.trace = null;
    this.places = [];
    this.byLine = new Map();
    this.byKey = new Map();
    this.readProfile();
    this.source = new SourceView(this);
    this.selection = new SelectionView(this);
    this.views = this.made();
    byId("title").textContent = doc.title;
    document.title = `${doc.title} – ferrograph inspector`;
    this.addTabs();
    this.addTraces();
    this.addSearch();
    this.showTrace(0);
    const first = this.views.findIndex(({ hasContent }) => hasContent);
    this.open(Math.max(0, first), false);
  }

  readProfile() {
    const { profile } = this.doc;
    this.runs = profile ? runsOf(profile.events) : null;
    this.steps = profile ? profile.steps || stepsOf(this.runs.runs) : [];
    this.times = new Map();
    for (const step of this.steps) {
      if (!step.node) continue;
      const key = nodeKey(step.node, step.line);
      this.times.set(key, (this.times.get(key) || 0) + step.own);
    }
  }

  made() {
    const { traces, retraces, profile } = this.doc;
    const isProfile = profile && !traces.length;
    const all = [
      { name: "Graph", make: GraphView, hasContent: traces.length > 0 },
      { name: "Plan", make: PlanView, hasContent: traces.some((t) => t.plan) },
      { name: "Memory", make: MemoryView, hasContent: traces.some((t) => t.plan) },
      { name: "Time", make: TimeView, hasContent: Boolean(profile) },
      { name: "Lines", make: LinesView, hasContent: Boolean(profile) || traces.length > 0 },
      { name: "Traces", make: TracesView, hasContent: retraces.length > 0 },
    ];
    const kept = all.filter((view) => view.hasContent || !isProfile);
    return kept.map((view) => ({ ...view, view: new view.make(this) }));
  }

  // Tabs.

  addTabs() {
    const tabs = byId("tabs");
    this.views.forEach(({ name, view }, i) => {
      const panel = `panel-${name.toLowerCase()}`;
      tabs.append(
        el("button", { type: "button", role: "tab", id: `tab-${i}`, "aria-controls": panel, on: { click: () => this.open(i, false) } }, name),
      );
      view.view.setAttribute("role", "tabpanel");
      view.view.setAttribute("id", panel);
      view.view.setAttribute("aria-labelledby", `tab-${i}`);
      view.view.hidden = true;
      byId("views").append(view.view);
    });
    tabs.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      this.open((this.tab + by + this.views.length) % this.views.length, true);
    });
  }

  open(number, focuses) {
    this.tab = number;
    this.views.forEach(({ view }, i) => {
      const isOpen = i === number;
      view.view.hidden = !isOpen;
      const tab = byId(`tab-${i}`);
      tab.setAttribute("aria-selected", String(isOpen));
      tab.setAttribute("tabindex", isOpen ? "0" : "-1");
      if (isOpen && focuses) tab.focus();
    });
    // What is hidden has no width to draw by.
    const { view } = this.views[number];
    if (this.stale.delete(number)) view.show(this.trace);
    view.mark();
  }

  // Traces.

  addTraces() {
    const { traces } = this.doc;
    byId("trace-choice").hidden = traces.length < 2;
    traces.forEach((trace, i) => byId("trace").append(el("option", { value: String(i) }, `${trace.name}(${trace.signature})`)));
    byId("trace").addEventListener("change", () => this.showTrace(Number(byId("trace").value)));
  }

  showTrace(number) {
    this.trace = this.doc.traces[number] || null;
    this.places = this.trace ? placesOf(this.trace) : [];
    this.byKey = new Map(this.places.map((place) => [place.key, place]));
    this.byLine = new Map();
    for (const { key, node } of this.places) {
      const line = keyOfLine(node.line);
      if (!line) continue;
      if (!this.byLine.has(line)) this.byLine.set(line, []);
      this.byLine.get(line).push(key);
    }
    this.selected = null;
    this.line = "";
    this.found = [];
    this.stale = new Set(this.views.keys());
    this.source.show(this.costTexts());
    if (this.tab !== undefined) this.open(this.tab, false);
    this.changed();
  }

  costTexts() {
    const isTimed = this.steps.length > 0;
    return new Map(costsOf(this).map((cost) => [keyOfLine(cost.line), isTimed ? inTime(cost.own).replace(" ", "") : `${cost.count} op`]));
  }

  placeOf(key) {
    return key === null ? undefined : this.byKey.get(key);
  }

  onLine() {
    return (this.line && this.byLine.get(this.line)) || [];
  }

  lines() {
    const timed = this.steps.map((step) => keyOfLine(step.line)).filter(Boolean);
    return [...this.byLine.keys(), ...timed];
  }

  textOf(line) {
    for (const { file, first, lines } of this.doc.sources) {
      const at = line[1] - first;
      if (file === line[0] && at >= 0 && at < lines.length) return lines[at];
    }
    return "";
  }

  timeOf(node, line) {
    const found = this.times.get(nodeKey(node, line));
    return found === undefined ? "" : inTime(found);
  }

  // Selecting.

  selectNode(key) {
    this.selected = key;
    this.line = keyOfLine(this.placeOf(key).node.line);
    this.changed();
  }

  selectLine(line) {
    this.selected = null;
    this.line = keyOfLine(line);
    const keys = this.onLine();
    const graph = this.graph();
    if (keys.length && graph && this.views[this.tab].view === graph) {
      graph.uncover(keys[0]);
      this.changed();
      graph.see(keys[0]);
    } else this.changed();
  }

  selectStep({ node, line }) {
    const place = node && this.places.find((p) => p.node.name === node && keyOfLine(p.node.line) === keyOfLine(line));
    if (place) this.selectNode(place.key);
    else this.selectLine(line);
  }

  goTo(key) {
    const graph = this.graph();
    this.selectNode(key);
    if (!graph || this.views[this.tab].view !== graph) return;
    graph.uncover(key);
    this.changed();
    graph.focus(key);
  }

  graph() {
    return this.views.map(({ view }) => view).find((view) => view instanceof GraphView);
  }

  changed() {
    if (this.tab !== undefined) this.views[this.tab].view.mark();
    this.source.mark();
    this.selection.show();
  }

  // Searching.

  addSearch() {
    const search = byId("search");
    byId("finder").hidden = !this.doc.traces.length;
    search.addEventListener("input", () => this.search(search.value));
    search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !this.found.length) return;
      event.preventDefault();
      this.step(event.shiftKey ? -1 : 1);
    });
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target.matches("input, select, textarea");
      if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        search.focus();
        search.select();
      } else if (event.key === "Escape") this.clear();
    });
  }

  search(text) {
    const wanted = text.trim().toLowerCase();
    const has = ({ node }) => [node.name, node.op, saysLine(node.line), ...node.types].some((t) => t.toLowerCase().includes(wanted));
    this.found = wanted ? this.places.filter(has).map(({ key }) => key) : [];
    this.at = -1;
    const n = this.found.length;
    byId("found").textContent = wanted ? `${n} node${n === 1 ? "" : "s"}` : "";
    this.changed();
  }

  /** Goes to the next node that was found. */
  step(by) {
    this.at = (this.at + by + this.found.length) % this.found.length;
    const key = this.found[this.at];
    const graph = this.graph();
    this.open(this.views.findIndex(({ view }) => view === graph), false);
    this.selectNode(key);
    graph.uncover(key);
    this.changed();
    graph.see(key);
    byId("found").textContent = `${this.at + 1} of ${this.found.length}`;
  }

  clear() {
    const search = byId("search");
    search.value = "";
    this.selected = null;
    this.line = "";
    this.search("");
    if (document.activeElement === search) search.blur();
  }
}

const page = new Page(JSON.parse(byId("data").textContent));
