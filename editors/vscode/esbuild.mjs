// Bundles the extension and the scripts of its views.
import { build } from 'esbuild';

const common = { bundle: true, minify: true, sourcemap: false, logLevel: 'warning', target: 'es2022' };

await Promise.all([
  build({ ...common, entryPoints: ['src/extension.ts'], outfile: 'dist/extension.js', platform: 'node', format: 'cjs', external: ['vscode'] }),
  build({
    ...common,
    entryPoints: ['documentation', 'search', 'map'].map((view) => `src/webview/${view}.ts`),
    outdir: 'dist/webview',
    platform: 'browser',
    format: 'iife',
  }),
]);
