// The repository map: layers of modules from those that use to those that are used.
import type { MapAnswer, MapFile, MapModule, MapUse } from '../protocol';
import { byId, editor, element, onMessage } from './page';

const SVG = 'http://www.w3.org/2000/svg';
const GAP_X = 28;
const GAP_Y = 74;
const HEIGHT = 46;
const PADDING = 24;

/** Most modules in the picture: the largest ones. */
const MOST_MODULES = 40;

/** Most symbols of a file in the list. */
const MOST_SYMBOLS = 6;

/** Widest layer; a wider one is broken into rows. */
const MOST_IN_ROW = 6;

interface Box {
  module: MapModule;
  x: number;
  y: number;
  width: number;
  group: SVGGElement;
}

let answer: MapAnswer | undefined;
let boxes = new Map<string, Box>();
let edges: { from: string; to: string; line: SVGPathElement }[] = [];

onMessage<MapAnswer | { error: string }>((message) => {
  if ('error' in message) {
    byId('hint').textContent = message.error;
    return;
  }
  answer = message;
  byId('title').textContent = message.map.project;
  draw(message.architecture.modules);
  details(undefined);
});

function draw(all: MapModule[]): void {
  const modules = [...all].sort((a, b) => b.lines - a.lines).slice(0, MOST_MODULES);
  const left = all.length - modules.length;
  byId('hint').textContent = [
    'A module stands above those that it uses. Choose one to see its neighbours.',
    left > 0 ? `${left} small modules are left out.` : '',
  ].join(' ');
  const svg = byId<SVGSVGElement>('graph');
  svg.replaceChildren();
  boxes = new Map();
  edges = [];
  const rows = inRows(modules);
  const widths = rows.map((row) => row.reduce((sum, module) => sum + widthOf(module) + GAP_X, -GAP_X));
  const widest = Math.max(...widths, 0);
  rows.forEach((row, index) => {
    let x = PADDING + (widest - (widths[index] ?? 0)) / 2;
    for (const module of row) {
      const width = widthOf(module);
      const y = PADDING + index * (HEIGHT + GAP_Y);
      boxes.set(module.path, { module, x, y, width, group: boxOf(module, x, y, width) });
      x += width + GAP_X;
    }
  });
  for (const { module } of boxes.values()) {
    for (const use of module.uses) {
      const line = edgeOf(module.path, use.module, use.count + use.tests);
      if (line) {
        svg.append(line);
        edges.push({ from: module.path, to: use.module, line });
      }
    }
  }
  boxes.forEach(({ group }) => {
    svg.append(group);
  });
  const height = PADDING * 2 + rows.length * (HEIGHT + GAP_Y) - GAP_Y;
  svg.setAttribute('viewBox', `0 0 ${widest + PADDING * 2} ${height}`);
  // A small map is drawn a little larger, not as large as the panel.
  svg.style.maxWidth = `${(widest + PADDING * 2) * 1.25}px`;
}

/** Modules by layers: each below all that use it, as far as cycles allow. */
function inRows(modules: MapModule[]): MapModule[][] {
  const known = new Map(modules.map((module) => [module.path, module]));
  const levels = new Map<string, number>();
  const levelOf = (path: string, above: Set<string>): number => {
    const found = levels.get(path);
    if (found !== undefined) {
      return found;
    }
    const users = (known.get(path)?.used_by ?? []).filter(({ module }) => known.has(module) && !above.has(module));
    const level = Math.max(0, ...users.map(({ module }) => levelOf(module, new Set([...above, path])) + 1));
    levels.set(path, level);
    return level;
  };
  const layers: MapModule[][] = [];
  for (const module of modules) {
    const level = levelOf(module.path, new Set());
    (layers[level] ??= []).push(module);
  }
  return layers.filter(Boolean).flatMap((layer) => {
    const rows = Math.ceil(layer.length / MOST_IN_ROW);
    const size = Math.ceil(layer.length / rows);
    return Array.from({ length: rows }, (_, at) => layer.slice(at * size, (at + 1) * size));
  });
}

/** Larger modules are wider, and their names fit. */
function widthOf(module: MapModule): number {
  return Math.max(96, nameOf(module).length * 8 + 28, 60 + Math.sqrt(module.lines) * 1.4);
}

function nameOf(module: MapModule): string {
  const name = module.path === '.' ? (answer?.map.project ?? 'root') : module.path;
  return name.length > 28 ? `…${name.slice(-27)}` : name;
}

