// Searches projects and shows their files. Everything that comes from a repository is only ever set as text.
'use strict';

const KEY = 'craig-key';
const SIGN_IN = 'craig-sign-in';
const MAX_LINES_OF_HIT = 16;
const LINES_OF_BLOCK = 200;

const $ = (id) => document.getElementById(id);
let key = sessionStorage.getItem(KEY) || '';
let provider = null;
let projects = null;
let shownFile = null;
let newest = 0;

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [property, value] of Object.entries(properties)) {
    if (property.includes('-')) made.setAttribute(property, value);
    else made[property] = value;
  }
  made.append(...children);
  return made;
}

const count = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
const percent = (share) => (share < 0.005 ? '<1%' : `${Math.round(share * 100)}%`);
const place = (values) => `#${new URLSearchParams(Object.entries(values).filter(([, value]) => value))}`;
const filePlace = (project, path, line) => place({ file: path, in: project, line });

class Refused extends Error {}

async function ask(path, body) {
  const headers = key ? { authorization: `Bearer ${key}` } : {};
  const request = body
    ? { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : { headers };
  const response = await fetch(path, request);
  const answer = await response.json().catch(() => ({}));
  const { code, message } = answer.error || {};
  if (code === 'invalid_token' || code === 'no_group') throw new Refused(`${message[0].toUpperCase()}${message.slice(1)}.`);
  if (response.status === 401) throw new Refused(key ? 'This key is not valid.' : '');
  if (!response.ok) throw new Error(message || `The server answered with status ${response.status}.`);
  return answer;
}

/* Draws what the address says. A slower answer to an earlier address is dropped. */
async function show() {
  const turn = ++newest;
  const isCurrent = () => turn === newest;
  const asked = new URLSearchParams(location.hash.slice(1));
  closePanel();
  $('state').textContent = 'Loading…';
  try {
    const draw = asked.has('file') ? file : asked.has('folder') ? folder : asked.has('q') ? results : home;
    if (!projects || draw === home) {
      projects = await ask('/v1/projects');
      offerProjects();
    }
    $('login').hidden = true;
    $('search').hidden = false;
    const drawn = await draw(asked);
    if (!isCurrent()) return;
    fillForm(asked);
    document.title = drawn.title ? `${drawn.title} – Craig` : 'Craig';
    $('state').textContent = drawn.state;
    $('view').replaceChildren(...drawn.content);
    drawn.after?.();
  } catch (error) {
    if (!isCurrent()) return;
    $('state').textContent = '';
    if (error instanceof Refused) askForKey(error.message);
    else $('view').replaceChildren(element('p', { className: 'bad', role: 'alert' }, error.message));
  }
}

function askForKey(problem) {
  projects = null;
  $('login').hidden = false;
  $('search').hidden = true;
  $('view').replaceChildren();
  $('problem').textContent = problem;
  $('sign-in').hidden = !provider;
  $(provider ? 'sign-in' : 'key').focus();
}

const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/* Goes to the identity provider, with the hash of a secret that only this tab knows (PKCE). */
async function signIn() {
  const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
  const [verifier, state] = [random(), random()];
  sessionStorage.setItem(SIGN_IN, JSON.stringify({ verifier, state, place: location.hash }));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const { authorization_endpoint: address, ...fields } = provider;
  const query = new URLSearchParams({ ...fields, response_type: 'code', state, code_challenge: base64url(new Uint8Array(hash)), code_challenge_method: 'S256' });
  location.assign(`${address}${address.includes('?') ? '&' : '?'}${query}`);
}

/* Exchanges the code that the identity provider has sent along for a token. Returns what went wrong. */
async function finishSignIn() {
  const answer = new URLSearchParams(location.search);
  if (!answer.has('state')) return '';
  const begun = JSON.parse(sessionStorage.getItem(SIGN_IN) || '{}');
  sessionStorage.removeItem(SIGN_IN);
  history.replaceState(null, '', `${location.pathname}${begun.place || ''}`);
  if (answer.get('state') !== begun.state) return 'This sign-in was started elsewhere: sign in again here.';
  if (!answer.has('code')) return answer.get('error_description') || 'The identity provider did not sign you in.';
  try {
    const { token } = await ask('/sign-in', { code: answer.get('code'), verifier: begun.verifier });
    useKey(token);
    return '';
  } catch (error) {
    return error.message;
  }
}

function useKey(given) {
  [key, shownFile] = [given, null];
  sessionStorage.setItem(KEY, key);
}

async function start() {
  provider = await fetch('/sign-in').then((response) => (response.ok ? response.json() : null)).catch(() => null);
  const problem = await finishSignIn();
  if (problem) askForKey(problem);
  else show();
}

function offerProjects() {
  const option = (name, text) => element('option', { value: name }, text);
  const list = [option('', 'All projects'), ...projects.data.map((project) => option(project.name, project.name))];
  if (projects.groups.length) {
    const groups = projects.groups.map((group) => option(group.name, group.name));
    list.push(element('optgroup', { label: 'Groups' }, ...groups));
  }
  $('project').replaceChildren(...list);
}

function fillForm(asked) {
  if (asked.has('q')) $('query').value = asked.get('q');
  if (!asked.has('q') && !asked.has('in')) return;
  $('project').value = asked.get('in') || '';
  if (!asked.has('q')) return;
  $('kind').value = asked.get('kind') || 'all';
  $('path').value = asked.get('path') || '';
}

function table(heads, rows) {
  const kindOf = (at) => (rows[0]?.cells[at]?.className === 'n' ? 'n' : '');
  const head = element('tr', {}, ...heads.map((text, at) => element('th', { scope: 'col', className: kindOf(at) }, text)));
  return element('div', { className: 'scroll' }, element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)));
}

