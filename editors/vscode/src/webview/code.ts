// Code in a view: coloured by highlight.js, with the words of a query marked.
import hljs from 'highlight.js/lib/common';
import dart from 'highlight.js/lib/languages/dart';
import elixir from 'highlight.js/lib/languages/elixir';
import haskell from 'highlight.js/lib/languages/haskell';
import julia from 'highlight.js/lib/languages/julia';
import powershell from 'highlight.js/lib/languages/powershell';
import scala from 'highlight.js/lib/languages/scala';
import { matches, parts, wordsOf } from '../words';

Object.entries({ dart, elixir, haskell, julia, powershell, scala }).forEach(([name, grammar]) => {
  hljs.registerLanguage(name, grammar);
});

/** Puts code into an element. Languages that highlight.js lacks stay plain. */
export function renderCode(into: HTMLElement, code: string, language: string, query: string): void {
  if (hljs.getLanguage(language)) {
    into.innerHTML = hljs.highlight(code, { language, ignoreIllegals: true }).value;
  } else {
    into.textContent = code;
  }
  mark(into, wordsOf(query));
}

/** Marks the words of a text that have the stem of one of `words`. Keywords of the language are no matches. */
export function mark(element: HTMLElement, words: string[]): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) {
    texts.push(walker.currentNode as Text);
  }
  for (const text of texts) {
    if (!text.parentElement?.closest('.hljs-keyword')) {
      text.replaceWith(...pieces(text.data, words));
    }
  }
}

/** A text in pieces, those that match marked. */
function pieces(text: string, words: string[]): Node[] {
  return parts(text).map((part) => {
    if (matches(words, part).length === 0) {
      return document.createTextNode(part);
    }
    const marked = document.createElement('mark');
    marked.textContent = part;
    return marked;
  });
}
