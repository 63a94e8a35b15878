import type { Min } from '../kit/time.ts';
import { HOUR } from '../kit/time.ts';
import { FerryErr } from '../kit/bits.ts';

export interface Wave {
  c: string;
  ampCm: number;
  lagDeg: number;
}

export interface Gauge {
  port: string;
  z0: number;
  waves: Wave[];
  lagMin?: number;
  ref?: string;
  ratio?: number;
}

export interface Turn {
  at: Min;
  cm: number;
  hw: boolean;
}

const RATE: Record<string, number> = {
  M2: 28.984104,
  S2: 30.0,
  N2: 28.43973,
  K1: 15.041069,
  O1: 13.943036,
  M4: 57.968208,
  SA: 0.041069,
};

const EPOCH: Min = Date.UTC(2000, 0, 1) / 60000;
const RAD = Math.PI / 180;

export class TideBook {
  private gauges = new Map<string, Gauge>();
  private turnMemo = new Map<string, Turn[]>();

  add(g: Gauge): void {
    for (const w of g.waves) if (!(w.c in RATE)) throw new FerryErr('bad_input', `unknown constituent ${w.c}`);
    this.gauges.set(g.port, g);
    this.turnMemo.clear();
  }

  has(port: string): boolean {
    return this.gauges.has(port);
  }

  private astro(g: Gauge, t: Min): number {
    if (g.ref) {
      const parent = this.gauges.get(g.ref);
      if (!parent) throw new FerryErr('no_such', `reference gauge ${g.ref}`);
      const raw = this.astro(parent, t - (g.lagMin ?? 0)) - parent.z0;
      return g.z0 + raw * (g.ratio ?? 1);
    }
    const h = (t - EPOCH) / HOUR;
    let sum = g.z0;
    for (const w of g.waves) sum += w.ampCm * this.nodal(w.c, t) * Math.cos((RATE[w.c] * h - w.lagDeg) * RAD);
    return sum;
  }

  private nodal(c: string, t: Min): number {
    const yrs = (t - EPOCH) / (HOUR * 24 * 365.25);
    const n = (125.04 - 19.3413 * yrs) * RAD;
    if (c === 'M2' || c === 'N2') return 1 - 0.037 * Math.cos(n);
    if (c === 'O1') return 1.009 + 0.187 * Math.cos(n);
    if (c === 'K1') return 1.006 + 0.115 * Math.cos(n);
    if (c === 'M4') return (1 - 0.037 * Math.cos(n)) ** 2;
    return 1;
  }

  levelCm(port: string, t: Min): number {
    const g = this.gauges.get(port);
    if (!g) throw new FerryErr('no_such', `gauge ${port}`);
    return this.astro(g, t);
  }

  turns(port: string, a: Min, b: Min): Turn[] {
    const key = `${port}|${a}|${b}`;
    const memo = this.turnMemo.get(key);
    if (memo) return memo;
    const step = 20;
    const out: Turn[] = [];
    let y0 = this.levelCm(port, a - step);
    let y1 = this.levelCm(port, a);
    for (let t = a; t < b; t += step) {
      const y2 = this.levelCm(port, t + step);
      const up = y1 > y0 && y1 >= y2;
      const dn = y1 < y0 && y1 <= y2;
      if (up || dn) {
        const den = y0 - 2 * y1 + y2;
        const off = den === 0 ? 0 : (0.5 * (y0 - y2)) / den;
        const at = Math.round(t + off * step);
        const cm = this.levelCm(port, at);
        const prev = out[out.length - 1];
        if (!prev || at - prev.at > 2 * HOUR) out.push({ at, cm, hw: up });
      }
      y0 = y1;
      y1 = y2;
    }
    if (this.turnMemo.size > 500) this.turnMemo.clear();
    this.turnMemo.set(key, out);
    return out;
  }
}
