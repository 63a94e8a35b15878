// The program `craig`: where it is, and which version it has.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { setting } from './settings';

const NAME = process.platform === 'win32' ? 'craig.exe' : 'craig';

/** Timeout of `craig --version`. */
const VERSION_TIMEOUT_MS = 10_000;

/** The program cannot be used; the message gives the reason and the remedy. */
export class UnusableBinary extends Error {}

/** The program from the settings, otherwise the one packaged with the extension, otherwise the one on PATH. */
export function binaryPath(extension: vscode.ExtensionContext): string {
  const named = setting<string>('path')?.trim() ?? '';
  const own = path.join(extension.extensionPath, 'bin', NAME);
  return named || (existsSync(own) ? own : NAME);
}

/** Fails unless `binary` runs and has the extension's version, up to its patch level. */
export async function checkVersion(binary: string, extension: vscode.ExtensionContext): Promise<string> {
  const wanted = (extension.extension.packageJSON as { version: string }).version;
  const version = await versionOf(binary);
  if (minor(version) !== minor(wanted)) {
    throw new UnusableBinary(
      `${binary} is Craig ${version}, but this extension needs ${minor(wanted)}. Update the older one, or set craig.path.`,
    );
  }
  return version;
}

async function versionOf(binary: string): Promise<string> {
  let output: string;
  try {
    output = (await promisify(execFile)(binary, ['--version'], { timeout: VERSION_TIMEOUT_MS })).stdout;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'was not found' : `cannot be run (${error instanceof Error ? error.message : String(error)})`;
    throw new UnusableBinary(`The program ${binary} ${why}. Install Craig, or set craig.path to the program.`);
  }
  const version = /^craig (\d+\.\d+\.\d+\S*)/.exec(output)?.[1];
  if (version === undefined) {
    throw new UnusableBinary(`${binary} is not Craig. Set craig.path to the program.`);
  }
  return version;
}

/** `0.1` of `0.1.2`. */
function minor(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}
