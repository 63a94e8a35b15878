// The repository map: modules and their uses, in a panel.
import * as vscode from 'vscode';
import { activeFile } from './context';
import { messageOf } from './documentation';
import type { MapAnswer } from './protocol';
import type { Server } from './server';
import { openAt, page, viewOptions } from './view';

/** Budget for the declarations of central files, in tokens. */
const TOKENS = 8_000;

const BODY = `
<header><h1 id="title">Repository map</h1><p id="hint" class="hint" role="status">Reading the workspace…</p></header>
<div id="panes" class="panes" hidden>
  <div class="graph">
    <svg id="graph" tabindex="0" role="group" aria-label="Modules and their uses. Arrow keys move the map, plus and minus zoom.">
      <defs><marker id="arrow" viewBox="0 0 10 10" refX="1" refY="5" markerWidth="10" markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z" fill="context-stroke"/></marker></defs>
      <g id="scene"></g>
    </svg>
    <div class="zoom" role="toolbar" aria-label="Zoom">
      <button id="zoom-in" title="Zoom in (+)" aria-label="Zoom in">+</button><button id="zoom-out" title="Zoom out (-)" aria-label="Zoom out">−</button><button id="fit" title="Show the whole map (0)">Fit</button>
    </div>
  </div>
  <aside id="details" aria-live="polite"></aside>
</div>`;

type Content = MapAnswer | { error: string };
type Message = { isReady: true } | { uri: string; line: number };

/** Registers the command that shows the map. */
export function registerMap(server: Server, extension: vscode.Uri): vscode.Disposable {
  let panel: vscode.WebviewPanel | undefined;
  let content: Promise<Content> | undefined;
  const fill = async (): Promise<void> => {
    const answer = await content;
    await panel?.webview.postMessage(answer);
  };
  const handle = async (message: Message): Promise<void> => {
    await ('isReady' in message ? fill() : openAt(vscode.Uri.parse(message.uri), message.line));
  };
  const show = async (): Promise<void> => {
    content = mapOf(server);
    if (panel) {
      panel.reveal();
      await fill();
      return;
    }
    panel = newPanel(extension);
    panel.webview.onDidReceiveMessage((message: Message) => void handle(message));
    panel.onDidDispose(() => {
      panel = undefined;
    });
    panel.webview.html = page(panel.webview, extension, 'map', BODY);
  };
  return vscode.commands.registerCommand('craig.showMap', show);
}

function newPanel(extension: vscode.Uri): vscode.WebviewPanel {
  const options = { ...viewOptions(extension), retainContextWhenHidden: true };
  const panel = vscode.window.createWebviewPanel('craig.map', 'Repository Map', vscode.ViewColumn.Active, options);
  const icon = (shade: string): vscode.Uri => vscode.Uri.joinPath(extension, 'media', `craig-${shade}.svg`);
  panel.iconPath = { light: icon('light'), dark: icon('dark') };
  return panel;
}

async function mapOf(server: Server): Promise<Content> {
  const uri = activeFile();
  try {
    return await server.ask('craig.map', { tokens: TOKENS, ...(uri && { uri: uri.toString() }) });
  } catch (error) {
    return { error: messageOf(error) };
  }
}
