// Layout of the map: modules in rows, each above those that it uses, with edges that run between the boxes.
//
// Layers come from the longest path once the edges that close cycles are set aside (Eades, Lin and Smyth, 1993). Rows are ordered by
// the barycentres of neighbours (Sugiyama, Tagawa and Toda, 1981). An edge that passes a row does so in a lane; edges to the
// same module share it.

/** A box to be placed. */
export interface Node {
  id: string;
  width: number;
}

/** A use: `from` uses `to`. */
export interface Edge {
  from: string;
  to: string;
  weight: number;
}

/** A box in its place: the middle of its top edge. */
export interface Placed {
  x: number;
  y: number;
}

/** An edge as a path, and whether it points down: those that do not close cycles. */
export interface Route {
  edge: Edge;
  path: string;
  isDown: boolean;
}

export interface Layout {
  boxes: Map<string, Placed>;
  routes: Route[];
  width: number;
  height: number;
}

export const BOX_HEIGHT = 50;
const ROW_GAP = 78;
const ROW_HEIGHT = BOX_HEIGHT + ROW_GAP;
const BOX_GAP = 28;
const LANE_GAP = 16;
const MARGIN = 28;

/** Widest layer; a wider one is broken into rows. */
const MOST_IN_ROW = 6;

/** Rounds of ordering and of placing. Both have settled by then. */
const ROUNDS = 12;

/** Keeps parts without a link close together: places shrink by this towards the middle. */
const PULL = 0.95;

/** Room before a box for the head of an arrow. */
const ARROW = 9;

/** An item of a row: a box, or a lane for edges to a module. */
interface Item {
  id: string;
  width: number;
  isLane: boolean;
  x: number;
}

/** Places boxes and routes edges. */
export function layout(nodes: Node[], all: Edge[]): Layout {
  const edges = all.filter(({ from, to }) => from !== to);
  const layers = layersOf(nodes, edges);
  const rows = rowsOf(nodes, layers);
  const rowOf = new Map(rows.flatMap((row, at) => row.map(({ id }) => [id, at] as const)));
  const links = addLanes(rows, edges, rowOf);
  for (let round = 0; round < ROUNDS; round += 1) {
    place(rows, links, round < ROUNDS / 2);
  }
  return drawn(rows, edges, rowOf, layers);
}

/** The layer of each module. An edge goes to a greater layer unless it was set aside, which only edges of cycles are. */
function layersOf(nodes: Node[], edges: Edge[]): Map<string, number> {
  const order = new Map(sequence(nodes, edges).map((id, at) => [id, at]));
  const place = (id: string): number => order.get(id) ?? 0;
  const component = components(nodes, edges);
  const kept = edges.filter(({ from, to }) => component.get(from) !== component.get(to) || place(from) < place(to));
  const users = grouped(kept, ({ to }) => to);
  const layers = new Map<string, number>();
  const layerOf = (id: string): number => {
    const found = layers.get(id) ?? Math.max(0, ...(users.get(id) ?? []).map(({ from }) => layerOf(from) + 1));
    layers.set(id, found);
    return found;
  };
  nodes.forEach(({ id }) => layerOf(id));
  // Modules without edges have a layer of their own, below all others.
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]));
  nodes.filter(({ id }) => !linked.has(id)).forEach(({ id }) => layers.set(id, nodes.length));
  return layers;
}

/** All modules in an order that few uses contradict: users first, used modules last. */
function sequence(nodes: Node[], edges: Edge[]): string[] {
  const left = new Set(nodes.map(({ id }) => id));
  const first: string[] = [];
  const last: string[] = [];
  const weight = (id: string, end: 'from' | 'to', other: 'from' | 'to'): number =>
    edges.reduce((sum, edge) => sum + (edge[end] === id && left.has(edge[other]) ? edge.weight : 0), 0);
  const margin = (id: string): number => {
    const used = weight(id, 'to', 'from');
    return used === 0 ? Infinity : weight(id, 'from', 'to') - used;
  };
  while (left.size > 0) {
    const ids = [...left];
    const sink = ids.find((id) => weight(id, 'from', 'to') === 0);
    const id = sink ?? ids.reduce((best, other) => (margin(other) > margin(best) ? other : best));
    left.delete(id);
    if (sink === undefined) {
      first.push(id);
    } else {
      last.unshift(id);
    }
  }
  return [...first, ...last];
}

