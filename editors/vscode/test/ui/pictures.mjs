// Pictures of the extension at work, for its README: on a real repository (fastify) with the names that are used here.
import { cpSync, readFileSync, rmSync } from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SIZE = { width: 1280, height: 760 };

/** The workbench without what is not ours. */
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

/** What the walkthrough shows of them. */
const MEDIA = path.join(import.meta.dirname, '../../media');
const SIDE = { x: 48, y: 0, width: 304, height: 420 };
const CHAT = { x: 980, y: 0, width: 300, height: 420 };
const STATUS = { x: 840, y: 560, width: 440, height: 200 };

/** Makes all pictures in the folder `out`, and those of the walkthrough. */
export async function pictures(session, { corpus, out }) {
  const folder = path.join(session.profile, 'pictures/fastify');
  const step = (name, work) => session.step(`picture: ${name}`, work);
  const begin = (settings = {}) => session.open(folder, { settings: { ...CALM, ...settings }, size: SIZE });
  rmSync(folder, { recursive: true, force: true });
  cpSync(corpus, folder, { recursive: true });
  await begin();
  let { bench } = session;
  const detail = (name, clip) => bench.page.screenshot({ path: path.join(MEDIA, `start-${name}.png`), clip });
  const save = async (name) => {
    // Where there is nothing to point at.
    await bench.page.mouse.move(25, 450);
    await snap(name);
  };
  const snap = async (name) => {
    await sleep(800);
    await bench.page.screenshot({ path: path.join(out, `vscode-${name}.png`) });
  };
  await step('indexing', async () => {
    const item = bench.page.locator('.statusbar-item[id*="craig.index"]');
    await session.ready(180_000);
    // A machine that does nothing else is done before anybody points at the item: then the picture is of what is ready.
    await bench.command('Craig: Rebuild Index');
    await item.hover();
    await bench.page.locator('.workbench-hover').first().waitFor();
    await sleep(800);
    await bench.page.screenshot({ path: path.join(out, 'vscode-indexing.png') });
    await detail('index', STATUS);
  });
  await session.ready(180_000);
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
    await fold('Documentation');
    const view = await bench.frameWith('body.search #query');
    await view.locator('#query').fill('content type parser');
    await view.locator('#hits li').first().waitFor();
    await view.locator('#hits li').first().click();
    await save('search');
    await detail('search', SIDE);
    await fold('Documentation');
  });
  await step('edit', async () => {
    await goTo('Reply.prototype.type');
    await bench.selectLines(4);
    await bench.command('Craig: Edit Selection…');
    await bench.fill('Edit lines', 'check the value like the code function');
    await bench.notification('take this edit').waitFor();
    await snap('edit');
    await bench.command('Craig: Reject Edit');
  });
  await step('map', async () => {
    await bench.command('View: Toggle Primary Side Bar Visibility');
    await bench.command('Craig: Show Repository Map');
    const map = await bench.frameWith('body.map .module');
    await map.locator('.module', { hasText: 'lib' }).first().click();
    await save('map');
    await bench.command('View: Close Editor');
  });
  await step('chat', async () => {
    await bench.command('View: Toggle Secondary Side Bar Visibility');
    await bench.chat('@craig how are plugins encapsulated?', /Question/);
    await bench.page.locator('.auxiliarybar .interactive-response a', { hasText: 'plugin-override.js' }).last().click();
    await bench.until('plugin-override.js', async () => (await bench.activeTab()).startsWith('plugin-override.js'));
    await save('chat');
    await detail('chat', CHAT);
  });
  await begin({ 'workbench.colorTheme': 'Default Light Modern' });
  ({ bench } = session);
  await session.ready();
  await calm();
  await step('panel in light', async () => {
    await explain();
    await save('panel-light');
  });

  /** Leaves the editor alone: what VS Code has to say of its own extensions comes with the first file. */
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

  /** Folds a view of the side bar, or unfolds it. */
  async function fold(title) {
    await bench.page.locator('.pane-header', { hasText: title }).first().click();
  }

  async function explain() {
    await goTo('Reply.prototype.redirect');
    await bench.selectLines(7);
    await bench.command('AI Docs: Explain Selected Code');
    const view = await bench.frameWith('body.documentation');
    await view.locator('.bullets').waitFor();
    // The documentation has the room to itself.
    await fold('Search');
  }
}
