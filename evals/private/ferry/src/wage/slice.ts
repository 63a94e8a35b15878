import { feastOn, feastSpan } from '../dom/feasts.ts';
import type { Span } from '../kit/span.ts';
import { clip, lenOf, splitAt } from '../kit/span.ts';
import type { Day, Min } from '../kit/time.ts';
import { atWall, dayOf, dowOf, hopDay } from '../kit/time.ts';
import type { Premium, Tariff } from './tariff.ts';

export interface Sliver {
  span: Span;
  day: Day;
  mins: number;
  night: boolean;
  band: 'plain' | 'sat' | 'sun' | 'feast' | 'big';
}

const NIGHT_ON = '20:00';
const NIGHT_OFF = '06:00';
const SAT_ON = '14:00';

function marksFor(s: Span, base: string): Min[] {
  const out: Min[] = [];
  const stop = hopDay(dayOf(s.b), 1);
  for (let d = hopDay(dayOf(s.a), -1); d <= stop; d = hopDay(d, 1)) {
    out.push(atWall(d, '00:00'), atWall(d, NIGHT_OFF), atWall(d, NIGHT_ON));
    if (dowOf(d) === 6) out.push(atWall(d, SAT_ON));
    const f = feastOn(d, base);
    if (f) {
      const fs = feastSpan(f);
      out.push(fs.a, fs.b);
    }
  }
  return out;
}

function bandAt(t: Min, base: string): Sliver['band'] {
  const day = dayOf(t);
  const f = feastOn(day, base);
  if (f && t >= feastSpan(f).a) return f.big ? 'big' : 'feast';
  const dow = dowOf(day);
  if (dow === 0) return 'sun';
  if (dow === 6 && t >= atWall(day, SAT_ON)) return 'sat';
  return 'plain';
}

function nightAt(t: Min): boolean {
  const day = dayOf(t);
  return t < atWall(day, NIGHT_OFF) || t >= atWall(day, NIGHT_ON);
}

export function shave(s: Span, base: string): Sliver[] {
  const out: Sliver[] = [];
  for (const p of splitAt(s, marksFor(s, base))) {
    const mid = p.a;
    const next: Sliver = { span: p, day: dayOf(mid), mins: lenOf(p), night: nightAt(mid), band: bandAt(mid, base) };
    const tail = out[out.length - 1];
    if (tail && tail.day === next.day && tail.night === next.night && tail.band === next.band) {
      tail.span.b = p.b;
      tail.mins += next.mins;
    } else out.push(next);
  }
  return wholeNight(out);
}

function wholeNight(xs: Sliver[]): Sliver[] {
  const nightMins = xs.reduce((p, x) => p + (x.night ? x.mins : 0), 0);
  const all = xs.reduce((p, x) => p + x.mins, 0);
  if (nightMins * 2 <= all || all < 180) return xs;
  return xs.map((x) => ({ ...x, night: true }));
}

export function premiumsOf(x: Sliver, t: Tariff): Premium[] {
  const out: Premium[] = [];
  const pick = { plain: null, sat: t.sat, sun: t.sun, feast: t.feast, big: t.bigFeast }[x.band];
  if (pick) out.push(pick);
  if (x.night && (t.night.stack || !pick)) out.push(t.night);
  return out;
}

export function roundClock(on: Min, off: Min, planOn: Min, planOff: Min): Span {
  let a = on;
  let b = off;
  if (Math.abs(on - planOn) <= 7) a = planOn;
  else if (on < planOn) a = Math.ceil(on / 15) * 15;
  else a = on;
  if (Math.abs(off - planOff) <= 7) b = planOff;
  else if (off > planOff) b = Math.ceil(off / 15) * 15;
  return { a: Math.min(a, planOn + 240), b: Math.max(a, b) };
}

export function unpaidBreak(s: Span, idle: Span[]): number {
  const len = lenOf(s);
  if (len < 6 * 60) return 0;
  const due = len >= 10 * 60 ? 45 : 30;
  let best = 0;
  for (const i of idle) {
    const c = clip(i, s);
    if (c) best = Math.max(best, lenOf(c));
  }
  return best >= due + 15 ? due : 0;
}

export function dropTail(xs: Sliver[], mins: number): Sliver[] {
  const out = xs.map((x) => ({ ...x, span: { ...x.span } }));
  let left = mins;
  const order = out.map((x, i) => ({ x, i })).sort((p, q) => weight(p.x) - weight(q.x) || q.i - p.i);
  for (const { x } of order) {
    if (left <= 0) break;
    const cut = Math.min(left, x.mins);
    x.mins -= cut;
    x.span.b -= cut;
    left -= cut;
  }
  return out.filter((x) => x.mins > 0);
}

function weight(x: Sliver): number {
  const b = { plain: 0, sat: 1, sun: 2, feast: 3, big: 4 }[x.band];
  return b + (x.night ? 0.5 : 0);
}
