// Every state of the views in all themes: the contrast of the text, and whether it fits. With a folder, pictures of them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from './session.mjs';

/** Least contrast of text in WCAG AA. */
const LEAST_CONTRAST = 4.5;

/** Themes by a short name: the theme's own, and the classes of workbench and views. */
const THEMES = {
  dark: ['Default Dark Modern', 'vs-dark', 'vscode-dark'],
  light: ['Default Light Modern', 'vs', 'vscode-light'],
  contrast: ['Default High Contrast', 'hc-black', 'vscode-high-contrast:not(.vscode-high-contrast-light)'],
  'contrast-light': ['Default High Contrast Light', 'hc-light', 'vscode-high-contrast-light'],
};

const VIEWS = { search: 'body.search', documentation: 'body.documentation', map: 'body.map' };

/** Tries all states; `out` is the folder of the pictures, if there are to be any. */
export async function themes(session, out) {
  const step = session.step.bind(session);
  session.copyFixture();
  const state = (name, work, views) => step(`themes: ${name}`, async () => {
    await work();
    await inThemes(session, name, views, out);
  });
  await session.open(session.folder);
  await session.ready();
  let { bench } = session;
  const search = async (text, files = '') => {
    await bench.command('Craig: Search Code by Meaning');
    const view = await bench.frameWith('body.search #query');
    await view.locator('#path').fill(files);
    await view.locator('#query').fill(text);
    await bench.until('an answer', async () => !/^(Searching…)?$/.test(await view.locator('#summary').innerText()));
    return view;
  };
  const explain = async (file, line, lines) => {
    await bench.file(file, line);
    await bench.selectLines(lines);
    await bench.command('AI Docs: Explain Selected Code');
  };
  await state('start', async () => {
    await bench.command('Craig: Search Code by Meaning');
    await bench.frameWith('body.search #query');
  }, ['search']);
  await state('results', () => search('where is a user found by name'), ['search']);
  await state('unfolded', async () => {
    const view = await search('is a session expired');
    await view.locator('.fold').click();
    await view.locator('#hits li .file').nth(1).waitFor();
  }, ['search']);
  await state('no-answer', () => search('kubernetes ingress certificates'), ['search']);
  await state('no-results', () => search('session', 'nowhere/**'), ['search']);
  await state('explained', () => explain('session.js', 5, 5), ['documentation']);
  await state('not-documented', () => explain('users.js', 3, 1), ['documentation']);
  await state('narrow', async () => {
    await explain('session.js', 5, 5);
    await search('create a session for a user');
    await bench.dragSideBar(175);
  }, ['search', 'documentation']);
  await bench.dragSideBar(300);
  await state('map', async () => {
    await bench.command('Craig: Show Repository Map');
    const map = await bench.frameWith('body.map .module');
    await map.locator('.module').first().click();
  }, ['map']);
  await state('hover', async () => {
    await bench.file('session.js', 1);
    await bench.hover('createSession');
    await bench.page.locator('.monaco-hover:has-text("Creates a session")').first().waitFor();
  }, []);
  await state('chat', () => bench.chat('@craig how does a user log in?', /I was given/), []);
  await state('menu', () => bench.page.locator('.statusbar-item[id*="craig.index"]').click(), []);
  await bench.page.keyboard.press('Escape');
  await state('edit', async () => {
    await bench.file('session.js', 22);
    await bench.selectLines(5);
    await bench.command('Craig: Edit Selection…');
    await bench.fill('Edit lines', 'check the name like the login function');
    await bench.notification('accept this edit').waitFor();
  }, []);
  await bench.command('Craig: Reject Edit');
  await state('no-model', async () => {
    await bench.command('Test: The Model Leaves');
    await bench.chat('@craig how does a user log in?', /model/i);
  }, []);
  await state('paused', async () => {
    await search('create a session for a user');
    await bench.command('Craig: Pause or Resume Indexing');
    await bench.until('paused', async () => (await session.status()).includes('paused'));
  }, ['search']);
  await bench.command('Craig: Pause or Resume Indexing');
  await indexing(session, state);
  await session.open(session.folder, { machine: { 'craig.path': '/nonexistent/craig' } });
  ({ bench } = session);
  await state('no-program', async () => {
    await bench.notification('was not found').waitFor();
    await search('create a session');
    await bench.command('Craig: Show Repository Map');
    await bench.frameWith('body.map .error');
  }, ['search', 'map']);
  await untrusted(session, state);
}

