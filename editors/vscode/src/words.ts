// Words of queries and of code, and which of them match.

/** Words share a stem if their first letters are the same, at least this many, … */
const LEAST_STEM = 4;

/** … and at least this part of the longer one: `expired` and `expires`, `suggest` and `suggestions`, not `comment` and `command`. */
const STEM_PART = 0.6;

/** A text cut into words and the characters between them. A capital after a small letter begins a word. */
export function parts(text: string): string[] {
  return text.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|[^\p{L}]+|\p{L}/gu) ?? [];
}

/** The words of a query that can match, in lower case. */
export function wordsOf(query: string): string[] {
  return parts(query).map((part) => part.toLowerCase()).filter((part) => part.length >= LEAST_STEM);
}

/** The words of a query that have the same stem as a word of a text. */
export function matches(words: string[], part: string): string[] {
  return words.filter((word) => hasSameStem(word, part.toLowerCase()));
}

function hasSameStem(a: string, b: string): boolean {
  let same = 0;
  while (same < a.length && a[same] === b[same]) {
    same += 1;
  }
  return same >= LEAST_STEM && same >= STEM_PART * Math.max(a.length, b.length);
}
