// The whole way through a real repository, fastify: from opening it to a changed file. The checkout is copied before.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countHovers } from './long.mjs';
import { expect } from './session.mjs';

/** Longest time for indexing it, with a debug build on two cores. */
const INDEXING_MS = 180_000;

/** Questions whose answers are known: a file that has to be among those that are used. */
const QUESTIONS = [
  ['how are plugins encapsulated?', 'lib/plugin-override.js'],
  ['where is the content type parser chosen?', 'lib/content-type-parser.js'],
  ['how does a hook of a route run before the handler?', 'lib/hooks.js'],
];

export async function realProject(session, corpus) {
  const folder = path.join(session.profile, 'fastify');
  const step = session.step.bind(session);
  rmSync(folder, { recursive: true, force: true });
  cpSync(corpus, folder, { recursive: true });
  const lineOf = (file, text) => readFileSync(path.join(folder, file), 'utf8').split('\n').findIndex((line) => line.startsWith(text)) + 1;
  const began = Date.now();
  await session.open(folder);
  const { bench } = session;
  await session.first('fastify is indexed, and progress is shown', async () => {
    const seen = new Set();
    await bench.until('ready', async () => {
      const status = await session.status();
      seen.add(/indexing: (\d+)%/.exec(status)?.[0] ?? status);
      return /is ready/.test(status);
    }, INDEXING_MS);
    console.log(`      ${((Date.now() - began) / 1000).toFixed(1)} s from opening the folder; ${seen.size} states were seen; ${await session.status()}`);
    expect([...seen].some((status) => /\d+%/.test(status)), 'no progress was seen');
  });
  await step('fastify: a hover tells what redirect does', async () => {
    await bench.file('lib/reply.js', lineOf('lib/reply.js', 'Reply.prototype.redirect'));
    await bench.hover('redirect');
    await bench.page.locator('.monaco-hover:has-text("Redirects a request")').first().waitFor();
    await bench.page.keyboard.press('Escape');
  });
  await step('fastify: Property 15 at every call and member of lib/reply.js', async () => {
    countHovers(await session.written('Test: Hover Everywhere', 'hovers.json'), 3);
  });
  let view;
  await step('fastify: a selection is explained, and its citation leads to the heading', async () => {
    await bench.file('lib/reply.js', lineOf('lib/reply.js', 'Reply.prototype.redirect'));
    await bench.selectLines(8);
    await bench.command('AI Docs: Explain Selected Code');
    view = await bench.frameWith('body.documentation .bullets');
    const [, file, line] = /(\S+\.md):(\d+)/.exec(await view.locator('.sources li').first().innerText());
    await view.locator('.sources .source').first().click();
    await bench.until(file, async () => (await bench.activeTab()).startsWith(path.basename(file)));
    await bench.waitForPosition(Number(line));
    const heading = readFileSync(path.join(folder, file), 'utf8').split('\n')[Number(line) - 1];
    expect(heading.startsWith('#') && heading.includes('redirect'), heading);
  });
  for (const [question, file] of QUESTIONS) {
    await step(`fastify: “${question}” uses ${file}`, async () => {
      const said = await bench.chat(`@craig ${question}`, /I was given .*Question/);
      const files = /I was given (.*?)\. Question/.exec(said)[1].split(', ');
      expect(files.includes(file), `was given ${files.join(', ')}`);
      const places = [...said.matchAll(/^\s*(\S+):(\d+)–(\d+)/gm)];
      for (const [, name, first, last] of places) {
        const n = readFileSync(path.join(folder, name), 'utf8').split('\n').length;
        expect(Number(first) <= Number(last) && Number(last) <= n, `${name}:${first}–${last} does not exist`);
      }
    });
  }
  await step('fastify: /no-context gives none', async () => {
    await bench.chat(`@craig /no-context ${QUESTIONS[0][0]}`, /I was given no code/);
  });
  await step('fastify: an edit “like the code function” uses that function', async () => {
    await bench.file('lib/reply.js', lineOf('lib/reply.js', 'Reply.prototype.type'));
    await bench.selectLines(4);
    await bench.command('Craig: Edit Selection…');
    await bench.fill('Edit lines', 'check the value like the code function');
    await bench.notification('accept this edit').waitFor();
    await bench.command('Craig: Show Code Used for Edit');
    const rows = bench.page.locator('.quick-input-list .monaco-list-row', { hasText: /:\d+–\d+/ });
    await rows.first().waitFor();
    const used = (await rows.allInnerTexts()).join(' ').replace(/\s+/g, ' ');
    const at = lineOf('lib/reply.js', 'Reply.prototype.code');
    await bench.page.keyboard.press('Escape');
    await bench.command('Craig: Reject Edit');
    const places = [...used.matchAll(/lib\/reply\.js:(\d+)–(\d+)/g)].map(([, first, last]) => [Number(first), Number(last)]);
    expect(places.some(([first, last]) => first <= at && at <= last), `used ${used}`);
  });
  await step('fastify: what is changed is context a moment later', async () => {
    writeFileSync(path.join(folder, 'lib/tea.js'), "'use strict'\n\n// Brews tea for a reply that waits.\nfunction brewTea (leaves) {\n  return `tea of ${leaves}`\n}\n\nmodule.exports = { brewTea }\n");
    const saved = Date.now();
    await bench.until('tea.js', async () => /lib\/tea\.js/.test(await bench.chat('@craig how is tea brewed for a reply?', /I was given/)), 60_000);
    console.log(`      ${((Date.now() - saved) / 1000).toFixed(1)} s, with the question`);
  });
  await step('fastify: references and outline without a language server', async () => {
    await session.open(folder, { settings: { 'craig.navigation': { javascript: 'on' }, 'typescript.tsserver.enabled': false, 'typescript.validate.enable': false } });
    await session.ready();
    await session.bench.file('lib/content-type.js', 1);
    await session.bench.page.keyboard.press('Control+Shift+O');
    await session.bench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'ContentType' }).first().waitFor();
    await session.bench.page.keyboard.press('Escape');
    await session.bench.goTo(lineOf('lib/content-type.js', 'class ContentType'), 8);
    await session.bench.command('Go to References');
    const title = session.bench.page.locator('.peekview-widget .peekview-title');
    await session.bench.until('references', async () => (await title.count()) > 0 && /[2-9]|\d\d/.test(await title.innerText()));
    await session.bench.page.keyboard.press('Escape');
  });
  expect(existsSync(path.join(folder, '.puku/embeddings.db')), 'no index');
  await sleep(0);
}
