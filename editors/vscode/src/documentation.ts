// Explanations from the project's own documentation: the view and the commands.
import * as vscode from 'vscode';
import type { Explanation } from './protocol';
import type { Server } from './server';
import { setting } from './settings';
import { openAt, page, viewOptions } from './view';

/** A selection is explained when it has not changed for this time. */
const DEBOUNCE_MS = 300;

const VIEW = 'craig.documentation';

/** Context key of the view, which appears with the first explanation and then stays: until then it would be empty. */
const HAS_VIEW = 'craig.hasDocumentationView';
const NOTHING = 'Select code to read its documentation.';

type Message = { isReady: true } | { open: number } | { line: number; citation: number };

/** The view that explains the selection. */
export class Documentation implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private shown: Explanation | undefined;
  private timer: NodeJS.Timeout | undefined;
  private running: vscode.CancellationTokenSource | undefined;
  private readonly subscriptions: { dispose: () => unknown }[];

  constructor(
    private readonly server: Server,
    private readonly extension: vscode.Uri,
    private readonly state: vscode.Memento,
  ) {
    void vscode.commands.executeCommand('setContext', HAS_VIEW, state.get(HAS_VIEW) ?? false);
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider(VIEW, this),
      vscode.commands.registerCommand('craig.explainSelection', () => this.explainSelection()),
      vscode.commands.registerCommand('craig.indexDocs', () => this.index()),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        this.follow(event.textEditor);
      }),
      server.onDidExplain((explanation) => void this.reveal(explanation)),
      server.onDidChange(() => {
        this.showTrouble();
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
    view.webview.html = page(view.webview, this.extension, 'documentation', `<main aria-live="polite"><p class="hint">${NOTHING}</p></main>`);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.running?.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** Explains a range. The answer may be `Not documented.` */
  async explain(uri: vscode.Uri, range: vscode.Range, token?: vscode.CancellationToken): Promise<Explanation> {
    const wanted = { start: range.start, end: range.end };
    const limits = {
      maxSources: setting<number>('documentation.retrieval.topK', uri),
      minConfidence: setting<number>('documentation.retrieval.similarityThreshold', uri),
      maxLength: setting<number>('documentation.retrieval.maxContextLength', uri),
    };
    return this.server.ask('craig.explain', { uri: uri.toString(), range: wanted, show: false, ...limits }, token);
  }

  private async explainSelection(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.scheme !== 'file') {
      void vscode.window.showInformationMessage('Open a file and select the code to explain.');
      return;
    }
    try {
      const location = { location: vscode.ProgressLocation.Window, title: 'Reading documentation' };
      const explanation = await vscode.window.withProgress(location, () =>
        this.explain(editor.document.uri, editor.selection),
      );
      await this.reveal(explanation);
    } catch (error) {
      void vscode.window.showErrorMessage(`Craig: ${messageOf(error)}`);
    }
  }

  private async index(): Promise<void> {
    try {
      await this.server.ask('craig.indexDocumentation', {});
      void vscode.window.setStatusBarMessage('$(book) Documentation is up to date', 3_000);
    } catch (error) {
      void vscode.window.showErrorMessage(`Craig: ${messageOf(error)}`);
    }
  }

  /** Explains the selection while the view is visible; only the last of several selections counts. */
  private follow(editor: vscode.TextEditor): void {
    const isWanted = setting<boolean>('documentation.ui.followSelection') ?? true;
    if (!isWanted || !this.view?.visible || editor.document.uri.scheme !== 'file') {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.update(editor), DEBOUNCE_MS);
  }

  private async update(editor: vscode.TextEditor): Promise<void> {
    this.running?.cancel();
    const running = new vscode.CancellationTokenSource();
    this.running = running;
    try {
      const explanation = await this.explain(editor.document.uri, editor.selection, running.token);
      if (!running.token.isCancellationRequested) {
        this.show(explanation);
      }
    } catch (error) {
      if (!running.token.isCancellationRequested) {
        this.showError(messageOf(error));
      }
    }
  }

  /** Shows an explanation in the view, or as text if the view is off. */
  private async reveal(explanation: Explanation): Promise<void> {
    this.shown = explanation;
    if (!(setting<boolean>('documentation.ui.sidePanelEnabled') ?? true)) {
      const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: explanation.markdown });
      await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
      return;
    }
    await vscode.commands.executeCommand('setContext', HAS_VIEW, true);
    await this.state.update(HAS_VIEW, true);
    await vscode.commands.executeCommand(`${VIEW}.focus`, { preserveFocus: true });
    this.show(explanation);
  }

  private show(explanation: Explanation): void {
    this.shown = explanation;
    void this.view?.webview.postMessage(explanation);
  }

  private showError(error: string): void {
    this.shown = undefined;
    void this.view?.webview.postMessage({ error });
  }

  private showTrouble(): void {
    if (this.server.trouble !== undefined) {
      this.showError(this.server.trouble);
    }
  }

  private async handle(message: Message): Promise<void> {
    if ('isReady' in message) {
      if (this.shown) {
        this.show(this.shown);
      }
      this.showTrouble();
      return;
    }
    const index = 'open' in message ? message.open : message.citation;
    const citation = this.shown?.citations[index];
    if (!this.shown || !citation) {
      return;
    }
    const uri = vscode.Uri.joinPath(vscode.Uri.parse(this.shown.folder), citation.file_path);
    await openAt(uri, 'open' in message ? citation.heading_line : message.line);
  }
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
