// Writes the settings that Craig defines into package.json. With --check, only compares them.
//
// Names, types, bounds, defaults and descriptions come from docs/settings.md, which a test generates from
// crates/craig-engine/src/settings/definition.rs.
import { readFileSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';

const here = import.meta.dirname;
const manifest = path.join(here, 'package.json');

/** Sections whose settings keep their names in the editor, and the title of their group there. */
const SAME = ['puku.chat.semanticContext', 'puku.inlineEdit.context.semantic'];
const TITLE = 'Chat and edits';

/** Settings that a workspace cannot change, since they send requests to a model. */
const OF_MACHINE = ['puku.chat.semanticContext.rephrase', 'puku.chat.semanticContext.rerank'];

/** Settings with another name in the editor. */
const RENAMED = {
  'craig.chat.guessTimeoutMs': 'context.rephrase_timeout_ms',
  'craig.documentation.activation': 'explain.activation',
  'craig.documentation.indexing.includePaths': 'documentation.include',
  'craig.documentation.indexing.excludePaths': 'documentation.exclude',
  'craig.documentation.indexing.maxFileSize': 'documentation.max_file_size',
};

/** Definitions by key. */
function definitions() {
  const found = new Map();
  let section = '';
  for (const line of readFileSync(path.join(here, '../../docs/settings.md'), 'utf8').split('\n')) {
    const heading = /^## (?:`\[(.+)\]`)?/.exec(line);
    if (heading) {
      section = heading[1] === undefined ? '' : `${heading[1]}.`;
    }
    const row = /^\| `([\w.]+)`(?: \*\*project\*\*)? \| (.*?) \| (.*?) \| .*? \| (.*) \|$/.exec(line);
    if (row) {
      const [, name, value, initial, meaning] = row;
      found.set(section + name, { value, initial: initial.replaceAll('`', ''), meaning });
    }
  }
  return found;
}

/** A definition as a property of package.json. */
function property({ value, initial, meaning }) {
  const described = { markdownDescription: meaning };
  const between = /^a (whole )?number from (\d+) to (\d+)$/.exec(value);
  if (between) {
    const [, whole, minimum, maximum] = between;
    return { type: whole ? 'integer' : 'number', default: Number(initial), minimum: Number(minimum), maximum: Number(maximum), ...described };
  }
  const choices = [...value.matchAll(/`([^`]+)`/g)].map(([, choice]) => choice);
  if (choices.length > 0) {
    return { type: 'string', enum: choices, default: initial, ...described };
  }
  switch (value) {
    case 'true or false':
      return { type: 'boolean', default: initial === 'true', ...described };
    case 'a list of texts':
      return { type: 'array', items: { type: 'string' }, default: initial === '' ? [] : initial.split(','), ...described };
    case 'a size':
      return { type: 'string', pattern: '^\\d+ ?([kM]?B)?$', default: initial, ...described };
    default:
      throw new Error(`unknown kind of value in docs/settings.md: ${value}`);
  }
}

/** Properties of package.json by name. */
function generated() {
  const all = definitions();
  const isSame = (key) => SAME.some((section) => key.startsWith(`${section}.`));
  const names = [...[...all.keys()].filter(isSame).map((key) => [key, key]), ...Object.entries(RENAMED)];
  if (names.length <= Object.keys(RENAMED).length) {
    throw new Error('docs/settings.md has no settings of puku. Its form may have changed.');
  }
  return names.map(([name, key]) => {
    if (!all.has(key)) {
      throw new Error(`${name} refers to the setting ${key}, which no longer exists`);
    }
    return [name, property(all.get(key))];
  });
}

const text = readFileSync(manifest, 'utf8');
const content = JSON.parse(text);
const sections = content.contributes.configuration;
for (const { properties } of sections) {
  for (const name of Object.keys(properties)) {
    if (SAME.some((section) => name.startsWith(`${section}.`)) && !generated().some(([known]) => known === name)) {
      delete properties[name];
    }
  }
}
for (const [name, wanted] of generated()) {
  const home = sections.find(({ properties }) => name in properties) ?? sections.find(({ title }) => title === TITLE);
  const { scope, enumDescriptions } = home.properties[name] ?? {};
  const kept = { ...(enumDescriptions && { enumDescriptions }), ...(scope && { scope }) };
  home.properties[name] = { ...wanted, ...kept, ...(OF_MACHINE.includes(name) && { scope: 'machine' }) };
}
const first = sections.find(({ title }) => title === TITLE);
const isSame = ([name]) => SAME.some((section) => name.startsWith(`${section}.`));
const entries = Object.entries(first.properties);
const rank = new Map(generated().map(([name], at) => [name, at]));
first.properties = Object.fromEntries([
  ...entries.filter(isSame).sort(([a], [b]) => rank.get(a) - rank.get(b)),
  ...entries.filter((entry) => !isSame(entry)),
]);

const gateway = `http://${definitions().get('gateway.address').initial}`;
first.properties['craig.model.gatewayUrl'].default = gateway;

// README.md lists all settings.
const readme = readFileSync(path.join(here, 'README.md'), 'utf8');
const missing = sections
  .flatMap(({ properties }) => Object.keys(properties))
  .filter((name) => !readme.includes(`\`${name}\``) && !readme.includes(`\`${name.split('.').at(-1)}\``));

const written = `${JSON.stringify(content, null, 2)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(manifest, written);
} else if (written !== text) {
  console.error('package.json differs from docs/settings.md: run `npm run settings`');
  process.exitCode = 1;
}
if (missing.length > 0) {
  console.error(`README.md lacks these settings: ${missing.join(', ')}`);
  process.exitCode = 1;
}
