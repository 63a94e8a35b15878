// The short form: the most common actions in a small project.
import { existsSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from './session.mjs';

export async function shortForm(session) {
  const { folder } = session;
  const step = session.step.bind(session);
  session.copyFixture();
  await session.open(folder);
  const { bench } = session;
  await session.first('a workspace is indexed when it is opened', async () => {
    await session.ready();
    expect(existsSync(path.join(folder, '.puku/embeddings.db')), 'there is no .puku/embeddings.db');
    expect(session.run('list', '--format', 'json').includes('sessions'), 'the command line does not find the index');
  });
  await step('the time of activation is reported', async () => {
    await bench.command('Developer: Show Running Extensions');
    const rows = bench.page.locator('.runtime-extensions-editor .monaco-list-row');
    const row = rows.filter({ hasText: /Craig/ }).first();
    await rows.first().click();
    await bench.until('Craig among the running extensions', async () => {
      const isSeen = (await row.count()) > 0;
      // Only visible rows of the list are in the page.
      await (isSeen ? undefined : bench.page.keyboard.press('PageDown'));
      return isSeen;
    });
    const text = (await row.innerText()).replace(/\s+/g, ' ');
    const took = Number(/Activation: (\d+)ms/.exec(text)?.[1]);
    // The target is 100 ms, which a busy machine may miss: docs/benchmarks.md has measurements.
    console.log(`      activation: ${took} ms`);
    expect(took > 0, text);
    await bench.until('the list closed', async () => {
      await bench.page.keyboard.press('Escape');
      return (await rows.count()) === 0;
    });
  });
  await step('a hover quotes the documentation, in three lines at most', async () => {
    await bench.file('session.js');
    await bench.hover('createSession');
    const hover = bench.page.locator('.monaco-hover:has-text("Creates a session")').first();
    await hover.waitFor();
    const lines = (await hover.innerText()).split('\n').filter((line) => line.includes('session') || line.includes('api.md'));
    expect(lines.length <= 3, `the hover has ${lines.length} lines`);
    await bench.page.keyboard.press('Escape');
  });
  let view;
  await step('a selection is explained with its source', async () => {
    await bench.file('session.js', 5);
    await bench.selectLines(5);
    await bench.command('AI Docs: Explain Selected Code');
    view = await bench.frameWith('body.documentation .bullets');
    expect((await view.locator('.bullets li').count()) >= 1, 'no bullets');
    expect((await view.locator('.quote strong').innerText()) === 'user', 'Markdown is not rendered');
    expect((await view.locator('.sources').innerText()).includes('docs/api.md:5'), 'no citation');
    const confidence = view.locator('.confidence');
    expect(/^(High|Good|Fair) confidence$/.test(await confidence.innerText()), await confidence.innerText());
    expect(/\d+%$/.test(await confidence.getAttribute('title')), 'the tooltip has no percentage');
  });
  await step('a citation leads to its heading', async () => {
    await view.locator('.sources .source').first().click();
    await bench.until('api.md', async () => (await bench.activeTab()).startsWith('api.md'));
    await bench.waitForPosition(5);
  });
  await step('the explanation follows the selection; nothing is invented', async () => {
    await bench.file('users.js', 3);
    await view.locator('.refused').waitFor();
    expect((await view.locator('.refused').innerText()) === 'Not documented.', 'not the refusal');
    await bench.file('session.js', 11);
    await bench.until('login', async () => (await view.locator('h1').innerText()) === 'login');
  });
  await step('@craig answers with code of the workspace', async () => {
    const said = await bench.chat('@craig how does a user log in?', /I was given (?!no code).*\./);
    const files = /I was given (.*?)\. /.exec(said)[1].split(', ');
    expect(files.includes('src/session.js'), `was given ${files.join(', ')}`);
    expect(files.every((file) => existsSync(path.join(folder, file))), 'a file does not exist');
    expect(/📎 \d files? used/.test(said) && /session\.js:\d+–\d+ · (<1|\d+)%/.test(said), 'no indicator');
  });
  await step('a reference of the answer leads to its lines', async () => {
    const link = bench.page.locator('.auxiliarybar .interactive-response a', { hasText: 'session.js:' }).last();
    const first = Number(/:(\d+)–/.exec(await link.innerText())[1]);
    await bench.file('users.js', 1);
    await link.click();
    await bench.until('session.js', async () => (await bench.activeTab()).startsWith('session.js'));
    await bench.waitForPosition(first);
  });
  await step('a question that follows keeps the conversation', async () => {
    await bench.followUp('@craig and when is a session expired?', /Question 2 of this chat/);
  });
  await step('the model is asked for guesses', async () => {
    const guessed = path.join(session.profile, 'home/guessed.json');
    session.set({ 'puku.chat.semanticContext.rephrase': 'always' });
    await bench.until('guesses', async () => {
      const said = await bench.chat('@craig how does a user log in?', /I was given/);
      return existsSync(guessed) && said.includes('session.js');
    });
    session.set({});
  });
  await step('/no-context gives none', async () => {
    const said = await bench.chat('@craig /no-context how does a user log in?', /I was given/);
    expect(said.includes('no code') && !said.includes('📎'), said);
  });
  await step('/search lists places', async () => {
    const said = await bench.chat('@craig /search expired sessions', /session\.js/);
    expect(/\d+%/.test(said), said);
  });
  await step('an edit “like the login function” is shown as a difference and can be rejected', async () => {
    await bench.file('session.js', 22);
    await bench.selectLines(5);
    await bench.command('Craig: Edit Selection…');
    await bench.fill('Edit lines', 'check the name like the login function');
    await bench.notification('accept this edit').waitFor();
    expect((await bench.page.locator('.monaco-diff-editor').count()) > 0, 'no diff editor');
    await bench.until('the check of the login function', async () => {
      const text = await bench.page.locator('.monaco-diff-editor .modified .view-lines').first().innerText();
      return text.split('TypeError').length === 3;
    });
    await bench.notification('accept this edit').locator('.monaco-button', { hasText: 'Reject' }).click();
    await bench.until('session.js', async () => (await bench.activeTab()).startsWith('session.js'));
    expect((await bench.page.locator('.view-lines').first().innerText()).split('TypeError').length === 2, 'the text has changed');
  });
  await step('an edit can be made again, shows what it used, and can be accepted', async () => {
    await bench.file('session.js', 22);
    await bench.selectLines(5);
    await bench.command('Craig: Edit Selection…');
    await bench.fill('Edit lines', 'check the name like the login function');
    const toast = bench.notification('accept this edit');
    await toast.locator('.monaco-button', { hasText: 'Regenerate' }).click();
    await sleep(500);
    await toast.waitFor();
    await sleep(500);
    await bench.command('Craig: Show Code Used for Edit');
    await bench.page.locator('.quick-input-list .monaco-list-row', { hasText: /session\.js:\d+–\d+.*\d+%/ }).first().waitFor();
    await bench.page.keyboard.press('Escape');
    await toast.locator('.monaco-button', { hasText: 'Accept' }).click();
    await bench.until('the changed text', async () => {
      const text = (await bench.page.locator('.editor-instance .view-lines').first().innerText()).replace(/\u00a0/g, ' ');
      return text.split('TypeError').length === 3;
    });
    await bench.page.keyboard.press('Control+S');
  });
  await step('a new file is found a moment later', async () => {
    writeFileSync(path.join(folder, 'src/coupon.js'), 'export function redeemCoupon(code) {\n  return code.trim() === "WINTER";\n}\n');
    await bench.until('coupon.js', async () => /coupon\.js/.test(await bench.chat('@craig /search redeem a coupon', /\d+%|No results/)));
  });
  await step('search as you type opens at the line', async () => {
    await bench.command('Craig: Search Code by Meaning');
    const search = await bench.frameWith('body.search #query');
    await search.locator('#query').fill('is a session expired');
    await bench.until('isExpired', async () => (await search.locator('#hits').innerText()).includes('isExpired'));
    const row = search.locator('#hits li').first();
    const marked = await row.locator('pre mark').allInnerTexts();
    expect(marked.includes('Expired') && marked.includes('session'), `marked are ${marked.join(', ')}`);
    expect((await row.locator('.hljs-keyword').count()) > 0, 'the code has no colours');
    const file = await row.locator('.file').innerText();
    const line = Number((await row.locator('.line').innerText()).slice(1));
    await row.click();
    await bench.until(file, async () => (await bench.activeTab()).startsWith(file));
    await bench.waitForPosition(line);
    // The editor takes the focus a moment after its tab opens, and with it the typed text.
    await bench.page.locator('.monaco-editor.focused').first().waitFor();
  });
  await step('places that are unlikely to answer are folded', async () => {
    const search = await bench.frameWith('body.search #query');
    const percents = async () => (await search.locator('#hits .relevance').allInnerTexts()).map((text) => (text === '<1%' ? 0 : parseInt(text, 10)));
    expect((await percents()).every((percent) => percent >= 5), `shown are ${(await percents()).join(', ')}`);
    await search.locator('.fold').click();
    await bench.until('the others', async () => (await percents()).some((percent) => percent < 5));
    await search.locator('#path').fill('docs/**');
    await bench.until('only documents', async () => {
      const files = await search.locator('#hits .file').allInnerTexts();
      return files.length > 0 && files.every((name) => name === 'api.md');
    });
    await search.locator('#path').fill('');
    await search.locator('#query').fill('bake sourdough bread');
    await bench.until('no answer', async () => (await search.locator('#summary').innerText()) === 'Nothing here seems to answer this.');
    await search.locator('.fold').click();
    await bench.until('a folded list', async () => (await search.locator('#hits li').count()) === 1);
  });
  await step('related code is found', async () => {
    await bench.file('session.js', 11);
    await bench.command('Craig: Find Related Code');
    const search = await bench.frameWith('body.search #query');
    await bench.until('hits', async () => /like src\/session\.js:11/.test(await search.locator('#summary').innerText()));
    expect((await search.locator('#query').inputValue()) === '', 'the query is not that of the hits');
  });
  await step('the map shows modules; one opens its file', async () => {
    await bench.command('Craig: Show Repository Map');
    const map = await bench.frameWith('body.map .module');
    await map.locator('.module').first().click();
    await map.locator('#details .file .source').first().click();
    await bench.until('a file', async () => /\.(js|py)/.test(await bench.activeTab()));
  });
  await step('outline, references and calls without a language server', async () => {
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
    await bench.goTo(8, 10);
    await bench.command('Calls: Show Call Hierarchy');
    await bench.page.locator('.sidebar .monaco-list-row', { hasText: 'mean' }).first().waitFor();
    await bench.page.keyboard.press('Escape');
  });
  await step('settings switch the indicator, the panel and context off', async () => {
    session.set({ 'puku.chat.semanticContext.showIndicator': false, 'craig.documentation.ui.sidePanelEnabled': false });
    // The editor reads a changed settings file after a moment.
    const ask = () => bench.chat('@craig how are sessions created?', /I was given/);
    await bench.until('an answer without the indicator', async () => !(await ask()).includes('📎'));
    await bench.command('Craig: Search Code by Meaning');
    expect((await bench.page.locator('.pane-header', { hasText: 'Documentation' }).count()) === 0, 'the panel is still there');
    session.set({ 'puku.chat.semanticContext.enabled': false });
    await bench.until('an answer without code', async () => (await ask()).includes('I was given no code'));
    session.set({});
  });
  await step('a model that fails is an error in the chat, and the next question is answered', async () => {
    await bench.command('Test: The Model Fails');
    await bench.chat('@craig how does a user log in?', /the fake model fails/);
    await bench.command('Test: The Model Works');
    await bench.followUp('@craig how does a user log in?', /I was given/);
  });
  await step('a server that is killed during a request is restarted and answers', async () => {
    session.servers().forEach((id) => process.kill(id, 'SIGSTOP'));
    await bench.newChat();
    await bench.ask('@craig /search expired sessions');
    await sleep(1_000);
    session.killServers();
    await bench.until('the answer', async () =>
      (await bench.page.locator('.auxiliarybar .interactive-response').allInnerTexts()).some((text) => /session\.js/.test(text)));
    await bench.notification('ended unexpectedly').waitFor();
    await session.ready();
  });
}
