// The repository map: modules and what they use, as a picture that one can click.
import * as vscode from 'vscode';
import { activeFile } from './context';
import { messageOf } from './documentation';
import type { MapAnswer } from './protocol';
import type { Server } from './server';
import { openAt, page, viewOptions } from './view';

/** Tokens of declarations that the picture has room for. */
const TOKENS = 8_000;

const BODY = `
<header><h1 id="title">Repository map</h1><p id="hint" class="hint">Reading the workspace…</p></header>
<div class="map"><div class="graph"><svg id="graph" role="group" aria-label="Modules and what they use"></svg></div><aside id="details" aria-live="polite"></aside></div>`;

/** Registers the command that shows the map. */
export function registerMap(server: Server, extension: vscode.Uri): vscode.Disposable {
  let panel: vscode.WebviewPanel | undefined;
  const show = async (): Promise<void> => {
    if (panel) {
      panel.reveal();
    } else {
      panel = newPanel(extension);
      panel.onDidDispose(() => {
        panel = undefined;
      });
    }
    await fill(server, panel);
  };
  return vscode.commands.registerCommand('craig.showMap', show);
}

function newPanel(extension: vscode.Uri): vscode.WebviewPanel {
  const options = { ...viewOptions(extension), retainContextWhenHidden: true };
  const panel = vscode.window.createWebviewPanel('craig.map', 'Repository Map', vscode.ViewColumn.Active, options);
  const icon = (shade: string): vscode.Uri => vscode.Uri.joinPath(extension, 'media', `craig-${shade}.svg`);
  panel.iconPath = { light: icon('light'), dark: icon('dark') };
  panel.webview.onDidReceiveMessage(({ uri, line }: { uri: string; line: number }) => void openAt(vscode.Uri.parse(uri), line));
  panel.webview.html = page(panel.webview, extension, 'map', BODY);
  return panel;
}

async function fill(server: Server, panel: vscode.WebviewPanel): Promise<void> {
  const uri = activeFile();
  try {
    const answer: MapAnswer = await server.ask('craig.map', { tokens: TOKENS, ...(uri && { uri: uri.toString() }) });
    await panel.webview.postMessage(answer);
  } catch (error) {
    await panel.webview.postMessage({ error: messageOf(error) });
  }
}
