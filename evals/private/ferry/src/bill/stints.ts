import type { Deck } from '../dom/deck.ts';
import type { Berth, Evt, Hull, Sailing, Slot, Stint } from '../dom/types.ts';
import { FerryErr, mkId } from '../kit/bits.ts';
import type { Day, Min } from '../kit/time.ts';
import { atWall, dayOf, HOUR, hopDay } from '../kit/time.ts';

export interface CutRule {
  pre: number;
  post: number;
  maxLen: number;
  splitGap: number;
  ideal: number;
}

export const CUT: CutRule = { pre: 40, post: 20, maxLen: 12 * HOUR, splitGap: 5 * HOUR, ideal: 9 * HOUR };

export function berthsFor(hull: Hull, pax: number): Berth[] {
  const tiers = [...hull.manning].sort((p, q) => p.upTo - q.upTo);
  const tier = tiers.find((m) => pax <= m.upTo);
  if (!tier) throw new FerryErr('bad_input', `${hull.name} may not carry ${pax}`);
  return tier.berths;
}

export function cutPoints(legs: Sailing[], home: string, rule: CutRule): number[] {
  const n = legs.length;
  const cost = new Array<number>(n + 1).fill(Infinity);
  const from = new Array<number>(n + 1).fill(-1);
  cost[0] = 0;
  for (let j = 1; j <= n; j++) {
    for (let i = j - 1; i >= 0; i--) {
      if (cost[i] === Infinity) continue;
      const len = legs[j - 1].arr + rule.post - (legs[i].dep - rule.pre);
      if (len > rule.maxLen && j - i > 1) break;
      let c = 300 + Math.abs(len - rule.ideal) * 0.5;
      if (legs[i].from !== home) c += 400;
      if (legs[j - 1].to !== home) c += 400;
      if (len > rule.maxLen) c += 5000;
      for (let k = i + 1; k < j; k++) {
        const idle = legs[k].dep - legs[k - 1].arr;
        if (idle > rule.splitGap) c += (idle - rule.splitGap) * 2;
      }
      if (cost[i] + c < cost[j]) {
        cost[j] = cost[i] + c;
        from[j] = i;
      }
    }
  }
  const out: number[] = [];
  for (let j = n; j > 0; j = from[j]) out.push(from[j]);
  return out.reverse();
}

export function cutDay(deck: Deck, hullId: string, day: Day, rule: CutRule = CUT): Stint[] {
  const hull = deck.hull(hullId);
  const a: Min = atWall(day, '03:00');
  const b: Min = atWall(hopDay(day, 1), '03:00');
  const legs = deck.sailingsOf(hullId, a, b);
  if (!legs.length) return [];
  const marks = cutPoints(legs, hull.home, rule);
  const out: Stint[] = [];
  for (let i = 0; i < marks.length; i++) {
    const part = legs.slice(marks[i], marks[i + 1] ?? legs.length);
    out.push(mkStint(hull, part, rule));
  }
  return out;
}

function mkStint(hull: Hull, legs: Sailing[], rule: CutRule): Stint {
  const head = legs[0];
  const tail = legs[legs.length - 1];
  const pax = Math.max(...legs.map((l) => l.pax));
  return {
    id: mkId('st', head.dep * 60000),
    hullId: hull.id,
    day: dayOf(head.dep),
    on: head.dep - rule.pre,
    off: tail.arr + rule.post,
    fromPort: head.from,
    toPort: tail.to,
    sailingIds: legs.map((l) => l.id),
    slots: berthsFor(hull, pax).map(blankSlot),
    state: 'draft',
  };
}

function blankSlot(b: Berth): Slot {
  return { rank: b.rank, need: b.need.slice(), handId: null, pinned: false };
}

export function recut(deck: Deck, hullId: string, day: Day): Evt[] {
  const old = deck.stintsBetween(day, day).filter((s) => s.hullId === hullId);
  if (old.some((s) => s.state === 'posted')) throw new FerryErr('locked', 'part of that day is already posted');
  const fresh = cutDay(deck, hullId, day);
  const out: Evt[] = [];
  const free = new Set(old);
  for (const st of fresh) {
    const twin = old.find((o) => free.has(o) && sameLegs(o, st));
    if (twin) {
      free.delete(twin);
      if (twin.on !== st.on || twin.off !== st.off) out.push({ t: 'stint.stretched', id: twin.id, on: st.on, off: st.off });
      continue;
    }
    const donor = [...free].sort((p, q) => overlap(q, st) - overlap(p, st))[0];
    if (donor && overlap(donor, st) * 2 >= st.sailingIds.length) inherit(donor, st);
    out.push({ t: 'stint.cut', stint: st });
  }
  for (const o of free) out.unshift({ t: 'stint.void', id: o.id, why: 'recut' });
  return out;
}

function sameLegs(p: Stint, q: Stint): boolean {
  return p.sailingIds.length === q.sailingIds.length && p.sailingIds.every((x, i) => x === q.sailingIds[i]);
}

function overlap(p: Stint, q: Stint): number {
  const set = new Set(p.sailingIds);
  return q.sailingIds.filter((x) => set.has(x)).length;
}

function inherit(from: Stint, to: Stint): void {
  const pool = from.slots.filter((s) => s.handId && s.pinned);
  for (const sl of to.slots) {
    const i = pool.findIndex((p) => p.rank === sl.rank);
    if (i < 0) continue;
    const [got] = pool.splice(i, 1);
    sl.handId = got.handId;
    sl.pinned = true;
    sl.src = got.src;
  }
}

export function postWeek(deck: Deck, a: Day, b: Day, now: Min): { evts: Evt[]; holes: string[] } {
  const evts: Evt[] = [];
  const gaps: string[] = [];
  for (const st of deck.stintsBetween(a, b)) {
    if (st.state !== 'draft' || st.off <= now) continue;
    const open = st.slots.filter((s) => !s.handId).map((s) => s.rank);
    const critical = open.some((r) => r === 'MSTR' || r === 'CENG');
    if (critical) {
      gaps.push(`${st.id}:${open.join('+')}`);
      continue;
    }
    evts.push({ t: 'stint.posted', id: st.id });
  }
  return { evts, holes: gaps };
}
