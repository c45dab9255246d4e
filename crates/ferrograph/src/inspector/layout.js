// Layered layout of a graph whose nodes are in program order: each below all that it takes values from.

const LAYER_GAP = 46;
const NODE_GAP = 26;
const DUMMY_WIDTH = 8;
// Edges over more layers than this are drawn straight through, so that the work stays linear.
const LONGEST_ROUTED = 12;
const SWEEPS = 6;

/**
 * Places boxes in layers.
 *
 * boxes: [{w, h}]; edges: [{from, to, out, into}] with numbers of boxes and, from 0 to 1, where along the lower side of
 * `from` and the upper side of `to` the edge ends. Gives {x, y, layers, width, height, routes}: of each box its upper
 * left corner, of each edge its points.
 */
function layered(boxes, edges) {
  const layer = layersOf(boxes.length, edges);
  const graph = withDummies(boxes, edges, layer);
  const order = ordered(graph);
  placeAcross(graph, order);
  return finished(boxes, edges, graph, order);
}

/**
 * The layer of each box: as high as what it takes allows, then, where that makes edges shorter together, as low as its
 * consumers allow.
 */
function layersOf(n, edges) {
  const layer = new Int32Array(n);
  const taken = new Int32Array(n);
  const given = Array.from({ length: n }, () => []);
  for (const e of [...edges].sort((a, b) => a.to - b.to)) {
    layer[e.to] = Math.max(layer[e.to], layer[e.from] + 1);
    taken[e.to]++;
    given[e.from].push(e.to);
  }
  for (let v = n - 1; v >= 0; v--) {
    if (!given[v].length || taken[v] > given[v].length) continue;
    let lowest = Infinity;
    for (const to of given[v]) lowest = Math.min(lowest, layer[to] - 1);
    layer[v] = lowest;
  }
  return layer;
}

/** The boxes with dummies where edges pass layers, and who is joined to whom in the next layer. */
function withDummies(boxes, edges, layer) {
  const graph = { w: boxes.map((b) => b.w), layer: [...layer], up: [], down: [], chains: [] };
  const add = (w, at) => {
    graph.w.push(w);
    graph.layer.push(at);
    graph.up.push([]);
    graph.down.push([]);
    return graph.w.length - 1;
  };
  for (let v = 0; v < boxes.length; v++) {
    graph.up.push([]);
    graph.down.push([]);
  }
  const join = (a, b, out, into, weight) => {
    graph.down[a].push([b, out, into, weight]);
    graph.up[b].push([a, into, out, weight]);
  };
  for (const e of edges) {
    const span = layer[e.to] - layer[e.from];
    const chain = [];
    graph.chains.push(span > LONGEST_ROUTED ? null : chain);
    if (span > LONGEST_ROUTED) {
      join(e.from, e.to, e.out, e.into, 0.2);
      continue;
    }
    let before = e.from;
    let out = e.out;
    for (let at = layer[e.from] + 1; at < layer[e.to]; at++) {
      const dummy = add(DUMMY_WIDTH, at);
      join(before, dummy, out, 0.5, before === e.from ? 2 : 8);
      chain.push(dummy);
      before = dummy;
      out = 0.5;
    }
    join(before, e.to, out, e.into, before === e.from ? 1 : 2);
  }
  return graph;
}

/** The order within each layer, by the means of the neighbours' places. */
function ordered(graph) {
  const n = graph.w.length;
  const layers = [];
  for (let v = 0; v < n; v++) (layers[graph.layer[v]] ||= []).push(v);
  for (let i = 0; i < layers.length; i++) layers[i] ||= [];
  const place = new Float64Array(n);
  const number = (all) => all.forEach((v, i) => (place[v] = (i + 1) / (all.length + 1)));
  layers.forEach(number);
  const key = new Float64Array(n);
  for (const [all, near] of sweeps(graph, layers, SWEEPS)) {
    for (const v of all) {
      let sum = 0;
      for (const [u, , there] of near[v]) sum += place[u] + (there - 0.5) * 1e-3;
      key[v] = near[v].length ? sum / near[v].length : place[v];
    }
    all.sort((a, b) => key[a] - key[b]);
    number(all);
  }
  return layers;
}

