// Common parts of the tests: the open workbench, and steps with their results.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Workbench, configure } from './workbench.mjs';

/** One run: its program and profile, the open workbench, and the number of failed steps. */
export class Session {
  constructor(tools, craig, profile) {
    Object.assign(this, { tools, craig, profile, bench: undefined, failures: 0, complaints: [] });
    this.folder = path.join(profile, 'sessions');
  }

  /** A fresh copy of the fixture. */
  copyFixture() {
    rmSync(this.folder, { recursive: true, force: true });
    cpSync(path.join(import.meta.dirname, '../fixture'), this.folder, { recursive: true });
  }

  /** A step that the others depend on. */
  async first(name, work) {
    const before = this.failures;
    await this.step(name, work);
    if (this.failures > before) {
      throw new Error(`the other steps depend on “${name}”`);
    }
  }

  /** Runs a step. A failure is reported with a picture, and the run continues. */
  async step(name, work) {
    const began = Date.now();
    try {
      await work();
      console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      this.failures += 1;
      console.log(`FAIL  ${name}: ${error.message.split('\n').slice(0, 3).join(' ')}`);
      await this.bench?.page.screenshot({ path: path.join(this.profile, `failure-${this.failures}.png`) }).catch(() => {});
      await this.bench?.page.keyboard.press('Escape').catch(() => {});
    }
  }

  /** Opens a folder with settings and waits for the extension. */
  async open(what, { settings = {}, machine = {}, size = {} } = {}) {
    await this.openBare(what, { settings, machine, size });
    await this.bench.until('the extension', () => this.hasItem(), 60_000);
  }

  /** Opens a folder without waiting for the extension. */
  async openBare(what, { settings = {}, machine = {}, size = {}, hasTrust = true } = {}) {
    await this.close();
    this.opened = what;
    configure(this.profile, settings, { 'craig.path': this.craig, ...machine });
    this.bench = await Workbench.open(this.tools, this.profile, what, { ...size, hasTrust });
    this.bench.page.on('console', (message) => {
      if (/Content Security Policy|Refused to (load|execute|apply)/.test(message.text())) {
        this.complaints.push(message.text());
      }
    });
  }

  /** Opens a folder that has no index yet, and stops the server half way. It runs a little at a time, so that the workbench keeps up. */
  async openWhileIndexing(what, options) {
    const signal = (name) => this.servers().forEach((id) => process.kill(id, name));
    let isHalfWay = false;
    const slowing = (async () => {
      while (!isHalfWay) {
        signal('SIGCONT');
        await sleep(80);
        signal('SIGSTOP');
        await sleep(250);
      }
    })();
    try {
      await this.open(what, options);
      await this.bench.until('indexing half way', async () => {
        const percent = Number(/indexing: (\d+)%/.exec(await this.status())?.[1] ?? 0);
        return percent >= 10 && percent < 95;
      }, 120_000);
    } finally {
      isHalfWay = true;
      await slowing;
    }
  }

  continueIndexing() {
    this.servers().forEach((id) => process.kill(id, 'SIGCONT'));
  }

  async close() {
    await this.bench?.close();
    this.bench = undefined;
  }

  /** Whether Craig is in the status bar. */
  async hasItem() {
    return (await this.bench.page.locator('.statusbar-item[id*="craig.index"]').count()) > 0;
  }

  ready(limit) {
    return this.bench.until('“Craig is ready” in the status bar', async () =>
      (await this.bench.page.locator('.statusbar-item[aria-label*="Craig is ready"]').count()) > 0, limit);
  }

  /** Craig's text in the status bar. */
  async status() {
    return (await this.bench.page.locator('.statusbar-item[id*="craig.index"]').first().getAttribute('aria-label')) ?? '';
  }

  /** Writes the settings of the folder, which the editor watches. */
  set(settings, folder = this.folder) {
    mkdirSync(path.join(folder, '.vscode'), { recursive: true });
    writeFileSync(path.join(folder, '.vscode/settings.json'), JSON.stringify(settings));
  }

  /** Processes of the servers that this run has started. */
  servers() {
    const found = spawnSync('pgrep', ['-f', `^${this.craig} lsp`], { encoding: 'utf8' }).stdout.trim();
    return found === '' ? [] : found.split('\n').map(Number);
  }

  /** Waits until all servers of this run have ended. */
  async gone() {
    for (let tries = 0; this.servers().length > 0 && tries < 50; tries += 1) {
      this.killServers();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  killServers() {
    this.servers().forEach((id) => process.kill(id, 'SIGKILL'));
  }

  /** Runs the program in the folder, as in a terminal. */
  run(...args) {
    return execFileSync(this.craig, args, { cwd: this.folder, encoding: 'utf8', env: this.bench.environment });
  }

  /** The file that a command of the companion extension writes. */
  async written(title, file) {
    const full = path.join(this.profile, 'home', file);
    rmSync(full, { force: true });
    await this.bench.command(title);
    return this.bench.until(file, () => {
      try {
        return JSON.parse(readFileSync(full, 'utf8'));
      } catch {
        return undefined;
      }
    }, 60_000);
  }

  logLines(name) {
    const logs = path.join(this.profile, 'data/logs');
    const files = readdirSync(logs, { recursive: true }).filter((file) => file.endsWith(name));
    return files.flatMap((file) => readFileSync(path.join(logs, file), 'utf8').split('\n'));
  }
}

export function expect(isSo, what) {
  if (!isSo) {
    throw new Error(what);
  }
}
