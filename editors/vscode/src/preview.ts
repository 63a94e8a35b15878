// Which lines of a hit are shown.
import { matches, parts, wordsOf } from './words';

/** Lines of a hit that are shown. */
const PREVIEW_LINES = 5;

/** Some lines of a hit. */
export interface Preview {
  /** Lines of the hit before the first one shown. */
  skipped: number;
  text: string;
}

/** The lines with the most words of a query, or otherwise the first ones that have text. Their common indentation is removed. */
export function preview(content: string, query: string): Preview {
  const lines = content.split(/\r?\n/);
  const words = wordsOf(query);
  const found = lines.map((line) => parts(line).flatMap((part) => matched(words, part)));
  // The same word counts twice as much as one with its stem.
  const count = (at: number): number => new Set(found.slice(at, at + PREVIEW_LINES).flat()).size;
  let skipped = Math.max(0, lines.findIndex((line) => line.trim() !== ''));
  for (const at of lines.keys()) {
    if (at > skipped && (found[at]?.length ?? 0) > 0 && count(at) > count(skipped)) {
      skipped = at;
    }
  }
  return { skipped, text: dedented(lines.slice(skipped, skipped + PREVIEW_LINES)) };
}

/** What a word of a line matches: words of the query by their stem, and itself if it is one of them. */
function matched(words: string[], part: string): string[] {
  const same = words.filter((word) => word === part.toLowerCase()).map((word) => `${word}, itself`);
  return [...matches(words, part), ...same];
}

function dedented(lines: string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const common = Math.min(...indents);
  return lines.map((line) => line.slice(common).trimEnd()).join('\n').trimEnd();
}
