// The plan as a table of steps with its fusion groups, and its memory over time.

class PlanView {
  constructor(page) {
    this.page = page;
    this.scroll = el("div", { class: "scroll padded", id: "plan" });
    this.view = el("div", { class: "view" }, this.scroll);
    roving(this.scroll, () => [...this.scroll.querySelectorAll("tr.has")]);
  }

  show(trace) {
    this.scroll.replaceChildren();
    const plan = trace && trace.plan;
    if (!plan) {
      this.scroll.append(el("p", { class: "empty" }, (trace && trace.without_plan) || "There is no plan."));
      return;
    }
    const rows = rowsOf(plan.steps);
    const n = rows.reduce((sum, { step }) => sum + (step.fused ? step.fused.members.length : 1), 0);
    const head = `${rows.length} steps of ${n} operations, ${inFlops(plan.flops)} a call, ${inBytes(plan.slab)} shared by intermediate values`;
    const names = ["#", "operation", "kind", "reads", "writes", "line", "time"];
    const body = el("tbody", {});
    rows.forEach((row, i) => body.append(this.row(plan, row, i)));
    this.scroll.append(
      el("p", {}, head),
      el("table", {}, el("thead", {}, el("tr", {}, ...names.map((name) => el("th", {}, name)))), body),
    );
    this.mark();
  }

  row(plan, { step }, i) {
    const slots = (all) => short(all.map((s) => `s${s}`).join(" "), 40);
    const bytes = (all) => all.reduce((sum, s) => (sum === null || plan.slots[s].bytes === null ? null : sum + plan.slots[s].bytes), 0);
    const name = el("td", { class: "name" }, el("span", {}, step.operation), el("div", { class: "note" }, step.node || ""));
    // Of an element of this page a style may be set, which the policy allows, unlike an attribute.
    name.style.paddingLeft = `${step.depth * 18}px`;
    if (step.role) name.prepend(el("span", { class: "note" }, `${step.role}: `));
    if (step.fused) name.append(this.group(step));
    const reads = step.fused ? step.fused.read : bytes(step.reads);
    const writes = step.fused ? step.fused.written : bytes(step.writes);
    return el(
      "tr",
      {
        ...selectable(step, i),
        "aria-label": `step ${i}: ${step.operation}, ${step.kind}`,
        on: acts((event) => {
          if (!event.target.closest("button")) this.page.selectStep(step);
        }),
      },
      el("td", { class: "n" }, String(i)),
      name,
      el("td", {}, el("span", { class: `kind ${step.fused ? "fused" : ""}` }, step.kind)),
      el("td", {}, slots(step.reads), el("div", { class: "note" }, step.reads.length ? inBytes(reads) : "")),
      el("td", {}, slots(step.writes), el("div", { class: "note" }, step.writes.length ? inBytes(writes) : "")),
      el("td", {}, step.line ? `${step.line[1]}` : ""),
      el("td", { class: "n" }, this.page.timeOf(step.node, step.line)),
    );
  }

  group(step) {
    const { fused } = step;
    const group = el("div", { class: "group" });
    for (const [operation, node, line] of fused.members) {
      const done = () => this.page.selectStep({ node, line });
      const says = `${operation} ${node || ""}, ${saysLine(line)}`;
      group.append(el("button", { type: "button", tabindex: "-1", title: says, "aria-label": says, on: { click: done } }, operation), " ");
    }
    group.append(el("div", { class: "note" }, `${fused.members.length} operations over ${fused.rows} rows, ${fused.tile} at a time`));
    return group;
  }

  mark() {
    markRows(this.scroll, this.page);
  }
}

/** Marks the rows of the selected node, else those of the selected line. */
function markRows(container, page) {
  const node = page.placeOf(page.selected)?.node;
  const all = [...container.querySelectorAll("[data-line]")];
  for (const row of all) row.classList.remove("marked");
  const isOf = (row) => row.dataset.node === node.name && row.dataset.line === keyOfLine(node.line);
  const own = node ? all.filter(isOf) : [];
  const chosen = own.length ? own : all.filter((row) => page.line && row.dataset.line === page.line);
  for (const row of chosen) row.classList.add("marked");
}

class MemoryView {
  constructor(page) {
    this.page = page;
    this.scroll = el("div", { class: "scroll padded", id: "memory" });
    this.view = el("div", { class: "view" }, this.scroll);
    roving(this.scroll, () => [...this.scroll.querySelectorAll("rect.has")]);
  }

