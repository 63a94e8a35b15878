// Code in a view: coloured by highlight.js, with the words of a query marked.
import hljs from 'highlight.js/lib/common';
import dart from 'highlight.js/lib/languages/dart';
import elixir from 'highlight.js/lib/languages/elixir';
import haskell from 'highlight.js/lib/languages/haskell';
import julia from 'highlight.js/lib/languages/julia';
import powershell from 'highlight.js/lib/languages/powershell';
import scala from 'highlight.js/lib/languages/scala';

Object.entries({ dart, elixir, haskell, julia, powershell, scala }).forEach(([name, grammar]) => {
  hljs.registerLanguage(name, grammar);
});

/** Words share a stem if their first letters are the same, at least this many, … */
const LEAST_STEM = 4;

/** … and the rest of either is at most this long: `expired` and `expires`, `session` and `sessions`. */
const MOST_ENDING = 3;

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

/** The words of a query or a name, in lower case: `isExpired` has two. */
export function wordsOf(text: string): string[] {
  return parts(text).map((part) => part.toLowerCase()).filter((part) => part.length >= LEAST_STEM);
}

/** A text in pieces, those that match marked. */
function pieces(text: string, words: string[]): Node[] {
  return parts(text).map((part) => {
    if (!words.some((word) => hasSameStem(word, part.toLowerCase()))) {
      return document.createTextNode(part);
    }
    const marked = document.createElement('mark');
    marked.textContent = part;
    return marked;
  });
}

/** A text cut into words and the characters between them. A capital after a small letter begins a word. */
function parts(text: string): string[] {
  return text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|[^\p{L}]+|\p{L}/gu) ?? [];
}

function hasSameStem(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) {
    same += 1;
  }
  return same >= LEAST_STEM && Math.max(a.length, b.length) - same <= MOST_ENDING;
}
