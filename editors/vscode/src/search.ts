// The search view: code by meaning, as you type.
import * as vscode from 'vscode';
import { counted } from './context';
import { messageOf } from './documentation';
import { preview } from './preview';
import type { Hit, SearchRow, SearchState } from './protocol';
import { NO_ANSWER, isLikely, isRelevant, percent } from './relevance';
import type { Server } from './server';
import { openAt, page, viewOptions } from './view';

const VIEW = 'craig.search';

/** Maximum number of hits. */
const MOST_HITS = 20;

type Message = { isReady: true } | { search: { query: string; path: string; kind: string } } | { open: number; keepFocus: boolean };

const BODY = `
<form role="search" aria-label="Search code by meaning">
  <input id="query" type="search" placeholder="Ask a question, or describe the code" aria-label="Search" autocomplete="off" spellcheck="false">
  <div class="filters">
    <input id="path" type="text" placeholder="Files, such as src/**" aria-label="Files to search" spellcheck="false">
    <select id="kind" aria-label="Kind of files">
      <option value="all">All</option><option value="code">Code</option><option value="docs">Docs</option><option value="config">Config</option>
    </select>
  </div>
</form>
<p id="index" role="status" hidden></p>
<p id="summary" role="status" aria-live="polite"></p>
<ol id="hits" role="listbox" aria-label="Results" tabindex="0"></ol>
<section id="start">
  <p class="hint">Search by meaning: ask a question, describe the code, or paste an error message. For example:</p>
  <ul><li>where are expired sessions removed</li><li>retry a failed request</li></ul>
</section>`;

/** A search: for a query, or for code like that of a place. */
interface Search {
  query: string;
  /** Place of the code that the hits are like. */
  like?: string;
}

/** The view, and “Find Related Code”, which shows its hits there. */
export class SearchView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private hits: Hit[] = [];
  private search: Search = { query: '' };
  private summary = '';
  private isError = false;
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
      server.onDidChange(() => {
        this.showServer();
      }),
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

  /** What a reader of results should know of the index; empty if it is complete. */
  private get index(): string {
    const { indexes } = this.server;
    const indexing = indexes.find(({ state }) => state === 'indexing');
    if (indexing) {
      return `Indexing: ${indexing.percent ?? 0}%. More results appear when indexing is done.`;
    }
    return indexes.some(({ state }) => state === 'paused') ? 'Indexing is paused. Results may be out of date.' : '';
  }

  private async handle(message: Message): Promise<void> {
    if ('isReady' in message) {
      this.show();
      return;
    }
    if ('open' in message) {
      const hit = this.hits[message.open];
      if (hit) {
        await openAt(vscode.Uri.parse(hit.uri), rowOf(hit, this.search).line, message.keepFocus);
      }
      return;
    }
    const { query, path, kind } = message.search;
    if (query.trim() === '') {
      this.running?.cancel();
      this.finish({ query }, [], '');
      return;
    }
    const argument = { query, limit: MOST_HITS, kind, ...(path.trim() !== '' && { path: path.trim() }) };
    await this.find({ query }, async (token) => {
      const { hits } = await this.server.ask('craig.search', argument, token);
      return { hits: hits.filter(isRelevant) };
    });
  }

  private async findRelated(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== 'file') {
      void vscode.window.showInformationMessage('Open a file to find code that is like the code at the cursor.');
      return;
    }
    const { document, selection } = editor;
    const like = `${vscode.workspace.asRelativePath(document.uri)}:${selection.start.line + 1}`;
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    const range = { start: selection.start, end: selection.end };
    await this.find({ query: '', like }, (token) =>
      this.server.ask('craig.related', { uri: document.uri.toString(), range, limit: MOST_HITS }, token),
    );
  }

  /** Shows what is found; only the last of several searches counts. */
  private async find(search: Search, work: (token: vscode.CancellationToken) => Promise<{ hits: Hit[] }>): Promise<void> {
    this.running?.cancel();
    const running = new vscode.CancellationTokenSource();
    this.running = running;
    try {
      const { hits } = await work(running.token);
      if (!running.token.isCancellationRequested) {
        this.finish(search, hits, summaryOf(search, hits));
      }
    } catch (error) {
      if (!running.token.isCancellationRequested) {
        this.finish(search, [], messageOf(error), true);
      }
    }
  }

  private finish(search: Search, hits: Hit[], summary: string, isError = false): void {
    Object.assign(this, { search, hits, summary, isError });
    this.show();
  }

  /** Shows the state of the index, and an error of the server for as long as it lasts. */
  private showServer(): void {
    const { trouble } = this.server;
    if (trouble !== undefined) {
      this.finish(this.search, [], trouble, true);
    } else if (this.isError) {
      this.finish(this.search, [], '');
    } else {
      void this.view?.webview.postMessage({ index: this.index });
    }
  }

  private show(): void {
    const { search, hits, summary, isError, index } = this;
    const rows = hits.map((hit) => rowOf(hit, search));
    const state: SearchState = { query: search.query, summary, isError, rows, index };
    void this.view?.webview.postMessage(state);
  }
}

function summaryOf({ like }: Search, hits: Hit[]): string {
  if (like !== undefined) {
    return hits.length > 0 ? `${counted(hits.length, 'place')} like ${like}` : `No code is like ${like}.`;
  }
  if (hits.length === 0) {
    return 'No results. Try other words or fewer filters.';
  }
  const n_likely = hits.filter(isLikely).length;
  return n_likely > 0 ? counted(n_likely, 'result') : NO_ANSWER;
}

/** A hit as the view shows it. Hits that are unlikely to answer are folded; the relevance of related code is its likeness. */
function rowOf(hit: Hit, { query, like }: Search): SearchRow {
  const { skipped, text } = preview(hit.content, query);
  return {
    path: hit.path,
    line: hit.line_start + skipped,
    symbol: hit.symbol_name,
    relevance: percent(hit.score),
    isFolded: like === undefined && !isLikely(hit),
    language: hit.language,
    preview: text,
  };
}
