#!/usr/bin/env node
// Starts the program of the package for this platform.
const { spawn } = require('node:child_process');

const name = `craig-${process.platform}-${process.arch}`;
const file = process.platform === 'win32' ? 'craig.exe' : 'craig';
let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(
    `error: there is no package ${name}\n` +
      'hint: install again without --omit=optional; on other platforms, build Craig from source',
  );
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (error) => {
  console.error(`error: ${program} does not run: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal === null) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
