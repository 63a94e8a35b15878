// The language server: starts it, watches it and sends requests.
import * as vscode from 'vscode';
import type { CloseHandlerResult, LanguageClient, LanguageClientOptions, Middleware } from 'vscode-languageclient/node';
import { UnusableBinary, binaryPath, checkVersion } from './binary';
import type { Commands, Explanation, IndexState } from './protocol';
import { serverSettings, setting } from './settings';

/** A server that ends more often than this within this time is not restarted. */
const MOST_RESTARTS = 4;
const RESTARTS_WITHIN_MS = 180_000;

/** How long a request waits for a server to restart, and the interval of its checks. */
const MOST_WAIT_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** The protocol's library. It is loaded after the activation, whose time it would double. */
type Library = typeof import('vscode-languageclient/node');

const RESTART = 'Restart';
const OPEN_SETTINGS = 'Open Settings';
const SHOW_LOG = 'Show Log';

/** `craig lsp` for all folders of the workspace. */
export class Server implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Craig', { log: true });
  private readonly states = new Map<string, IndexState>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly explained = new vscode.EventEmitter<Explanation>();
  private client: LanguageClient | undefined;
  private library: Library | undefined;
  private starting: Promise<void> | undefined;
  private ends: number[] = [];
  /** The reason if no server is running. */
  trouble: string | undefined;

  /** The state of an index or of the server has changed. */
  readonly onDidChange = this.changed.event;
  /** A code action has requested an explanation. */
  readonly onDidExplain = this.explained.event;

  constructor(private readonly extension: vscode.ExtensionContext) {}

  /** State of each folder's index. */
  get indexes(): IndexState[] {
    return [...this.states.values()];
  }

  /** Starts the server; shows an error if that fails. */
  start(): Promise<void> {
    this.starting ??= this.tryStart().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  async restart(): Promise<void> {
    this.ends = [];
    await this.stop();
    await this.start();
  }

  /** Executes a command of the server, and repeats it once if the server ends meanwhile: all commands can be repeated. */
  async ask<C extends keyof Commands>(
    command: C,
    argument: Commands[C][0],
    token?: vscode.CancellationToken,
  ): Promise<Commands[C][1]> {
    await this.starting;
    try {
      return await this.send(command, argument, token);
    } catch (error) {
      if (!this.isDisconnected(error) || token?.isCancellationRequested) {
        throw error;
      }
      await this.untilRunning();
      return this.send(command, argument, token);
    }
  }

  private send<C extends keyof Commands>(
    command: C,
    argument: Commands[C][0],
    token?: vscode.CancellationToken,
  ): Promise<Commands[C][1]> {
    if (!this.client || this.trouble !== undefined) {
      throw new Error(this.trouble ?? 'The server is not running.');
    }
    const params = { command, arguments: [argument] };
    const method = 'workspace/executeCommand';
    // A token that is undefined would be sent as a second parameter.
    return token
      ? this.client.sendRequest<Commands[C][1]>(method, params, token)
      : this.client.sendRequest<Commands[C][1]>(method, params);
  }

  /** Whether a request failed because the server ended. */
  private isDisconnected(error: unknown): boolean {
    const codes = this.library?.ErrorCodes;
    const { code } = error as { code?: number };
    return codes !== undefined && (code === codes.PendingResponseRejected || code === codes.ConnectionInactive);
  }

  /** Waits until the server has restarted, or cannot. */
  private async untilRunning(): Promise<void> {
    const end = Date.now() + MOST_WAIT_MS;
    do {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    } while (!this.client?.isRunning() && this.trouble === undefined && Date.now() < end);
  }

  dispose(): void {
    void this.stop();
    this.changed.dispose();
    this.explained.dispose();
    this.log.dispose();
  }

  private async stop(): Promise<void> {
    await this.starting;
    const client = this.client;
    this.client = undefined;
    this.states.clear();
    await client?.dispose().catch((error: unknown) => {
      this.log.warn(String(error));
    });
    this.changed.fire();
  }

  private async tryStart(): Promise<void> {
    const binary = binaryPath(this.extension);
    this.trouble = undefined;
    try {
      const version = await checkVersion(binary, this.extension);
      this.log.info(`craig ${version}: ${binary}`);
      this.library = await import('vscode-languageclient/node');
      this.client = this.newClient(binary, this.library);
      await this.client.start();
    } catch (error) {
      this.trouble = error instanceof Error ? error.message : String(error);
      this.log.error(this.trouble);
      void this.showTrouble(this.trouble, error instanceof UnusableBinary ? OPEN_SETTINGS : SHOW_LOG);
    }
    this.changed.fire();
  }

  private newClient(binary: string, library: Library): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: 'file' }],
      initializationOptions: { craig: serverSettings() },
      outputChannel: this.log,
      progressOnInitialization: false,
      middleware: this.middleware(),
      errorHandler: {
        error: () => ({ action: library.ErrorAction.Continue }),
        closed: () => this.afterEnd(library),
      },
    };
    const client = new library.LanguageClient('craig', 'Craig', { command: binary, args: ['lsp'] }, options);
    client.onNotification('$/craig/index', (state: IndexState) => {
      this.states.set(state.folder, state);
      this.changed.fire();
    });
    client.onDidChangeState(({ newState }) => {
      if (newState === library.State.Stopped) {
        this.states.clear();
      }
      this.changed.fire();
    });
    return client;
  }

  private middleware(): Middleware {
    return {
      provideHover: async (document, position, token, next) => {
        if (!(setting<boolean>('documentation.ui.hoverEnabled', document) ?? true)) {
          return null;
        }
        const hover = await next(document, position, token);
        const most = setting<number>('documentation.ui.maxHoverLines', document) ?? 3;
        return hover && shortened(hover, most);
      },
      didSave: async (document, next) => {
        if (isReindexed(document.uri)) {
          await next(document);
        }
      },
      // Explanations that a code action requests appear in our own view.
      executeCommand: async (command, given, next) => {
        if (command !== 'craig.explain') {
          return (await next(command, given)) as unknown;
        }
        const argument = { ...(given[0] as Commands['craig.explain'][0]), show: false };
        const explanation = (await next(command, [argument])) as Explanation;
        this.explained.fire(explanation);
        return explanation;
      },
      workspace: {
        didChangeWatchedFile: async (event, next) => {
          if (isReindexed(vscode.Uri.parse(event.uri))) {
            await next(event);
          }
        },
        configuration: (params) =>
          params.items.map((item) =>
            serverSettings(item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri)),
          ),
        // The server requests the settings it needs.
        didChangeConfiguration: (_sections, next) => next(undefined),
      },
    };
  }

  /** Restarts a server that has ended, with one message, unless it ends repeatedly. */
  private afterEnd({ CloseAction }: Library): CloseHandlerResult {
    const now = Date.now();
    this.ends = this.ends.filter((end) => now - end < RESTARTS_WITHIN_MS);
    this.ends.push(now);
    if (this.ends.length > MOST_RESTARTS) {
      this.trouble = 'The server ended repeatedly.';
      void this.showTrouble(this.trouble, RESTART);
      return { action: CloseAction.DoNotRestart, handled: true };
    }
    if (this.ends.length === 1) {
      void vscode.window.showWarningMessage('Craig’s server ended unexpectedly and was restarted.');
    }
    return { action: CloseAction.Restart, handled: true };
  }

  private async showTrouble(message: string, ...actions: string[]): Promise<void> {
    switch (await vscode.window.showErrorMessage(`Craig: ${message}`, ...actions)) {
      case RESTART:
        await this.restart();
        break;
      case OPEN_SETTINGS:
        await vscode.commands.executeCommand('workbench.action.openSettings', 'craig.path');
        break;
      case SHOW_LOG:
        this.log.show();
        break;
    }
  }
}

/** Whether the server is notified of a changed file: always for code, and for documents unless the setting is off. */
function isReindexed(uri: vscode.Uri): boolean {
  const isDocument = /\.(md|mdx|markdown|rst|adoc)$/i.test(uri.path);
  return !isDocument || (setting<boolean>('documentation.indexing.autoReindex') ?? true);
}

/** A hover with at most `most` lines; an ellipsis marks a cut. */
function shortened(hover: vscode.Hover, most: number): vscode.Hover {
  const contents = hover.contents.map((content) => {
    if (!(content instanceof vscode.MarkdownString)) {
      return content;
    }
    const lines = content.value.split('\n');
    const kept = lines.filter((line) => line.trim() !== '').slice(0, most);
    if (kept.length === lines.filter((line) => line.trim() !== '').length) {
      return content;
    }
    const markdown = new vscode.MarkdownString(`${kept.join('\n\n')}…`);
    markdown.supportHtml = false;
    return markdown;
  });
  return new vscode.Hover(contents, hover.range);
}
