// The graph as a drawing: nodes in layers, regions inside the nodes that hold them, folded until asked for.

const LETTER = 7.25;
const SMALL_LETTER = 6.35;
const NODE_HEIGHT = 40;
const HEAD = 44;
const REGION_HEAD = 22;
const PAD = 14;
const MARGIN = 24;
// Nodes that are unfolded at once.
const MOST_UNFOLDED = 5000;
const MOST_LETTERS = 28;
const ZOOMS = [0.1, 0.15, 0.25, 0.35, 0.5, 0.7, 0.85, 1, 1.25, 1.6, 2];

class GraphView {
  constructor(page) {
    this.page = page;
    this.unfolded = new Set();
    this.zoom = 1;
    this.scroll = el("div", { class: "scroll", id: "graph" });
    this.note = el("span", { class: "note", id: "graph-note" });
    const button = (text, label, done) => el("button", { type: "button", "aria-label": label, on: { click: done } }, text);
    this.view = el(
      "div",
      { class: "view" },
      el(
        "div",
        { class: "bar" },
        button("−", "Zoom out", () => this.zoomBy(-1)),
        button("+", "Zoom in", () => this.zoomBy(1)),
        button("fit", "Fit the width", () => this.fit(0.1)),
        button("unfold all", "Unfold all regions", () => this.unfoldAll()),
        button("fold all", "Fold all regions", () => this.foldAll()),
        this.note,
      ),
      this.scroll,
    );
    this.scroll.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  show(trace) {
    this.trace = trace;
    this.unfolded.clear();
    this.current = "0";
    this.redraw(0.9);
    this.center(this.current);
  }

  // Layout.

  placed(number, prefix) {
    const graph = this.trace.graphs[number];
    const given = new Map();
    graph.outputs.forEach(([n], i) => given.set(n, [...(given.get(n) || []), i]));
    const boxes = graph.nodes.map((node, i) => this.box(node, prefix + i, given.get(i)));
    const edges = [];
    graph.nodes.forEach((node, to) => {
      const n = node.inputs.length;
      node.inputs.forEach(([from, output], i) => {
        const of = graph.nodes[from].types.length;
        const out = (output + 1) / (of + 1);
        edges.push({ from, to, out, into: (i + 1) / (n + 1), output, taken: i });
      });
      for (const from of node.after) edges.push({ from, to, out: 0.5, into: 0.5, output: -1 });
    });
    return { graph, prefix, boxes, edges, at: layered(boxes, edges) };
  }

  box(node, key, outputs) {
    const isOpen = node.regions.length > 0 && this.unfolded.has(key);
    const fold = node.regions.length ? (isOpen ? "▾ " : "▸ ") : "";
    const title = fold + short(node.op, MOST_LETTERS);
    const under = short(this.subtitle(node), MOST_LETTERS);
    const longest = Math.max(0, ...node.types.map((type) => short(type, MOST_LETTERS).length)) * SMALL_LETTER;
    const types = node.types.length > 1 ? (longest + 10) * (node.types.length + 1) : longest;
    const w = Math.max(title.length * LETTER + 22, under.length * 6.7 + 22, types);
    const box = { w, h: NODE_HEIGHT, title, under, node, key, outputs, inner: [] };
    if (!isOpen) return box;
    let x = PAD;
    let tallest = 0;
    node.regions.forEach((region, r) => {
      const placed = this.placed(region.graph, `${key}.${r}.`);
      const label = `${region.role}: ${short(placed.graph.name, MOST_LETTERS)}`;
      const width = Math.max(placed.at.width, label.length * SMALL_LETTER) + 2 * PAD;
      const height = placed.at.height + REGION_HEAD + 2 * PAD + 14;
      box.inner.push({ placed, label, x, y: HEAD, width, height });
      x += width + PAD;
      tallest = Math.max(tallest, height);
    });
    box.w = Math.max(w, x);
    box.h = HEAD + tallest + PAD;
    return box;
  }

  subtitle(node) {
    // A small constant is written as `float32 [2] {1.0, 2.0}`.
    const value = node.op === "Const" ? /\{(.*)\}$/s.exec(node.attrs.value || "") : null;
    return value && value[1].length <= MOST_LETTERS ? value[1] : node.name;
  }

  // Drawing.

  /** Draws the graph, where `least` is given at a zoom that fits the width and is no smaller. */
  redraw(least) {
    this.elements = new Map();
    this.edges = new Map();
    this.scroll.replaceChildren();
    if (!this.trace || !this.trace.graphs.length) {
      this.scroll.append(el("p", { class: "empty" }, "There is no graph: the function has not been traced yet."));
      return;
    }
    const placed = this.placed(0, "");
    this.root = placed;
    this.width = placed.at.width + 2 * MARGIN;
    this.height = placed.at.height + 2 * MARGIN + 16;
    this.svg = draw("svg", {
      role: "tree",
      "aria-label": `Graph of ${placed.graph.name}: ${placed.graph.nodes.length} nodes`,
      viewBox: `0 0 ${this.width} ${this.height}`,
    });
    this.drawGraph(placed, MARGIN, MARGIN, this.svg);
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("pointerover", (event) => this.tell(event.target));
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
    // Before it is laid out: each change of the zoom lays out all text again.
    if (least) this.zoom = this.fitting(least);
    this.resize();
    this.scroll.append(this.svg);
    if (!this.elements.has(this.current)) this.current = "0";
    const stop = this.elements.get(this.current);
    if (stop) stop.element.setAttribute("tabindex", "0");
    this.mark();
    const n = this.elements.size;
    this.note.textContent = `${n} node${n === 1 ? "" : "s"} shown`;
  }

  drawGraph(placed, dx, dy, parent) {
    const { boxes, at } = placed;
    const lines = draw("g", {});
    const types = draw("g", { "aria-hidden": "true" });
    placed.edges.forEach((edge, i) => lines.append(this.edge(placed, edge, i, dx, dy)));
    parent.append(lines);
    boxes.forEach((box, i) => {
      const [x, y] = [at.x[i] + dx, at.y[i] + dy];
      parent.append(this.node(placed, box, i, x, y));
      this.types(box, x, y, types);
    });
    parent.append(types);
  }

  edge(placed, edge, i, dx, dy) {
    const classes = ["edge"];
    if (edge.output < 0) classes.push("control");
    if (placed.at.isLong[i]) classes.push("long");
    const path = draw("path", { class: classes.join(" "), d: pathOf(placed.at.routes[i], dx, dy) });
    for (const end of [edge.from, edge.to]) {
      const key = placed.prefix + end;
      if (!this.edges.has(key)) this.edges.set(key, []);
      this.edges.get(key).push(path);
    }
    path.of = () => {
      const { nodes } = placed.graph;
      const what = edge.output < 0 ? "runs before" : nodes[edge.from].types[edge.output];
      return `${nodes[edge.from].name} → ${nodes[edge.to].name}: ${what}`;
    };
    return path;
  }

  /** Gives an edge under the pointer its title, which few of them need. */
  tell(path) {
    if (path.of && !path.firstChild) path.append(draw("title", {}, path.of()));
  }

  types(box, x, y, into) {
    const n = box.node.types.length;
    box.node.types.forEach((type, i) => {
      const at = x + (box.w * (i + 1)) / (n + 1);
      into.append(draw("text", { class: "type", x: at, y: y + box.h + 13, "text-anchor": "middle" }, short(type, MOST_LETTERS)));
    });
  }

  node(placed, box, i, x, y) {
    const { node, key } = box;
    const classes = ["node"];
    if (node.op === "Placeholder") classes.push("input");
    if (node.op === "Const") classes.push("constant");
    if (node.regions.length) classes.push("holder");
    if (box.outputs) classes.push("output");
    const isOpen = box.inner.length > 0;
    const element = draw("g", {
      class: classes.join(" "),
      tabindex: "-1",
      role: "treeitem",
      "data-key": key,
      "aria-label": this.says(box),
      "aria-expanded": node.regions.length ? String(isOpen) : undefined,
    });
    element.append(draw("rect", { class: "frame", x, y, width: box.w, height: box.h, rx: node.op === "Placeholder" ? 14 : 4 }));
    const middle = x + box.w / 2;
    element.append(draw("text", { x: middle, y: y + 17, "text-anchor": "middle" }, box.title));
    element.append(draw("text", { class: "dim", x: middle, y: y + 32, "text-anchor": "middle" }, box.under));
    this.elements.set(key, { element, box, placed, index: i });
    for (const region of box.inner) {
      const [rx, ry] = [x + region.x, y + region.y];
      element.append(
        draw(
          "g",
          { class: "region", role: "group" },
          draw("rect", { x: rx, y: ry, width: region.width, height: region.height, rx: 3 }),
          draw("text", { class: "dim", x: rx + 8, y: ry + 15 }, region.label),
        ),
      );
      this.drawGraph(region.placed, rx + PAD, ry + REGION_HEAD + PAD, element);
    }
    return element;
  }

  says(box) {
    const { node } = box;
    const parts = [`${node.op} ${node.name}`];
    if (node.types.length) parts.push(node.types.join(", "));
    if (node.line) parts.push(`line ${node.line[1]} of ${node.line[0]}`);
    if (box.outputs) parts.push(`result ${box.outputs.join(", ")}`);
    return parts.join(", ");
  }

  // Size.

  resize() {
    if (!this.svg) return;
    this.svg.setAttribute("width", Math.ceil(this.width * this.zoom));
    this.svg.setAttribute("height", Math.ceil(this.height * this.zoom));
  }

  zoomBy(steps, at) {
    const near = ZOOMS.reduce((best, z, i) => (Math.abs(z - this.zoom) < Math.abs(ZOOMS[best] - this.zoom) ? i : best), 0);
    this.zoomTo(ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, near + steps))], at);
  }

  zoomTo(zoom, at) {
    const { scroll } = this;
    const [px, py] = at || [scroll.clientWidth / 2, scroll.clientHeight / 2];
    const [x, y] = [(scroll.scrollLeft + px) / this.zoom, (scroll.scrollTop + py) / this.zoom];
    this.zoom = zoom;
    this.resize();
    scroll.scrollLeft = x * zoom - px;
    scroll.scrollTop = y * zoom - py;
  }

  /** Fits the width, no smaller than that. */
  fit(least) {
    if (!this.svg || !this.scroll.clientWidth) return;
    this.zoomTo(this.fitting(least));
    this.center(this.current);
  }

  fitting(least) {
    return Math.max(least, Math.min(1, (this.scroll.clientWidth - 4) / this.width));
  }

  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const edge = this.scroll.getBoundingClientRect();
    this.zoomBy(event.deltaY < 0 ? 1 : -1, [event.clientX - edge.left, event.clientY - edge.top]);
  }

  // Choosing and folding.

  clicked(event) {
    const element = event.target.closest(".node");
    if (!element) return;
    const key = element.dataset.key;
    const wasSelected = this.page.selected === key;
    this.page.selectNode(key);
    if (wasSelected || event.detail === 2) this.toggle(key);
    this.focus(key);
  }

  pressed(event) {
    const key = this.current;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.page.selectNode(key);
      this.toggle(key);
      this.focus(key);
      return;
    }
    const to = this.next(key, event.key);
    if (to === undefined) return;
    event.preventDefault();
    if (to === null) return;
    this.page.selectNode(to);
    this.focus(to);
  }

  /** The node that a key leads to; null where there is none, undefined for other keys. */
  next(key, pressed) {
    const { placed, index, box } = this.elements.get(key);
    const holder = key.includes(".") ? key.split(".").slice(0, -2).join(".") : null;
    const near = (all) => {
      const middle = (n) => placed.at.x[n] + placed.boxes[n].w / 2;
      all.sort((a, b) => Math.abs(middle(a) - middle(index)) - Math.abs(middle(b) - middle(index)));
      return all.length ? placed.prefix + all[0] : null;
    };
    switch (pressed) {
      case "ArrowDown":
        if (box.inner.length) return box.inner[0].placed.prefix + box.inner[0].placed.at.layers[0][0];
        return this.below(key);
      case "ArrowUp":
        return near(placed.edges.filter((e) => e.to === index).map((e) => e.from)) ?? holder;
      case "ArrowLeft":
      case "ArrowRight": {
        const all = placed.at.layers.find((layer) => layer.includes(index));
        const beside = all[all.indexOf(index) + (pressed === "ArrowLeft" ? -1 : 1)];
        return beside === undefined ? null : placed.prefix + beside;
      }
      case "Home":
        return `${placed.prefix}0`;
      case "End":
        return placed.prefix + (placed.graph.nodes.length - 1);
      default:
        return undefined;
    }
  }

  /** The first consumer, of the last node of a region the one of what holds the region. */
  below(key) {
    const { placed, index } = this.elements.get(key);
    const all = placed.edges.filter((e) => e.from === index).map((e) => e.to);
    if (all.length) return placed.prefix + Math.min(...all);
    return key.includes(".") ? this.below(key.split(".").slice(0, -2).join(".")) : null;
  }

  toggle(key) {
    const found = this.elements.get(key);
    if (!found || !found.box.node.regions.length) return;
    if (!this.unfolded.delete(key)) this.unfolded.add(key);
    this.redraw();
    this.see(key);
  }

  unfoldAll() {
    const sizeOf = (region) => this.trace.graphs[region.graph].nodes.length;
    let n = this.trace ? this.trace.graphs[0].nodes.length : 0;
    for (const { key, node } of this.page.places) {
      n += node.regions.reduce((sum, region) => sum + sizeOf(region), 0);
      if (n > MOST_UNFOLDED) break;
      if (node.regions.length) this.unfolded.add(key);
    }
    this.redraw();
    if (n > MOST_UNFOLDED) this.note.textContent += ", the others on demand";
  }

  foldAll() {
    this.unfolded.clear();
    this.redraw();
  }

  /** Unfolds what holds a node. */
  uncover(key) {
    const parts = key.split(".");
    let isNew = false;
    for (let n = 1; n < parts.length; n += 2) {
      const holder = parts.slice(0, n).join(".");
      isNew ||= !this.unfolded.has(holder);
      this.unfolded.add(holder);
    }
    if (isNew) this.redraw();
  }

  focus(key) {
    const found = this.elements.get(key);
    if (!found) return;
    this.makeCurrent(key);
    found.element.focus({ preventScroll: true });
    this.see(key);
  }

  makeCurrent(key) {
    const before = this.elements.get(this.current);
    if (before) before.element.setAttribute("tabindex", "-1");
    this.current = key;
    this.elements.get(key).element.setAttribute("tabindex", "0");
  }

  /** Puts a node in the middle of the width. */
  center(key) {
    const found = this.elements.get(key);
    if (!found || this.width * this.zoom <= this.scroll.clientWidth) return;
    const { placed, index } = found;
    this.scroll.scrollLeft = (placed.at.x[index] + placed.boxes[index].w / 2 + MARGIN) * this.zoom - this.scroll.clientWidth / 2;
  }

  see(key) {
    const found = this.elements.get(key);
    if (found) reveal(this.scroll, found.element.firstChild);
  }

  /** Shows what is chosen and found. */
  mark() {
    if (!this.svg) return;
    for (const kind of ["selected", "marked", "found", "hot"]) {
      for (const old of this.svg.querySelectorAll(`.${kind}`)) old.classList.remove(kind);
    }
    const add = (key, kind) => this.elements.get(key)?.element.classList.add(kind);
    for (const key of this.page.onLine()) add(key, "marked");
    for (const key of this.page.found) add(key, "found");
    if (this.page.selected === null) return;
    add(this.page.selected, "selected");
    for (const path of this.edges.get(this.page.selected) || []) path.classList.add("hot");
    if (this.elements.has(this.page.selected)) this.makeCurrent(this.page.selected);
  }
}
