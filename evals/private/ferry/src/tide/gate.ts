import type { Hull, Sailing } from '../dom/types.ts';
import type { Span } from '../kit/span.ts';
import { fuse, meet } from '../kit/span.ts';
import type { Min } from '../kit/time.ts';
import type { TideBook } from './harm.ts';

export interface Sill {
  port: string;
  bedCm: number;
  ukcCm: number;
  maxCm?: number;
  rampMin?: number;
}

export interface Verdict {
  ok: boolean;
  depSpare: number;
  arrSpare: number;
  limit?: 'shallow' | 'ramp' | 'flood';
}

export class Gatekeeper {
  private sills = new Map<string, Sill>();
  private book: TideBook;
  constructor(book: TideBook) {
    this.book = book;
  }

  addSill(s: Sill): void {
    this.sills.set(s.port, s);
  }

  needCm(port: string, hull: Hull): number | null {
    const s = this.sills.get(port);
    if (!s || !this.book.has(port)) return null;
    const squat = hull.hsc ? 25 : 10;
    return hull.draftCm + s.ukcCm + squat - s.bedCm;
  }

  spareCm(port: string, hull: Hull, t: Min): number {
    const need = this.needCm(port, hull);
    return need === null ? Infinity : this.book.levelCm(port, t) - need;
  }

  private crossing(port: string, lvl: number, a: Min, b: Min): Min {
    const rising = this.book.levelCm(port, b) > this.book.levelCm(port, a);
    let lo = a;
    let hi = b;
    while (hi - lo > 1) {
      const mid = Math.floor((lo + hi) / 2);
      const above = this.book.levelCm(port, mid) >= lvl;
      if (above === rising) hi = mid;
      else lo = mid;
    }
    return rising ? hi : lo;
  }

  afloat(port: string, hull: Hull, frame: Span): Span[] {
    const need = this.needCm(port, hull);
    if (need === null) return [{ ...frame }];
    const s = this.sills.get(port) as Sill;
    const deep = this.stretches(port, need, frame, true);
    if (s.maxCm === undefined) return deep;
    return meet(deep, this.stretches(port, s.maxCm, frame, false));
  }

  private stretches(port: string, lvl: number, frame: Span, above: boolean): Span[] {
    const out: Span[] = [];
    const step = 30;
    let open: Min | null = null;
    let prev = frame.a;
    const okAt = (t: Min): boolean => this.book.levelCm(port, t) >= lvl === above;
    let was = okAt(frame.a);
    if (was) open = frame.a;
    for (let t = frame.a + step; ; t += step) {
      const cur = Math.min(t, frame.b);
      const now = okAt(cur);
      if (now !== was) {
        const x = this.crossing(port, lvl, prev, cur);
        if (now) open = x;
        else if (open !== null) {
          out.push({ a: open, b: x });
          open = null;
        }
      }
      was = now;
      prev = cur;
      if (cur >= frame.b) break;
    }
    if (open !== null) out.push({ a: open, b: frame.b });
    return fuse(out);
  }

  judge(s: Sailing, hull: Hull, dep = s.dep): Verdict {
    const arr = dep + (s.arr - s.dep);
    const depSpare = this.spareCm(s.from, hull, dep);
    const arrSpare = this.spareCm(s.to, hull, arr);
    if (depSpare < 0 || arrSpare < 0) return { ok: false, depSpare, arrSpare, limit: 'shallow' };
    for (const [port, t] of [
      [s.from, dep],
      [s.to, arr],
    ] as [string, Min][]) {
      const sill = this.sills.get(port);
      if (!sill || !this.book.has(port)) continue;
      if (sill.maxCm !== undefined && this.book.levelCm(port, t) > sill.maxCm) {
        return { ok: false, depSpare, arrSpare, limit: 'flood' };
      }
      if (sill.rampMin !== undefined && this.book.levelCm(port, t) < sill.rampMin) {
        return { ok: false, depSpare, arrSpare, limit: 'ramp' };
      }
    }
    return { ok: true, depSpare, arrSpare };
  }

  goWindows(s: Sailing, hull: Hull, early: number, late: number): Span[] {
    const run = s.arr - s.dep;
    const frame = { a: s.plannedDep - early, b: s.plannedDep + late + 1 };
    const out = this.afloat(s.from, hull, frame);
    const inn = this.afloat(s.to, hull, { a: frame.a + run, b: frame.b + run });
    return meet(
      out,
      inn.map((w) => ({ a: w.a - run, b: w.b - run })),
    );
  }

  nearestGo(s: Sailing, hull: Hull, early: number, late: number): Min | null {
    let best: Min | null = null;
    for (const w of this.goWindows(s, hull, early, late)) {
      const cand = s.plannedDep < w.a ? w.a : s.plannedDep >= w.b ? w.b - 1 : s.plannedDep;
      const rounded = Math.ceil(cand / 5) * 5;
      const t = rounded < w.b ? rounded : cand;
      if (!this.judge(s, hull, t).ok) continue;
      if (best === null || Math.abs(t - s.plannedDep) < Math.abs(best - s.plannedDep)) best = t;
    }
    return best;
  }
}
