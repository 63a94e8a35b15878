// Settings of the editor, and those that the server receives.
import * as vscode from 'vscode';

/** Extensions that provide navigation for a language. With `auto`, Craig leaves it to them. */
const NAVIGATORS: Record<string, readonly string[]> = {
  c: ['ms-vscode.cpptools', 'llvm-vs-code-extensions.vscode-clangd'],
  cpp: ['ms-vscode.cpptools', 'llvm-vs-code-extensions.vscode-clangd'],
  csharp: ['ms-dotnettools.csharp', 'ms-dotnettools.csdevkit'],
  elixir: ['elixir-lsp.elixir-ls', 'jakebecker.elixir-ls', 'expert-lsp.expert'],
  go: ['golang.go'],
  java: ['redhat.java', 'georgewfraser.vscode-javac'],
  javascript: ['vscode.typescript-language-features'],
  kotlin: ['fwcd.kotlin', 'jetbrains.kotlin-server'],
  php: ['bmewburn.vscode-intelephense-client', 'devsense.phptools-vscode', 'zobo.php-intellisense'],
  python: ['ms-python.python', 'ms-python.vscode-pylance', 'detachhead.basedpyright', 'ms-pyright.pyright'],
  ruby: ['shopify.ruby-lsp', 'castwide.solargraph', 'rebornix.ruby'],
  rust: ['rust-lang.rust-analyzer'],
  scala: ['scalameta.metals'],
  swift: ['swiftlang.swift-vscode', 'sswg.swift-lang'],
  typescript: ['vscode.typescript-language-features'],
};

/** A setting by its name after `craig.` */
export function setting<T>(name: string, scope?: vscode.ConfigurationScope): T | undefined {
  return vscode.workspace.getConfiguration('craig', scope).get<T>(name);
}

/** A setting by its full name. */
export function named<T>(name: string, scope?: vscode.ConfigurationScope): T | undefined {
  return vscode.workspace.getConfiguration(undefined, scope).get<T>(name);
}

/** Languages that Craig navigates in a folder: those that are on, and those without an extension in the list above. */
export function navigated(scope?: vscode.ConfigurationScope): string[] {
  const chosen = setting<Record<string, string>>('navigation', scope) ?? {};
  const isOn = (language: string): boolean => {
    const choice = chosen[language] ?? 'auto';
    if (choice !== 'auto') {
      return choice === 'on';
    }
    const others = NAVIGATORS[language] ?? [];
    return !others.some((id) => vscode.extensions.getExtension(id) !== undefined);
  };
  return [...new Set([...Object.keys(NAVIGATORS), ...Object.keys(chosen)])].filter(isOn);
}

/** The server's settings of a folder. */
export function serverSettings(scope?: vscode.ConfigurationScope): object {
  const paths = (name: string): string[] | undefined => {
    const globs = setting<string[]>(name, scope) ?? [];
    return globs.length > 0 ? globs : undefined;
  };
  return {
    lsp: {
      ingest: (setting<boolean>('indexOnOpen', scope) ?? true) ? 'on_open' : 'on_request',
      database: 'workspace',
      languages: navigated(scope),
    },
    explain: { activation: setting<string>('documentation.activation', scope) },
    documentation: {
      include: paths('documentation.indexing.includePaths'),
      exclude: paths('documentation.indexing.excludePaths'),
      max_file_size: setting<string>('documentation.indexing.maxFileSize', scope),
    },
  };
}
