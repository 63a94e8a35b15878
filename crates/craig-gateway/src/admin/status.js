// Asks for the gateway's state, and draws it. Names come from the configuration: they are only ever set as text.
'use strict';

const SECONDS_BETWEEN = 10;
const TOKEN = 'craig-gateway-token';
const MAX_SERIES = 5;
const HEIGHT = 190;
const MARGIN = { left: 46, right: 8, top: 10, bottom: 20 };

const $ = (id) => document.getElementById(id);
let token = sessionStorage.getItem(TOKEN) || '';
let moneyBy = 'model';
let last = null;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function svg(name, attributes = {}, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

const whole = (n) => Math.round(n).toLocaleString('en');
const short = (n) => (n >= 1e6 ? `${+(n / 1e6).toPrecision(3)}M` : n >= 1e4 ? `${+(n / 1e3).toPrecision(3)}k` : `${+n.toPrecision(3)}`);
const usd = (n) => (n >= 100 ? `$${whole(n)}` : n >= 0.01 || n === 0 ? `$${n.toFixed(2)}` : `$${n.toPrecision(2)}`);
const duration = (ms) => (ms >= 1000 ? `${+(ms / 1000).toPrecision(3)} s` : `${+ms.toPrecision(3)} ms`);
const clock = (at) => new Date(at * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false });

// Round steps for an axis from 0 to `most`: about four of them.
function steps(most) {
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, n) => n * step);
}

// The series with the largest sums; the others are added up as one.
function largest(series) {
  const sum = (one) => one.values.reduce((a, b) => a + (b || 0), 0);
  const sorted = series.filter((one) => sum(one) > 0).sort((a, b) => sum(b) - sum(a));
  if (sorted.length <= MAX_SERIES + 1) return sorted;
  const rest = sorted.slice(MAX_SERIES);
  const values = rest[0].values.map((_, at) => rest.reduce((all, one) => all + (one.values[at] || 0), 0));
  return [...sorted.slice(0, MAX_SERIES), { name: `${rest.length} others`, values }];
}

/* Draws series over the points of `x`. `kind`: 'areas' (stacked), 'bars' (stacked), 'lines'. */
function plot(figure, { title, unit, kind, x, series, label, tick, format, extra }) {
  const width = Math.max(figure.clientWidth - 26, 240);
  const inner = { w: width - MARGIN.left - MARGIN.right, h: HEIGHT - MARGIN.top - MARGIN.bottom };
  const stacked = kind !== 'lines';
  const base = x.map(() => 0);
  const tops = series.map((one) => one.values.map((value, at) => {
    if (!stacked) return value;
    base[at] += value || 0;
    return base[at];
  }));
  const most = Math.max(0, ...tops.flat().filter((value) => value !== null));
  const ticks = steps(most || 1);
  const end = ticks[ticks.length - 1];
  const px = (at) => MARGIN.left + (kind === 'bars' ? ((at + 0.5) / x.length) * inner.w : x.length < 2 ? inner.w / 2 : (at / (x.length - 1)) * inner.w);
  const py = (value) => MARGIN.top + inner.h * (1 - value / end);
  const drawing = svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': `${title}, ${unit}` });
  for (const value of ticks) {
    drawing.append(svg('line', { class: 'grid', x1: MARGIN.left, x2: width - MARGIN.right, y1: py(value), y2: py(value) }));
    drawing.append(svg('text', { x: MARGIN.left - 6, y: py(value) + 4, 'text-anchor': 'end' }, format(value)));
  }
  const every = Math.ceil(x.length / Math.max(2, Math.floor(inner.w / 80)));
  for (let at = 0; at < x.length; at += every) {
    const anchor = px(at) > width - 30 ? 'end' : 'middle';
    drawing.append(svg('text', { x: px(at), y: HEIGHT - 4, 'text-anchor': anchor }, tick(x[at])));
  }
  series.forEach((one, n) => {
    const color = `c${one.color ?? n}`;
    const bottom = (at) => (n === 0 ? 0 : tops[n - 1][at]);
    if (kind === 'bars') {
      const wide = Math.max(1, (inner.w / x.length) * 0.7);
      tops[n].forEach((top, at) => one.values[at] && drawing.append(svg('rect', {
        class: `area ${color}`, x: px(at) - wide / 2, width: wide, y: py(top), height: Math.max(0.5, py(bottom(at)) - py(top)),
      })));
    } else if (kind === 'areas') {
      const up = tops[n].map((top, at) => `${px(at)},${py(top)}`);
      const down = tops[n].map((_, at) => `${px(at)},${py(bottom(at))}`).reverse();
      drawing.append(svg('polygon', { class: `area ${color}`, points: [...up, ...down].join(' ') }));
    } else {
      let path = '';
      tops[n].forEach((top, at) => {
        if (top === null) return;
        const starts = at === 0 || tops[n][at - 1] === null;
        path += `${starts ? 'M' : 'L'}${px(at)},${py(top)}`;
        const alone = starts && (at + 1 === x.length || tops[n][at + 1] === null);
        if (alone) drawing.append(svg('circle', { class: `dot area ${color}`, cx: px(at), cy: py(top), r: 2.5 }));
      });
      drawing.append(svg('path', { class: `line ${color}`, d: path }));
    }
  });
  if (most === 0) drawing.append(svg('text', { class: 'none', x: width / 2, y: HEIGHT / 2 }, 'nothing yet'));

  const legend = element('div', { className: 'legend' });
  const describe = (at) => {
    legend.replaceChildren(...series.map((one, n) => {
      const value = at === null || one.values[at] === null ? '' : ` ${label(one.values[at] || 0)}`;
      return element('span', {}, element('i', { className: `c${one.color ?? n}` }), one.name + value);
    }));
    if (at !== null) legend.append(element('span', {}, tick(x[at])));
  };
  describe(null);
  const cursor = svg('line', { class: 'cursor', y1: MARGIN.top, y2: MARGIN.top + inner.h, visibility: 'hidden' });
  drawing.append(cursor);
  drawing.addEventListener('pointermove', (event) => {
    if (!x.length) return;
    const box = drawing.getBoundingClientRect();
    const share = ((event.clientX - box.left) * (width / box.width) - MARGIN.left) / inner.w;
    const at = Math.min(x.length - 1, Math.max(0, kind === 'bars' ? Math.floor(share * x.length) : Math.round(share * (x.length - 1))));
    for (const name of ['x1', 'x2']) cursor.setAttribute(name, px(at));
    cursor.setAttribute('visibility', 'visible');
    describe(at);
  });
  drawing.addEventListener('pointerleave', () => {
    cursor.setAttribute('visibility', 'hidden');
    describe(null);
  });
  const caption = element('figcaption', {}, element('strong', { textContent: title }), element('span', { textContent: unit }));
  if (extra) caption.append(extra);
  caption.append(legend);
  figure.replaceChildren(caption, drawing);
}

