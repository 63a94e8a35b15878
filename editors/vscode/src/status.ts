// The status bar item and its menu.
import * as vscode from 'vscode';
import { counted } from './context';
import type { FolderStatus, IndexState } from './protocol';
import type { Server } from './server';

interface Choice extends vscode.QuickPickItem {
  command?: string;
  argument?: unknown;
}

/** Shows the state of the index. A click opens the menu. */
export class IndexStatus implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('craig.index', vscode.StatusBarAlignment.Right, 90);
  private readonly subscriptions: { dispose: () => unknown }[];

  constructor(private readonly server: Server) {
    this.item.name = 'Craig';
    this.item.command = 'craig.showMenu';
    this.item.show();
    this.update();
    const command = vscode.commands.registerCommand.bind(vscode.commands);
    this.subscriptions = [
      this.item,
      server.onDidChange(() => {
        this.update();
      }),
      command('craig.showMenu', () => this.showMenu()),
      command('craig.rebuildIndex', () => server.ask('craig.ingest', { rebuild: true })),
      command('craig.toggleIndexing', () => this.togglePause()),
      command('craig.showStatistics', () => this.showStatistics()),
      command('craig.restartServer', () => server.restart()),
      command('craig.showLog', () => {
        server.log.show();
      }),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private update(): void {
    const { text, tooltip, isError } = described(this.server.trouble, this.server.indexes);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.backgroundColor = isError ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    this.item.accessibilityInformation = { label: tooltip, role: 'button' };
  }

  private get isPaused(): boolean {
    return this.server.indexes.some(({ state }) => state === 'paused');
  }

  private async togglePause(): Promise<void> {
    await this.server.ask('craig.pause', { paused: !this.isPaused });
  }

  private async showMenu(): Promise<void> {
    const choices: Choice[] = [
      { label: '$(refresh) Rebuild index', command: 'craig.rebuildIndex' },
      { label: this.isPaused ? '$(debug-continue) Resume indexing' : '$(debug-pause) Pause indexing', command: 'craig.toggleIndexing' },
      { label: '$(graph) Statistics', command: 'craig.showStatistics' },
      { label: '$(type-hierarchy) Repository map', command: 'craig.showMap' },
      { label: '$(settings-gear) Settings', command: 'workbench.action.openSettings', argument: '@ext:craig.craig' },
      { label: '$(debug-restart) Restart server', command: 'craig.restartServer' },
      { label: '$(output) Show log', command: 'craig.showLog' },
    ];
    const { tooltip } = described(this.server.trouble, this.server.indexes);
    const chosen = await vscode.window.showQuickPick(choices, { title: 'Craig', placeHolder: tooltip.split('\n')[0] ?? '' });
    if (chosen?.command !== undefined) {
      await vscode.commands.executeCommand(chosen.command, chosen.argument);
    }
  }

  private async showStatistics(): Promise<void> {
    const { folders } = await this.server.ask('craig.status', {});
    await vscode.window.showInformationMessage('Craig', { modal: true, detail: folders.map(statistics).join('\n\n') });
  }
}

function described(
  trouble: string | undefined,
  indexes: IndexState[],
): { text: string; tooltip: string; isError: boolean } {
  const of = (state: IndexState['state']): IndexState | undefined => indexes.find((index) => index.state === state);
  const failed = of('failed');
  const error = trouble ?? failed?.error;
  if (error !== undefined) {
    return { text: '$(error) Craig', tooltip: `Craig: ${error}`, isError: true };
  }
  const indexing = of('indexing');
  if (indexing) {
    const percent = `${indexing.percent ?? 0}%`;
    return { text: `$(sync~spin) Craig ${percent}`, tooltip: `Craig is indexing: ${percent}\n${indexing.current ?? ''}`, isError: false };
  }
  if (of('paused')) {
    return { text: '$(debug-pause) Craig', tooltip: 'Craig: indexing is paused', isError: false };
  }
  if (indexes.length === 0) {
    return { text: '$(search) Craig', tooltip: 'Craig has not indexed a folder yet', isError: false };
  }
  const files = indexes.reduce((sum, index) => sum + (index.files ?? 0), 0);
  const chunks = indexes.reduce((sum, index) => sum + (index.chunks ?? 0), 0);
  const tooltip = `Craig is ready: ${counted(files, 'file')}, ${counted(chunks, 'chunk')}`;
  return { text: '$(check) Craig', tooltip, isError: false };
}

function statistics(status: FolderStatus): string {
  const { project, statistics: numbers } = status;
  if (!project || !numbers) {
    return `${status.folder}\nNot indexed yet.`;
  }
  const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
  const languages = Object.entries(numbers.languages)
    .sort(([, a], [, b]) => b.files - a.files)
    .slice(0, 6)
    .map(([language, { files }]) => `${language} ${files}`)
    .join(', ');
  return [
    status.folder,
    `${counted(project.files, 'file')}, ${megabytes(numbers.bytes)}, ${counted(project.chunks, 'chunk')}`,
    languages,
    `Index: ${megabytes(numbers.database_bytes)} in ${status.database}`,
    `Updated ${new Date(project.last_updated).toLocaleString()}`,
  ].join('\n');
}
