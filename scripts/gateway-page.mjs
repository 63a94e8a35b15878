// The gateway's status page in Chromium, beside real requests: called by `gateway-page`.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [tools, craig, ...options] = process.argv.slice(2);
const option = (name) => (options.includes(name) ? options[options.indexOf(name) + 1] : undefined);
const minutes = Number(option('--minutes') ?? 1.2);
const pictures = option('--pictures');
const { chromium } = createRequire(path.join(tools, 'package.json'))('playwright-core');
const home = mkdtempSync(path.join(tmpdir(), 'gateway-page-'));
const TOKEN = 'a-token-for-the-status-page';
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// A provider that fails a share of its requests, and takes its time for the others.
function provider(failing) {
  const usage = { prompt_tokens: 2400, completion_tokens: 300, prompt_tokens_details: { cached_tokens: 1800 } };
  const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }], usage };
  const server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => setTimeout(() => {
      const fails = Math.random() < failing();
      response.writeHead(fails ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(fails ? { error: { message: 'down' } } : answer));
    }, 30 + 200 * Math.random() ** 3));
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done({ server, url: `http://127.0.0.1:${server.address().port}/v1` })));
}

// Usage of earlier days, as the gateway keeps it.
function usageLines(keys) {
  const lines = [];
  for (let day = 1; day < 14; day += 1) {
    const date = new Date(Date.now() - day * 864e5).toISOString().slice(0, 10);
    keys.forEach((key, of) => ['glm-4.6', 'sonnet', 'qwen'].forEach((model, n) => lines.push(JSON.stringify({
      day: date, key, provider: 'main', model, project: '', requests: 40 * (of + 1), input_tokens: 9e5, cached_tokens: 6e5,
      output_tokens: 4e4, estimated: 0, usd: (1 + of) * (3 - n) * (0.6 + 0.4 * Math.sin(day + n)),
    }))));
  }
  return `${lines.join('\n')}\n`;
}

