// The view that explains what is selected.
import MarkdownIt from 'markdown-it';
import type { Explanation, ExplanationKind } from '../protocol';
import { editor, element, onMessage } from './page';

const markdown = new MarkdownIt({ html: false, linkify: false });
// Relative links lead nowhere from here; the sources below lead to the page.
markdown.validateLink = (url) => /^https?:/i.test(url);
// Nothing is loaded from elsewhere: of a picture its description is shown.
markdown.renderer.rules.image = (tokens, index) => markdown.utils.escapeHtml(tokens[index]?.content ?? '');

onMessage<Explanation>((explanation) => {
  document.querySelector('main')?.replaceChildren(
    ...(explanation.has_relevant_docs ? documented(explanation) : refused(explanation)),
    ...comment(explanation),
  );
});

/** Puts Markdown into an element; as plain text if it cannot be rendered. */
function render(into: HTMLElement, text: string): HTMLElement {
  try {
    into.innerHTML = markdown.render(text);
  } catch {
    into.replaceChildren(element('pre', { className: 'plain', text }));
  }
  return into;
}

function quotes(explanation: Explanation, wanted: ExplanationKind): Node[] {
  const list = element('ul', { className: 'bullets' });
  for (const { text, kind, citation, line } of explanation.bullets) {
    if (kind !== wanted) {
      continue;
    }
    const item = element('li');
    item.append(render(element('div', { className: 'quote' }), text), source(`${citation + 1}`, `Open the line of this quote in source ${citation + 1}`, { citation, line }));
    list.append(item);
  }
  return list.hasChildNodes() ? [list] : [];
}

function documented(explanation: Explanation): Node[] {
  const mentions = quotes(explanation, 'mentioned');
  const sources = element('ol', { className: 'sources' });
  explanation.citations.forEach(({ file_path, section_heading, heading_line }, open) => {
    const name = markdown.renderInline(section_heading).replace(/<[^>]*>/g, '');
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
  const percent = Math.round(probability * 100);
  const meter = element('meter');
  meter.min = 0;
  meter.max = 100;
  meter.value = percent;
  meter.setAttribute('aria-label', 'Confidence');
  return element('p', { className: 'confidence' }, meter, element('span', { text: `Confidence ${percent}%` }));
}

function comment({ comment: said }: Explanation): Node[] {
  if (!said) {
    return [];
  }
  return [element('h2', { text: 'Comment in the code' }), render(element('div', { className: 'comment' }), said.text)];
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
