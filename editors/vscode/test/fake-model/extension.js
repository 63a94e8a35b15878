// A chat model that says what it was asked: which files were in the prompt; for an edit, the selection with a comment.
const vscode = require('vscode');

let fails = false;

function textOf(messages) {
  return messages
    .map(({ content }) => content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join(''))
    .join('\n');
}

function answer(prompt) {
  const selection = /<selection>\n([\s\S]*?)\n<\/selection>/.exec(prompt.split('The file ').pop());
  const files = [...prompt.matchAll(/^(\S+):(\d+)-(\d+)$/gm)].map(([, path]) => path);
  if (selection) {
    return `\`\`\`\n// as in ${files.join(', ') || 'nothing'}\n${selection[1]}\n\`\`\`\n`;
  }
  return files.length > 0 ? `I was given ${files.join(', ')}.` : 'I was given no code.';
}

function activate(context) {
  const model = { id: 'fake', name: 'Fake', family: 'fake', version: '1', maxInputTokens: 100000, maxOutputTokens: 10000, capabilities: { toolCalling: true }, isUserSelectable: true };
  const provider = {
    provideLanguageModelChatInformation: () => [model],
    provideTokenCount: (_model, text) => Math.ceil(String(text).length / 4),
    async provideLanguageModelChatResponse(_model, messages, _options, progress, token) {
      if (fails) {
        throw new Error('the fake model fails');
      }
      for (const piece of answer(textOf(messages)).match(/[\s\S]{1,24}/g)) {
        if (token.isCancellationRequested) {
          return;
        }
        progress.report(new vscode.LanguageModelTextPart(piece));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  };
  const registration = vscode.lm.registerLanguageModelChatProvider('fake', provider);
  // The chat view offers models that somebody has asked for.
  void vscode.lm.selectChatModels({ vendor: 'fake' });
  context.subscriptions.push(
    { dispose: () => registration.dispose() },
    vscode.commands.registerCommand('fake.fail', () => { fails = true; }),
    vscode.commands.registerCommand('fake.work', () => { fails = false; }),
    vscode.commands.registerCommand('fake.leave', () => registration.dispose()),
  );
}

module.exports = { activate };