/** The strongly connected component of each module (Tarjan, 1972): modules of one component use each other in a cycle. */
function components(nodes: Node[], edges: Edge[]): Map<string, number> {
  const uses = grouped(edges, ({ from }) => from);
  const index = new Map<string, number>();
  const stack: string[] = [];
  const found = new Map<string, number>();
  const visit = (id: string): number => {
    const own = index.size;
    index.set(id, own);
    stack.push(id);
    let lowest = own;
    for (const { to } of uses.get(id) ?? []) {
      if (!index.has(to)) {
        lowest = Math.min(lowest, visit(to));
      } else if (!found.has(to)) {
        lowest = Math.min(lowest, index.get(to) ?? own);
      }
    }
    if (lowest === own) {
      for (let member = stack.pop(); member !== undefined; member = member === id ? undefined : stack.pop()) {
        found.set(member, own);
      }
    }
    return lowest;
  };
  for (const { id } of nodes) {
    if (!index.has(id)) {
      visit(id);
    }
  }
  return found;
}

/** Layers as rows; a wide layer has several. */
function rowsOf(nodes: Node[], layers: Map<string, number>): Item[][] {
  const byLayer = [...grouped(nodes, ({ id }) => layers.get(id) ?? 0)].sort(([a], [b]) => a - b);
  return byLayer.flatMap(([, layer]) => {
    const n = Math.ceil(layer.length / MOST_IN_ROW);
    const size = Math.ceil(layer.length / n);
    return Array.from({ length: n }, (_, at) =>
      layer.slice(at * size, (at + 1) * size).map(({ id, width }) => ({ id, width, isLane: false, x: 0 })),
    );
  });
}

/** Adds lanes to rows that edges pass, and gives which items of neighbouring rows are linked. */
function addLanes(rows: Item[][], edges: Edge[], rowOf: Map<string, number>): Map<Item, Item[]> {
  const links = new Map<Item, Item[]>();
  const items = new Map(rows.flatMap((row) => row.map((item) => [item.id, item] as const)));
  const link = (a: Item, b: Item): void => {
    links.set(a, [...(links.get(a) ?? []), b]);
    links.set(b, [...(links.get(b) ?? []), a]);
  };
  for (const edge of edges) {
    const stops = [edge.from, ...passed(edge, rowOf).map((row) => laneId(edge, row, rowOf)), edge.to].map((id, at, ids) => {
      const isLane = at > 0 && at < ids.length - 1;
      const item = items.get(id) ?? { id, width: 0, isLane, x: 0 };
      if (!items.has(id)) {
        items.set(id, item);
        rows[passed(edge, rowOf)[at - 1] ?? 0]?.push(item);
      }
      return item;
    });
    stops.slice(1).forEach((stop, at) => {
      const before = stops[at];
      if (before) {
        link(before, stop);
      }
    });
  }
  return links;
}

/** Rows between the ends of an edge, from its beginning to its end. */
function passed({ from, to }: Edge, rowOf: Map<string, number>): number[] {
  const [a, b] = [rowOf.get(from) ?? 0, rowOf.get(to) ?? 0];
  const step = Math.sign(b - a);
  return Array.from({ length: Math.max(0, Math.abs(b - a) - 1) }, (_, at) => a + step * (at + 1));
}

/** Edges to a module from the same side share a lane in each row. */
function laneId({ from, to }: Edge, row: number, rowOf: Map<string, number>): string {
  const side = (rowOf.get(from) ?? 0) < (rowOf.get(to) ?? 0) ? 'down' : 'up';
  return `${side} ${row} ${to}`;
}

