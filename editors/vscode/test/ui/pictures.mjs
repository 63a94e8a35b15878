// Pictures of the extension for its README, in a real repository, fastify. The chat model repeats answers of a real model.
import { cpSync, readFileSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from './session.mjs';

const SIZE = { width: 1280, height: 760 };

/** The workbench without parts that are not ours. */
const CALM = {
  'scm.countBadge': 'off',
  'git.enabled': false,
  'typescript.validate.enable': false,
  'typescript.tsserver.enabled': false,
  'editor.stickyScroll.enabled': false,
  'editor.renderWhitespace': 'none',
  'editor.lightbulb.enabled': 'off',
  'editor.scrollbar.vertical': 'hidden',
  'editor.overviewRulerBorder': false,
  'editor.occurrencesHighlight': 'off',
  'workbench.reduceMotion': 'on',
};

/** The details that the walkthrough shows. */
const MEDIA = path.join(import.meta.dirname, '../../media');
const SIDE = { x: 48, y: 0, width: 304, height: 420 };
const CHAT = { x: 835, y: 0, width: 445, height: 560 };
const STATUS = { x: 840, y: 560, width: 440, height: 200 };

/**
 * Makes all pictures in the folder `out`, and those of the walkthrough. The picture of indexing shows several projects in one folder,
 * `checkouts`, since one alone is indexed at once.
 */
export async function pictures(session, { corpus, checkouts, out }) {
  const folder = path.join(session.profile, 'pictures/fastify');
  const step = (name, work) => session.step(`picture: ${name}`, work);
  const options = (settings = {}) => ({ settings: { ...CALM, ...settings }, size: SIZE });
  rmSync(folder, { recursive: true, force: true });
  cpSync(corpus, folder, { recursive: true });
  if (checkouts !== undefined) {
    await indexing(session, checkouts, options(), out);
  }
  await session.open(folder, options());
  let { bench } = session;
  const detail = (name, clip) => bench.page.screenshot({ path: path.join(MEDIA, `start-${name}.png`), clip });
  const save = async (name) => {
    // The pointer rests on an empty place.
    await bench.page.mouse.move(25, 450);
    await snap(name);
  };
  const snap = async (name) => {
    await sleep(800);
    await bench.page.screenshot({ path: path.join(out, `vscode-${name}.png`) });
  };
  await session.ready(180_000);
  await bench.command('Test: The Model Answers as Recorded');
  await calm();
  await step('panel', async () => {
    await explain();
    await save('panel-dark');
    await detail('docs', SIDE);
  });
  await step('hover', async () => {
    await bench.page.keyboard.press('Home');
    await bench.hover('redirect');
    await bench.page.locator('.monaco-hover:has-text("Redirects")').first().waitFor();
    await snap('hover');
    await bench.page.keyboard.press('Escape');
  });
  await step('search', async () => {
    await bench.command('Craig: Search Code by Meaning');
    await fold('Documentation', false);
    await fold('Search', true);
    const view = await bench.frameWith('body.search #query');
    await view.locator('#query').fill('how are hooks run before the handler');
    await view.locator('#hits li').first().waitFor();
    await view.locator('#hits li').first().click();
    await save('search');
    await detail('search', SIDE);
  });
  await step('edit', async () => {
    await goTo('Reply.prototype.type');
    await bench.selectLines(4);
    await bench.command('Craig: Edit Selection…');
    await bench.fill('Edit lines', 'check the value like the code function');
    await bench.notification('accept this edit').waitFor();
    await bench.until('the recorded edit', async () =>
      (await bench.page.locator('.monaco-diff-editor .modified .view-lines').first().innerText()).includes('TypeError'));
    await sleep(1_500);
    await snap('edit');
    await bench.command('Craig: Reject Edit');
  });
  await step('map', async () => {
    await bench.command('View: Toggle Primary Side Bar Visibility');
    await bench.command('Craig: Show Repository Map');
    const map = await bench.frameWith('body.map .module');
    await map.locator('.module[aria-label^="lib:"]').click();
    await save('map');
    await bench.command('View: Close Editor');
  });
  await step('chat', async () => {
    await bench.command('View: Toggle Secondary Side Bar Visibility');
    await bench.dragChat(440);
    await bench.chat('@craig how are plugins encapsulated?', /registerPlugin/);
    await bench.page.locator('.auxiliarybar .interactive-response').first().hover();
    await bench.page.mouse.wheel(0, -2_000);
    await bench.page.locator('.auxiliarybar .interactive-response a', { hasText: 'plugin-override.js' }).last().click();
    await bench.until('plugin-override.js', async () => (await bench.activeTab()).startsWith('plugin-override.js'));
    await save('chat');
    await detail('chat', CHAT);
  });
  await session.open(folder, options({ 'workbench.colorTheme': 'Default Light Modern' }));
  ({ bench } = session);
  await session.ready();
  await calm();
  await step('panel in light', async () => {
    await explain();
    await save('panel-light');
  });

  /** Waits for messages of VS Code's own extensions, which come with the first file, and closes them. */
  async function calm() {
    await bench.file('lib/reply.js');
    await sleep(4_000);
    await bench.closeNotifications();
    await bench.command('View: Toggle Secondary Side Bar Visibility');
  }

  async function goTo(text) {
    await bench.file('lib/reply.js');
    const lines = readFileSync(path.join(folder, 'lib/reply.js'), 'utf8').split('\n');
    await bench.goTo(lines.findIndex((line) => line.startsWith(text)) + 1);
  }

  /** Expands or collapses a view of the side bar. */
  async function fold(title, isExpanded) {
    const header = bench.page.locator('.pane-header', { hasText: title }).first();
    if ((await header.getAttribute('aria-expanded')) !== String(isExpanded)) {
      await header.click();
    }
  }

  async function explain() {
    await goTo('Reply.prototype.redirect');
    await bench.selectLines(7);
    await bench.command('AI Docs: Explain Selected Code');
    const view = await bench.frameWith('body.documentation');
    await view.locator('.bullets').waitFor();
    await fold('Search', false);
  }
}

async function indexing(session, checkouts, options, out) {
  const folder = path.join(session.profile, 'pictures/projects');
  rmSync(folder, { recursive: true, force: true });
  cpSync(checkouts, folder, { recursive: true, filter: (source) => !/\/(\.git|\.aidocs)$/.test(source) });
  await session.step('picture: indexing', async () => {
    await session.openWhileIndexing(folder, options);
    const { page } = session.bench;
    await page.locator('.statusbar-item[id*="craig.index"]').hover();
    await page.locator('.workbench-hover').first().waitFor();
    await sleep(800);
    await page.screenshot({ path: path.join(out, 'vscode-indexing.png') });
    await page.screenshot({ path: path.join(MEDIA, 'start-index.png'), clip: STATUS });
    expect(/indexing: \d+%/.test(await session.status()), await session.status());
  });
  session.continueIndexing();
  await session.close();
  await session.gone();
}
