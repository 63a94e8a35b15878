import { clamp } from '../kit/bits.ts';
import type { Span } from '../kit/span.ts';
import { fuse, holes, lenOf } from '../kit/span.ts';
import type { Min } from '../kit/time.ts';
import { DAY, HOUR, wallAt, WEEK } from '../kit/time.ts';

const TAU_UP = 18.2;
const TAU_DN = 4.2;
const LOW = 2.4;
const HIGH = 14.3;
const START = 13.2;
const COMMUTE = 45;
const WIND_DOWN = 60;

export interface WearyTrace {
  peak: number;
  peakAt: Min;
  mean: number;
  debt: number;
}

function hourFrac(t: Min): number {
  const w = wallAt(t);
  return w.hh + w.mm / 60;
}

function nightiness(t: Min): number {
  const x = ((hourFrac(t) - 3.5) / 24) * 2 * Math.PI;
  return (1 + Math.cos(x)) / 2;
}

export function guessSleep(work: Span[], frame: Span): Span[] {
  const out: Span[] = [];
  for (const gap of holes(work, frame)) {
    const edgeA = gap.a === frame.a ? 0 : COMMUTE + WIND_DOWN;
    const edgeB = gap.b === frame.b ? 0 : COMMUTE + 45;
    const bed = { a: gap.a + edgeA, b: gap.b - edgeB };
    if (lenOf(bed) < 90) continue;
    if (lenOf(bed) <= 9 * HOUR) {
      out.push(trimNap(bed));
      continue;
    }
    out.push(...nightsIn(bed));
  }
  return fuse(out);
}

function trimNap(bed: Span): Span {
  const mid = (bed.a + bed.b) / 2;
  const eff = 0.55 + 0.4 * nightiness(mid);
  const len = Math.min(8 * HOUR, lenOf(bed) * eff);
  const lead = (lenOf(bed) - len) * (nightiness(bed.a) > nightiness(bed.b) ? 0.2 : 0.8);
  const a = Math.round(bed.a + lead);
  return { a, b: Math.round(a + len) };
}

function nightsIn(bed: Span): Span[] {
  const out: Span[] = [];
  let t = bed.a;
  while (t < bed.b) {
    const w = wallAt(t);
    const sinceEve = (w.hh * 60 + w.mm - 23 * 60 + DAY) % DAY;
    const eve = sinceEve < 8 * HOUR ? t - sinceEve : t - sinceEve + DAY;
    const a = Math.max(t, eve);
    const b = Math.min(eve + 8 * HOUR, bed.b);
    if (b - a >= 60) out.push({ a, b });
    t = eve + 8 * HOUR;
    if (t <= bed.a) t = bed.a + HOUR;
  }
  return out;
}

function press(s: number, h: number, asleep: boolean): number {
  if (asleep) return HIGH - (HIGH - s) * Math.exp(-h / TAU_DN);
  return LOW + (s - LOW) * Math.exp(-h / TAU_UP);
}

function bodyClock(t: Min): number {
  const h = hourFrac(t);
  const c = 2.5 * Math.cos((2 * Math.PI * (h - 16.8)) / 24);
  const u = -0.5 + 0.5 * Math.cos((2 * Math.PI * (h - 21.8)) / 12);
  return c + u;
}

export function trace(workRaw: Span[], focus: Span): WearyTrace {
  const frame = { a: focus.a - WEEK, b: focus.b };
  const work = fuse(workRaw);
  const sleep = guessSleep(work, frame);
  const step = 15;
  let s = START;
  let i = 0;
  let sum = 0;
  let n = 0;
  let peak = 0;
  let peakAt = focus.a;
  for (let t = frame.a; t < frame.b; t += step) {
    while (i < sleep.length && sleep[i].b <= t) i++;
    const asleep = i < sleep.length && sleep[i].a <= t;
    s = press(s, step / 60, asleep);
    if (t < focus.a) continue;
    const onFor = t - focus.a;
    const alert = s + bodyClock(t) - (onFor > 8 * HOUR ? ((onFor - 8 * HOUR) / HOUR) * 0.25 : 0);
    const score = toScore(alert);
    sum += score;
    n++;
    if (score > peak) {
      peak = score;
      peakAt = t;
    }
  }
  return { peak, peakAt, mean: n ? Math.round(sum / n) : 0, debt: sleepDebt(sleep, focus.a) };
}

function toScore(alert: number): number {
  return Math.round(clamp(((15 - alert) / 12) * 100, 0, 100));
}

function sleepDebt(sleep: Span[], at: Min): number {
  let owed = 0;
  for (let d = 3; d >= 1; d--) {
    const frame = { a: at - d * DAY, b: at - (d - 1) * DAY };
    let got = 0;
    for (const s of sleep) got += Math.max(0, Math.min(s.b, frame.b) - Math.max(s.a, frame.a));
    owed = Math.max(0, owed + 8 * HOUR - got);
  }
  return owed;
}

export function streakTax(work: Span[], at: Min): number {
  const frame = { a: at - 14 * DAY, b: at };
  let tax = 0;
  let earlies = 0;
  let nights = 0;
  for (const s of fuse(work)) {
    if (s.b <= frame.a || s.a >= frame.b) continue;
    const st = hourFrac(s.a);
    if (st >= 3 && st < 6) earlies++;
    else earlies = Math.max(0, earlies - 1);
    const w = wallAt(s.a).hh;
    const e = wallAt(s.b).hh;
    if (w >= 20 || e <= 5) nights++;
    else nights = 0;
    if (earlies >= 3) tax += 3;
    if (nights >= 3) tax += 4;
  }
  return Math.min(tax, 25);
}

export function flipTax(work: Span[]): number {
  const xs = fuse(work);
  let tax = 0;
  for (let i = 1; i < xs.length; i++) {
    const back = (hourFrac(xs[i - 1].a) - hourFrac(xs[i].a) + 24) % 24;
    const gap = xs[i].a - xs[i - 1].b;
    if (gap < 36 * HOUR && back >= 3 && back <= 12) tax += 2 + Math.round(back / 4);
  }
  return Math.min(tax, 20);
}

export function wearyScore(work: Span[], duty: Span): number {
  const past = work.filter((s) => s.a < duty.b && s.b > duty.a - 2 * WEEK);
  const tr = trace([...past, duty], duty);
  const base = 0.65 * tr.peak + 0.35 * tr.mean;
  const debt = Math.min(15, (tr.debt / HOUR) * 1.5);
  return Math.round(clamp(base + debt + streakTax(past, duty.a) + flipTax([...past, duty]), 0, 100));
}
