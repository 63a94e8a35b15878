// Bundles the extension, the protocol's library and the scripts of the views.
import { build } from 'esbuild';

const common = { bundle: true, minify: true, sourcemap: false, logLevel: 'warning', target: 'es2022' };
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

await Promise.all([
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
