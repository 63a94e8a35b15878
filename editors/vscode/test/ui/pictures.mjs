// Pictures of the extension at work, for its README: on a real repository (fastify) with the names that are used here.
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SIZE = { width: 1280, height: 760 };

/** Makes all pictures in the folder `out`. */
export async function pictures({ open, bench, ready, step, folder, out }) {
  const save = (name) => bench().page.screenshot({ path: path.join(out, `vscode-${name}.png`) });
  const begin = async (settings = {}) => {
    await open(folder, { 'scm.countBadge': 'off', 'git.enabled': false, 'typescript.validate.enable': false, 'typescript.tsserver.enabled': false, ...settings }, undefined, SIZE);
    await ready();
  };
  await begin();
  await step('picture: panel', async () => {
    await bench().file('lib/reply.js');
    await explain();
    await bench().closeNotifications();
    await save('panel-dark');
  });
  await step('picture: hover', async () => {
    const name = bench().page.locator('.view-line span', { hasText: /^redirect$/ }).first();
    const box = await name.boundingBox();
    await bench().page.mouse.move(box.x - 40, box.y + 80);
    await bench().page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 8 });
    await bench().page.locator('.monaco-hover:has-text("Redirects")').first().waitFor();
    await save('hover');
    await bench().page.keyboard.press('Escape');
  });
  await step('picture: chat', async () => {
    await bench().chat('@craig how are plugins encapsulated?', /given/);
    await sleep(500);
    await save('chat');
  });
  await step('picture: search', async () => {
    await bench().command('Craig: Search Code by Meaning');
    const view = await bench().frameWith('body.search #query');
    await view.locator('#query').fill('where is the content type parser chosen');
    await view.locator('#hits li').first().waitFor();
    await view.locator('#hits li').first().click();
    await sleep(800);
    await save('search');
  });
  await step('picture: map', async () => {
    await bench().command('View: Toggle Primary Side Bar Visibility');
    await bench().command('Craig: Show Repository Map');
    const map = await bench().frameWith('body.map .module');
    await map.locator('.module', { hasText: 'lib' }).first().click();
    await sleep(500);
    await save('map');
  });
  await step('picture: edit', async () => {
    await bench().file('lib/reply.js');
    await goToRedirect();
    await bench().selectLines(8);
    await bench().command('Craig: Edit Selection…');
    await bench().page.waitForSelector('.quick-input-widget input');
    await bench().page.keyboard.type('check the code like the code function');
    await bench().page.keyboard.press('Enter');
    await bench().notification('take this edit').waitFor();
    await sleep(500);
    await save('edit');
    await bench().command('Craig: Reject Edit');
  });
  await step('picture: indexing', async () => {
    await bench().page.locator('.statusbar-item[id*="craig.index"]').click();
    await bench().page.waitForSelector('.quick-input-list .monaco-list-row');
    await save('indexing');
    await bench().page.keyboard.press('Escape');
  });
  await begin({ 'workbench.colorTheme': 'Default Light Modern' });
  await step('picture: panel in light', async () => {
    await bench().file('lib/reply.js');
    await explain();
    await bench().closeNotifications();
    await save('panel-light');
  });

  async function goToRedirect() {
    const lines = readFileSync(path.join(folder, 'lib/reply.js'), 'utf8').split('\n');
    await bench().goTo(lines.findIndex((line) => line.startsWith('Reply.prototype.redirect')) + 1);
  }

  async function explain() {
    await goToRedirect();
    await bench().selectLines(8);
    await bench().command('AI Docs: Explain Selected Code');
    const view = await bench().frameWith('body.documentation');
    await view.locator('.bullets').waitFor();
    await sleep(400);
  }
}
