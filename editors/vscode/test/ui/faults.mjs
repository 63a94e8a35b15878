// Faults of the program, the database, the workspace and the model.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from './session.mjs';

export async function faults(session) {
  const { folder, profile } = session;
  const step = session.step.bind(session);
  session.copyFixture();
  const other = path.join(profile, 'other-version');
  writeFileSync(other, '#!/bin/sh\necho craig 9.9.9\n', { mode: 0o755 });
  for (const [name, binary, message] of [
    ['a missing program is reported', '/nonexistent/craig', 'was not found'],
    ['a program of another version is reported', other, 'is Craig 9.9.9'],
  ]) {
    await step(name, async () => {
      await session.open(folder, { machine: { 'craig.path': binary } });
      await session.bench.notification(message).waitFor();
      expect((await session.status()).includes(message), 'the status bar does not show it');
      // The message covers the chat.
      await session.bench.closeNotifications();
      await session.bench.chat('@craig how does a user log in?', /I was given no code/);
    });
  }
  await step('a server that is killed twice is restarted twice, with one message', async () => {
    await session.open(folder);
    await session.ready();
    for (const time of [1, 2]) {
      session.killServers();
      await session.bench.until(`server ${time}`, () => session.servers().length > 0);
      await session.ready();
    }
    await session.bench.command('Notifications: Show Notifications');
    const shown = await session.bench.page.locator('.notifications-center .notification-list-item', { hasText: 'ended unexpectedly' }).count();
    expect(shown === 1, `there are ${shown} messages`);
    await session.bench.closeNotifications();
  });
  await step('while another process holds the database, chats are answered; afterwards changes are found', async () => {
    const database = new DatabaseSync(path.join(folder, '.puku/embeddings.db'));
    database.exec('BEGIN EXCLUSIVE');
    try {
      writeFileSync(path.join(folder, 'src/ticket.js'), 'export function bookTicket(train) {\n  return `a seat in ${train}`;\n}\n');
      await sleep(2_000);
      await session.bench.chat('@craig how does a user log in?', /I was given/);
      const errors = await session.bench.page.locator('.notification-toast .codicon-error').count();
      expect(errors === 0, 'an error is shown');
    } finally {
      database.exec('ROLLBACK');
      database.close();
    }
    await session.bench.until('ticket.js', async () =>
      /ticket\.js/.test(await session.bench.chat('@craig /search book a ticket', /\d+%|No results|Craig:/)), 60_000);
    await session.ready();
  });
  await step('a database that is locked when the folder is opened is opened later', async () => {
    await session.close();
    await session.gone();
    const database = new DatabaseSync(path.join(folder, '.puku/embeddings.db'));
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    try {
      await session.open(folder);
      await sleep(5_000);
      console.log(`      meanwhile: ${await session.status()}`);
      await session.bench.chat('@craig how does a user log in?', /I was given/);
    } finally {
      database.exec('ROLLBACK');
      database.close();
    }
    await session.bench.until('ready', async () => {
      if (!/is ready/.test(await session.status())) {
        await session.bench.command('Craig: Restart Server');
        await sleep(3_000);
      }
      return /is ready/.test(await session.status());
    }, 60_000);
  });
  await step('in an untrusted folder nothing runs until it is trusted', async () => {
    const untrusted = path.join(profile, 'untrusted');
    rmSync(untrusted, { recursive: true, force: true });
    mkdirSync(untrusted, { recursive: true });
    writeFileSync(path.join(untrusted, 'weather.js'), 'export const rain = true;\n');
    const settings = { 'security.workspace.trust.enabled': true, 'security.workspace.trust.startupPrompt': 'never', 'security.workspace.trust.emptyWindow': false };
    await session.openBare(untrusted, { settings, hasTrust: false });
    const { bench } = session;
    await bench.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).first().waitFor();
    await sleep(4_000);
    expect(!(await session.hasItem()), 'Craig is in the status bar');
    expect(session.servers().length === 0, 'a server runs');
    expect(!existsSync(path.join(untrusted, '.puku')), 'the folder is indexed');
    await bench.command('Workspaces: Manage Workspace Trust');
    await bench.page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ }).first().click();
    await session.ready();
  });
  await step('in a virtual workspace Craig does not start', async () => {
    await session.openBare('memory:/project');
    const { bench } = session;
    await bench.until('the virtual folder', async () => (await bench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'hello.js' }).count()) > 0);
    await sleep(4_000);
    expect(!(await session.hasItem()), 'Craig is in the status bar');
    expect(session.servers().length === 0, 'a server runs');
  });
  await step('several folders each have their index', async () => {
    const second = path.join(profile, 'second');
    mkdirSync(second, { recursive: true });
    writeFileSync(path.join(second, 'weather.js'), 'export function forecast(town) {\n  return `rain in ${town}`;\n}\n');
    const file = path.join(profile, 'two.code-workspace');
    writeFileSync(file, JSON.stringify({ folders: [{ path: folder }, { path: second }] }));
    await session.open(file);
    await session.ready();
    await session.bench.until('both indexes', () => existsSync(path.join(second, '.puku/embeddings.db')));
    await session.bench.chat('@craig /search weather forecast', /weather\.js/);
    await session.bench.file('weather.js', 1);
    const said = await session.bench.chat('@craig how is the forecast made?', /I was given (?!no code)/);
    expect(said.includes('weather.js'), said);
  });
  await step('a missing chat model is reported with the remedy', async () => {
    await session.bench.command('Test: The Model Leaves');
    await session.bench.chat('@craig how does a user log in?', /model/i);
  });
}
