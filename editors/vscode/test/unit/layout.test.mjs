// Layout of the map for random graphs: levels, cycles, distances, and edges around boxes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOX_HEIGHT, layout } from '../../src/webview/layout.ts';
import { shortNames } from '../../src/webview/names.ts';

/** A generator of numbers from 0 to below 1, the same for the same seed (Marsaglia's xorshift). */
function random(seed) {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function graph(seed) {
  const next = random(seed);
  const nodes = Array.from({ length: 2 + Math.floor(next() * 38) }, (_, at) => ({ id: `m${at}`, width: 110 + Math.floor(next() * 150) }));
  const pick = () => nodes[Math.floor(next() * nodes.length)].id;
  const edges = new Map();
  for (let at = 0; at < nodes.length * (0.5 + next() * 2); at += 1) {
    const edge = { from: pick(), to: pick(), weight: 1 + Math.floor(next() * 20) };
    edges.set(`${edge.from} ${edge.to}`, edge);
  }
  return { nodes, edges: [...edges.values()] };
}

/** Whether `to` can be reached from `from`. */
function isReached(edges, from, to) {
  const seen = new Set([from]);
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const edge of edges.filter((one) => one.from === at && !seen.has(one.to))) {
      seen.add(edge.to);
      open.push(edge.to);
    }
  }
  return seen.has(to);
}

/** Points on a path of cubic curves and vertical lines. */
function pointsOf(path) {
  const points = [];
  let [x, y] = [0, 0];
  for (const [, command, rest] of path.matchAll(/([MCV])([^MCV]*)/g)) {
    const numbers = rest.trim().split(/\s+/).map(Number);
    const [x0, y0] = [x, y];
    for (let t = 0; t <= 1; t += 0.02) {
      const cubic = (a, b, c, d) => a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t * t * (1 - t) + d * t ** 3;
      if (command === 'C') {
        const [x1, y1, x2, y2, x3, y3] = numbers;
        points.push([cubic(x0, x1, x2, x3), cubic(y0, y1, y2, y3)]);
      } else if (command === 'V') {
        points.push([x0, y0 + (numbers[0] - y0) * t]);
      }
    }
    [x, y] = command === 'V' ? [x0, numbers[0]] : numbers.slice(-2);
  }
  return points;
}

for (let seed = 1; seed <= 60; seed += 1) {
  test(`graph ${seed}`, () => {
    const { nodes, edges } = graph(seed);
    const { boxes, routes, width, height } = layout(nodes, edges);
    const rects = nodes.map(({ id, width: own }) => ({ id, left: boxes.get(id).x - own / 2, right: boxes.get(id).x + own / 2, top: boxes.get(id).y }));
    for (const { edge, path, isDown } of routes) {
      if (isDown) {
        assert.ok(boxes.get(edge.from).y < boxes.get(edge.to).y, 'a module is not above one that it uses');
      } else {
        assert.ok(isReached(edges, edge.to, edge.from), 'an exception closes no cycle');
      }
      for (const [x, y] of pointsOf(path)) {
        const hit = rects.find(({ left, right, top }) => x > left + 0.5 && x < right - 0.5 && y > top + 0.5 && y < top + BOX_HEIGHT - 0.5);
        assert.equal(hit, undefined, `${edge.from} to ${edge.to} crosses ${hit?.id}`);
      }
    }
    for (const [at, a] of rects.entries()) {
      assert.ok(a.left >= 0 && a.right <= width && a.top >= 0 && a.top + BOX_HEIGHT <= height, 'a box is outside');
      for (const b of rects.slice(at + 1)) {
        assert.ok(a.top !== b.top || a.right + 20 < b.left || b.right + 20 < a.left, `${a.id} and ${b.id} are too close`);
      }
    }
    assert.equal(routes.length, edges.filter(({ from, to }) => from !== to).length);
  });
}

test('a graph without cycles has no exceptions', () => {
  const nodes = ['a', 'b', 'c', 'd'].map((id) => ({ id, width: 100 }));
  const edges = [['a', 'b'], ['b', 'c'], ['a', 'd'], ['d', 'c']].map(([from, to]) => ({ from, to, weight: 1 }));
  const { boxes, routes } = layout(nodes, edges);
  assert.ok(routes.every(({ isDown }) => isDown));
  assert.ok(boxes.get('b').y === boxes.get('d').y && boxes.get('a').y < boxes.get('b').y);
});

test('in a cycle the rarer use is the exception', () => {
  const nodes = ['util', 'extension'].map((id) => ({ id, width: 100 }));
  const edges = [{ from: 'extension', to: 'util', weight: 9 }, { from: 'util', to: 'extension', weight: 1 }];
  const { routes } = layout(nodes, edges);
  assert.deepEqual(routes.map(({ edge, isDown }) => [edge.from, isDown]), [['extension', true], ['util', false]]);
});

test('names without what all have', () => {
  const names = (...paths) => [...shortNames(paths).values()];
  assert.deepEqual(names('packages/core/src', 'packages/core/test'), ['src', 'test']);
  assert.deepEqual(names('lib', 'lib/util', 'test'), ['lib', 'lib/util', 'test']);
  assert.deepEqual(
    names('src/main/java/org/app', 'src/main/java/org/app/io', 'src/test/java/org/app'),
    ['main/…/app', 'main/…/io', 'test/…/app'],
  );
  assert.deepEqual(names('one/two/three'), ['three']);
});
