// Beside the views: what is selected, and the lines of the program.

class SourceView {
  constructor(page) {
    this.page = page;
    this.element = byId("source");
    this.rows = new Map();
    roving(this.element, () => [...this.element.querySelectorAll(".line.has")]);
  }

  show(costs) {
    const { sources } = this.page.doc;
    this.element.replaceChildren();
    this.rows.clear();
    if (!sources.length) {
      this.element.append(el("p", { class: "empty" }, "The lines of the program are not in this file."));
      return;
    }
    const used = new Set(this.page.lines());
    let stop = "0";
    for (const { file, first, lines } of sources) {
      const range = first > 1 ? `, lines ${first} to ${first + lines.length - 1}` : "";
      this.element.append(el("div", { class: "file" }, file + range));
      lines.forEach((text, i) => {
        const key = `${file}:${first + i}`;
        const has = used.has(key);
        const row = el(
          "div",
          has
            ? {
                class: "line has",
                role: "button",
                tabindex: stop,
                "aria-label": `line ${first + i}: ${text.trim()}`,
                on: acts(() => this.page.selectLine([file, first + i, ""])),
              }
            : { class: "line" },
          el("span", { class: "number" }, String(first + i)),
          el("span", { class: "cost" }, costs.get(key) || ""),
          el("span", {}, text),
        );
        if (has) stop = "-1";
        this.rows.set(key, row);
        this.element.append(row);
      });
    }
  }

  mark() {
    for (const row of this.element.querySelectorAll(".marked")) row.classList.remove("marked");
    const row = this.rows.get(this.page.line);
    if (!row) return;
    row.classList.add("marked");
    reveal(this.element, row);
  }
}

class SelectionView {
  constructor(page) {
    this.page = page;
    this.element = byId("selection");
  }

  show() {
    const { page } = this;
    this.element.replaceChildren();
    const place = page.placeOf(page.selected);
    if (place) this.element.append(this.node(place));
    else if (page.line) this.element.append(this.line());
    else this.element.append(el("p", { class: "note" }, "Select a node, a step or a line."));
  }

  fields(rows) {
    const list = el("dl", {});
    for (const [name, ...content] of rows) {
      if (content.every((part) => part === "" || part === null)) continue;
      list.append(el("dt", {}, name), el("dd", {}, ...content));
    }
    return list;
  }

  link(key, text) {
    return el("button", { type: "button", on: { click: () => this.page.goTo(key) } }, text);
  }

  node({ key, node, graph, index }) {
    const { page } = this;
    const { nodes } = page.trace.graphs[graph];
    const prefix = key.slice(0, key.length - String(index).length);
    const takes = node.inputs.map(([n, output]) => this.link(prefix + n, `${nodes[n].name}:${output}`));
    const after = node.after.map((n) => this.link(prefix + n, nodes[n].name));
    const users = [];
    nodes.forEach((other, i) => {
      if (other.inputs.some(([n]) => n === index)) users.push(this.link(prefix + i, other.name));
    });
    const attributes = Object.entries(node.attrs).map(([name, value]) => `${name} = ${short(value, 200)}`);
    return this.fields([
      ["operation", node.op],
      ["name", node.name],
      ["gives", node.types.join("\n")],
      ["takes", ...(takes.length ? takes : [""])],
      ["after", ...(after.length ? after : [""])],
      ["used by", ...(users.length ? users.slice(0, 40) : [""])],
      ["attributes", attributes.join("\n")],
      ["line", saysLine(node.line)],
      ["work", node.flops === null ? "" : inFlops(node.flops)],
      ["time", page.timeOf(node.name, node.line)],
    ]);
  }

  line() {
    const { page } = this;
    const keys = page.onLine();
    const links = keys.slice(0, 60).map((key) => {
      const { node } = page.placeOf(key);
      return this.link(key, `${node.op} ${node.name}`);
    });
    return this.fields([
      ["line", page.line],
      ["nodes", ...(links.length ? links : ["none in this trace"])],
    ]);
  }
}
