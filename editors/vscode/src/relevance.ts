// Relevance: how it is shown, and which hits are shown first.
import type { Hit } from './protocol';

/** Hits below this probability are unlikely to answer. `craig search` reports then that nothing seems to answer. */
const LIKELY = 0.05;

/** Shown where no hit is likely to answer, before the nearest ones. */
export const NO_ANSWER = 'Nothing here seems to answer this.';

/** Whether the lines of a hit are likely to answer. */
export function isLikely({ score }: Pick<Hit, 'score'>): boolean {
  return score >= LIKELY;
}

/** Hits below this probability are noise, beyond the first ones. */
const LEAST_RELEVANCE = 0.01;
const ALWAYS_LISTED = 5;

/** Whether the hit at a place of the list is worth listing. */
export function isRelevant({ score }: Hit, at: number): boolean {
  return at < ALWAYS_LISTED || score >= LEAST_RELEVANCE;
}

/** A relevance as people read it: `57%`, `<1%`. */
export function percent(score: number): string {
  return score < 0.01 ? '<1%' : `${Math.round(score * 100)}%`;
}