function boxOf(module: MapModule, x: number, y: number, width: number): SVGGElement {
  const group = svg('g', { class: 'module', tabindex: '0', role: 'button' });
  group.setAttribute('aria-label', `${module.path}: ${module.files} files, ${module.lines} lines`);
  group.append(
    svg('rect', { x, y, width, height: HEIGHT, rx: 7 }),
    label(nameOf(module), x + width / 2, y + 20, 'name'),
    label(`${module.files} files · ${module.lines.toLocaleString('en')} lines`, x + width / 2, y + 36, 'size'),
  );
  const pick = (): void => {
    choose(module.path);
  };
  group.addEventListener('click', pick);
  group.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      pick();
    }
  });
  return group;
}

function edgeOf(from: string, to: string, count: number): SVGPathElement | undefined {
  const [a, b] = [boxes.get(from), boxes.get(to)];
  if (!a || !b) {
    return undefined;
  }
  const [x1, x2] = [a.x + a.width / 2, b.x + b.width / 2];
  const isDown = b.y > a.y;
  const [y1, y2] = isDown ? [a.y + HEIGHT, b.y] : [a.y, b.y + HEIGHT];
  const bend = a.y === b.y ? -GAP_Y * 0.7 : (y2 - y1) / 2;
  const path = a.y === b.y
    ? `M${x1} ${a.y} C${x1} ${a.y + bend} ${x2} ${a.y + bend} ${x2} ${a.y}`
    : `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  return svg('path', { class: 'edge', d: path, 'stroke-width': Math.min(4, 0.8 + Math.log2(count + 1) * 0.5) });
}

/** Marks a module, its neighbours, and what lies between. */
function choose(path: string): void {
  const near = new Set([path]);
  for (const { from, to, line } of edges) {
    const isNear = from === path || to === path;
    line.classList.toggle('near', isNear);
    line.classList.toggle('far', !isNear);
    if (isNear) {
      near.add(from).add(to);
    }
  }
  boxes.forEach(({ group }, of) => {
    group.classList.toggle('chosen', of === path);
    group.classList.toggle('far', !near.has(of));
  });
  details(boxes.get(path)?.module);
}

/** What the module is, whom it uses and who uses it, and its central symbols. */
function details(module: MapModule | undefined): void {
  const aside = byId('details');
  if (!module) {
    aside.replaceChildren(element('h2', { text: 'Central files' }), ...(answer?.map.files ?? []).slice(0, 12).map(fileOf));
    return;
  }
  const parts: Node[] = [element('h2', { text: nameOf(module) })];
  if (module.about) {
    parts.push(element('p', { text: module.about.text }));
  }
  parts.push(element('p', { className: 'hint', text: `${module.files} files: ${module.languages.join(', ')}` }));
  parts.push(...neighbours('Uses', module.uses), ...neighbours('Used by', module.used_by));
  const files = (answer?.map.files ?? []).filter(({ path }) => isIn(path, module.path));
  if (files.length > 0) {
    parts.push(element('h3', { text: 'Central files' }), ...files.map(fileOf));
  }
  aside.replaceChildren(...parts);
}

/** Whether the closest module of a file is this one. */
function isIn(file: string, module: string): boolean {
  const holds = (path: string): boolean => path === '.' || file.startsWith(`${path}/`);
  const closest = [...boxes.keys()].filter(holds).sort((a, b) => b.length - a.length)[0];
  return closest === module;
}

function neighbours(name: string, uses: MapUse[]): Node[] {
  const shown = uses.filter(({ module }) => boxes.has(module));
  if (shown.length === 0) {
    return [];
  }
  const row = element('p', { className: 'neighbours' });
  for (const { module, count, tests } of shown) {
    const button = element('button', { text: `${module === '.' ? (answer?.map.project ?? '.') : module} ${count + tests}` });
    button.addEventListener('click', () => {
      choose(module);
    });
    row.append(button);
  }
  return [element('h3', { text: name }), row];
}

function fileOf({ path, uri, symbols }: MapFile): HTMLElement {
  const list = element('ul');
  for (const { signature, line } of symbols.slice(0, MOST_SYMBOLS)) {
    list.append(element('li', {}, link(signature, uri, line)));
  }
  return element('section', { className: 'file' }, link(path, uri, 1), list);
}

function link(text: string, uri: string, line: number): HTMLButtonElement {
  const button = element('button', { className: 'source', text });
  button.title = text;
  button.addEventListener('click', () => {
    editor.postMessage({ uri, line });
  });
  return button;
}

function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Record<string, string | number>): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, String(value));
  }
  return made;
}

function label(text: string, x: number, y: number, name: string): SVGTextElement {
  const made = svg('text', { class: name, x, y, 'text-anchor': 'middle' });
  made.textContent = text;
  return made;
}
