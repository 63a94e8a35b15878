// The search view: code by meaning, as one types.
import * as vscode from 'vscode';
import { counted, percent } from './context';
import { messageOf } from './documentation';
import { type Hit, isRelevant } from './protocol';
import type { Server } from './server';
import { openAt, page, viewOptions } from './view';

const VIEW = 'craig.search';

/** Most hits that are shown. */
const MOST_HITS = 20;

/** Lines of a hit that are shown. */
const PREVIEW_LINES = 5;

type Message = { isReady: true } | { search: { query: string; path: string; kind: string } } | { open: number; keepFocus: boolean };

const BODY = `
<form role="search" aria-label="Search code by meaning">
  <input id="query" type="search" placeholder="Ask in your words, or name what you look for" aria-label="Search" autocomplete="off">
  <div class="filters">
    <input id="path" type="text" placeholder="files, such as src/**" aria-label="Files to search">
    <select id="kind" aria-label="Kind of files">
      <option value="all">All</option><option value="code">Code</option><option value="docs">Docs</option><option value="config">Config</option>
    </select>
  </div>
</form>
<p id="summary" role="status" aria-live="polite"></p>
<ol id="hits" role="listbox" aria-label="Hits" tabindex="0"></ol>`;

/** The view, and “Find Related Code”, which shows its hits there. */
export class SearchView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private hits: Hit[] = [];
  private summary = '';
  private running: vscode.CancellationTokenSource | undefined;
  private readonly subscriptions: { dispose: () => unknown }[];

  constructor(
    private readonly server: Server,
    private readonly extension: vscode.Uri,
  ) {
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider(VIEW, this, { webviewOptions: { retainContextWhenHidden: true } }),
      vscode.commands.registerCommand('craig.searchCode', () => vscode.commands.executeCommand(`${VIEW}.focus`)),
      vscode.commands.registerCommand('craig.findRelated', () => this.findRelated()),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.webview.options = viewOptions(this.extension);
    view.webview.onDidReceiveMessage((message: Message) => void this.handle(message));
    view.onDidDispose(() => {
      this.view = undefined;
    });
    view.webview.html = page(view.webview, this.extension, 'search', BODY);
  }

  dispose(): void {
    this.running?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private async handle(message: Message): Promise<void> {
    if ('isReady' in message) {
      this.show();
      return;
    }
    if ('open' in message) {
      const hit = this.hits[message.open];
      if (hit) {
        await openAt(vscode.Uri.parse(hit.uri), hit.line_start, message.keepFocus);
      }
      return;
    }
    const { query, path, kind } = message.search;
    if (query.trim() === '') {
      this.finish([], '');
      return;
    }
    const argument = { query, limit: MOST_HITS, kind, ...(path.trim() !== '' && { path: path.trim() }) };
    await this.find('', async (token) => {
      const answer = await this.server.ask('craig.search', argument, token);
      return { hits: answer.hits.filter(isRelevant) };
    });
  }

  private async findRelated(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== 'file') {
      return;
    }
    const { document, selection } = editor;
    const name = `${vscode.workspace.asRelativePath(document.uri)}:${selection.start.line + 1}`;
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    const range = { start: selection.start, end: selection.end };
    await this.find(`like ${name}`, (token) =>
      this.server.ask('craig.related', { uri: document.uri.toString(), range, limit: MOST_HITS }, token),
    );
  }

  /** Shows what is found; only the last of several searches counts. */
  private async find(what: string, work: (token: vscode.CancellationToken) => Promise<{ hits: Hit[] }>): Promise<void> {
    this.running?.cancel();
    const running = new vscode.CancellationTokenSource();
    this.running = running;
    try {
      const { hits } = await work(running.token);
      if (!running.token.isCancellationRequested) {
        this.finish(hits, hits.length > 0 ? [counted(hits.length, 'place'), what].join(' ').trim() : 'Nothing fits. Try other words, or fewer filters.');
      }
    } catch (error) {
      if (!running.token.isCancellationRequested) {
        this.finish([], messageOf(error));
      }
    }
  }

  private finish(hits: Hit[], summary: string): void {
    this.hits = hits;
    this.summary = summary;
    this.show();
  }

  private show(): void {
    const hits = this.hits.map((hit) => ({
      path: hit.path,
      line: hit.line_start,
      symbol: hit.symbol_name,
      relevance: percent(hit.score),
      preview: hit.content.split('\n').slice(0, PREVIEW_LINES).join('\n'),
    }));
    void this.view?.webview.postMessage({ hits, summary: this.summary });
  }
}
