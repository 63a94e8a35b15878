// Bundles the extension, the protocol's library and the scripts of the views.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { build } from 'esbuild';

const common = { bundle: true, minify: true, metafile: true, sourcemap: false, logLevel: 'warning', target: 'es2022' };
// A dynamic import in CommonJS is a deferred require.
const extension = { ...common, platform: 'node', format: 'cjs', external: ['vscode'], supported: { 'dynamic-import': false } };
const LIBRARY = 'vscode-languageclient/node';

/** The library is nine tenths of the code. As a separate file, it is read after the activation. */
const libraryApart = {
  name: 'library-apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: new RegExp(`^${LIBRARY}$`) }, () => ({ path: './library.js', external: true }));
  },
};

const built = await Promise.all([
  build({ ...extension, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', plugins: [libraryApart] }),
  build({ ...extension, stdin: { contents: `module.exports = require('${LIBRARY}');`, resolveDir: '.' }, outfile: 'dist/library.js' }),
  build({
    ...common,
    entryPoints: ['documentation', 'search', 'map'].map((view) => `src/webview/${view}.ts`),
    outdir: 'dist/webview',
    platform: 'browser',
    format: 'iife',
  }),
]);

/** Folders of the packages whose code is in the bundles. */
const bundled = built
  .flatMap(({ metafile }) => Object.keys(metafile.inputs))
  .map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
  .filter((folder) => folder !== undefined);

/** Name, version and licence of a package. */
function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  return `${name} ${version} (${license})\n\n${file ? readFileSync(path.join(folder, file), 'utf8').trim() : ''}\n`;
}

writeFileSync('dist/LICENSES.txt', [...new Set(bundled)].sort().map(notice).join(`\n${'-'.repeat(80)}\n\n`));