/** The layers downwards, then upwards, and so on, each with the edges to the layer before it. */
function* sweeps(graph, layers, count) {
  for (let sweep = 0; sweep < count; sweep++) {
    const goesDown = sweep % 2 === 0;
    const near = goesDown ? graph.up : graph.down;
    for (let i = 0; i < layers.length; i++) yield [layers[goesDown ? i : layers.length - 1 - i], near];
  }
}

/** Gives each box its `x`, near its neighbours and apart from those beside it. */
function placeAcross(graph, layers) {
  const x = (graph.x = new Float64Array(graph.w.length));
  for (const all of layers) {
    let at = 0;
    for (const v of all) {
      x[v] = at;
      at += graph.w[v] + NODE_GAP;
    }
  }
  const wanted = new Float64Array(graph.w.length);
  const weights = new Float64Array(graph.w.length);
  for (const [all, near] of sweeps(graph, layers, SWEEPS + 1)) {
    for (const v of all) {
      let sum = 0;
      let weight = 0;
      for (const [u, here, there, w] of near[v]) {
        sum += w * (x[u] + graph.w[u] * there - graph.w[v] * here);
        weight += w;
      }
      wanted[v] = weight ? sum / weight : x[v];
      weights[v] = weight || 0.1;
    }
    apart(all, wanted, weights, graph.w, x);
  }
}

/** The places nearest to the wanted ones that keep order and distance (pooling of adjacent violators). */
function apart(all, wanted, weights, widths, x) {
  const blocks = [];
  let offset = 0;
  const offsets = [];
  for (const v of all) {
    offsets.push(offset);
    let block = { sum: (wanted[v] - offset) * weights[v], weight: weights[v], n: 1 };
    while (blocks.length) {
      const last = blocks[blocks.length - 1];
      if (last.sum / last.weight <= block.sum / block.weight) break;
      block = { sum: last.sum + block.sum, weight: last.weight + block.weight, n: last.n + block.n };
      blocks.pop();
    }
    blocks.push(block);
    offset += widths[v] + NODE_GAP;
  }
  let i = 0;
  for (const block of blocks) {
    for (let k = 0; k < block.n; k++, i++) x[all[i]] = block.sum / block.weight + offsets[i];
  }
}

/** Corners of boxes and points of edges. */
function finished(boxes, edges, graph, layers) {
  let left = Infinity;
  let right = -Infinity;
  for (let v = 0; v < graph.w.length; v++) {
    left = Math.min(left, graph.x[v]);
    right = Math.max(right, graph.x[v] + graph.w[v]);
  }
  if (!boxes.length) left = right = 0;
  const top = [];
  const height = [];
  let y = 0;
  for (const all of layers) {
    const tallest = Math.max(0, ...all.filter((v) => v < boxes.length).map((v) => boxes[v].h));
    top.push(y);
    height.push(tallest);
    y += tallest + LAYER_GAP;
  }
  const xs = boxes.map((_, v) => graph.x[v] - left);
  const ys = boxes.map((_, v) => top[graph.layer[v]]);
  const routes = edges.map((e, i) => {
    const start = xs[e.from] + boxes[e.from].w * e.out;
    const points = [[start, ys[e.from] + boxes[e.from].h]];
    // Past the taller boxes beside it.
    const under = top[graph.layer[e.from]] + height[graph.layer[e.from]];
    if (under > points[0][1]) points.push([start, under]);
    for (const dummy of graph.chains[i] || []) {
      const at = graph.x[dummy] - left + DUMMY_WIDTH / 2;
      const from = top[graph.layer[dummy]];
      points.push([at, from], [at, from + height[graph.layer[dummy]]]);
    }
    points.push([xs[e.to] + boxes[e.to].w * e.into, ys[e.to]]);
    return points;
  });
  const own = layers.map((all) => all.filter((v) => v < boxes.length));
  const size = { width: right - left, height: Math.max(0, y - LAYER_GAP) };
  return { x: xs, y: ys, layers: own, routes, isLong: graph.chains.map((c) => c === null), ...size };
}

/** The path of an edge through its points, upright at each of them. */
function pathOf(points, dx, dy) {
  const at = ([x, y]) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`;
  let path = `M${at(points[0])}`;
  for (let i = 1; i < points.length; i++) {
    const [from, to] = [points[i - 1], points[i]];
    if (from[0] === to[0]) {
      path += `L${at(to)}`;
      continue;
    }
    const middle = (from[1] + to[1]) / 2;
    path += `C${at([from[0], middle])} ${at([to[0], middle])} ${at(to)}`;
  }
  return path;
}
