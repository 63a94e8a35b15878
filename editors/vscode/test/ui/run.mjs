// The extension in a real VS Code:
// run.mjs TOOLS CRAIG PROFILE VSIX COMPANION [--short] [--only PART]… [--states FOLDER] [--languages CHECKOUTS]
//     [--corpus FASTIFY] [--pictures FOLDER]
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { faults } from './faults.mjs';
import { languages } from './languages.mjs';
import { longForm } from './long.mjs';
import { realProject } from './project.mjs';
import { Session, expect } from './session.mjs';
import { shortForm } from './short.mjs';
import { themes } from './themes.mjs';
import { install } from './workbench.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    corpus: { type: 'string' },
    pictures: { type: 'string' },
    states: { type: 'string' },
    languages: { type: 'string' },
  },
});
const [tools, craig, profile, ...packages] = positionals;
const session = new Session(tools, craig, profile);

const parts = { short: () => shortForm(session) };
if (!values.short) {
  parts.long = () => longForm(session);
  parts.themes = () => themes(session, values.states && path.resolve(values.states));
  parts.faults = () => faults(session);
  if (values.languages !== undefined) {
    parts.languages = () => languages(session, path.resolve(values.languages), values.states && path.resolve(values.states));
  }
  if (values.corpus !== undefined) {
    parts.project = () => realProject(session, path.resolve(values.corpus));
  }
  if (values.pictures !== undefined) {
    const { pictures } = await import('./pictures.mjs');
    parts.pictures = () => pictures(session, {
      corpus: path.resolve(values.corpus), checkouts: values.languages && path.resolve(values.languages), out: path.resolve(values.pictures),
    });
  }
}

const began = Date.now();
await install(tools, profile, packages);
try {
  for (const [name, part] of Object.entries(parts)) {
    if (values.only === undefined || values.only.includes(name)) {
      console.log(`\n${name}`);
      await part();
    }
  }
} catch (error) {
  console.log(error.message);
  session.failures += 1;
} finally {
  await session.close();
}
console.log('\nafterwards');
await session.step('the log of the extension host has no error of ours', () => {
  const isOurs = (line) => /\[error\]/.test(line) && /craig/i.test(line) && !/craig-test|fake model/.test(line);
  const errors = session.logLines('remoteexthost.log').filter(isOurs);
  expect(errors.length === 0, errors.join('\n'));
});
await session.step('our own log has only the errors of the tried faults', () => {
  // A server that is killed may be in the middle of its start, or of a notification.
  const ofKilled = /SIGKILL|connection|closed|EPIPE|initialization failed|Sending notification failed|Updating trace failed/i;
  const isTried = (line) => ofKilled.test(line) || /was not found|is Craig 9\.9\.9/.test(line);
  const errors = session.logLines('Craig.log').filter((line) => /\[error\]/.test(line) && !isTried(line));
  expect(errors.length === 0, errors.join('\n'));
});
await session.step('no view violates its policy', () => {
  const ours = session.complaints.filter((text) => /craig/i.test(text));
  expect(ours.length === 0, ours.join('\n'));
});
const minutes = ((Date.now() - began) / 60_000).toFixed(1);
console.log(session.failures === 0 ? `all passed in ${minutes} minutes` : `${session.failures} failed in ${minutes} minutes; pictures of them in ${profile}`);
process.exitCode = session.failures === 0 ? 0 : 1;
