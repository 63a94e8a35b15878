// The page of `craig serve` in Chromium, as a person uses it: called by `serve-page`.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const [tools, craig, ...options] = process.argv.slice(2);
const pictures = options.includes('--pictures') ? options[options.indexOf('--pictures') + 1] : undefined;
const { chromium } = createRequire(path.join(tools, 'package.json'))('playwright-core');
const home = mkdtempSync(path.join(tmpdir(), 'serve-page-'));
const crates = path.join(path.dirname(fileURLToPath(import.meta.url)), '../crates');
const env = { PATH: process.env.PATH, HOME: home };
const run = (...args) => execFileSync(craig, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

async function started() {
  const server = spawn(craig, ['serve', '--address', '127.0.0.1:0'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  server.stderr.on('data', (data) => { log += data; });
  for (let n = 0; n < 600 && !log.includes('"started"'); n += 1) await new Promise((done) => setTimeout(done, 50));
  assert(log.includes('"started"'), `the server did not start: ${log}`);
  return { server, url: `http://${JSON.parse(log.split('\n')[0]).address}/` };
}

async function picture(page, name) {
  for (const scheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: scheme });
    for (const width of [1200, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(200);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, `${name}: the page is wider than ${width} px`);
      if (pictures) await page.screenshot({ path: path.join(pictures, `serve-${name}-${scheme}-${width}.png`) });
    }
  }
  await page.setViewportSize({ width: 1200, height: 900 });
}

async function login(page, key) {
  await page.fill('#key', key);
  await page.click('#open');
}

for (const name of ['craig-search', 'craig-store', 'craig-text']) run('ingest', path.join(crates, name), '--name', name);
run('jobs', 'add', path.join(crates, 'craig-text'), '--every', '5m');
const keys = Object.fromEntries(['alice', 'bob'].map((name) => [name, JSON.parse(run('gateway', 'keys', 'add', name, '--format', 'json')).key]));
run('gateway', 'keys', 'set', 'bob', '--projects', 'craig-text');
const { server, url } = await started();
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage();
  const complaints = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  await login(page, 'craig_not_a_key');
  await page.waitForSelector('text=This key is not valid.');
  complaints.length = 0; // Chromium reports each 401 that was asked for.
  await login(page, keys.alice);
  await page.waitForSelector('main >> text=craig-store');
  assert.equal(await page.locator('tbody tr').count(), 4);
  assert.match(await page.textContent('main'), /5 min.*waiting/);
  await picture(page, 'projects');

  await page.keyboard.press('/');
  await page.keyboard.type('where is the lock of a project taken on the server');
  await page.keyboard.press('Enter');
  await page.waitForSelector('article');
  const first = await page.textContent('article h3');
  assert.match(first, /craig-store.*lock/);
  assert(await page.locator('article .keyword').count() > 5, 'code has no colours');
  await picture(page, 'results');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.line.marked');
  assert(await page.locator('.marked').isVisible(), 'the line of the hit is out of sight');
  assert.match(await page.textContent('.symbols summary'), /symbol/);

  // A name that is defined in the file: by its symbol to its line, by a click to its references.
  const symbol = page.locator('.symbols a', { hasText: /^[a-z_]+$/ }).first();
  const name = await symbol.textContent();
  await symbol.click();
  await page.waitForFunction((name) => document.querySelector('.line.marked code')?.textContent.includes(name), name);
  const box = await page.evaluate((name) => {
    const code = document.querySelector('.line.marked code');
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.data.indexOf(name);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + name.length);
      const { x, y, width, height } = range.getBoundingClientRect();
      return { x: x + width / 2, y: y + height / 2 };
    }
    return null;
  }, name);
  await page.mouse.click(box.x, box.y);
  await page.waitForSelector('#panel:not([hidden]) h3');
  assert.match(await page.textContent('#panel h2'), new RegExp(name));
  assert.match(await page.textContent('#panel h3'), /reference/);
  await picture(page, 'file');
  await page.locator('#panel li a').first().click();
  await page.waitForSelector('#panel', { state: 'hidden' });
  await page.waitForSelector('.line.marked');
  await page.goBack();
  await page.locator('.crumbs a').first().click();
  await page.waitForSelector('main >> text=Cargo.toml');

  const narrow = await (await browser.newContext()).newPage();
  await narrow.goto(url);
  await login(narrow, keys.bob);
  await narrow.waitForSelector('main >> text=craig-text');
  assert.equal(await narrow.locator('tbody tr').count(), 1);
  await narrow.goto(`${url}#folder=/&in=craig-store`);
  await narrow.waitForSelector('[role=alert].bad');
  assert.match(await narrow.textContent('[role=alert].bad'), /no such project/);
  assert.deepEqual(complaints, []);
  console.log(`the page works: ${first.trim()}`);
} finally {
  await browser.close();
  server.kill();
  rmSync(home, { recursive: true, force: true });
}
