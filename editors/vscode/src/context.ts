// Code from the workspace for prompts.
import * as vscode from 'vscode';
import type { Block, ContextAnswer } from './protocol';
import { messageOf } from './documentation';
import type { Guesses } from './guesses';
import type { Server } from './server';
import { named } from './settings';

/** A chat continues without context after this time. */
const TIME_LIMIT_MS = 2_000;

const CHAT = 'puku.chat.semanticContext';
const EDIT = 'puku.inlineEdit.context.semantic';

/** Code for a prompt, and its id for ratings. */
export interface Context {
  blocks: Block[];
  id?: number | undefined;
}

/** Code for a chat message. It is empty if context is off, late or fails, so that the chat continues. */
export async function chatContext(
  server: Server,
  message: string,
  history: string[],
  token: vscode.CancellationToken,
  guesses?: Guesses,
): Promise<Context> {
  const uri = activeFile();
  const argument = {
    message,
    history,
    ...guesses,
    ...chosen<number>(CHAT, { maxChunks: 'maxChunks', minScore: 'minSimilarity', tokenBudget: 'tokenBudget' }),
    ...chosen<boolean>(CHAT, { rerank: 'rerank' }),
    ...(uri && { uri: uri.toString() }),
  };
  return isOn(CHAT, uri) ? context(server, argument, token) : { blocks: [] };
}

/** Code for an edit of a range; empty in the same cases. */
export async function editContext(
  server: Server,
  message: string,
  uri: vscode.Uri,
  range: vscode.Range,
  token: vscode.CancellationToken,
): Promise<Context> {
  const argument = {
    message,
    uri: uri.toString(),
    range: { start: range.start, end: range.end },
    ...chosen<number>(EDIT, { maxChunks: 'maxChunks', minScore: 'minScore', maxCodeLength: 'maxCodeLength' }),
  };
  return isOn(EDIT, uri) ? context(server, argument, token) : { blocks: [] };
}

/** Blocks as Markdown for a prompt. */
export function asPrompt(blocks: Block[]): string {
  return blocks
    .map((block) => {
      const fence = '`'.repeat(Math.max(3, longestRun(block.content) + 1));
      return `${block.path}:${block.line_start}-${block.line_end}\n${fence}${block.language}\n${block.content.trimEnd()}\n${fence}`;
    })
    .join('\n\n');
}

/** Distinct files of the blocks, in their order. */
export function filesOf(blocks: Block[]): string[] {
  return [...new Set(blocks.map((block) => block.path))];
}

/** `1 file`, `1,342 files`. */
export function counted(n: number, thing: string): string {
  return `${n.toLocaleString('en')} ${thing}${n === 1 ? '' : 's'}`;
}

async function context(
  server: Server,
  argument: Parameters<typeof server.ask<'craig.context'>>[1],
  token: vscode.CancellationToken,
): Promise<Context> {
  const cancelling = new vscode.CancellationTokenSource();
  const cancelled = token.onCancellationRequested(() => {
    cancelling.cancel();
  });
  const late = setTimeout(() => {
    cancelling.cancel();
  }, TIME_LIMIT_MS);
  try {
    const answer: ContextAnswer = await server.ask('craig.context', argument, cancelling.token);
    return { blocks: answer.blocks, id: answer.id ?? undefined };
  } catch (error) {
    server.log.warn(`context failed: ${messageOf(error)}`);
    return { blocks: [] };
  } finally {
    clearTimeout(late);
    cancelled.dispose();
    cancelling.dispose();
  }
}

function isOn(prefix: string, uri: vscode.Uri | undefined): boolean {
  return named<boolean>(`${prefix}.enabled`, uri) ?? true;
}

/** Settings that were changed, by the names of arguments. The server has the defaults of the others. */
function chosen<T>(prefix: string, names: Record<string, string>): Record<string, T> {
  const set: Record<string, T> = {};
  for (const [argument, name] of Object.entries(names)) {
    const found = vscode.workspace.getConfiguration(prefix).inspect<T>(name);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    if (value !== undefined) {
      set[argument] = value;
    }
  }
  return set;
}

/** The active file of the workspace, otherwise its first folder. */
export function activeFile(): vscode.Uri | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  if (active?.scheme === 'file' && vscode.workspace.getWorkspaceFolder(active)) {
    return active;
  }
  return vscode.workspace.workspaceFolders?.[0]?.uri;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
