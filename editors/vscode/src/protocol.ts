// Requests and answers of `craig lsp` beyond the protocol (docs/editors.md), and messages to the views.

/** A range of the Language Server Protocol: lines and characters from 0. */
export interface Range {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** Lines of a file that were found. */
export interface Hit {
  project: string;
  path: string;
  uri: string;
  range: Range;
  line_start: number;
  line_end: number;
  language: string;
  symbol_name: string | null;
  /** From 0 to 1. */
  score: number;
  content: string;
}

export interface SearchAnswer {
  query: string;
  hits: Hit[];
}

/** A block of code for a prompt. */
export interface Block {
  path: string;
  uri: string;
  range: Range;
  line_start: number;
  line_end: number;
  language: string;
  symbol_name: string | null;
  /** From 0 to 1. */
  score: number;
  content: string;
}

export interface ContextAnswer {
  /** For ratings of this context; absent if statistics are off. */
  id?: number | null;
  blocks: Block[];
  /** The blocks as Markdown for a prompt. */
  text?: string;
  markdown?: string;
}

export interface Citation {
  file_path: string;
  section_heading: string;
  heading_line: number;
  relevance_score: number;
}

/** Whether the documentation explains a symbol or only mentions it. */
export type ExplanationKind = 'documented' | 'mentioned';

/** Quotes about an imported symbol from the documentation of its package. */
export interface PackageExplanation {
  package: string;
  version: string;
  symbol: string | null;
  quotes: { text: string; file_path: string; line: number }[];
}

export interface Explanation {
  explanation: string;
  has_relevant_docs: boolean;
  confidence: number;
  symbol: string | null;
  kind: ExplanationKind | null;
  bullets: { text: string; kind: ExplanationKind; citation: number; line: number }[];
  citations: Citation[];
  comment?: { text: string };
  packages?: PackageExplanation[];
  markdown: string;
  uri: string;
  /** Address of the folder that the citations' paths are relative to. */
  folder: string;
}

export interface SymbolReference {
  path: string;
  uri: string;
  line: number;
  range: Range;
  role: string;
  within: string | null;
  text: string;
}

export interface SymbolAnswer {
  symbol: { name: string; kind: string; path: string; uri: string; line: number; range: Range };
  signature: string;
  text: string;
  references: SymbolReference[];
  total: number;
}

/** Number of imports outside tests and in tests. */
export interface MapUse {
  module: string;
  count: number;
  tests: number;
}

export interface MapModule {
  path: string;
  about: { text: string; file: string } | null;
  files: number;
  lines: number;
  languages: string[];
  uses: MapUse[];
  used_by: MapUse[];
}

export interface MapFile {
  path: string;
  uri: string;
  symbols: { name: string; kind: string; depth: number; line: number; signature: string }[];
}

export interface MapAnswer {
  folder: string;
  architecture: { modules: MapModule[]; entry_points: { file: string; kind: string }[] };
  map: { project: string; files: MapFile[] };
}

export interface FolderStatus {
  folder: string;
  database: string;
  project: { name: string; files: number; chunks: number; last_updated: string } | null;
  statistics?: { bytes: number; database_bytes: number; languages: Record<string, { files: number; bytes: number }> };
}

/** `$/craig/index`: the state of a folder's index. */
export interface IndexState {
  folder: string;
  state: 'indexing' | 'ready' | 'paused' | 'failed';
  percent?: number;
  current?: string;
  files?: number;
  chunks?: number;
  error?: string;
}

/** A hit as the search view shows it. */
export interface SearchRow {
  path: string;
  line: number;
  symbol: string | null;
  relevance: string;
  /** Whether it is hidden until less likely results are shown. */
  isFolded: boolean;
  language: string;
  preview: string;
}

/** What the search view shows. */
export interface SearchState {
  /** The query that the rows answer. */
  query: string;
  summary: string;
  isError: boolean;
  rows: SearchRow[];
  index: string;
}

/** The commands of the server, each with its argument and result. */
export interface Commands {
  'craig.search': [
    {
      query: string;
      names?: string[];
      code?: string[];
      uri?: string;
      limit?: number;
      language?: string[];
      path?: string;
      kind?: string;
    },
    SearchAnswer,
  ];
  'craig.context': [
    {
      message: string;
      uri?: string;
      range?: Range;
      history?: string[];
      names?: string[];
      code?: string[];
      maxChunks?: number;
      minScore?: number;
      tokenBudget?: number;
      rerank?: boolean;
      maxCodeLength?: number;
    },
    ContextAnswer,
  ];
  'craig.rate': [{ id: number; helpful: boolean; uri?: string }, null];
  'craig.explain': [
    { uri: string; range?: Range; show: boolean; maxSources?: number | undefined; minConfidence?: number | undefined; maxLength?: number | undefined },
    Explanation,
  ];
  'craig.indexDocumentation': [Record<string, never>, null];
  'craig.related': [{ uri: string; range: Range; limit?: number }, { hits: Hit[] }];
  'craig.symbol': [{ name: string; uri?: string }, SymbolAnswer];
  'craig.map': [{ uri?: string; tokens?: number }, MapAnswer];
  'craig.ingest': [{ uri?: string; rebuild?: boolean }, null];
  'craig.pause': [{ paused: boolean }, null];
  'craig.status': [{ uri?: string }, { folders: FolderStatus[] }];
}