/** Moves items to the mean place of their links, after sorting each row by that if `isSorted`. */
function place(rows: Item[][], links: Map<Item, Item[]>, isSorted: boolean): void {
  const wanted = (item: Item): number => {
    const linked = links.get(item) ?? [];
    return linked.length === 0 ? 0 : (PULL * linked.reduce((sum, { x }) => sum + x, 0)) / linked.length;
  };
  for (const row of [...rows, ...[...rows].reverse()]) {
    const targets = new Map(row.map((item) => [item, wanted(item)]));
    if (isSorted) {
      row.sort((a, b) => (targets.get(a) ?? 0) - (targets.get(b) ?? 0));
    }
    spread(row, row.map((item) => targets.get(item) ?? 0));
  }
}

/** Gives items of a row the places closest to `targets` that keep their order and distances (pool adjacent violators). */
function spread(row: Item[], targets: number[]): void {
  let offset = 0;
  const offsets = row.map((item, at) => {
    const before = row[at - 1];
    offset += before ? distance(before, item) : 0;
    return offset;
  });
  const blocks: { sum: number; n: number }[] = [];
  targets.forEach((target, at) => {
    blocks.push({ sum: target - (offsets[at] ?? 0), n: 1 });
    for (let [a, b] = blocks.slice(-2); a && b && a.sum / a.n > b.sum / b.n; [a, b] = blocks.slice(-2)) {
      blocks.splice(-2, 2, { sum: a.sum + b.sum, n: a.n + b.n });
    }
  });
  const starts = blocks.flatMap(({ sum, n }) => Array.from({ length: n }, () => sum / n));
  row.forEach((item, at) => {
    item.x = (starts[at] ?? 0) + (offsets[at] ?? 0);
  });
}

function distance(a: Item, b: Item): number {
  return a.width / 2 + b.width / 2 + (a.isLane || b.isLane ? LANE_GAP : BOX_GAP);
}

/** The rows as places and paths, moved to the origin. */
function drawn(rows: Item[][], edges: Edge[], rowOf: Map<string, number>, layers: Map<string, number>): Layout {
  const all = rows.flat();
  const left = Math.min(0, ...all.map(({ x, width }) => x - width / 2)) - MARGIN;
  const right = Math.max(0, ...all.map(({ x, width }) => x + width / 2)) + MARGIN;
  const xs = new Map(all.map(({ id, x }) => [id, x - left]));
  const xOf = (id: string): number => xs.get(id) ?? 0;
  const boxes = new Map([...rowOf].map(([id, row]) => [id, { x: xOf(id), y: MARGIN + row * ROW_HEIGHT }]));
  const routes = edges.map((edge) => ({
    edge,
    path: pathOf(edge, rowOf, xOf),
    isDown: (layers.get(edge.from) ?? 0) < (layers.get(edge.to) ?? 0),
  }));
  return { boxes, routes, width: right - left, height: MARGIN * 2 + rows.length * ROW_HEIGHT - ROW_GAP };
}

/** A curve from box to box, straight in the lanes between them. */
function pathOf(edge: Edge, rowOf: Map<string, number>, xOf: (id: string) => number): string {
  const [a, b] = [rowOf.get(edge.from) ?? 0, rowOf.get(edge.to) ?? 0];
  const top = (row: number): number => MARGIN + row * ROW_HEIGHT;
  if (a === b) {
    const rise = top(a) - ROW_GAP * 0.75;
    return `M${xOf(edge.from)} ${top(a)} C${xOf(edge.from)} ${rise} ${xOf(edge.to)} ${rise} ${xOf(edge.to)} ${top(a) - ARROW}`;
  }
  const isDown = a < b;
  const [near, far] = isDown ? [0, BOX_HEIGHT] : [BOX_HEIGHT, 0];
  let [x, y] = [xOf(edge.from), top(a) + far];
  let path = `M${x} ${y}`;
  const curve = (toX: number, toY: number): void => {
    const middle = (y + toY) / 2;
    path += ` C${x} ${middle} ${toX} ${middle} ${toX} ${toY}`;
    [x, y] = [toX, toY];
  };
  for (const row of passed(edge, rowOf)) {
    curve(xOf(laneId(edge, row, rowOf)), top(row) + near);
    y = top(row) + far;
    path += ` V${y}`;
  }
  curve(xOf(edge.to), top(b) + near + (isDown ? -ARROW : ARROW));
  return path;
}

function grouped<T, K>(all: T[], keyOf: (one: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const one of all) {
    groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  }
  return groups;
}
