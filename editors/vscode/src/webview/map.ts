// The repository map: modules and their uses.
import type { MapAnswer, MapFile, MapModule, MapUse } from '../protocol';
import { type Edge, BOX_HEIGHT, layout } from './layout';
import { shortNames } from './names';
import { byId, editor, element, onMessage } from './page';
import { Viewport } from './viewport';

const SVG = 'http://www.w3.org/2000/svg';

/** Most modules in the picture: the largest ones. */
const MOST_MODULES = 40;

/** Most files and most symbols of a file in the list. */
const MOST_FILES = 12;
const MOST_SYMBOLS = 6;

/** Bounds of a box's width, which grows with the module. Long names may make it wider. */
const LEAST_WIDTH = 110;
const MOST_WIDTH = 220;
const PADDING = 28;

interface Box {
  module: MapModule;
  group: SVGGElement;
}

let answer: MapAnswer | undefined;
let names = new Map<string, string>();
let boxes = new Map<string, Box>();
let lines: { edge: Edge; line: SVGPathElement }[] = [];

const scene = byId<SVGGElement>('scene');
const viewport = new Viewport(byId<SVGSVGElement>('graph'), scene);

const buttons: Record<string, () => void> = {
  'zoom-in': () => { viewport.zoomIn(); },
  'zoom-out': () => { viewport.zoomOut(); },
  fit: () => { viewport.fit(); },
};
for (const [id, action] of Object.entries(buttons)) {
  byId(id).addEventListener('click', action);
}

onMessage<MapAnswer | { error: string }>((message) => {
  const hint = byId('hint');
  hint.classList.toggle('error', 'error' in message);
  byId('panes').hidden = 'error' in message || message.architecture.modules.length === 0;
  if ('error' in message) {
    hint.textContent = message.error;
    return;
  }
  answer = message;
  byId('title').textContent = message.map.project;
  draw(message.architecture.modules);
  details(undefined);
});

function draw(all: MapModule[]): void {
  const modules = [...all].sort((a, b) => b.lines - a.lines).slice(0, MOST_MODULES);
  names = shortNames(modules.map(({ path }) => path).filter((path) => path !== '.'));
  const known = new Set(modules.map(({ path }) => path));
  const edges = modules.flatMap(({ path, uses }) =>
    uses
      .filter(({ module }) => known.has(module))
      .map(({ module, count, tests }) => ({ from: path, to: module, weight: count + tests })),
  );
  const widths = new Map(modules.map((module) => [module.path, widthOf(module)]));
  const drawn = layout(modules.map(({ path }) => ({ id: path, width: widths.get(path) ?? LEAST_WIDTH })), edges);
  lines = drawn.routes.map(({ edge, path, isDown }) => {
    const width = Math.min(4, 0.8 + Math.log2(edge.weight + 1) * 0.5);
    const line = svg('path', { class: isDown ? 'edge' : 'edge cycle', d: path, 'stroke-width': width, 'marker-end': 'url(#arrow)' });
    return { edge, line };
  });
  boxes = new Map(
    modules.map((module) => {
      const { x, y } = drawn.boxes.get(module.path) ?? { x: 0, y: 0 };
      return [module.path, { module, group: boxOf(module, x, y, widths.get(module.path) ?? LEAST_WIDTH) }];
    }),
  );
  scene.replaceChildren(...lines.map(({ line }) => line), ...[...boxes.values()].map(({ group }) => group));
  byId('hint').textContent = hintOf(modules.length, all.length, drawn.routes.some(({ isDown }) => !isDown));
  viewport.reset(drawn.width, drawn.height);
}

function hintOf(n_shown: number, n_all: number, hasCycles: boolean): string {
  if (n_all === 0) {
    return 'No modules found: the workspace has no code that Craig reads.';
  }
  return [
    'Each module is above the modules it uses.',
    hasCycles ? 'Dashed arrows are exceptions: each closes a cycle.' : '',
    n_shown < n_all ? `The ${n_shown} largest of ${n_all} modules are shown.` : '',
    'Select a module for details.',
  ].filter((sentence) => sentence !== '').join(' ');
}

