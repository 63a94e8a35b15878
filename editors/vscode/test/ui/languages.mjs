// Explanations, references and search in projects of several languages. With a folder, pictures of them.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from './session.mjs';

/** Longest time for indexing a project, with a debug build on two cores. */
const INDEXING_MS = 180_000;

/** Projects: a documented definition with its page and its references, and a question with the file that answers it. */
const PROJECTS = [
  {
    name: 'ky', language: 'typescript', file: 'source/errors/TimeoutError.ts', line: 'export class TimeoutError', symbol: 'TimeoutError',
    page: 'readme.md', references: 3, query: 'when is a failed request retried', answer: 'retry.ts',
  },
  {
    name: 'click', language: 'python', file: 'src/click/decorators.py', line: 'def version_option', symbol: 'version_option',
    page: 'docs/option-decorators.md', references: 3, query: 'convert a string to a file argument', answer: 'types.py',
  },
  {
    name: 'cobra', language: 'go', file: 'command.go', line: 'func (c *Command) SetHelpTemplate', symbol: 'SetHelpTemplate',
    page: 'site/content/user_guide.md', references: 2, query: 'suggest a similar command after a typo', answer: 'command.go',
  },
  {
    name: 'gson', language: 'java', file: 'gson/src/main/java/com/google/gson/GsonBuilder.java', line: '  public GsonBuilder serializeNulls', symbol: 'serializeNulls',
    page: 'UserGuide.md', references: 3, query: 'skip fields without the Expose annotation', answer: 'Expose.java',
  },
];

/** Tries the projects whose checkouts are in the folder `checkouts`; `out` is the folder of the pictures, if there are to be any. */
export async function languages(session, checkouts, out) {
  for (const project of PROJECTS.filter(({ name }) => existsSync(path.join(checkouts, name)))) {
    await inProject(session, project, checkouts, out);
  }
}

async function inProject(session, { name, language, file, line, symbol, page, references, query, answer }, checkouts, out) {
  const step = (what, work) => session.step(`${language}: ${what}`, work);
  const folder = path.join(session.profile, 'languages', name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(path.join(checkouts, name), folder, { recursive: true });
  const settings = { 'craig.navigation': { [language]: 'on' }, 'typescript.tsserver.enabled': false, 'typescript.validate.enable': false, 'git.enabled': false };
  await session.open(folder, { settings });
  const { bench } = session;
  const save = async (what) => {
    if (out !== undefined) {
      mkdirSync(out, { recursive: true });
      await sleep(800);
      await bench.page.screenshot({ path: path.join(out, `${language}-${what}.png`) });
    }
  };
  await session.first(`${language}: ${name} is indexed`, () => session.ready(INDEXING_MS));
  const text = readFileSync(path.join(folder, file), 'utf8').split('\n');
  const at = text.findIndex((one) => one.startsWith(line)) + 1;
  await bench.file(file, at);
  await sleep(2_000);
  await bench.closeNotifications();
  await bench.command('View: Toggle Secondary Side Bar Visibility');
  await step(`${symbol} is explained from ${page}`, async () => {
    await bench.file(file, at);
    await bench.command('AI Docs: Explain Selected Code');
    const view = await bench.frameWith('body.documentation .bullets');
    expect((await view.locator('.sources').innerText()).includes(page), await view.locator('.sources').innerText());
    await save('explain');
  });
  await step(`references of ${symbol}`, async () => {
    await bench.goTo(at, text[at - 1].indexOf(symbol) + 2);
    await bench.command('Go to References');
    const title = bench.page.locator('.peekview-widget .peekview-title');
    const count = async () => Number(/\((\d+)\)/.exec((await title.count()) > 0 ? await title.innerText() : '')?.[1] ?? 0);
    await bench.until('references', async () => (await count()) >= references);
    await save('references');
    await bench.page.keyboard.press('Escape');
  });
  await step(`“${query}” leads to ${answer}`, async () => {
    await bench.command('Craig: Search Code by Meaning');
    const view = await bench.frameWith('body.search #query');
    await view.locator('#query').fill(query);
    await view.locator('#hits .file').first().waitFor();
    const files = await view.locator('#hits .file').allInnerTexts();
    expect(files.includes(answer), `found ${files.join(', ')}`);
    expect((await view.locator('#hits pre [class^="hljs"]').count()) > 0, 'the code has no colours');
    await view.locator('#hits li').first().click();
    await save('search');
  });
  await step('the map', async () => {
    await bench.command('Craig: Show Repository Map');
    await bench.frameWith('body.map .module');
    await save('map');
  });
}