async function started(env) {
  const gateway = spawn(craig, ['gateway', '--address', '127.0.0.1:0'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  gateway.stderr.on('data', (data) => { log += data; });
  for (let n = 0; n < 600 && !log.includes('"started"'); n += 1) await sleep(50);
  const event = log.split('\n').map((line) => { try { return JSON.parse(line); } catch { return {}; } }).find((line) => line.event === 'started');
  assert(event, `the gateway did not start: ${log}`);
  return { gateway, url: `http://${event.address}`, admin: `http://${event.admin}/`, log: () => log };
}

async function load(url, keys, until) {
  let n = 0;
  const one = async (key) => {
    while (Date.now() < until()) {
      n += 1;
      const wave = 1 + Math.sin(Date.now() / 40_000);
      const body = JSON.stringify({ model: n % 5 ? 'fast' : 'large', messages: n % 41 ? [{ role: 'user', content: 'hello' }] : 7 });
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${n % 37 ? key : 'wrong'}` };
      await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body }).then((answer) => answer.arrayBuffer()).catch(() => {});
      await sleep(100 + 400 * wave * Math.random());
    }
  };
  await Promise.all(keys.flatMap((key) => [one(key), one(key)]));
}

// What a person sees: plots with marks, tables, nothing cut off, nothing that the policy of the page forbids.
async function check(page, width) {
  await page.setViewportSize({ width, height: 1000 });
  await page.waitForTimeout(300);
  const seen = await page.evaluate(() => ({
    plots: [...document.querySelectorAll('figure')].map((figure) => ({
      name: figure.querySelector('strong').textContent, marks: figure.querySelectorAll('polygon, path, rect').length,
      wide: figure.scrollWidth > figure.clientWidth + 1,
    })),
    providers: document.querySelectorAll('#providers tbody tr').length,
    keys: [...document.querySelectorAll('#keys tbody tr td:first-child')].map((cell) => cell.textContent),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    tiles: [...document.querySelectorAll('.tile')].map((tile) => tile.textContent),
  }));
  assert.deepEqual(seen.plots.map((plot) => plot.name), ['Requests', 'Latency', 'Failed calls', 'Money']);
  for (const plot of seen.plots) assert(plot.marks > 0 && !plot.wide, JSON.stringify(plot));
  assert.equal(seen.overflow, 0, `${width} px: the page is wider than the screen`);
  assert.equal(seen.providers, 3);
  assert(seen.keys.includes('alice') && seen.keys.includes('bob'), seen.keys.join());
  return seen;
}

const main = await provider(() => (Math.sin(Date.now() / 50_000) > 0.5 ? 0.5 : 0.02));
const spare = await provider(() => 0);
const down = await provider(() => 1);
writeFileSync(path.join(home, 'upstreams.toml'), `
[[upstream]]
name = "down"
base_url = "${down.url}"
models = { large = "sonnet" }
tries = 1
[[upstream]]
name = "main"
base_url = "${main.url}"
models = { fast = "glm-4.6", large = "sonnet" }
[[upstream]]
name = "spare"
base_url = "${spare.url}"
models = { fast = "qwen" }
weight = 1.0
[prices."glm-4.6"]
input_usd_per_million_tokens = 0.6
output_usd_per_million_tokens = 2.2
[prices.sonnet]
input_usd_per_million_tokens = 3.0
output_usd_per_million_tokens = 15.0
`);
const env = {
  PATH: process.env.PATH, HOME: home, ADMIN_TOKEN: TOKEN, CRAIG_GATEWAY_ADMIN_ADDRESS: '127.0.0.1:0',
  CRAIG_GATEWAY_ADMIN_TOKEN_ENV: 'ADMIN_TOKEN', CRAIG_GATEWAY_UPSTREAMS: path.join(home, 'upstreams.toml'),
  CRAIG_GATEWAY_KEYS: path.join(home, 'keys.json'), CRAIG_GATEWAY_MONTHLY_BUDGET_USD: '200',
};
const keys = ['alice', 'bob', 'carol'].map((name) => JSON.parse(execFileSync(craig, ['gateway', 'keys', 'add', name, '--format', 'json'], { env })));
writeFileSync(path.join(home, 'gateway-usage.jsonl'), usageLines(keys.map((key) => key.id)));
const { gateway, url, admin, log } = await started(env);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  let ends = Date.now() + minutes * 60_000;
  const loading = load(url, keys.map((key) => key.key), () => ends);
  const page = await browser.newPage();
  const complaints = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(admin);
  await page.fill('#token', 'another-token-altogether');
  await page.click('button');
  await page.waitForSelector('text=This is not the token.');
  complaints.length = 0; // Chromium reports the 401 that was asked for.
  await sleep(Math.max(0, ends - Date.now() - 3_000));
  await page.fill('#token', TOKEN);
  await page.click('button');
  await page.waitForSelector('#page:not([hidden])');
  const seen = await check(page, 1200);
  await page.hover('#requests svg');
  assert.match(await page.textContent('#requests .legend'), /answered [\d.]+/);
  await page.selectOption('#money select', 'key');
  assert.match(await page.textContent('#money .legend'), /alice/);
  await page.selectOption('#money select', 'model');
  await page.mouse.move(0, 0);
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of [1200, 390]) {
      await check(page, width);
      if (pictures) await page.screenshot({ path: path.join(pictures, `gateway-status-${scheme}-${width}.png`), fullPage: true });
    }
  }
  ends = 0;
  await loading;
  assert.deepEqual(complaints, []);
  assert(!log().includes(TOKEN));
  console.log(`the status page works: ${seen.tiles.join(', ')}`);
} finally {
  await browser.close();
  gateway.kill();
  for (const { server } of [main, spare, down]) server.close();
  rmSync(home, { recursive: true, force: true });
}
