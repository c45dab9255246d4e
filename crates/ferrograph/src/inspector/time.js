// Times of a profile: single runs of steps on a line of time, sums by step, and costs by source line.

const ROW = 20;
const MOST_EVENTS = 4000;

/** The runs of a Chrome trace: what is complete (`X`), with its depth among those of its thread. */
function runsOf(events) {
  const names = new Map();
  const runs = [];
  for (const e of events) {
    if (e === null || typeof e !== "object") continue;
    const thread = `${e.pid ?? 0}/${e.tid ?? 0}`;
    if (e.ph === "M" && e.name === "thread_name" && e.args) names.set(thread, String(e.args.name));
    if (e.ph !== "X" || !Number.isFinite(e.ts)) continue;
    const args = e.args && typeof e.args === "object" ? e.args : {};
    runs.push({
      name: String(e.name ?? ""),
      kind: String(e.cat ?? ""),
      begin: e.ts,
      took: Number.isFinite(e.dur) ? e.dur : 0,
      thread,
      node: typeof args.node === "string" ? args.node : null,
      line: lineOf(typeof args.line === "string" ? args.line : ""),
      bytes: Number.isFinite(args.bytes) ? args.bytes : 0,
    });
  }
  runs.sort((a, b) => a.begin - b.begin || b.took - a.took);
  const open = new Map();
  for (const run of runs) {
    if (!open.has(run.thread)) open.set(run.thread, []);
    const outer = open.get(run.thread);
    while (outer.length && outer[outer.length - 1].begin + outer[outer.length - 1].took <= run.begin) outer.pop();
    run.depth = outer.length;
    run.own = run.took;
    if (outer.length) outer[outer.length - 1].own -= run.took;
    outer.push(run);
  }
  return { runs, names };
}

/** Sums of runs by step, where a profile does not give them. Times are in seconds. */
function stepsOf(runs) {
  const found = new Map();
  for (const run of runs) {
    const key = JSON.stringify([run.name, run.kind, run.node, keyOfLine(run.line)]);
    if (!found.has(key)) {
      found.set(key, { operation: run.name, node: run.node, kind: run.kind, line: run.line, count: 0, total: 0, own: 0, bytes: 0 });
    }
    const step = found.get(key);
    step.count++;
    step.total += run.took * 1e-6;
    step.own += Math.max(0, run.own) * 1e-6;
    step.bytes += run.bytes;
  }
  return [...found.values()].sort((a, b) => b.own - a.own);
}

class TimeView {
  constructor(page) {
    this.page = page;
    this.zoom = 1;
    this.scroll = el("div", { class: "scroll padded", id: "time" });
    const button = (text, label, by) =>
      el("button", { type: "button", "aria-label": label, on: { click: () => this.zoomBy(by) } }, text);
    this.note = el("span", { class: "note" });
    this.bar = el("div", { class: "bar" }, button("−", "Zoom out in time", 0.5), button("+", "Zoom in on time", 2), this.note);
    this.view = el("div", { class: "view" }, this.bar, this.scroll);
  }

  show() {
    const { page } = this;
    this.scroll.replaceChildren();
    this.bar.hidden = !page.runs;
    if (!page.runs) {
      const how = "There is no profile. Record one with `with fg.profile() as taken:` around the calls, then open fg.inspect(f, taken).";
      this.scroll.append(el("p", { class: "empty" }, how));
      return;
    }
    this.line = el("div", { class: "scroll" });
    this.scroll.append(this.line, this.table());
    roving(this.line, () => [...this.line.querySelectorAll("rect.has")]);
    this.redraw();
  }

  zoomBy(by) {
    this.zoom = Math.max(1, Math.min(4096, this.zoom * by));
    const middle = (this.line.scrollLeft + this.line.clientWidth / 2) * by;
    this.redraw();
    this.line.scrollLeft = middle - this.line.clientWidth / 2;
  }

  redraw() {
    const { runs, names } = this.page.runs;
    this.line.replaceChildren();
    if (!runs.length) return;
    const begin = runs.reduce((least, r) => Math.min(least, r.begin), Infinity);
    const end = runs.reduce((most, r) => Math.max(most, r.begin + r.took), -Infinity);
    const all = Math.max(end - begin, 1e-9);
    const width = Math.max(320, (this.scroll.clientWidth || 800) - 26) * this.zoom;
    const scale = width / all;
    const shown = runs.length > MOST_EVENTS ? [...runs].sort((a, b) => b.took - a.took).slice(0, MOST_EVENTS) : runs;
    this.note.textContent =
      `${inTime(all * 1e-6)} from the first run to the last` +
      (shown.length < runs.length ? `; the longest ${shown.length} of ${runs.length} runs are drawn` : "");
    const tops = new Map();
    let y = 4;
    for (const thread of new Set(runs.map((r) => r.thread))) {
      const deepest = runs.reduce((most, r) => (r.thread === thread ? Math.max(most, r.depth) : most), 0);
      tops.set(thread, y + 18);
      y += 18 + (deepest + 1) * ROW + 10;
    }
    const chart = draw("svg", { class: "chart", width, height: y, role: "group", "aria-label": "Runs of steps in time" });
    for (const [thread, top] of tops) {
      chart.append(draw("text", { class: "dim", x: 2, y: top - 5 }, names.get(thread) || `thread ${thread}`));
    }
    shown.forEach((run, i) => chart.append(this.run(run, i, begin, scale, tops)));
    this.line.append(chart);
    this.mark();
  }

