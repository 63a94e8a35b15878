// The model that answers: the editor's chat model, or a server with /v1/chat/completions.
import * as vscode from 'vscode';
import { setting } from './settings';

const KEY = 'craig.gateway.key';

/** One message of a conversation. */
export interface Message {
  role: 'user' | 'assistant';
  text: string;
}

/** Streams the answer to a conversation. */
export type Model = (messages: Message[], token: vscode.CancellationToken) => AsyncIterable<string>;

/** No model is available; the message gives the remedy. */
export class NoModel extends Error {}

/** The model from the settings, and the gateway's key. */
export class Models implements vscode.Disposable {
  private readonly commands: vscode.Disposable;

  constructor(private readonly secrets: vscode.SecretStorage) {
    this.commands = vscode.Disposable.from(
      vscode.commands.registerCommand('craig.setGatewayKey', () => this.askForKey()),
      vscode.commands.registerCommand('craig.deleteGatewayKey', () => secrets.delete(KEY)),
    );
  }

  dispose(): void {
    this.commands.dispose();
  }

  /** The model that answers; `chosen` is the model of the chat. */
  async model(chosen?: vscode.LanguageModelChat): Promise<Model> {
    if (setting<string>('model.source') === 'gateway') {
      return gateway(await this.secrets.get(KEY));
    }
    const model = chosen ?? (await vscode.lm.selectChatModels())[0];
    if (!model) {
      throw new NoModel('No chat model is available. Sign in to one in the editor, or set craig.model.source to “gateway”.');
    }
    return ofEditor(model);
  }

  private async askForKey(): Promise<void> {
    const key = await vscode.window.showInputBox({ title: 'Gateway key', password: true, ignoreFocusOut: true });
    if (key) {
      await this.secrets.store(KEY, key);
    }
  }
}

function ofEditor(model: vscode.LanguageModelChat): Model {
  return async function* (messages, token) {
    const asked = messages.map(({ role, text }) =>
      role === 'user'
        ? vscode.LanguageModelChatMessage.User(text)
        : vscode.LanguageModelChatMessage.Assistant(text),
    );
    const response = await model.sendRequest(asked, { justification: 'To answer with code from the workspace.' }, token);
    yield* response.text;
  };
}

function gateway(key: string | undefined): Model {
  return async function* (messages, token) {
    const url = `${(setting<string>('model.gatewayUrl') ?? '').replace(/\/+$/, '')}/v1/chat/completions`;
    const model = setting<string>('model.gatewayModel') ?? '';
    const aborted = new AbortController();
    const cancelled = token.onCancellationRequested(() => {
      aborted.abort();
    });
    try {
      const response = await fetch(url, {
        method: 'POST',
        signal: aborted.signal,
        headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({
          ...(model !== '' && { model }),
          stream: true,
          messages: messages.map(({ role, text }) => ({ role, content: text })),
        }),
      });
      if (!response.ok || !response.body) {
        throw new Error(`${url} answered ${response.status}: ${(await response.text()).slice(0, 300)}`);
      }
      yield* deltas(response.body);
    } finally {
      cancelled.dispose();
    }
  };
}

/** The texts of a stream of server-sent events. */
async function* deltas(body: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const data = line.startsWith('data:') ? line.slice('data:'.length).trim() : '';
      if (data !== '' && data !== '[DONE]') {
        const event = JSON.parse(data) as { choices?: { delta?: { content?: string } }[] };
        yield event.choices?.[0]?.delta?.content ?? '';
      }
    }
  }
}
