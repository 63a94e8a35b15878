// The view that explains the selection.
import MarkdownIt from 'markdown-it';
import type { Explanation, ExplanationKind } from '../protocol';
import { editor, element, onMessage } from './page';

const markdown = new MarkdownIt({ html: false, linkify: false });
// Relative links do not work here. The list of sources opens the pages.
markdown.validateLink = (url) => /^https?:/i.test(url);
// Pictures are not loaded; their descriptions are shown.
markdown.renderer.rules.image = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '');

onMessage<Explanation | { error: string }>((message) => {
  document.querySelector('main')?.replaceChildren(...('error' in message ? failed(message.error) : explained(message)));
});

/** Anchors in HTML, which headings have for links. */
const ANCHOR = /<a\s[^>]*>|<\/a>/g;

/** Words for confidence, by its least value. From 90% on, a heading or entry of the symbol documents it (`MIN_DOCUMENTED` of craig-explain). */
const CONFIDENCE: [number, string][] = [
  [0.9, 'High'],
  [0.75, 'Good'],
];

/** Renders Markdown into an element, as plain text if that fails. */
function render(into: HTMLElement, text: string): HTMLElement {
  try {
    into.innerHTML = markdown.render(text);
  } catch {
    into.replaceChildren(element('pre', { className: 'plain', text }));
  }
  return into;
}

function failed(error: string): Node[] {
  return [element('p', { className: 'hint error', text: error })];
}

function explained(explanation: Explanation): Node[] {
  return [...(explanation.has_relevant_docs ? documented(explanation) : refused(explanation)), ...comment(explanation), ...packages(explanation)];
}

function quotes(explanation: Explanation, wanted: ExplanationKind): Node[] {
  const list = element('ul', { className: 'bullets' });
  for (const { text, kind, citation, line } of explanation.bullets) {
    if (kind !== wanted) {
      continue;
    }
    const item = element('li');
    item.append(render(element('div', { className: 'quote' }), text), source(`${citation + 1}`, `Open this quote in source ${citation + 1}`, { citation, line }));
    list.append(item);
  }
  return list.hasChildNodes() ? [list] : [];
}

function documented(explanation: Explanation): Node[] {
  const mentions = quotes(explanation, 'mentioned');
  const sources = element('ol', { className: 'sources' });
  explanation.citations.forEach(({ file_path, section_heading, heading_line }, open) => {
    const name = markdown.renderInline(section_heading.replace(ANCHOR, '')).replace(/<[^>]*>/g, '');
    const button = source('', `Open ${file_path}, line ${heading_line}`, { open });
    const heading = element('span', { className: 'heading' });
    heading.innerHTML = name;
    button.append(heading, element('span', { className: 'path', text: `${file_path}:${heading_line}` }));
    sources.append(element('li', {}, button));
  });
  return [
    title(explanation.symbol),
    confidence(explanation.confidence),
    ...quotes(explanation, 'documented'),
    ...(mentions.length > 0 ? [element('h2', { text: 'Mentioned in' }), ...mentions] : []),
    element('h2', { text: 'Sources' }),
    sources,
  ];
}

function refused({ symbol, explanation }: Explanation): Node[] {
  return [title(symbol), element('p', { className: 'refused', text: explanation })];
}

function title(symbol: string | null): HTMLElement {
  return element('h1', { text: symbol ?? 'Selection' });
}

function confidence(probability: number): HTMLElement {
  const [, word] = CONFIDENCE.find(([least]) => probability >= least) ?? [0, 'Fair'];
  const line = element('p', { className: 'confidence', text: `${word} confidence` });
  line.title = `The probability that this documents the code: ${Math.round(probability * 100)}%`;
  return line;
}

function comment({ comment: found }: Explanation): Node[] {
  if (!found) {
    return [];
  }
  return [element('h2', { text: 'Comment in the code' }), render(element('div', { className: 'comment' }), found.text)];
}

function packages({ packages: found = [] }: Explanation): Node[] {
  return found.flatMap(({ package: name, version, symbol, quotes: quoted }) => [
    element('h2', { text: `${symbol ? `${symbol} of ` : ''}${name} ${version}` }),
    ...quoted.map(({ text, file_path, line }) =>
      element('div', { className: 'comment' }, render(element('div'), text), element('p', { className: 'hint', text: `${file_path}:${line}` })),
    ),
  ]);
}

function source(text: string, label: string, message: object): HTMLButtonElement {
  const button = element('button', { className: 'source', text });
  button.title = label;
  button.setAttribute('aria-label', label);
  button.addEventListener('click', () => {
    editor.postMessage(message);
  });
  return button;
}
