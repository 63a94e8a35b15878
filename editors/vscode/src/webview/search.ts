// The search view.
import { byId, editor, element, onMessage } from './page';

interface Row {
  path: string;
  line: number;
  symbol: string | null;
  relevance: string;
  preview: string;
}

/** How long typing rests before a search begins. */
const DEBOUNCE_MS = 150;

const query = byId<HTMLInputElement>('query');
const path = byId<HTMLInputElement>('path');
const kind = byId<HTMLSelectElement>('kind');
const list = byId('hits');
let timer: number | undefined;
let chosen = 0;

function search(): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => {
    byId('summary').textContent = query.value.trim() === '' ? '' : 'Searching…';
    editor.postMessage({ search: { query: query.value, path: path.value, kind: kind.value } });
  }, DEBOUNCE_MS);
}

[query, path, kind].forEach((field) => {
  field.addEventListener('input', search);
});

document.querySelector('form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  open(0, false);
});

query.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') {
    event.preventDefault();
    list.focus();
    choose(0);
  }
});

list.addEventListener('keydown', (event) => {
  const step: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
  const by = step[event.key];
  if (by !== undefined) {
    event.preventDefault();
    choose(chosen + by);
  } else if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    open(chosen, event.key === ' ');
  }
});

onMessage<{ hits: Row[]; summary: string }>(({ hits, summary }) => {
  byId('summary').textContent = summary;
  list.replaceChildren(...hits.map(item));
  chosen = 0;
});

function item(hit: Row, at: number): HTMLElement {
  const cut = hit.path.lastIndexOf('/') + 1;
  const place = element(
    'div',
    { className: 'place' },
    element('span', { className: 'file', text: hit.path.slice(cut) }),
    element('span', { className: 'line', text: `:${hit.line}` }),
    element('span', { className: 'folder', text: hit.path.slice(0, Math.max(0, cut - 1)) }),
    element('span', { className: 'relevance', text: hit.relevance }),
  );
  const row = element('li', {}, place);
  if (hit.symbol !== null) {
    row.append(element('div', { className: 'symbol', text: hit.symbol }));
  }
  row.append(element('pre', { text: hit.preview }));
  row.id = `hit-${at}`;
  row.setAttribute('role', 'option');
  row.setAttribute('aria-label', `${hit.path}, line ${hit.line}, relevance ${hit.relevance}`);
  row.addEventListener('click', () => {
    choose(at);
    open(at, false);
  });
  return row;
}

function choose(at: number): void {
  const rows = list.children;
  if (rows.length === 0) {
    return;
  }
  chosen = Math.min(Math.max(at, 0), rows.length - 1);
  for (const [index, row] of [...rows].entries()) {
    row.setAttribute('aria-selected', String(index === chosen));
  }
  list.setAttribute('aria-activedescendant', `hit-${chosen}`);
  rows[chosen]?.scrollIntoView({ block: 'nearest' });
}

function open(at: number, keepFocus: boolean): void {
  if (list.children.length > 0) {
    editor.postMessage({ open: at, keepFocus });
  }
}