  run(run, i, begin, scale, tops) {
    const x = (run.begin - begin) * scale;
    const y = tops.get(run.thread) + run.depth * ROW;
    const width = Math.max(run.took * scale, 1);
    const says = `${run.name}, ${run.kind}: ${inTime(run.took * 1e-6)}${run.line ? `, ${saysLine(run.line)}` : ""}`;
    const rect = draw("rect", {
      class: `has bar-${run.kind === "call" ? 2 : 1}`,
      x,
      y,
      width,
      height: ROW - 3,
      tabindex: i ? "-1" : "0",
      role: "button",
      "aria-label": says,
      "data-line": keyOfLine(run.line),
      "data-node": run.node,
      on: acts(() => this.page.selectStep(run)),
    });
    rect.append(draw("title", {}, says));
    const most = Math.floor((width - 6) / SMALL_LETTER);
    const group = draw("g", {}, rect);
    if (most > 3) {
      group.append(draw("text", { class: "label", x: x + 3, y: y + 13, "aria-hidden": "true" }, short(run.name, most)));
    }
    return group;
  }

  table() {
    const { steps } = this.page;
    const sum = steps.reduce((all, step) => all + step.own, 0) || 1;
    const heads = ["operation", "kind", "line", "count", "own", "total", "share"];
    const isNumber = (i) => (i > 2 && i < 6 ? "n" : "");
    const rows = steps.map((step, i) => stepRow(this.page, step, i, sum));
    const table = el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((h, i) => el("th", { class: isNumber(i) }, h)))), el("tbody", {}, ...rows));
    roving(table, () => [...table.querySelectorAll("tr.has")]);
    return table;
  }

  mark() {
    if (this.page.runs) markRows(this.scroll, this.page);
  }
}

/** A bar for a part of a whole. */
function share(part) {
  const bar = el("span", { class: "share" });
  bar.style.width = `${Math.max(0, Math.min(1, part)) * 90}px`;
  return el("td", { class: "part" }, bar, ` ${(100 * part).toFixed(1)} %`);
}

function stepRow(page, step, i, sum) {
  return el(
    "tr",
    { ...selectable(step, i), on: acts(() => page.selectStep(step)) },
    el("td", { class: "name" }, step.operation),
    el("td", {}, el("span", { class: `kind ${step.kind === "fused" ? "fused" : ""}` }, step.kind)),
    lineCell(step.line),
    el("td", { class: "n" }, String(step.count)),
    el("td", { class: "n" }, inTime(step.own)),
    el("td", { class: "n" }, inTime(step.total)),
    share(step.own / sum),
  );
}

/** Costs by source line: times where there is a profile, else the work of the nodes. */
function costsOf(page) {
  const found = new Map();
  const at = (line) => {
    const key = keyOfLine(line);
    if (!found.has(key)) found.set(key, { line, count: 0, own: 0, flops: 0, bytes: 0 });
    return found.get(key);
  };
  if (page.steps.length) {
    for (const step of page.steps) {
      if (!step.line) continue;
      const cost = at(step.line);
      cost.count += step.count;
      cost.own += step.own;
      cost.bytes += step.bytes;
    }
  } else {
    for (const { node } of page.places) {
      if (!node.line || node.op === "Const" || node.op === "Placeholder") continue;
      const cost = at(node.line);
      cost.count++;
      cost.flops += node.flops || 0;
      cost.bytes += node.bytes || 0;
    }
  }
  const by = page.steps.length ? "own" : "flops";
  return [...found.values()].sort((a, b) => b[by] - a[by] || b.bytes - a.bytes);
}

class LinesView {
  constructor(page) {
    this.page = page;
    this.scroll = el("div", { class: "scroll padded", id: "lines" });
    this.view = el("div", { class: "view" }, this.scroll);
    roving(this.scroll, () => [...this.scroll.querySelectorAll("tr.has")]);
  }

  show() {
    const { page } = this;
    const isTimed = page.steps.length > 0;
    const costs = costsOf(page);
    this.scroll.replaceChildren();
    if (!costs.length) {
      this.scroll.append(el("p", { class: "empty" }, "No line of the program is known."));
      return;
    }
    const by = isTimed ? "own" : "flops";
    const sum = costs.reduce((all, cost) => all + cost[by], 0) || 1;
    const heads = ["line", "text", isTimed ? "runs" : "nodes", isTimed ? "time" : "work", "bytes", "share"];
    const rows = costs.map((cost, i) =>
      el(
        "tr",
        { ...selectable(cost, i), on: acts(() => page.selectLine(cost.line)) },
        lineCell([cost.line[0], cost.line[1], ""], { class: "name" }),
        el("td", { class: "name" }, short(page.textOf(cost.line).trim(), 80)),
        el("td", { class: "n" }, String(cost.count)),
        el("td", { class: "n" }, isTimed ? inTime(cost.own) : inFlops(cost.flops)),
        el("td", { class: "n" }, inBytes(cost.bytes)),
        share(cost[by] / sum),
      ),
    );
    const what = isTimed ? "Times of the profile, without the steps inside a step." : "Work and results of one run of each node: no profile is here.";
    this.scroll.append(el("p", { class: "note" }, what), el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((h, i) => el("th", { class: i > 1 && i < 5 ? "n" : "" }, h)))), el("tbody", {}, ...rows)));
    this.mark();
  }

  mark() {
    markRows(this.scroll, this.page);
  }
}
