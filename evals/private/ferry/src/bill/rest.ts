import type { Span } from '../kit/span.ts';
import { fuse, holes, lenOf, total, within } from '../kit/span.ts';
import type { Min } from '../kit/time.ts';
import { DAY, dayOf, HOUR, hrs, WEEK } from '../kit/time.ts';

export interface RestRule {
  per24: number;
  longPiece: number;
  pieces: number;
  per7d: number;
  maxBetween: number;
}

export interface Lapse {
  rule: keyof RestRule;
  at: Min;
  got: number;
  want: number;
}

export const MLC: RestRule = { per24: 10 * HOUR, longPiece: 6 * HOUR, pieces: 2, per7d: 77 * HOUR, maxBetween: 14 * HOUR };
export const HSC_RULE: RestRule = { per24: 11 * HOUR, longPiece: 8 * HOUR, pieces: 2, per7d: 84 * HOUR, maxBetween: 12 * HOUR };

const PIECE_MIN = 60;

export function restIn(work: Span[], frame: Span): Span[] {
  return holes(work, frame).filter((s) => lenOf(s) >= PIECE_MIN);
}

function probes(work: Span[]): Min[] {
  const out = new Set<Min>();
  for (const s of work) {
    out.add(s.b);
    out.add(s.a + DAY);
  }
  return [...out].sort((p, q) => p - q);
}

export function lapses(workRaw: Span[], rule: RestRule, focus?: Span): Lapse[] {
  const work = fuse(workRaw);
  const out: Lapse[] = [];
  for (const end of probes(work)) {
    const day = { a: end - DAY, b: end };
    if (focus && (day.b <= focus.a || day.a >= focus.b)) continue;
    const rest = restIn(work, day).sort((p, q) => lenOf(q) - lenOf(p));
    const counted = total(rest.slice(0, rule.pieces));
    if (counted < rule.per24) out.push({ rule: 'per24', at: end, got: counted, want: rule.per24 });
    else if (!rest.length || lenOf(rest[0]) < rule.longPiece) {
      out.push({ rule: 'longPiece', at: end, got: rest.length ? lenOf(rest[0]) : 0, want: rule.longPiece });
    }
  }
  for (const s of work) {
    const wk = { a: s.b - WEEK, b: s.b };
    if (focus && (wk.b <= focus.a || wk.a >= focus.b)) continue;
    const got = total(holes(work, wk));
    if (got < rule.per7d) out.push({ rule: 'per7d', at: s.b, got, want: rule.per7d });
  }
  for (const s of longHauls(work)) {
    if (lenOf(s) <= rule.maxBetween) continue;
    if (focus && (s.b <= focus.a || s.a >= focus.b)) continue;
    out.push({ rule: 'maxBetween', at: s.b, got: lenOf(s), want: rule.maxBetween });
  }
  return squash(out);
}

function longHauls(work: Span[]): Span[] {
  return fuse(work, PIECE_MIN - 1);
}

function squash(xs: Lapse[]): Lapse[] {
  const best = new Map<string, Lapse>();
  for (const l of xs) {
    const k = `${l.rule}|${dayOf(l.at)}`;
    const was = best.get(k);
    const depth = (x: Lapse): number => Math.abs(x.want - x.got);
    if (!was || depth(l) > depth(was)) best.set(k, l);
  }
  return [...best.values()].sort((p, q) => p.at - q.at);
}

export function canTake(work: Span[], extra: Span, rule: RestRule): boolean {
  const near = within(work, { a: extra.a - WEEK, b: extra.b + WEEK });
  const base = lapses(near, rule, extra).length;
  return lapses([...near, extra], rule, extra).length <= base;
}

export function sayLapse(l: Lapse): string {
  const got = hrs(l.got);
  const want = hrs(l.want);
  switch (l.rule) {
    case 'per24':
      return `only ${got} rest in the day up to ${dayOf(l.at)}, ${want} due`;
    case 'longPiece':
      return `longest rest ${got}, one of ${want} due`;
    case 'per7d':
      return `only ${got} rest in seven days, ${want} due`;
    case 'maxBetween':
      return `${got} on duty without a proper break, limit ${want}`;
    default:
      return `rest rule ${l.rule}`;
  }
}