function home() {
  const rows = projects.data.map((project) => {
    const name = element('td', {}, element('a', { href: place({ folder: '/', in: project.name }) }, project.name));
    if (project.repository) name.append(element('div', { className: 'faint' }, project.repository));
    return element('tr', {}, name, number(project.files), number(project.chunks), stateOf(project), element('td', {}, when(project.last_updated)));
  });
  const groups = projects.groups.map((group) => element('tr', {}, element('td', {}, group.name), element('td', {}, group.members.join(', '))));
  const content = [element('h2', {}, 'Projects')];
  if (rows.length) content.push(table(['Name', 'Files', 'Chunks', 'Ingestion', 'Last change'], rows));
  else content.push(element('p', {}, 'There are no projects that this key may use. Projects are added with ', element('code', {}, 'craig ingest'), '.'));
  if (groups.length) content.push(element('h2', {}, 'Groups'), table(['Name', 'Projects'], groups));
  if (projects.jobs.length) content.push(element('h2', {}, 'Jobs'), table(['Source', 'Every', 'State', 'Next'], projects.jobs.map(job)));
  content.push(
    element('h2', {}, 'Coding assistants'),
    element('p', {}, 'They connect to the MCP server at ', element('code', {}, `${location.origin}/mcp`), provider ? ' and ask you to sign in. A key, sent as a bearer token, works as well.' : ' with your key as a bearer token.'),
  );
  return { title: '', state: count(projects.data.length, 'project'), content };
}

function job({ source, branch, every_seconds: every, state, worker, failures, error, due_at: due }) {
  const cell = element('td', { className: state === 'given_up' || failures ? 'bad' : state === 'running' ? 'warn' : 'good' });
  cell.append(worker ? `running: ${worker}` : failures ? `${state.replace('_', ' ')}, failed ${count(failures, 'time')}` : state);
  if (error) cell.append(element('div', { className: 'faint' }, error));
  const interval = !every ? 'once' : every % 3600 === 0 ? `${every / 3600} h` : every % 60 === 0 ? `${every / 60} min` : `${every} s`;
  const next = due ? new Date(due).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' }) : '';
  return element('tr', {}, element('td', {}, branch ? `${source} (${branch})` : source), element('td', {}, interval), cell, element('td', {}, next));
}

const number = (n) => element('td', { className: 'n' }, n.toLocaleString('en'));

