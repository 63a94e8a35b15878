// The search view.
import type { SearchRow, SearchState } from '../protocol';
import { wordsOf } from '../words';
import { mark, renderCode } from './code';
import { byId, editor, element, onMessage } from './page';

/** How long typing rests before a search begins. */
const DEBOUNCE_MS = 150;

const query = byId<HTMLInputElement>('query');
const path = byId<HTMLInputElement>('path');
const kind = byId<HTMLSelectElement>('kind');
const list = byId('hits');
let timer: number | undefined;
let rows: SearchRow[] = [];
let searched = '';
let asked = '';
let isUnfolded = false;
let chosen = 0;

function search(): void {
  window.clearTimeout(timer);
  timer = window.setTimeout(() => {
    show('summary', query.value.trim() === '' ? '' : 'Searching…');
    asked = query.value;
    editor.postMessage({ search: { query: asked, path: path.value, kind: kind.value } });
  }, DEBOUNCE_MS);
}

[query, path, kind].forEach((field) => {
  field.addEventListener('input', search);
});

document.querySelector('form')?.addEventListener('submit', (event) => {
  event.preventDefault();
  activate(0, false);
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
    activate(chosen, event.key === ' ');
  }
});

document.querySelectorAll('#start li').forEach((example) => {
  example.addEventListener('click', () => {
    query.value = example.textContent;
    query.focus();
    search();
  });
});

onMessage<SearchState | Pick<SearchState, 'index'>>((message) => {
  showIndex(message.index);
  if (!('rows' in message)) {
    return;
  }
  rows = message.rows;
  searched = message.query;
  // Results of another origin, such as related code, replace the query. Text typed during a search stays.
  if (searched !== asked) {
    query.value = searched;
    asked = searched;
  }
  show('summary', message.summary);
  byId('summary').classList.toggle('error', message.isError);
  byId('start').hidden = message.summary !== '';
  list.hidden = rows.length === 0;
  chosen = 0;
  draw();
});

/** Shows the state of the index. When indexing is done, the search is repeated. */
function showIndex(text: string): void {
  const isComplete = text === '' && byId('index').textContent.startsWith('Indexing:');
  show('index', text);
  if (isComplete && query.value.trim() !== '') {
    search();
  }
}

function show(id: string, text: string): void {
  byId(id).textContent = text;
  byId(id).hidden = text === '';
}

function draw(): void {
  const first = rows.findIndex(({ isFolded }) => isFolded);
  const items = rows.map(item).filter((_, at) => isUnfolded || first < 0 || at < first);
  if (first >= 0) {
    items.splice(first, 0, fold(rows.length - first, first === 0));
  }
  items.forEach((row, at) => {
    row.id = `hit-${at}`;
    row.addEventListener('click', () => {
      choose(at);
      activate(at, false);
    });
  });
  list.replaceChildren(...items);
}

/** The row that shows or hides results which are unlikely to answer. */
function fold(n: number, isAll: boolean): HTMLElement {
  const places = n === 1 ? 'place' : 'places';
  const row = element('li', { className: 'fold', text: isAll ? `${n} nearest ${places}` : `${n} less likely ${places}` });
  row.setAttribute('role', 'option');
  row.setAttribute('aria-expanded', String(isUnfolded));
  return row;
}

function item(hit: SearchRow, at: number): HTMLElement {
  const relevance = element('span', { className: 'relevance', text: hit.relevance });
  relevance.title = 'Relevance: the probability that these lines answer, or their likeness to the code at the cursor';
  const [file, folder] = split(hit.path);
  const [last, before] = split(folder);
  const place = element(
    'div',
    { className: 'place' },
    element('span', { className: 'file', text: file }),
    element('span', { className: 'line', text: `:${hit.line}` }),
    // The middle of a folder is cut first: its head ends with an ellipsis.
    element(
      'span',
      { className: 'folder' },
      element('span', { className: 'head', text: before }),
      element('span', { className: 'tail', text: before === '' ? last : `/${last}` }),
    ),
    relevance,
  );
  place.title = `${hit.path}:${hit.line}`;
  const row = element('li', {}, place);
  if (hit.symbol !== null) {
    const symbol = element('div', { className: 'symbol', text: hit.symbol });
    mark(symbol, wordsOf(searched));
    row.append(symbol);
  }
  const code = element('code');
  renderCode(code, hit.preview, hit.language, searched);
  row.append(element('pre', {}, code));
  row.dataset['hit'] = String(at);
  row.setAttribute('role', 'option');
  row.setAttribute('aria-label', `${hit.path}, line ${hit.line}, relevance ${hit.relevance}`);
  return row;
}

/** The last part of a path, and the parts before it. */
function split(whole: string): [string, string] {
  const cut = whole.lastIndexOf('/') + 1;
  return [whole.slice(cut), whole.slice(0, Math.max(0, cut - 1))];
}

function choose(at: number): void {
  const items = list.children;
  if (items.length === 0) {
    return;
  }
  chosen = Math.min(Math.max(at, 0), items.length - 1);
  for (const [index, row] of [...items].entries()) {
    row.setAttribute('aria-selected', String(index === chosen));
  }
  list.setAttribute('aria-activedescendant', `hit-${chosen}`);
  items[chosen]?.scrollIntoView({ block: 'nearest' });
}

/** Opens the hit of a row, or folds and unfolds the unlikely ones. */
function activate(at: number, keepFocus: boolean): void {
  const row = list.children[at] as HTMLElement | undefined;
  const hit = row?.dataset['hit'];
  if (hit !== undefined) {
    editor.postMessage({ open: Number(hit), keepFocus });
  } else if (row) {
    isUnfolded = !isUnfolded;
    draw();
    choose(at);
  }
}
