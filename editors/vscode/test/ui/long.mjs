// The rest of the long form: views by keyboard, settings, tools, the gateway.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from './session.mjs';
import { freePort } from './workbench.mjs';

export async function longForm(session) {
  const { folder, profile } = session;
  const step = session.step.bind(session);
  session.copyFixture();
  await session.open(folder);
  const { bench } = session;
  const explain = async (line, count) => {
    await bench.file('session.js', line);
    await bench.selectLines(count);
    await bench.command('AI Docs: Explain Selected Code');
    return bench.frameWith('body.documentation');
  };
  await step('the menu of the status bar rebuilds, pauses, resumes, and counts', async () => {
    await session.ready();
    const choose = async (label) => {
      await bench.page.locator('.statusbar-item[id*="craig.index"]').click();
      await bench.page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first().click();
    };
    const shows = (text) => bench.until(text, async () => (await session.status()).includes(text));
    await choose('Pause indexing');
    await shows('paused');
    await choose('Resume indexing');
    await shows('is ready');
    await choose('Rebuild index');
    await session.ready();
    await choose('Statistics');
    const dialog = bench.page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    expect(/\d+ files, [\d.]+ MB, \d+ chunks/.test(await dialog.innerText()), await dialog.innerText());
    await bench.page.keyboard.press('Escape');
  });
  await step('Properties 16 to 18: quotes with citations, in Markdown, for all selections', async () => {
    const lines = readFileSync(path.join(folder, 'src/session.js'), 'utf8').split('\n');
    let view = await explain(5, 5);
    const seen = { documented: 0, refused: 0 };
    for (let line = 1; line <= lines.length - 1; line += 2) {
      await bench.file('session.js', line);
      await bench.selectLines(1 + (line % 3));
      await sleep(700);
      view = await bench.frameWith('body.documentation');
      if ((await view.locator('.refused').count()) > 0) {
        expect((await view.locator('.refused').innerText()) === 'Not documented.', 'not the refusal');
        seen.refused += 1;
        continue;
      }
      const quotes = await view.locator('.bullets > li').count();
      const numbers = await view.locator('.bullets .source').allInnerTexts();
      const sources = await view.locator('.sources li').allInnerTexts();
      expect(quotes > 0 && numbers.length === quotes, `line ${line}: a quote without its source`);
      expect(numbers.every((number) => Number(number) <= sources.length), `line ${line}: a source that is not listed`);
      expect(sources.every((text) => /\w\.md:\d+/.test(text)), `line ${line}: ${sources.join(' ')}`);
      expect(!/\*\*|`/.test((await view.locator('.quote').allInnerTexts()).join(' ')), `line ${line}: Markdown is not rendered`);
      seen.documented += 1;
    }
    console.log(`      ${seen.documented} selections documented, ${seen.refused} not`);
    expect(seen.documented > 3 && seen.refused > 0, 'not both were seen');
  });
  await step('Property 15: hovers have three lines at most, at every place', async () => {
    await bench.file('session.js', 1);
    countHovers(await session.written('Test: Hover Everywhere', 'hovers.json'), 3);
  });
  await step('the documentation view is used by keyboard', async () => {
    const view = await explain(5, 5);
    await view.locator('.bullets').waitFor();
    await view.locator('.bullets .source').first().focus();
    for (let tries = 0; tries < 12; tries += 1) {
      await bench.page.keyboard.press('Tab');
      if (await view.evaluate(() => document.activeElement?.closest('.sources') !== null)) {
        break;
      }
    }
    expect(await view.evaluate(() => document.activeElement?.getAttribute('aria-label')?.startsWith('Open docs/api.md')), 'a source has no focus');
    await bench.page.keyboard.press('Enter');
    await bench.until('api.md', async () => (await bench.activeTab()).startsWith('api.md'));
    await bench.waitForPosition(5);
  });
  await step('the search view is used by keyboard', async () => {
    await bench.command('Craig: Search Code by Meaning');
    const view = await bench.frameWith('body.search #query');
    await view.locator('#query').fill('find a user');
    await bench.until('hits', async () => (await view.locator('#hits li').count()) > 1);
    await view.locator('#query').press('ArrowDown');
    const chosen = view.locator('#hits li[aria-selected="true"]');
    for (let tries = 0; tries < 20 && (await chosen.getAttribute('aria-expanded')) === null; tries += 1) {
      await bench.page.keyboard.press('ArrowDown');
    }
    await bench.page.keyboard.press('Enter');
    expect((await chosen.getAttribute('aria-expanded')) === 'true', 'the unlikely places stay folded');
    await bench.page.keyboard.press('ArrowDown');
    const file = await chosen.locator('.file').innerText();
    await bench.page.keyboard.press('Enter');
    await bench.until(file, async () => (await bench.activeTab()).startsWith(file));
  });
  await step('the map is used by keyboard', async () => {
    await bench.command('Craig: Show Repository Map');
    const view = await bench.frameWith('body.map .module');
    await view.locator('.module').first().focus();
    await bench.page.keyboard.press('Enter');
    await view.locator('#details .file').first().waitFor();
    expect((await view.locator('.module.chosen').count()) === 1, 'no module is chosen');
    await bench.command('View: Close Editor');
  });
  await step('views run their own script alone', async () => {
    const view = await explain(5, 5);
    const policy = await view.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
    expect(policy.startsWith("default-src 'none';") && !/unsafe|\*/.test(policy.replace(/https:\/\/\*\.\S+/g, '')), policy);
    const ran = await view.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.foreign = true';
      document.body.append(script);
      return window.foreign === true;
    });
    expect(!ran, 'a foreign script ran');
    // The refusal of that script is expected.
    session.complaints.length = 0;
  });
  await step('settings limit explanations and switch hovers off', async () => {
    session.set({ 'craig.documentation.retrieval.similarityThreshold': 1 });
    await sleep(1_500);
    const view = await explain(5, 5);
    await view.locator('.refused').waitFor();
    session.set({ 'craig.documentation.retrieval.topK': 1, 'craig.documentation.ui.hoverEnabled': false });
    await sleep(1_500);
    await explain(5, 5);
    await view.locator('.bullets').waitFor();
    expect((await view.locator('.sources li').count()) === 1, 'more than one source');
    const hovers = await session.written('Test: Hover Everywhere', 'hovers.json');
    expect(hovers.every(({ texts }) => texts.length === 0), 'there are hovers');
  });
  await step('documents are read again automatically unless the setting is off', async () => {
    const page = path.join(folder, 'docs/api.md');
    const before = readFileSync(page, 'utf8');
    session.set({ 'craig.documentation.indexing.autoReindex': false });
    await sleep(1_500);
    writeFileSync(page, before.replace('Creates a session', 'Opens a session'));
    await sleep(2_500);
    const view = await explain(5, 5);
    expect((await view.locator('.quote').first().innerText()).startsWith('Creates'), 'it was read again');
    await bench.command('AI Docs: Index Documentation');
    await sleep(1_500);
    const startsWith = async (word) => {
      await explain(5, 5);
      return (await view.locator('.quote').first().innerText()).startsWith(word);
    };
    await bench.until('the new text', () => startsWith('Opens'));
    session.set({});
    await sleep(1_500);
    writeFileSync(page, before);
    await bench.until('the old text', () => startsWith('Creates'));
  });
  await step('navigation can be switched off by language', async () => {
    session.set({ 'craig.navigation': { python: 'off' } });
    await bench.file('report.py', 8);
    await bench.until('no outline', async () => {
      await bench.page.keyboard.press('Control+Shift+O');
      await sleep(1_500);
      const rows = await bench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'total' }).count();
      await bench.page.keyboard.press('Escape');
      return rows === 0;
    });
    session.set({});
  });
  await step('agents can call the tools, and the MCP server is offered', async () => {
    await bench.file('session.js', 1);
    const { known, search, symbol, explain: said } = await session.written('Test: Call the Tools', 'tools.json');
    expect(known.length === 3, `the tools are ${known.join(', ')}`);
    expect(/src\/session\.js:\d+-\d+/.test(search) && search.includes('isExpired'), search);
    expect(/src\/session\.js:5/.test(symbol) && /references/.test(symbol), symbol);
    expect(said.includes('docs/api.md'), said);
    await bench.command('MCP: List Servers');
    await bench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Craig' }).first().waitFor();
    await bench.page.keyboard.press('Escape');
  });
  await step('an answer can be cancelled', async () => {
    await bench.command('Test: The Model Is Slow');
    rmSync(path.join(profile, 'home/cancelled.json'), { force: true });
    await bench.newChat();
    await bench.ask('@craig how does a user log in?');
    await bench.until('the first words', async () =>
      /I was given/.test((await bench.page.locator('.auxiliarybar .interactive-response').allInnerTexts()).join(' ')));
    await bench.page.locator('.auxiliarybar .chat-execute-toolbar .action-label[aria-label*="Cancel"], .auxiliarybar .chat-execute-toolbar .action-label[aria-label*="Stop"]').first().click();
    await bench.until('the model is cancelled', () => existsSync(path.join(profile, 'home/cancelled.json')));
    const said = (await bench.page.locator('.auxiliarybar .interactive-response').allInnerTexts()).join(' ');
    expect(!/Craig:|error/i.test(said), said);
    await bench.command('Test: The Model Works');
  });
  await step('an edit can be cancelled while it is written', async () => {
    await bench.command('Test: The Model Is Slow');
    await bench.file('session.js', 22);
    await bench.selectLines(5);
    await bench.command('Craig: Edit Selection…');
    await bench.fill('Edit lines', 'check the name like the login function');
    await bench.page.locator('.monaco-diff-editor').first().waitFor();
    await bench.command('Craig: Reject Edit');
    await bench.until('session.js', async () => (await bench.activeTab()).startsWith('session.js'));
    await bench.command('Test: The Model Works');
  });
  await gateway(session);
}

/** Checks hovers: most lines, and that there are some at all. */
export function countHovers(hovers, most) {
  const texts = hovers.flatMap((hover) => hover.texts);
  const longest = Math.max(0, ...texts.map((text) => text.split('\n').filter((line) => line.trim() !== '').length));
  console.log(`      ${hovers.length} places, ${texts.length} hovers, ${longest} lines at most`);
  expect(texts.length > 0, 'no hover');
  expect(longest <= most, `a hover has ${longest} lines`);
}

/** Chats through a real gateway, whose provider is a server of this run. */
async function gateway(session) {
  const asked = [];
  const provider = createServer((request, response) => {
    let body = '';
    request.on('data', (data) => { body += data; });
    request.on('end', () => {
      asked.push(JSON.parse(body));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const content of ['Through ', 'the gateway.']) {
        response.write(`data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`);
      }
      response.write(`data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`);
      response.end('data: [DONE]\n\n');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => provider.once('listening', resolve));
  const port = await freePort();
  const options = ['--set', `gateway.upstream_url=http://127.0.0.1:${provider.address().port}/v1`, '--set', `gateway.address=127.0.0.1:${port}`, '--set', 'gateway.upstream_model=m'];
  const env = session.bench.environment;
  const { key } = JSON.parse(execFileSync(session.craig, ['--format', 'json', 'gateway', 'keys', 'add', 'editor'], { env, encoding: 'utf8', stdio: 'pipe' }));
  const running = spawn(session.craig, [...options, 'gateway'], { env, stdio: 'ignore' });
  await session.step('the gateway answers chats, with the key from the secret storage', async () => {
    await session.open(session.folder, { settings: { 'craig.model.source': 'gateway' }, machine: { 'craig.model.gatewayUrl': `http://127.0.0.1:${port}` } });
    const { bench } = session;
    await session.ready();
    await bench.chat('@craig how does a user log in?', /401|unauthori[sz]ed|key/i);
    expect(asked.length === 0, 'it answered without a key');
    await bench.command('Craig: Set Gateway Key');
    await bench.fill('Gateway key', key);
    await sleep(500);
    const said = await bench.chat('@craig how does a user log in?', /Through the gateway\./);
    expect(said.includes('📎'), 'no indicator');
    expect(asked.at(-1).model === 'm' && JSON.stringify(asked.at(-1)).includes('session.js'), JSON.stringify(asked.at(-1)).slice(0, 200));
    await bench.command('Craig: Delete Gateway Key');
  });
  running.kill();
  provider.close();
}
