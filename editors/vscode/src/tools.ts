// Tools for agents: language model tools and the MCP server.
import * as vscode from 'vscode';
import { binaryPath } from './binary';
import { activeFile, asPrompt, counted } from './context';
import type { Documentation } from './documentation';
import type { Server } from './server';

/** Maximum number of references in an answer. */
const MOST_REFERENCES = 20;

/** Registers the tools #craigSearch, #craigSymbol and #craigExplain. */
export function registerTools(server: Server, documentation: Documentation): vscode.Disposable {
  return vscode.Disposable.from(
    tool<{ query: string; names?: string[]; code?: string[]; limit?: number; path?: string }>(
      'craig_search',
      ({ query }) => `Searching for “${query}”`,
      async ({ query, names = [], code = [], limit, path }, token) => {
        const argument = { query, names, code, limit: limit ?? 8, ...(path !== undefined && { path }) };
        const { hits } = await server.ask('craig.search', argument, token);
        return hits.length > 0 ? asPrompt(hits) : 'No results.';
      },
    ),
    tool<{ name: string }>(
      'craig_symbol',
      ({ name }) => `Looking up ${name}`,
      async ({ name }, token) => {
        const uri = activeFile();
        const found = await server.ask('craig.symbol', { name, ...(uri && { uri: uri.toString() }) }, token);
        const references = found.references.slice(0, MOST_REFERENCES);
        const lines = references.map(({ path, line, role, text }) => `${path}:${line} (${role}) ${text.trim()}`);
        const { kind, path, line } = found.symbol;
        return `${kind} ${found.symbol.name} at ${path}:${line}\n${found.text}\n${counted(found.total, 'reference')}:\n${lines.join('\n')}`;
      },
    ),
    tool<{ path: string; lineStart: number; lineEnd?: number }>(
      'craig_explain',
      ({ path }) => `Reading the documentation of ${path}`,
      async ({ path, lineStart, lineEnd }, token) => {
        const uri = await fileAt(path);
        // The server only explains open documents.
        const document = await vscode.workspace.openTextDocument(uri);
        const last = document.lineAt(Math.min(document.lineCount, lineEnd ?? lineStart) - 1).range.end;
        const range = new vscode.Range(new vscode.Position(lineStart - 1, 0), last);
        return (await documentation.explain(uri, range, token)).markdown;
      },
    ),
  );
}

/** Registers an MCP server for each folder, which offers all of Craig's tools to agents. */
export function registerMcp(extension: vscode.ExtensionContext): vscode.Disposable {
  const version = (extension.extension.packageJSON as { version: string }).version;
  const changed = new vscode.EventEmitter<void>();
  return vscode.Disposable.from(
    changed,
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      changed.fire();
    }),
    vscode.lm.registerMcpServerDefinitionProvider('craig.mcp', {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () =>
        (vscode.workspace.workspaceFolders ?? []).map((folder) => {
          const database = vscode.Uri.joinPath(folder.uri, '.puku', 'embeddings.db').fsPath;
          const label = (vscode.workspace.workspaceFolders?.length ?? 0) > 1 ? `Craig (${folder.name})` : 'Craig';
          const args = ['--db', database, 'mcp', '--tools', 'core', '--root', folder.uri.fsPath];
          const definition = new vscode.McpStdioServerDefinition(label, binaryPath(extension), args, {}, version);
          definition.cwd = folder.uri;
          return definition;
        }),
    }),
  );
}

function tool<T>(
  name: string,
  message: (input: T) => string,
  work: (input: T, token: vscode.CancellationToken) => Promise<string>,
): vscode.Disposable {
  return vscode.lm.registerTool<T>(name, {
    prepareInvocation: ({ input }) => ({ invocationMessage: message(input) }),
    invoke: async ({ input }, token) =>
      new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(await work(input, token))]),
  });
}

/** The file with this path in any folder of the workspace. */
async function fileAt(path: string): Promise<vscode.Uri> {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const uri = vscode.Uri.joinPath(folder.uri, path);
    const isInside = uri.path.startsWith(`${folder.uri.path}/`);
    const found = isInside && (await vscode.workspace.fs.stat(uri).then(() => true, () => false));
    if (found) {
      return uri;
    }
  }
  throw new Error(`The workspace has no file ${path}.`);
}