function drawPlots({ samples, usage }) {
  const x = samples.map((sample) => sample.at);
  const rate = (name) => samples.map((sample) => (sample[name] * 60) / Math.max(1, sample.seconds));
  const time = { x, tick: clock };
  plot($('requests'), {
    ...time, title: 'Requests', unit: 'a minute', kind: 'areas', format: short, label: short,
    series: [
      { name: 'answered', values: rate('answered'), color: 0 },
      { name: 'refused (4xx)', values: rate('refused'), color: 1 },
      { name: 'failed (5xx)', values: rate('failed'), color: 4 },
    ],
  });
  const percentile = (name, n) => samples.map((sample) => (sample[name] ? sample[name][n] : null));
  plot($('latency'), {
    ...time, title: 'Latency', unit: 'of models', kind: 'lines', format: duration, label: duration,
    series: [
      { name: 'first byte, median', values: percentile('first_byte_ms', 0), color: 0 },
      { name: 'first byte, p95', values: percentile('first_byte_ms', 1), color: 2 },
      { name: 'whole answer, p95', values: percentile('whole_ms', 1), color: 3 },
    ],
  });
  const failing = [...new Set(samples.flatMap((sample) => Object.keys(sample.errors)))];
  plot($('errors'), {
    ...time, title: 'Failed calls', unit: 'of providers, a minute', kind: 'areas', format: short, label: short,
    series: largest(failing.map((name) => ({
      name, values: samples.map((sample) => ((sample.errors[name] || 0) * 60) / Math.max(1, sample.seconds)),
    }))),
  });
  const days = lastDays(usage);
  const names = [...new Set(usage.map((row) => row[moneyBy]))];
  const choice = element('select', { ariaLabel: 'Money by' }, ...['model', 'key'].map((by) => element('option', { value: by, textContent: `by ${by}`, selected: by === moneyBy })));
  choice.addEventListener('change', () => {
    moneyBy = choice.value;
    drawPlots(last);
  });
  plot($('money'), {
    title: 'Money', unit: 'a day', kind: 'bars', x: days, tick: (day) => day.slice(5), format: usd, label: usd, extra: choice,
    series: largest(names.map((name) => ({
      name, values: days.map((day) => usage.filter((row) => row.day === day && row[moneyBy] === name).reduce((all, row) => all + row.usd, 0)),
    }))),
  });
}

// The days from the first one with usage to the last, at least a week.
function lastDays(usage) {
  const day = (ms) => new Date(ms).toISOString().slice(0, 10);
  const today = Date.now();
  const first = Math.min(today - 6 * 864e5, ...usage.map((row) => Date.parse(row.day)));
  const days = [];
  for (let at = Date.parse(day(first)); at <= today; at += 864e5) days.push(day(at));
  return days;
}