/** Larger modules are wider, and their texts fit. */
function widthOf(module: MapModule): number {
  const text = Math.max(textWidth(nameOf(module.path), '600 13px'), textWidth(sizeOf(module), '12px'));
  const bySize = Math.min(MOST_WIDTH, 60 + Math.sqrt(module.lines) * 1.4);
  return Math.max(LEAST_WIDTH, bySize, text + PADDING);
}

const canvas = document.createElement('canvas').getContext('2d');

function textWidth(text: string, font: string): number {
  if (!canvas) {
    return text.length * 8;
  }
  canvas.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(text).width;
}

function nameOf(path: string): string {
  return path === '.' ? (answer?.map.project ?? 'root') : (names.get(path) ?? path);
}

function sizeOf({ files, lines: n_lines }: MapModule): string {
  return `${counted(files, 'file')} · ${counted(n_lines, 'line')}`;
}

/** `1 file`, `1,342 files`. */
function counted(n: number, thing: string): string {
  return `${n.toLocaleString('en')} ${thing}${n === 1 ? '' : 's'}`;
}

function boxOf(module: MapModule, x: number, y: number, width: number): SVGGElement {
  const group = svg('g', { class: 'module', tabindex: '0', role: 'button' });
  group.setAttribute('aria-label', `${module.path}: ${sizeOf(module)}`);
  const title = svg('title', {});
  title.textContent = module.path;
  group.append(
    title,
    svg('rect', { x: x - width / 2, y, width, height: BOX_HEIGHT, rx: 7 }),
    label(nameOf(module.path), x, y + 21, 'name'),
    label(sizeOf(module), x, y + 39, 'size'),
  );
  group.addEventListener('click', () => {
    choose(module.path);
  });
  group.addEventListener('focus', () => {
    viewport.reveal({ x: x - width / 2, y, width, height: BOX_HEIGHT });
  });
  group.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      choose(module.path);
    }
  });
  return group;
}

/** Marks a module, its neighbours, and what lies between. */
function choose(path: string): void {
  const near = new Set([path]);
  for (const { edge, line } of lines) {
    const isNear = edge.from === path || edge.to === path;
    line.classList.toggle('near', isNear);
    line.classList.toggle('far', !isNear);
    if (isNear) {
      near.add(edge.from).add(edge.to);
    }
  }
  boxes.forEach(({ group }, of) => {
    group.classList.toggle('chosen', of === path);
    group.classList.toggle('far', !near.has(of));
  });
  details(boxes.get(path)?.module);
}

/** A module with its neighbours and central files; without a module, the central files of all. */
function details(module: MapModule | undefined): void {
  const aside = byId('details');
  const files = answer?.map.files ?? [];
  if (!module) {
    aside.replaceChildren(element('h2', { text: 'Central files' }), ...files.slice(0, MOST_FILES).map(fileOf));
    return;
  }
  const own = files.filter(({ path }) => isIn(path, module.path));
  aside.replaceChildren(
    element('h2', { className: 'module-path', text: module.path === '.' ? nameOf('.') : module.path }),
    ...(module.about ? [element('p', { text: module.about.text })] : []),
    element('p', { className: 'hint', text: [sizeOf(module), ...module.languages].join(' · ') }),
    ...neighbours('Uses', module.uses),
    ...neighbours('Used by', module.used_by),
    ...(own.length > 0 ? [element('h3', { text: 'Central files' }), ...own.map(fileOf)] : []),
  );
  aside.scrollTop = 0;
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
    const button = element('button', { text: `${nameOf(module)} ${count + tests}` });
    button.title = `${module}: ${counted(count + tests, 'import')}${tests > 0 ? `, ${tests} of them in tests` : ''}`;
    button.addEventListener('click', () => {
      choose(module);
      boxes.get(module)?.group.focus();
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
