// Common parts of the views in HTML.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The page of a view. Its policy allows only its own script and style. */
export function page(webview: vscode.Webview, extension: vscode.Uri, view: string, body: string): string {
  const nonce = randomBytes(16).toString('base64');
  const script = webview.asWebviewUri(vscode.Uri.joinPath(extension, 'dist', 'webview', `${view}.js`)).toString();
  const style = webview.asWebviewUri(vscode.Uri.joinPath(extension, 'media', 'views.css')).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'; font-src ${webview.cspSource};`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1.0">
<link rel="stylesheet" href="${style}">
</head>
<body class="${view}">${body}<script nonce="${nonce}" src="${script}"></script></body>
</html>`;
}

/** Options of a view: its scripts run, and only the extension's files can be loaded. */
export function viewOptions(extension: vscode.Uri): vscode.WebviewOptions {
  return {
    enableScripts: true,
    localResourceRoots: [vscode.Uri.joinPath(extension, 'dist', 'webview'), vscode.Uri.joinPath(extension, 'media')],
  };
}

/** Opens a file at a line, from 1. */
export async function openAt(uri: vscode.Uri, line: number, isPreview = true): Promise<void> {
  const at = new vscode.Position(Math.max(0, line - 1), 0);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), preview: isPreview });
}