function drawTiles({ now, samples, usage, open_requests, open_connections, monthly_budget_usd }) {
  const recent = samples.slice(-5);
  const sum = (name) => recent.reduce((all, sample) => all + sample[name], 0);
  const seconds = recent.reduce((all, sample) => all + sample.seconds, 0);
  const requests = sum('answered') + sum('refused') + sum('failed');
  const failed = requests ? sum('failed') / requests : 0;
  const p95 = recent.map((sample) => sample.first_byte_ms).filter(Boolean).map((pair) => pair[1]);
  const month = new Date(now * 1000).toISOString().slice(0, 7);
  const spent = (prefix) => usage.filter((row) => row.day.startsWith(prefix)).reduce((all, row) => all + row.usd, 0);
  const budget = monthly_budget_usd ? ` of ${usd(monthly_budget_usd)}` : '';
  const over = monthly_budget_usd && spent(month) > monthly_budget_usd;
  const tiles = [
    ['requests a minute', short(seconds ? (requests * 60) / seconds : 0)],
    ['failed', `${(100 * failed).toFixed(failed && failed < 0.1 ? 1 : 0)}%`, failed > 0.05 ? 'bad' : ''],
    ['first byte, p95', p95.length ? duration(Math.max(...p95)) : '–'],
    ['open requests', whole(open_requests)],
    ['connections', whole(open_connections)],
    ['spent today', usd(spent(new Date(now * 1000).toISOString().slice(0, 10)))],
    ['spent this month', usd(spent(month)) + budget, over ? 'bad' : ''],
  ];
  $('tiles').replaceChildren(...tiles.map(([name, value, kind = '']) => element('div', { className: 'tile' }, element('span', { textContent: name }), element('b', { textContent: value, className: kind }))));
}

function table(id, heads, rows) {
  const row = (kind, cells) => element('tr', {}, ...cells.map((cell, n) => {
    const made = element(kind, { className: heads[n].startsWith('#') ? 'n' : '' });
    made.append(cell);
    return made;
  }));
  const names = heads.map((head) => head.replace('#', ''));
  $(id).replaceChildren(element('thead', {}, row('th', names)), element('tbody', {}, ...rows.map((cells) => row('td', cells))));
}

function drawTables({ providers, breakers, usage, now }) {
  const breaker = (name) => {
    const open = breakers.filter((one) => one.provider === name && one.state !== 'closed');
    const kind = open.some((one) => one.state === 'open') ? 'bad' : open.length ? 'warn' : 'good';
    const text = open.map((one) => `${one.state}: ${one.model}`).join(', ') || 'closed';
    return element('span', { className: kind, textContent: text });
  };
  table('providers', ['name', 'breakers', '#failed calls', '#weight', 'models', 'protocols'], [
    ...providers.map((one) => [one.name, breaker(one.name), whole(one.errors), one.weight === null ? '–' : short(one.weight), one.models.join(', ') || 'any', one.protocols.join(', ')]),
    ...breakers.filter((one) => one.provider === 'reranker').map((one) => ['reranker', breaker('reranker'), '', '', one.model, '']),
  ]);
  const month = new Date(now * 1000).toISOString().slice(0, 7);
  const keys = new Map();
  for (const row of usage.filter((one) => one.day.startsWith(month))) {
    const sums = keys.get(row.key) || { requests: 0, input: 0, cached: 0, output: 0, usd: 0 };
    sums.requests += row.requests;
    sums.input += row.input_tokens;
    sums.cached += row.cached_tokens;
    sums.output += row.output_tokens;
    sums.usd += row.usd;
    keys.set(row.key, sums);
  }
  const sorted = [...keys].sort(([, a], [, b]) => b.usd - a.usd || b.requests - a.requests);
  table('keys', ['key', '#requests', '#tokens in', '#cached', '#tokens out', '#US dollars'],
    sorted.map(([key, one]) => [key, whole(one.requests), short(one.input), short(one.cached), short(one.output), usd(one.usd)]));
}

function draw(shown) {
  last = shown;
  const state = shown.is_stopping ? 'stopping' : shown.are_keys_readable ? '' : 'the key file cannot be read';
  $('state').replaceChildren(`${shown.version} · ${clock(shown.now)}`, element('span', { className: 'bad', textContent: state ? ` · ${state}` : '' }));
  $('login').hidden = true;
  $('page').hidden = false;
  drawTiles(shown);
  drawPlots(shown);
  drawTables(shown);
}

function ask(problem) {
  $('page').hidden = true;
  $('login').hidden = false;
  $('problem').textContent = problem;
  $('token').focus();
}

async function refresh() {
  if (!token) return ask('');
  try {
    const answer = await fetch('status.json', { headers: { authorization: `Bearer ${token}` } });
    if (answer.status === 401) {
      sessionStorage.removeItem(TOKEN);
      token = '';
      return ask('This is not the token.');
    }
    sessionStorage.setItem(TOKEN, token);
    draw(await answer.json());
  } catch {
    $('state').replaceChildren(element('span', { className: 'bad', textContent: 'the gateway does not answer' }));
  }
}

$('login').addEventListener('submit', (event) => {
  event.preventDefault();
  token = $('token').value.trim();
  $('token').value = '';
  refresh();
});
addEventListener('resize', () => last && !$('page').hidden && drawPlots(last));
setInterval(() => token && !document.hidden && refresh(), 1000 * SECONDS_BETWEEN);
refresh();
