import type { Deck } from '../dom/deck.ts';
import type { Evt, Hull, Sailing, Stint } from '../dom/types.ts';
import { FerryErr } from '../kit/bits.ts';
import type { Min } from '../kit/time.ts';
import { DAY, hm, HOUR } from '../kit/time.ts';
import type { Gatekeeper } from '../tide/gate.ts';

const EARLY_MAX = 30;
const LATE_MAX = 150;
const KNOCK_MAX = 120;

export interface Ripple {
  evts: Evt[];
  shifted: Map<string, { dep: Min; arr: Min }>;
  scrubbed: string[];
}

export function tideSweep(deck: Deck, gk: Gatekeeper, a: Min, b: Min): Evt[] {
  const out: Evt[] = [];
  for (const hull of deck.hulls.values()) {
    const legs = deck.sailingsOf(hull.id, a, b);
    let freeAt = -Infinity;
    let portNow: string | null = null;
    for (const s of legs) {
      if (s.state === 'sailed') {
        freeAt = s.arr + hull.turnMin;
        portNow = s.to;
        continue;
      }
      if (portNow !== null && portNow !== s.from) {
        out.push({ t: 'sail.scrubbed', id: s.id, why: `vessel is held at ${portNow}` });
        continue;
      }
      const t = pickTime(gk, s, hull, freeAt);
      if (t === null) {
        out.push({ t: 'sail.scrubbed', id: s.id, why: 'no water' });
        if (portNow === null) portNow = s.from;
        continue;
      }
      const arr = t + (s.arr - s.dep);
      if (t !== s.dep) out.push({ t: 'sail.shifted', id: s.id, dep: t, arr, why: reason(gk, s, hull, t) });
      freeAt = arr + hull.turnMin;
      portNow = s.to;
    }
  }
  return out;
}

function pickTime(gk: Gatekeeper, s: Sailing, hull: Hull, freeAt: Min): Min | null {
  const base = Math.max(s.plannedDep, freeAt);
  if (base - s.plannedDep <= KNOCK_MAX && gk.judge(s, hull, base).ok) return base;
  const t = gk.nearestGo(s, hull, EARLY_MAX, LATE_MAX);
  if (t !== null && t >= freeAt) return t;
  for (const w of gk.goWindows(s, hull, EARLY_MAX, LATE_MAX)) {
    const x = Math.max(w.a, freeAt);
    if (x < w.b && gk.judge(s, hull, x).ok) return x;
  }
  return null;
}

function reason(gk: Gatekeeper, s: Sailing, hull: Hull, t: Min): string {
  if (t < s.plannedDep) return `leaves ahead of falling water, was ${hm(s.plannedDep)}`;
  const v = gk.judge(s, hull, s.plannedDep);
  if (v.ok) return 'late inbound vessel';
  return v.limit === 'flood' ? 'linkspan under water' : `waits for water, was ${hm(s.plannedDep)}`;
}

export function ripple(deck: Deck, sailingId: string, dep: Min, why: string): Ripple {
  const s = deck.sailings.get(sailingId);
  if (!s) throw new FerryErr('no_such', `sailing ${sailingId}`);
  if (s.state === 'scrubbed' || s.state === 'sailed') throw new FerryErr('stale', `sailing is ${s.state}`);
  const hull = deck.hull(s.hullId);
  const out: Ripple = { evts: [], shifted: new Map(), scrubbed: [] };
  const put = (x: Sailing, d: Min, w: string): void => {
    const arr = d + (x.arr - x.dep);
    out.shifted.set(x.id, { dep: d, arr });
    out.evts.push({ t: 'sail.shifted', id: x.id, dep: d, arr, why: w });
  };
  put(s, dep, why);
  let free = dep + (s.arr - s.dep) + hull.turnMin;
  let here = s.to;
  for (const n of deck.sailingsOf(s.hullId, s.dep + 1, s.dep + DAY)) {
    if (n.from !== here) {
      out.scrubbed.push(n.id);
      out.evts.push({ t: 'sail.scrubbed', id: n.id, why: 'vessel out of position' });
      continue;
    }
    if (n.dep >= free) break;
    if (free - n.plannedDep > KNOCK_MAX) {
      out.scrubbed.push(n.id);
      out.evts.push({ t: 'sail.scrubbed', id: n.id, why: `knock-on of ${s.pat}` });
      continue;
    }
    put(n, free, `knock-on of ${s.pat}`);
    free += n.arr - n.dep + hull.turnMin;
    here = n.to;
  }
  return out;
}

export function stretchStints(deck: Deck, moved: Map<string, { dep: Min; arr: Min }>, pre: number, post: number): Evt[] {
  const out: Evt[] = [];
  const touched = new Set<Stint>();
  for (const st of deck.stints.values()) {
    if (st.state !== 'void' && st.sailingIds.some((id) => moved.has(id))) touched.add(st);
  }
  for (const st of touched) {
    let first = Infinity;
    let last = -Infinity;
    for (const id of st.sailingIds) {
      const s = deck.sailings.get(id);
      if (!s || s.state === 'scrubbed') continue;
      const m = moved.get(id) ?? s;
      first = Math.min(first, m.dep);
      last = Math.max(last, m.arr);
    }
    if (first === Infinity) {
      out.push({ t: 'stint.void', id: st.id, why: 'nothing left to sail' });
      continue;
    }
    const on = first - pre;
    const off = last + post;
    const keepOn = st.state === 'posted' ? Math.min(st.on, on) : on;
    if (keepOn !== st.on || off !== st.off) out.push({ t: 'stint.stretched', id: st.id, on: keepOn, off });
  }
  return out;
}

export function scrub(deck: Deck, sailingId: string, why: string, now: Min): Evt[] {
  const s = deck.sailings.get(sailingId);
  if (!s) throw new FerryErr('no_such', `sailing ${sailingId}`);
  if (s.dep <= now) throw new FerryErr('stale', 'already departed');
  const out: Evt[] = [{ t: 'sail.scrubbed', id: s.id, why }];
  const later = deck.sailingsOf(s.hullId, s.dep + 1, s.dep + 18 * HOUR);
  const back = later.find((x) => x.from === s.to && x.to === s.from);
  if (back && later.indexOf(back) === 0) out.push({ t: 'sail.scrubbed', id: back.id, why: `return leg of ${s.pat}` });
  const gone = new Set(out.map((e) => (e.t === 'sail.scrubbed' ? e.id : '')));
  for (const st of deck.stints.values()) {
    if (st.state === 'void' || !st.sailingIds.some((id) => gone.has(id))) continue;
    const alive = st.sailingIds.filter((id) => !gone.has(id) && deck.sailings.get(id)?.state !== 'scrubbed');
    if (!alive.length) out.push({ t: 'stint.void', id: st.id, why: 'all legs cancelled' });
  }
  return out;
}