function when(time) {
  const date = new Date(time);
  return element('time', { dateTime: time, title: date.toLocaleString() }, date.toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' }));
}

function stateOf({ state, progress, error }) {
  const cell = element('td', { className: state === 'failed' ? 'bad' : state === 'in_progress' ? 'warn' : 'good' });
  cell.append(state === 'in_progress' ? `${progress}%` : state.replace('_', ' '));
  if (error) cell.append(element('div', { className: 'faint' }, error));
  return cell;
}

async function results(asked) {
  const [project, path] = [asked.get('in'), asked.get('path')];
  const body = { query: asked.get('q'), limit: 20, per_file: 3, kind: asked.get('kind') || 'all', tokens: true };
  if (project) body.project = project;
  if (path) body.path = path;
  const started = performance.now();
  const answer = await ask('/v1/search', body);
  const ms = Math.round(performance.now() - started);
  const several = answer.num_projects > 1;
  const content = answer.results.map((hit) => result(hit, several));
  if (!answer.is_answered && content.length) content.unshift(element('p', { className: 'warn' }, 'Nothing here seems to answer this; these are the nearest places.'));
  if (!content.length) content.push(element('p', {}, 'Nothing was found.', ...(answer.notes || []).map((note) => ` ${note}.`)));
  return { title: asked.get('q'), state: `${count(answer.results.length, 'result')} in ${ms} ms`, content };
}

function result(hit, several) {
  const title = element('h3', {}, element('a', { className: 'hit', href: filePlace(hit.project, hit.path, hit.line_start) }, `${hit.path}:${hit.line_start}`));
  if (several) title.prepend(element('span', { className: 'project' }, hit.project));
  if (hit.symbol_name) title.append(element('span', { className: 'faint' }, hit.symbol_name));
  title.append(element('span', { className: 'score', title: 'Probability that these lines answer' }, percent(hit.score)));
  const lines = codeLines(hit.content, hit.tokens || []);
  const left = lines.length - MAX_LINES_OF_HIT;
  const code = element('div', { className: 'code' });
  lines.slice(0, MAX_LINES_OF_HIT).forEach((line, at) => code.append(codeLine(line, hit.line_start + at, hit.project, hit.path)));
  const shown = element('article', {}, title, code);
  if (left > 1) shown.append(element('p', { className: 'faint more' }, `${count(left, 'more line')}`));
  return shown;
}

/* The lines of a text, each as runs of one colour: [kind or '', text]. */
function codeLines(text, tokens) {
  const lines = [[]];
  const add = (kind, from, to) => text.slice(from, to).split('\n').forEach((part, at) => {
    if (at) lines.push([]);
    if (part) lines[lines.length - 1].push([kind, part]);
  });
  let end = 0;
  for (const [from, to, kind] of tokens) {
    add('', end, from);
    add(kind, from, to);
    end = to;
  }
  add('', end, text.length);
  while (lines.length > 1 && !lines[lines.length - 1].length) lines.pop();
  return lines;
}

function codeLine(runs, line, project, path) {
  const code = element('code', {}, ...runs.map(([kind, text]) => (kind ? element('span', { className: kind }, text) : text)));
  const link = element('a', { className: 'line-number', href: filePlace(project, path, line), tabIndex: -1 }, String(line));
  const row = element('div', { className: 'line' }, link, code);
  row.dataset.line = line;
  return row;
}

function crumbs(project, path) {
  const trail = element('nav', { className: 'crumbs', 'aria-label': 'Path' }, element('a', { href: place({ folder: '/', in: project }) }, project));
  const parts = path.split('/').filter(Boolean);
  parts.forEach((part, at) => {
    const folder = parts.slice(0, at + 1).join('/');
    trail.append(' / ', at + 1 < parts.length ? element('a', { href: place({ folder, in: project }) }, part) : element('strong', {}, part));
  });
  return trail;
}

async function folder(asked) {
  const [project, path] = [asked.get('in'), asked.get('folder').replace(/^\/|\/$/g, '')];
  const answer = await ask('/v1/files', { project, folder: path });
  const below = (name) => (path ? `${path}/${name}` : name);
  const folders = Object.entries(answer.folders).map(([name, files]) => element('li', {}, element('a', { className: 'hit', href: place({ folder: below(name), in: project }) }, `${name}/`), element('span', { className: 'faint' }, count(files, 'file'))));
  const files = answer.files.map((name) => element('li', {}, element('a', { className: 'hit', href: filePlace(project, below(name)) }, name)));
  const content = [crumbs(project, path), element('ul', { className: 'files' }, ...folders, ...files)];
  return { title: `${project}/${path}`, state: `${count(folders.length, 'folder')}, ${count(files.length, 'file')}`, content };
}

async function file(asked) {
  const [project, path, line] = [asked.get('in'), asked.get('file'), Number(asked.get('line')) || 0];
  // A line of the shown file needs no second request.
  const known = shownFile?.project === project && shownFile.path === path;
  const answer = known ? shownFile.answer : await ask('/v1/file', { project, path });
  shownFile = { project, path, answer };
  if (answer.content === null) {
    return { title: path, state: '', content: [crumbs(project, path), element('p', {}, 'This file has no text in the index: it is binary, or it may hold secrets.')] };
  }
  const lines = codeLines(answer.content, answer.tokens);
  const code = element('div', { className: 'code whole' });
  for (let from = 0; from < lines.length; from += LINES_OF_BLOCK) {
    const block = lines.slice(from, from + LINES_OF_BLOCK).map((runs, at) => codeLine(runs, from + at + 1, project, path));
    code.append(element('div', { className: 'block' }, ...block));
  }
  code.addEventListener('click', (event) => showSymbol(event, project, path));
  const symbols = answer.symbols.map((symbol) => {
    const link = element('a', { href: filePlace(project, path, symbol.line), title: symbol.kind }, symbol.name);
    link.style.paddingLeft = `${symbol.depth}em`;
    return element('li', {}, link);
  });
  const content = [crumbs(project, path), element('div', { className: symbols.length ? 'with-symbols' : '' }, code)];
  if (symbols.length) {
    const list = element('details', { className: 'symbols', open: innerWidth > 800 }, element('summary', {}, count(symbols.length, 'symbol')), element('ul', {}, ...symbols));
    content[1].prepend(list);
  }
  const toLine = () => {
    const row = code.querySelector(`[data-line="${line}"]`);
    if (!row) return scrollTo(0, 0);
    row.classList.add('marked');
    row.scrollIntoView({ block: 'center' });
  };
  return { title: `${path} (${project})`, state: count(lines.length, 'line'), content, after: toLine };
}

/* Characters before a click in its line, or null if it is not in code. */
function columnOf(event, code) {
  const position = document.caretPositionFromPoint?.(event.clientX, event.clientY);
  const range = position ? null : document.caretRangeFromPoint?.(event.clientX, event.clientY);
  const [node, offset] = position ? [position.offsetNode, position.offset] : [range?.startContainer, range?.startOffset];
  if (!node || !code.contains(node)) return null;
  const before = document.createRange();
  before.setStart(code, 0);
  before.setEnd(node, offset);
  return [...before.toString()].length;
}

async function showSymbol(event, project, path) {
  const row = event.target.closest('.line');
  const code = event.target.closest('code');
  if (!row || !code || String(getSelection())) return;
  const column = columnOf(event, code);
  if (column === null) return;
  // A click on the right half of a character is after it.
  const characters = [...code.textContent];
  const isName = (at) => /[\p{L}\p{N}_$]/u.test(characters[at] || '');
  const at = isName(column) ? column : isName(column - 1) ? column - 1 : -1;
  if (at < 0) return closePanel();
  try {
    openPanel(project, await ask('/v1/references', { project, path, line: Number(row.dataset.line), column: at + 1 }));
  } catch (error) {
    $('panel').replaceChildren(closeButton(), element('p', { role: 'status' }, error.message));
    $('panel').hidden = false;
  }
}

function closeButton() {
  return element('button', { className: 'close', 'aria-label': 'Close', onclick: closePanel }, '×');
}

function closePanel() {
  $('panel').hidden = true;
}

function openPanel(project, found) {
  const { symbol } = found;
  const link = (path, line, text) => element('a', { href: filePlace(project, path, line) }, text);
  const content = [
    closeButton(),
    element('h2', {}, symbol.name),
    element('p', {}, `${symbol.kind.replaceAll('_', ' ')} in `, link(symbol.path, symbol.line, `${symbol.path}:${symbol.line}`)),
  ];
  for (const other of found.also_defined || []) content.push(element('p', {}, 'also in ', link(other.path, other.line, `${other.path}:${other.line}`)));
  content.push(element('h3', {}, `${count(found.total, 'reference')} in ${count(found.total_files, 'file')}`));
  let list = null;
  let of = null;
  for (const { path, line, role, text } of found.references) {
    if (path !== of) {
      of = path;
      list = element('ul', {});
      content.push(element('h4', {}, path), list);
    }
    list.append(element('li', {}, link(path, line, String(line)), element('code', {}, text), element('span', { className: 'faint' }, role)));
  }
  const left = found.total - found.references.length;
  if (left > 0) content.push(element('p', { className: 'faint' }, `${left.toLocaleString('en')} more`));
  $('panel').replaceChildren(...content);
  $('panel').hidden = false;
  $('panel').scrollTop = 0;
}

function move(step) {
  const links = [...document.querySelectorAll('a.hit')];
  const at = links.indexOf(document.activeElement);
  const next = links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + step))];
  next?.focus();
  next?.scrollIntoView({ block: 'center' });
}

$('search').addEventListener('submit', (event) => {
  event.preventDefault();
  const [q, path, kind] = [$('query').value.trim(), $('path').value.trim(), $('kind').value];
  if (!q) return;
  const next = place({ q, in: $('project').value, path, kind: kind === 'all' ? '' : kind });
  if (next === location.hash) show();
  else location.hash = next;
});
for (const id of ['project', 'kind']) $(id).addEventListener('change', () => $('query').value.trim() && $('search').requestSubmit());
$('login').addEventListener('submit', (event) => {
  event.preventDefault();
  useKey($('key').value.trim());
  show();
});
$('sign-in').addEventListener('click', signIn);
addEventListener('hashchange', show);
addEventListener('keydown', (event) => {
  const types = event.target.closest('input, select, textarea');
  if (event.key === 'Escape') {
    if (types) event.target.blur();
    closePanel();
  } else if (types || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  } else if (event.key === '/') {
    event.preventDefault();
    $('query').focus();
    $('query').select();
  } else if (event.key === 'j' || event.key === 'k') {
    move(event.key === 'j' ? 1 : -1);
  }
});
start();
