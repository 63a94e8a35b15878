import { must } from '../kit/bits.ts';
import type { Span } from '../kit/span.ts';
import { hits } from '../kit/span.ts';
import type { Day, Min } from '../kit/time.ts';
import { DAY, dayOf } from '../kit/time.ts';
import type { Absence, Clocking, Hand, Hull, PayLine, Rank, Sailing, Slot, Stint, SwapDeal } from './types.ts';

export class Deck {
  seq = 0;
  hands = new Map<string, Hand>();
  hulls = new Map<string, Hull>();
  sailings = new Map<string, Sailing>();
  stints = new Map<string, Stint>();
  deals = new Map<string, SwapDeal>();
  absences = new Map<string, Absence>();
  clockings = new Map<string, Clocking>();
  paid = new Map<string, { digest: string; lines: PayLine[] }>();
  private byHand = new Map<string, Set<string>>();

  hand(id: string): Hand {
    return must(this.hands.get(id), `hand ${id}`);
  }

  hull(id: string): Hull {
    return must(this.hulls.get(id), `hull ${id}`);
  }

  stint(id: string): Stint {
    return must(this.stints.get(id), `stint ${id}`);
  }

  slot(id: string, ix: number): Slot {
    return must(this.stint(id).slots[ix], `slot ${id}/${ix}`);
  }

  seat(stintId: string, ix: number, handId: string | null): void {
    const sl = this.slot(stintId, ix);
    const was = sl.handId;
    sl.handId = handId;
    if (was && !this.stint(stintId).slots.some((s) => s.handId === was)) this.byHand.get(was)?.delete(stintId);
    if (handId) {
      let set = this.byHand.get(handId);
      if (!set) this.byHand.set(handId, (set = new Set()));
      set.add(stintId);
    }
  }

  reindex(): void {
    this.byHand.clear();
    for (const st of this.stints.values()) {
      for (const sl of st.slots) {
        if (!sl.handId) continue;
        let set = this.byHand.get(sl.handId);
        if (!set) this.byHand.set(sl.handId, (set = new Set()));
        set.add(st.id);
      }
    }
  }

  stintsOf(handId: string, frame?: Span): Stint[] {
    const out: Stint[] = [];
    for (const id of this.byHand.get(handId) ?? []) {
      const st = this.stints.get(id);
      if (!st || st.state === 'void') continue;
      if (frame && !hits({ a: st.on, b: st.off }, frame)) continue;
      out.push(st);
    }
    return out.sort((p, q) => p.on - q.on);
  }

  workOf(handId: string, frame: Span, minus?: string): Span[] {
    const out: Span[] = [];
    for (const st of this.stintsOf(handId, frame)) {
      if (st.id === minus) continue;
      const c = this.clockings.get(`${st.id}/${handId}`);
      out.push(c ? { a: c.on, b: c.off } : { a: st.on, b: st.off });
    }
    return out;
  }

  stintsBetween(a: Day, b: Day): Stint[] {
    return [...this.stints.values()]
      .filter((s) => s.state !== 'void' && s.day >= a && s.day <= b)
      .sort((p, q) => p.on - q.on || (p.id < q.id ? -1 : 1));
  }

  sailingsOf(hullId: string, a: Min, b: Min): Sailing[] {
    return [...this.sailings.values()]
      .filter((s) => s.hullId === hullId && s.state !== 'scrubbed' && s.dep >= a && s.dep < b)
      .sort((p, q) => p.dep - q.dep);
  }

  awayOn(handId: string, day: Day): Absence | undefined {
    for (const ab of this.absences.values()) {
      if (ab.handId !== handId || ab.state !== 'ok') continue;
      if (ab.from <= day && day <= ab.to) return ab;
    }
    return undefined;
  }

  awayDuring(handId: string, s: Span): Absence | undefined {
    for (let t = s.a; t < s.b; t += DAY) {
      const hit = this.awayOn(handId, dayOf(t));
      if (hit) return hit;
    }
    return this.awayOn(handId, dayOf(s.b - 1));
  }

  onBooks(day: Day, rank?: Rank): Hand[] {
    const out: Hand[] = [];
    for (const h of this.hands.values()) {
      if (h.contract.since > day) continue;
      if (h.left && h.left < day) continue;
      if (h.contract.ends && h.contract.ends < day) continue;
      if (rank && h.rank !== rank && !h.alsoAs.includes(rank)) continue;
      out.push(h);
    }
    return out;
  }

  mates(stintId: string, except: string): Hand[] {
    return this.stint(stintId)
      .slots.filter((s) => s.handId && s.handId !== except)
      .map((s) => this.hand(s.handId as string));
  }

  lastPort(handId: string, before: Min): { port: string; at: Min } | null {
    let best: Stint | null = null;
    for (const st of this.stintsOf(handId)) {
      if (st.off > before) break;
      best = st;
    }
    return best ? { port: best.toPort, at: best.off } : null;
  }

  find(q: { text?: string; rank?: Rank; base?: string; day: Day }): Hand[] {
    const needle = q.text?.trim().toLowerCase();
    const scored: { h: Hand; s: number }[] = [];
    for (const h of this.onBooks(q.day, q.rank)) {
      if (q.base && h.base !== q.base) continue;
      if (!needle) {
        scored.push({ h, s: 0 });
        continue;
      }
      const name = h.name.toLowerCase();
      if (name.startsWith(needle)) scored.push({ h, s: 3 });
      else if (name.split(/\s+/).some((w) => w.startsWith(needle))) scored.push({ h, s: 2 });
      else if (h.id === needle || h.tkts.some((t) => t.no.toLowerCase() === needle)) scored.push({ h, s: 4 });
      else if (name.includes(needle)) scored.push({ h, s: 1 });
    }
    return scored.sort((p, q2) => q2.s - p.s || p.h.name.localeCompare(q2.h.name)).map((x) => x.h);
  }
}
