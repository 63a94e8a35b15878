import type { Min } from './time.ts';

export interface Span {
  a: Min;
  b: Min;
}

export function lenOf(s: Span): number {
  return Math.max(0, s.b - s.a);
}

export function total(xs: Span[]): number {
  let n = 0;
  for (const s of xs) n += lenOf(s);
  return n;
}

export function hits(x: Span, y: Span): boolean {
  return x.a < y.b && y.a < x.b;
}

export function clip(x: Span, to: Span): Span | null {
  const a = Math.max(x.a, to.a);
  const b = Math.min(x.b, to.b);
  return a < b ? { a, b } : null;
}

export function fuse(xs: Span[], slack = 0): Span[] {
  const sorted = xs.filter((s) => s.b > s.a).sort((p, q) => p.a - q.a || p.b - q.b);
  const out: Span[] = [];
  for (const s of sorted) {
    const tail = out[out.length - 1];
    if (tail && s.a <= tail.b + slack) tail.b = Math.max(tail.b, s.b);
    else out.push({ a: s.a, b: s.b });
  }
  return out;
}

export function holes(xs: Span[], frame: Span): Span[] {
  const out: Span[] = [];
  let cur = frame.a;
  for (const s of fuse(xs)) {
    if (s.b <= frame.a) continue;
    if (s.a >= frame.b) break;
    if (s.a > cur) out.push({ a: cur, b: Math.min(s.a, frame.b) });
    cur = Math.max(cur, s.b);
  }
  if (cur < frame.b) out.push({ a: cur, b: frame.b });
  return out;
}

export function meet(xs: Span[], ys: Span[]): Span[] {
  const p = fuse(xs);
  const q = fuse(ys);
  const out: Span[] = [];
  let i = 0;
  let j = 0;
  while (i < p.length && j < q.length) {
    const c = clip(p[i], q[j]);
    if (c) out.push(c);
    if (p[i].b < q[j].b) i++;
    else j++;
  }
  return out;
}

export function within(xs: Span[], frame: Span): Span[] {
  const out: Span[] = [];
  for (const s of xs) {
    const c = clip(s, frame);
    if (c) out.push(c);
  }
  return out;
}

export function splitAt(x: Span, marks: Min[]): Span[] {
  const inner = [...new Set(marks)].filter((m) => m > x.a && m < x.b).sort((p, q) => p - q);
  const out: Span[] = [];
  let a = x.a;
  for (const m of inner) {
    out.push({ a, b: m });
    a = m;
  }
  out.push({ a, b: x.b });
  return out;
}
