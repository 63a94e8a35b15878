// Which lines of a hit are shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build } from 'esbuild';

const { outputFiles } = await build({
  stdin: { contents: "export * from './src/preview.ts'; export * from './src/words.ts';", resolveDir: '.' },
  bundle: true, write: false, format: 'esm',
});
const { preview, wordsOf, matches } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);

test('the first lines with text, without their indentation', () => {
  assert.deepEqual(preview('\n    if (a) {\n      b();\n    }\n', 'zebra'), { skipped: 1, text: 'if (a) {\n  b();\n}' });
  assert.deepEqual(preview('\tone\n\t\ttwo\n', ''), { skipped: 0, text: 'one\n\ttwo' });
});

test('the lines with the most words of the query', () => {
  const lines = ['const sessions = new Map();', ...Array(9).fill('other();'), '  function isExpired(session) {', '    return true;', '  }'];
  assert.deepEqual(preview(lines.join('\n'), 'is a session expired'), { skipped: 10, text: 'function isExpired(session) {\n  return true;\n}' });
  assert.equal(preview(lines.join('\n'), 'sessions').skipped, 0);
  assert.equal(preview(['let session = { expires };', ...lines].join('\n'), 'is a session expired').skipped, 11);
});

test('words match by their stem', () => {
  const match = (query, word) => matches(wordsOf(query), word).length > 0;
  assert.ok(match('expired sessions', 'Session') && match('removed', 'remove') && match('HTTPServer', 'servers') && match('suggest', 'Suggestions'));
  assert.ok(!match('is it an id', 'id') && !match('content', 'continue') && !match('comment', 'command') && !match('user', 'userland'));
});
