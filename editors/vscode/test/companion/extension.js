// Parts of the tests within the editor: a chat model, hovers at many places, calls of tools, a folder without a disk.
//
// The model lists the files of its prompt and counts the questions of a chat. For an edit it copies the first `if` of the given
// code to the beginning of the selected function. Asked for guesses, it gives names of the fixture. For pictures it repeats
// answers of a real model, which are in recorded.json.
const { writeFileSync } = require('node:fs');
const { homedir } = require('node:os');
const path = require('node:path');
const vscode = require('vscode');

let fails = false;
let isSlow = false;
let isRecorded = false;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function write(file, content) {
  writeFileSync(path.join(homedir(), file), JSON.stringify(content));
}

function textOf({ content }) {
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

function answer(messages) {
  const recorded = isRecorded && recordedAnswer(textOf(messages.at(-1)));
  if (recorded) {
    return recorded;
  }
  const prompt = messages.map(textOf).join('\n');
  const selection = /<selection>\n([\s\S]*?)\n<\/selection>/.exec(prompt.split('The file ').pop());
  const given = prompt.split('The file ')[0];
  if (selection) {
    const check = /^  if \([\s\S]*?^  }\n/m.exec(given)?.[0] ?? '';
    return `\`\`\`js\n${selection[1].replace(/\n/, `\n${check}`)}\n\`\`\`\n`;
  }
  const last = textOf(messages.at(-1));
  const files = [...new Set([...last.matchAll(/^(\S+):\d+-\d+$/gm)].map(([, file]) => file))];
  const question = messages.filter(({ role }) => role === vscode.LanguageModelChatMessageRole.User).length;
  return `I was given ${files.join(', ') || 'no code'}. Question ${question} of this chat.`;
}

/** What a real model answered to the question or instruction at the end of a prompt. */
function recordedAnswer(prompt) {
  const [, text] = Object.entries(require('./recorded.json')).find(([question]) => prompt.endsWith(question)) ?? [];
  return text;
}

function registerModel() {
  const model = { id: 'fake', name: 'Test model', family: 'fake', version: '1', maxInputTokens: 100000, maxOutputTokens: 10000, capabilities: { toolCalling: true }, isUserSelectable: true };
  const registration = vscode.lm.registerLanguageModelChatProvider('fake', {
    provideLanguageModelChatInformation: () => [model],
    provideTokenCount: (_model, text) => Math.ceil(String(text).length / 4),
    async provideLanguageModelChatResponse(_model, messages, _options, progress, token) {
      if (fails) {
        throw new Error('the fake model fails');
      }
      if (textOf(messages.at(-1)).includes('"names"')) {
        write('guessed.json', true);
        progress.report(new vscode.LanguageModelTextPart(JSON.stringify({ names: ['login', 'isExpired'], code: [] })));
        return;
      }
      for (const piece of answer(messages).match(/[\s\S]{1,24}/g)) {
        if (token.isCancellationRequested) {
          write('cancelled.json', true);
          return;
        }
        progress.report(new vscode.LanguageModelTextPart(piece));
        await pause(isSlow ? 3_000 : 10);
      }
    },
  });
  // The chat view offers models that were requested once.
  void vscode.lm.selectChatModels({ vendor: 'fake' });
  return registration;
}

/** Craig's hovers at every word of the open file before a bracket or after a dot. */
async function hovers() {
  const { document } = vscode.window.activeTextEditor;
  const found = [];
  for (const match of document.getText().matchAll(/[\w$]{3,}(?=\s*\()|(?<=\.)[\w$]{3,}/g)) {
    const at = document.positionAt(match.index + 1);
    const given = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, at);
    const texts = given.flatMap(({ contents }) => contents.map((content) => content.value ?? String(content)));
    found.push({ word: match[0], line: at.line + 1, texts: texts.filter((text) => /\.md[#:]/.test(text)) });
  }
  write('hovers.json', found);
}

/** Answers of the three tools. */
async function tools() {
  const call = async (name, input) => {
    const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
    return content.map((part) => part.value).join('');
  };
  write('tools.json', {
    known: vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith('craig')),
    search: await call('craig_search', { query: 'is a session expired' }),
    symbol: await call('craig_symbol', { name: 'createSession' }),
    explain: await call('craig_explain', { path: 'src/session.js', lineStart: 11 }),
  });
}

/** A folder in memory. */
class MemoryFolder {
  onDidChangeFile = new vscode.EventEmitter().event;
  stat(uri) {
    const type = uri.path.endsWith('.js') ? vscode.FileType.File : vscode.FileType.Directory;
    if (!['/project', '/project/hello.js'].includes(uri.path)) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return { type, ctime: 0, mtime: 0, size: 18 };
  }
  readDirectory() { return [['hello.js', vscode.FileType.File]]; }
  readFile() { return Buffer.from('export default 1;\n'); }
  watch() { return { dispose() {} }; }
  createDirectory() {}
  writeFile() {}
  delete() {}
  rename() {}
}

function activate(context) {
  const model = registerModel();
  const command = (name, work) => vscode.commands.registerCommand(`test.${name}`, work);
  context.subscriptions.push(
    vscode.workspace.registerFileSystemProvider('memory', new MemoryFolder(), { isReadonly: true }),
    { dispose: () => model.dispose() },
    command('fail', () => { fails = true; }),
    command('work', () => { fails = false; isSlow = false; }),
    command('slow', () => { isSlow = true; }),
    command('recorded', () => { isRecorded = true; }),
    command('leave', () => model.dispose()),
    command('hovers', hovers),
    command('tools', tools),
  );
}

module.exports = { activate };