/** A folder whose indexing is stopped half way: it has more files than the index takes at once. */
async function indexing(session, state) {
  const folder = path.join(session.profile, 'many');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < 1_500; at += 1) {
    const functions = Array.from({ length: 8 }, (_, n) => `// Adds ${n} to the total of order ${at}.\nexport function addTo${at}Item${n}(total) {\n  return total + ${n};\n}\n`);
    writeFileSync(path.join(folder, `order${at}.js`), functions.join('\n'));
  }
  await state('indexing', async () => {
    await session.openWhileIndexing(folder);
    await session.bench.command('Craig: Search Code by Meaning');
    await session.bench.frameWith('body.search #index:not([hidden])');
  }, ['search']);
  session.continueIndexing();
  await session.close();
  await session.gone();
}

/** A folder that is not trusted, where the extension does not start. */
async function untrusted(session, state) {
  const folder = path.join(session.profile, 'untrusted-themes');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'weather.js'), 'export const rain = true;\n');
  const settings = { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.emptyWindow': false };
  await session.openBare(folder, { settings, hasTrust: false });
  const { bench } = session;
  await state('untrusted', async () => {
    await bench.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).first().waitFor();
    await bench.command('Extensions: Focus on Installed View').catch(() => bench.command('View: Show Extensions'));
    await sleep(3_000);
  }, []);
}

/** Checks views in each theme, and takes a picture. */
async function inThemes(session, name, views, out) {
  const { bench } = session;
  const found = [];
  for (const [short, [theme, workbench, view]] of Object.entries(THEMES)) {
    session.set({ 'workbench.colorTheme': theme }, session.opened);
    await bench.page.waitForSelector(`.monaco-workbench.${workbench}`);
    const frames = await Promise.all(views.map((name) => bench.frameWith(`${VIEWS[name]}.${view}`)));
    await sleep(700);
    if (out !== undefined) {
      mkdirSync(out, { recursive: true });
      await bench.page.screenshot({ path: path.join(out, `${name}-${short}.png`) });
    }
    for (const [at, frame] of frames.entries()) {
      const [worst, what] = await frame.evaluate(leastContrast);
      found.push(`${views[at]} ${worst.toFixed(1)}`);
      expect(worst >= LEAST_CONTRAST, `${short}, ${views[at]}: contrast ${worst.toFixed(1)}: ${what}`);
      const wide = await frame.evaluate(overflow);
      expect(wide === undefined, `${short}, ${views[at]}: wider than the view: ${wide}`);
    }
  }
  console.log(`      least contrast: ${found.join(', ') || '-'}`);
}

/** In the page of a view: an element that makes it scroll sideways, if any. */
function overflow() {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) {
    return undefined;
  }
  const wide = [...document.body.querySelectorAll('*')].find((element) => element.getBoundingClientRect().right > width + 1);
  return (wide ?? document.body).outerHTML.slice(0, 120);
}

/** In the page of a view: the least contrast of its texts, and which text that is. */
function leastContrast() {
  const parse = (color) => (/[\d.]+/.test(color) ? color.match(/[\d.]+/g).map(Number) : [0, 0, 0, 0]);
  const light = ([r, g, b]) =>
    [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
      .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const over = ([r, g, b, a = 1], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a)];
  const isDark = document.body.classList.contains('vscode-dark') || document.body.classList.contains('vscode-high-contrast') && !document.body.classList.contains('vscode-high-contrast-light');
  const style = getComputedStyle(document.documentElement);
  const ground = style.getPropertyValue(document.body.classList.contains('map') ? '--vscode-editor-background' : '--vscode-sideBar-background').trim();
  const hex = (text) => (text.startsWith('#') ? [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) : text === '' ? (isDark ? [0, 0, 0] : [255, 255, 255]) : parse(text));
  const behind = (element) => {
    const colors = [];
    for (let at = element; at; at = at.parentElement) {
      colors.unshift(parse(getComputedStyle(at).backgroundColor));
    }
    return colors.filter(([, , , a = 1]) => a > 0).reduce((below, color) => over(color, below), hex(ground));
  };
  let least = [21, ''];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement: element, textContent } = walker.currentNode;
    const text = textContent.trim();
    if (text === '' || ['SCRIPT', 'STYLE', 'OPTION'].includes(element.tagName) || element.getClientRects().length === 0) {
      continue;
    }
    const isDrawn = element instanceof SVGElement;
    const box = isDrawn ? parse(getComputedStyle(element.parentElement.querySelector('rect')).fill) : undefined;
    const ink = parse(isDrawn ? getComputedStyle(element).fill : getComputedStyle(element).color);
    const paper = isDrawn ? over(box, hex(ground)) : behind(element);
    const [a, b] = [light(over(ink, paper)), light(paper)].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < least[0]) {
      least = [contrast, text.slice(0, 40)];
    }
  }
  return least;
}
