"use strict";
// What all views use: elements whose text is always put as text, numbers in words, and the document.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element: attributes by name, `on` for listeners by event, then text and elements. */
function el(tag, given, ...content) {
  return built(document.createElement(tag), given, content);
}

/** An SVG element. */
function draw(tag, given, ...content) {
  return built(document.createElementNS(SVG, tag), given, content);
}

function built(made, given, content) {
  for (const [name, value] of Object.entries(given || {})) {
    if (name === "on") for (const [event, done] of Object.entries(value)) made.addEventListener(event, done);
    else if (value !== undefined && value !== null && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...content.filter((part) => part !== null && part !== undefined));
  return made;
}

const byId = (id) => document.getElementById(id);

function scaled(value, units, base) {
  let at = 0;
  while (at < units.length - 1 && Math.abs(value) >= base) {
    value /= base;
    at++;
  }
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toPrecision(3)} ${units[at]}`;
}

const inBytes = (n) => (n === null || n === undefined ? "?" : scaled(n, ["B", "KiB", "MiB", "GiB", "TiB"], 1024));
const inFlops = (n) => (n === null || n === undefined ? "?" : scaled(n, ["flop", "kflop", "Mflop", "Gflop", "Tflop"], 1000));
const inTime = (s) => scaled(s * 1e9, ["ns", "us", "ms", "s"], 1000);

/** At most so many characters, with a mark where some are left out. */
const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const keyOfLine = (line) => (line ? `${line[0]}:${line[1]}` : "");

/** The attributes of the row of a step or line, of which the first one is reached by Tab and the others by arrow keys. */
const selectable = (of, i) => ({ class: "has", tabindex: i ? "-1" : "0", "data-line": keyOfLine(of.line), "data-node": of.node });
const saysLine = (line) => (line ? `${line[0]}:${line[1]}${line[2] ? ` in ${line[2]}` : ""}` : "");

/** A cell of a table with a line: the file without its folders, which the title has. */
function lineCell(line, given) {
  if (!line) return el("td", given || {});
  const [file, number, name] = line;
  const base = file.slice(file.lastIndexOf("/") + 1);
  return el("td", { ...given, title: saysLine(line) }, `${base}:${number}${name ? ` in ${name}` : ""}`);
}

/** The line that a text as `file:line in function` names. */
function lineOf(text) {
  const found = /^(.*):(\d+)(?: in (.*))?$/s.exec(text || "");
  return found ? [found[1], Number(found[2]), found[3] || ""] : null;
}

/**
 * Makes one of many elements the stop of the tab key, and lets arrow keys go to the others. `items` gives them in their
 * order.
 */
function roving(container, items, back = ["ArrowUp", "ArrowLeft"], on = ["ArrowDown", "ArrowRight"]) {
  container.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf(document.activeElement);
    let to = at;
    if (at < 0) return;
    if (back.includes(event.key)) to = Math.max(0, at - 1);
    else if (on.includes(event.key)) to = Math.min(all.length - 1, at + 1);
    else if (event.key === "Home") to = 0;
    else if (event.key === "End") to = all.length - 1;
    else return;
    event.preventDefault();
    all[at].setAttribute("tabindex", "-1");
    all[to].setAttribute("tabindex", "0");
    all[to].focus();
  });
}

/** Listeners of what acts like a button. */
function acts(done) {
  return {
    click: (event) => done(event),
    keydown: (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      done(event);
    },
  };
}

/** Scrolls a container, and nothing around it, so that an element in it is seen. */
function reveal(container, element) {
  const [outer, inner] = [container.getBoundingClientRect(), element.getBoundingClientRect()];
  const by = (from, to, low, high) => {
    if (to - from > high - low || from < low) return from - low;
    return to > high ? to - high : 0;
  };
  const margin = 24;
  container.scrollTop += by(inner.top - margin, inner.bottom + margin, outer.top, outer.bottom);
  container.scrollLeft += by(inner.left - margin, inner.right + margin, outer.left, outer.right);
}

/** Every place of a node in the graphs of a trace: `2.0.5` is node 5 of region 0 of node 2. */
function placesOf(trace) {
  const most = 50000;
  const found = [];
  const walk = (graph, prefix, depth) => {
    trace.graphs[graph].nodes.forEach((node, i) => {
      if (found.length >= most) return;
      found.push({ key: prefix + i, node, graph, index: i });
      if (depth > 40) return;
      node.regions.forEach((region, r) => walk(region.graph, `${prefix}${i}.${r}.`, depth + 1));
    });
  };
  if (trace.graphs.length) walk(0, "", 0);
  return found;
}

/** The steps of a plan, each with the number of the last step in its blocks. */
function rowsOf(steps) {
  const rows = steps.map((step, at) => ({ step, at, end: at }));
  const open = [];
  for (const row of rows) {
    while (open.length && open[open.length - 1].step.depth >= row.step.depth) open.pop();
    for (const outer of open) outer.end = row.at;
    open.push(row);
  }
  return rows;
}