  show(trace) {
    this.scroll.replaceChildren();
    const plan = trace && trace.plan;
    if (!plan || !plan.steps.length) {
      this.scroll.append(el("p", { class: "empty" }, (trace && trace.without_plan) || "The plan has no steps, and so no intermediate values."));
      return;
    }
    const rows = rowsOf(plan.steps);
    const lives = livesOf(plan, rows);
    const bytes = rows.map(() => [0, 0]);
    for (const { first, last, slot } of lives) {
      const which = slot.place === "slab" ? 0 : 1;
      for (let t = first; t <= last; t++) bytes[t][which] += slot.bytes || 0;
    }
    const kept = (place) => plan.slots.reduce((sum, s) => sum + (s.place === place ? s.bytes || 0 : 0), 0);
    const most = Math.max(...bytes.map(([a, b]) => a + b));
    const peak = bytes.findIndex(([a, b]) => a + b === most);
    const unknown = lives.filter((life) => life.slot.bytes === null).length;
    const text =
      `Most at step ${peak} (${rows[peak].step.operation}): ${inBytes(most)} of intermediate values and results, beside ` +
      `${inBytes(kept("input"))} of inputs and ${inBytes(kept("constant"))} of constants.` +
      (unknown ? ` The sizes of ${unknown} values are known when they are made only, and count as 0.` : "");
    this.scroll.append(
      el("p", {}, text),
      el("p", {}, el("span", { class: "swatch bar-1" }), "in the slab  ", el("span", { class: "swatch bar-2" }), "tensors of their own"),
      this.chart(rows, bytes, most),
    );
    if (plan.slab) this.scroll.append(el("h2", {}, `Slab: where values are, step by step (${inBytes(plan.slab)})`), this.slab(plan, rows, lives));
    this.mark();
  }

  chart(rows, bytes, most) {
    const [width, high, left] = [this.width(), 180, 74];
    const chart = draw("svg", { class: "chart", width, height: high + 30, role: "group", "aria-label": "Bytes alive at each step" });
    const step = (width - left - 8) / rows.length;
    chart.append(draw("line", { class: "axis", x1: left, y1: high + 4, x2: width - 8, y2: high + 4 }));
    for (const part of [1, 0.5]) {
      const y = high + 4 - part * high;
      chart.append(draw("line", { class: "axis", x1: left, y1: y, x2: width - 8, y2: y }));
      chart.append(draw("text", { class: "dim", x: left - 6, y: y + 4, "text-anchor": "end" }, inBytes(most * part)));
    }
    bytes.forEach(([slab, own], t) => {
      const { step: of } = rows[t];
      let y = high + 4;
      [slab, own].forEach((n, which) => {
        const h = most ? (n / most) * high : 0;
        y -= h;
        const bar = draw("rect", {
          class: `bar-${which + 1} has`,
          x: left + t * step,
          y,
          width: Math.max(step, 1),
          height: h,
          tabindex: which === 0 ? (t ? "-1" : "0") : undefined,
          role: which === 0 ? "button" : undefined,
          "data-line": keyOfLine(of.line),
          "data-node": of.node,
          "aria-label": `step ${t}, ${of.operation}: ${inBytes(slab + own)}`,
          on: acts(() => this.page.selectStep(of)),
        });
        bar.append(draw("title", {}, `step ${t} ${of.operation}: ${inBytes(slab)} in the slab, ${inBytes(own)} of their own`));
        chart.append(bar);
      });
    });
    chart.append(draw("text", { class: "dim", x: left, y: high + 22 }, "step 0"));
    chart.append(draw("text", { class: "dim", x: width - 8, y: high + 22, "text-anchor": "end" }, `step ${rows.length - 1}`));
    return chart;
  }

  slab(plan, rows, lives) {
    const [width, high, left] = [this.width(), 200, 74];
    const chart = draw("svg", { class: "chart", width, height: high + 12, role: "img", "aria-label": "Places of values in the slab" });
    const step = (width - left - 8) / rows.length;
    chart.append(draw("text", { class: "dim", x: left - 6, y: 12, "text-anchor": "end" }, inBytes(plan.slab)));
    for (const { first, last, slot, number } of lives) {
      if (slot.place !== "slab" || slot.offset === null) continue;
      const rect = draw("rect", {
        class: `bar-${(number % 2) + 1}`,
        x: left + first * step,
        y: 4 + high - ((slot.offset + (slot.bytes || 0)) / plan.slab) * high,
        width: Math.max(1, (last - first + 1) * step),
        height: Math.max(1, ((slot.bytes || 0) / plan.slab) * high),
      });
      rect.append(draw("title", {}, `s${number}: ${slot.type}, ${inBytes(slot.bytes)} at ${slot.offset}, steps ${first} to ${last}`));
      chart.append(rect);
    }
    return chart;
  }

  width() {
    return Math.max(320, (this.scroll.clientWidth || 800) - 26);
  }

  mark() {
    markRows(this.scroll, this.page);
  }
}

/** From which step to which each value lives; what a loop uses and others made lives to its end. */
function livesOf(plan, rows) {
  const lives = new Map();
  const use = (number, t) => {
    const slot = plan.slots[number];
    if (slot.place !== "slab" && slot.place !== "tensor") return;
    const life = lives.get(number);
    if (life) life.last = Math.max(life.last, t);
    else lives.set(number, { number, slot, first: t, last: t });
  };
  rows.forEach(({ step }, t) => [...step.reads, ...step.writes].forEach((number) => use(number, t)));
  plan.outputs.forEach((number) => lives.has(number) && use(number, rows.length - 1));
  for (const { step, at, end } of rows) {
    if (step.kind !== "loop") continue;
    for (const life of lives.values()) {
      if (life.first <= at && life.last > at && life.last <= end) life.last = end;
    }
  }
  return [...lives.values()];
}
