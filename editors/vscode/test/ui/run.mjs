// The extension from end to end, in a real VS Code: run.mjs TOOLS CRAIG PROFILE VSIX FAKE [--pictures FOLDER] [--corpus FASTIFY]
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Workbench, configure, install } from './workbench.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pictures: { type: 'string' }, corpus: { type: 'string' } },
});
const [tools, craig, profile, ...packages] = positionals;
const here = import.meta.dirname;
const folder = path.join(profile, 'sessions');
let failures = 0;
let bench;

async function step(name, work) {
  const began = Date.now();
  try {
    await work();
    console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL  ${name}: ${error.message.split('\n')[0]}`);
    await bench?.page.screenshot({ path: path.join(profile, `failure-${failures}.png`) }).catch(() => {});
    await bench?.page.keyboard.press('Escape').catch(() => {});
  }
}

function expect(isSo, what) {
  if (!isSo) {
    throw new Error(what);
  }
}

const ready = () =>
  bench.until('“Craig is ready” in the status bar', async () =>
    (await bench.page.locator('.statusbar-item[aria-label*="Craig is ready"]').count()) > 0);

/** Opens a folder in the profile with settings. */
async function open(what, settings = {}, machine = { 'craig.path': craig }, size = {}) {
  await bench?.close();
  configure(profile, settings, machine);
  bench = await Workbench.open(tools, profile, what, size);
  await bench.until('the extension', async () => (await bench.page.locator('.statusbar-item[id*="craig.index"]').count()) > 0);
}

async function shortForm() {
  rmSync(folder, { recursive: true, force: true });
  cpSync(path.join(here, '../fixture'), folder, { recursive: true });
  await open(folder);
  await step('a workspace is indexed when it is opened', async () => {
    await ready();
    expect(existsSync(path.join(folder, '.puku/embeddings.db')), 'there is no .puku/embeddings.db');
    const shown = execFileSync(craig, ['list', '--format', 'json'], { cwd: folder, encoding: 'utf8', env: bench.environment });
    expect(shown.includes('sessions'), 'the command line does not find the index');
  });
  await step('a hover says what the documentation says, in three lines at most', async () => {
    await bench.file('session.js');
    const name = bench.page.locator('.view-line span', { hasText: /^createSession$/ }).first();
    const box = await name.boundingBox();
    await bench.page.mouse.move(box.x - 40, box.y + 60);
    await bench.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 8 });
    const hover = bench.page.locator('.monaco-hover:has-text("Creates a session")').first();
    await hover.waitFor();
    const said = (await hover.innerText()).split('\n').filter((line) => line.includes('session') || line.includes('api.md'));
    expect(said.length <= 3, `the hover has ${said.length} lines`);
    await bench.page.keyboard.press('Escape');
  });
  let view;
  await step('what is selected is explained with its source', async () => {
    await bench.file('session.js', 5);
    await bench.selectLines(5);
    await bench.command('AI Docs: Explain Selected Code');
    view = await bench.frameWith('body.documentation .bullets');
    expect((await view.locator('.bullets li').count()) >= 1, 'no bullets');
    expect((await view.locator('.quote strong').innerText()) === 'user', 'Markdown is not rendered');
    expect((await view.locator('.sources').innerText()).includes('docs/api.md:5'), 'no citation');
  });
  await step('a citation leads to its heading', async () => {
    await view.locator('.sources .source').first().click();
    await bench.until('api.md', async () => (await bench.activeTab()).startsWith('api.md'));
    await bench.waitForPosition(5);
  });
  await step('the explanation follows the selection; nothing is made up', async () => {
    await bench.file('users.js', 3);
    await view.locator('.refused').waitFor();
    expect((await view.locator('.refused').innerText()) === 'Not documented.', 'not the refusal');
    await bench.file('session.js', 11);
    await bench.until('login', async () => (await view.locator('h1').innerText()) === 'login');
  });
  await step('@craig answers with code of the workspace', async () => {
    const said = await bench.chat('@craig how does a user log in?', /I was given (?!no code).*\./);
    const files = /I was given (.*)\./.exec(said)[1].split(', ');
    expect(files.includes('src/session.js'), `was given ${files.join(', ')}`);
    expect(files.every((file) => existsSync(path.join(folder, file))), 'a file does not exist');
    expect(/📎 \d files? used/.test(said), 'no indicator');
  });
  await step('/no-context gives none', async () => {
    const said = await bench.chat('@craig /no-context how does a user log in?', /I was given/);
    expect(said.includes('no code') && !said.includes('📎'), said);
  });
  await step('/search lists places', async () => {
    const said = await bench.chat('@craig /search expired sessions', /session\.js/);
    expect(/\d+%/.test(said), said);
  });
  await step('an edit is shown as a difference and can be rejected', async () => {
    await bench.file('session.js', 22);
    await bench.selectLines(5);
    await bench.command('Craig: Edit Selection…');
    await bench.page.waitForSelector('.quick-input-widget input');
    await bench.page.keyboard.type('check the name like the login function');
    await bench.page.keyboard.press('Enter');
    await bench.notification('take this edit').waitFor();
    expect((await bench.page.locator('.monaco-diff-editor').count()) > 0, 'no diff editor');
    await bench.notification('take this edit').locator('.monaco-button', { hasText: 'Reject' }).click();
    await bench.until('session.js', async () => (await bench.activeTab()).startsWith('session.js'));
    expect((await bench.page.locator('.view-lines').first().innerText()).includes('as in') === false, 'the text has changed');
  });
  await step('an edit can be accepted', async () => {
    await bench.file('session.js', 22);
    await bench.selectLines(5);
    await bench.command('Craig: Edit Selection…');
    await bench.page.waitForSelector('.quick-input-widget input');
    await bench.page.keyboard.type('check the name like the login function');
    await bench.page.keyboard.press('Enter');
    const toast = bench.notification('take this edit');
    await toast.locator('.monaco-button', { hasText: 'Accept' }).click();
    await bench.until('the changed text', async () => {
      const text = (await bench.page.locator('.editor-instance .view-lines').first().innerText()).replace(/\u00a0/g, ' ');
      return text.includes('// as in');
    });
    await bench.page.keyboard.press('Control+S');
  });
  await step('a new file is found a moment later', async () => {
    writeFileSync(path.join(folder, 'src/coupon.js'), 'export function redeemCoupon(code) {\n  return code.trim() === "WINTER";\n}\n');
    await bench.until('coupon.js', async () => /coupon\.js/.test(await bench.chat('@craig /search redeem a coupon', /\d+%|Nothing/)));
  });
  await step('search as you type opens at the line', async () => {
    await bench.command('Craig: Search Code by Meaning');
    const search = await bench.frameWith('body.search #query');
    await search.locator('#query').fill('is a session expired');
    await search.locator('#hits li').first().waitFor();
    await bench.until('isExpired', async () => (await search.locator('#hits').innerText()).includes('isExpired'));
    const row = search.locator('#hits li').first();
    const file = await row.locator('.file').innerText();
    await row.click();
    await bench.until(file, async () => (await bench.activeTab()).startsWith(file));
  });
  await step('related code is found', async () => {
    await bench.file('session.js', 11);
    await bench.command('Craig: Find Related Code');
    const search = await bench.frameWith('body.search #query');
    await bench.until('hits', async () => /like src\/session\.js:11/.test(await search.locator('#summary').innerText()));
  });
  await step('the map shows modules; one opens its file', async () => {
    await bench.command('Craig: Show Repository Map');
    const map = await bench.frameWith('body.map .module');
    await map.locator('.module').first().click();
    await map.locator('#details .file .source').first().click();
    await bench.until('a file', async () => /\.(js|py)/.test(await bench.activeTab()));
  });
  await step('outline and references where no language server is', async () => {
    await bench.file('report.py', 8);
    await bench.goTo(8, 10);
    await bench.page.keyboard.press('Control+Shift+O');
    await bench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'total' }).first().waitFor();
    await bench.page.keyboard.press('Escape');
    await bench.command('Go to References');
    const peek = bench.page.locator('.peekview-widget');
    await peek.waitFor();
    expect(/2|3/.test(await peek.locator('.peekview-title').innerText()), 'not the references');
    await bench.page.keyboard.press('Escape');
  });
  await step('settings switch the indicator and the panel off', async () => {
    set({ 'puku.chat.semanticContext.showIndicator': false, 'craig.documentation.ui.sidePanelEnabled': false });
    await sleep(1_500);
    const said = await bench.chat('@craig how are sessions created?', /I was given/);
    expect(!said.includes('📎'), 'the indicator is still there');
    await bench.command('Craig: Search Code by Meaning');
    expect((await bench.page.locator('.pane-header', { hasText: 'Documentation' }).count()) === 0, 'the panel is still there');
    set({ 'puku.chat.semanticContext.enabled': false });
    await sleep(1_500);
    await bench.chat('@craig how are sessions created?', /I was given no code/);
    set({});
  });
  await step('a model that fails is an error in the chat, once', async () => {
    await bench.command('Fake Model: Fail');
    await bench.chat('@craig how does a user log in?', /the fake model fails/);
    await bench.command('Fake Model: Work');
  });
  await step('a server that is killed is started again, and that is said', async () => {
    killServer();
    await bench.notification('ended unexpectedly').waitFor();
    await ready();
    await bench.chat('@craig /search expired sessions', /session\.js/);
  });
  await step('activation is quick', async () => {
    await bench.command('Developer: Show Running Extensions');
    const row = bench.page.locator('.runtime-extensions-editor .monaco-list-row', { hasText: /Craig/ }).first();
    console.log(`      ${(await row.innerText()).replace(/\s+/g, ' ')}`);
  });
  await step('the log of the extension host has no error of ours', () => {
    const errors = logLines('remoteexthost.log').filter((line) => /\[error\]/.test(line) && /craig/i.test(line) && !/fake model/.test(line));
    expect(errors.length === 0, errors.join('\n'));
  });
}

/** Writes the settings of the folder, which the editor watches. */
function set(settings) {
  mkdirSync(path.join(folder, '.vscode'), { recursive: true });
  writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify(settings));
}

function killServer() {
  const all = execFileSync('pgrep', ['-f', `${craig} lsp`], { encoding: 'utf8' }).trim().split('\n');
  all.forEach((id) => process.kill(Number(id), 'SIGKILL'));
}

function logLines(name) {
  const logs = path.join(profile, 'data/logs');
  const files = readdirSync(logs, { recursive: true }).filter((file) => file.endsWith(name));
  return files.flatMap((file) => readFileSync(path.join(logs, file), 'utf8').split('\n'));
}

async function faults() {
  const other = path.join(profile, 'other-version');
  writeFileSync(other, '#!/bin/sh\necho craig 9.9.9\n', { mode: 0o755 });
  for (const [name, binary, message] of [
    ['a missing program is named', '/nonexistent/craig', 'was not found'],
    ['a program of another version is named', other, 'is Craig 9.9.9'],
  ]) {
    await step(name, async () => {
      await open(folder, {}, { 'craig.path': binary });
      await bench.notification(message).waitFor();
    });
  }
  await step('several folders each have their index', async () => {
    const second = path.join(profile, 'second');
    mkdirSync(second, { recursive: true });
    writeFileSync(path.join(second, 'weather.js'), 'export function forecast(town) {\n  return `rain in ${town}`;\n}\n');
    const file = path.join(profile, 'two.code-workspace');
    writeFileSync(file, JSON.stringify({ folders: [{ path: folder }, { path: second }] }));
    await open(file);
    await ready();
    await bench.until('both indexes', () => existsSync(path.join(second, '.puku/embeddings.db')));
    await bench.chat('@craig /search weather forecast', /weather\.js/);
  });
  await step('no chat model is said with what to do', async () => {
    await bench.command('Fake Model: Leave');
    await bench.chat('@craig how does a user log in?', /model/i);
  });
}

await install(tools, profile, packages);
try {
  await shortForm();
  await faults();
  if (values.pictures !== undefined) {
    const { pictures } = await import('./pictures.mjs');
    await pictures({ open, bench: () => bench, ready, step, folder: values.corpus ?? folder, out: path.resolve(values.pictures) });
  }
} finally {
  await bench?.close();
}
console.log(failures === 0 ? 'all passed' : `${failures} failed; pictures of them in ${profile}`);
process.exitCode = failures === 0 ? 0 : 1;
