// Entry point: the parts of the extension.
import * as vscode from 'vscode';
import { registerChat } from './chat';
import { Documentation } from './documentation';
import { InlineEdit } from './edit';
import { registerMap } from './map';
import { Models } from './models';
import { SearchView } from './search';
import { Server } from './server';
import { IndexStatus } from './status';
import { registerMcp, registerTools } from './tools';

/** Registers all parts and starts the server. */
export function activate(context: vscode.ExtensionContext): void {
  const server = new Server(context);
  const models = new Models(context.secrets);
  const documentation = new Documentation(server, context.extensionUri, context.workspaceState);
  context.subscriptions.push(
    server,
    models,
    documentation,
    new IndexStatus(server),
    new SearchView(server, context.extensionUri),
    new InlineEdit(server, models),
    registerMap(server, context.extensionUri),
    registerChat(server, models, documentation),
    registerTools(server, documentation),
    registerMcp(context),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('craig.path')) {
        void server.restart();
      }
    }),
  );
  void server.start();
}
