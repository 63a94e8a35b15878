import { Deck } from '../dom/deck.ts';
import type { Entry, Evt } from '../dom/types.ts';
import { FerryErr } from '../kit/bits.ts';
import type { Min } from '../kit/time.ts';

export function apply(d: Deck, ev: Evt, at: Min): void {
  switch (ev.t) {
    case 'hand.on':
      d.hands.set(ev.hand.id, structuredClone(ev.hand));
      return;
    case 'hand.off':
      d.hand(ev.handId).left = ev.last;
      return;
    case 'hand.moved':
      d.hand(ev.handId).base = ev.base;
      return;
    case 'tkt.filed': {
      const h = d.hand(ev.handId);
      h.tkts = [...h.tkts.filter((t) => t.no !== ev.tkt.no || t.kind !== ev.tkt.kind), { ...ev.tkt }];
      return;
    }
    case 'tkt.pulled':
      for (const t of d.hand(ev.handId).tkts) if (t.no === ev.no) t.pulled = ev.why;
      return;
    case 'hull.listed':
      d.hulls.set(ev.hull.id, structuredClone(ev.hull));
      return;
    case 'clocked':
      d.clockings.set(`${ev.c.stintId}/${ev.c.handId}`, { ...ev.c });
      return;
    case 'pay.locked':
      d.paid.set(ev.period, { digest: ev.digest, lines: ev.lines });
      return;
    default:
      if (ev.t.startsWith('sail.')) applySail(d, ev);
      else if (ev.t.startsWith('st') || ev.t.startsWith('slot.')) applyBill(d, ev, at);
      else applyDesk(d, ev);
  }
}

function applySail(d: Deck, ev: Evt): void {
  if (ev.t === 'sail.posted') {
    d.sailings.set(ev.sailing.id, { ...ev.sailing });
    return;
  }
  if (ev.t !== 'sail.shifted' && ev.t !== 'sail.scrubbed') return;
  const s = d.sailings.get(ev.id);
  if (!s) throw new FerryErr('no_such', `sailing ${ev.id}`);
  s.why = ev.why;
  if (ev.t === 'sail.scrubbed') s.state = 'scrubbed';
  else {
    s.dep = ev.dep;
    s.arr = ev.arr;
    s.state = 'shifted';
  }
}

function applyBill(d: Deck, ev: Evt, at: Min): void {
  switch (ev.t) {
    case 'stint.cut':
      d.stints.set(ev.stint.id, structuredClone(ev.stint));
      ev.stint.slots.forEach((sl, ix) => d.seat(ev.stint.id, ix, sl.handId));
      return;
    case 'stint.posted': {
      const st = d.stint(ev.id);
      st.state = 'posted';
      st.postedAt = at;
      return;
    }
    case 'stint.stretched':
      Object.assign(d.stint(ev.id), { on: ev.on, off: ev.off });
      return;
    case 'stint.void': {
      const st = d.stint(ev.id);
      st.slots.forEach((_, ix) => d.seat(st.id, ix, null));
      st.state = 'void';
      return;
    }
    case 'slot.put':
      d.seat(ev.stintId, ev.ix, ev.handId);
      Object.assign(d.slot(ev.stintId, ev.ix), { src: ev.src, putAt: at });
      return;
    case 'slot.cleared':
      d.seat(ev.stintId, ev.ix, null);
      Object.assign(d.slot(ev.stintId, ev.ix), { src: undefined, putAt: undefined });
      return;
    case 'slot.pinned':
      d.slot(ev.stintId, ev.ix).pinned = ev.on;
  }
}

function applyDesk(d: Deck, ev: Evt): void {
  if (ev.t === 'swap.offered') d.deals.set(ev.deal.id, { ...ev.deal });
  else if (ev.t === 'swap.matched') {
    const deal = d.deals.get(ev.id);
    if (deal) Object.assign(deal, { state: 'matched', takerId: ev.takerId, backStint: ev.backStint });
  } else if (ev.t === 'swap.ended') {
    const deal = d.deals.get(ev.id);
    if (deal) Object.assign(deal, { state: ev.state, why: ev.why });
  } else if (ev.t === 'abs.asked') d.absences.set(ev.abs.id, { ...ev.abs });
  else if (ev.t === 'abs.ruled') {
    const ab = d.absences.get(ev.id);
    if (ab) Object.assign(ab, { state: ev.state, note: ev.why ?? ab.note });
  } else if (ev.t === 'abs.doctor') {
    const ab = d.absences.get(ev.id);
    if (ab) ab.doctor = true;
  }
}

export function replay(entries: Iterable<Entry>, upTo = Infinity, base = new Deck()): Deck {
  for (const e of entries) {
    if (e.seq <= base.seq) continue;
    if (e.seq !== base.seq + 1) throw new FerryErr('stale', `log gap: have ${base.seq}, next ${e.seq}`);
    if (e.seq > upTo) break;
    apply(base, e.ev, e.at);
    base.seq = e.seq;
  }
  return base;
}

export function asOf(entries: Entry[], at: Min): Deck {
  let lo = 0;
  let hi = entries.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if (entries[mid].at <= at) lo = mid + 1;
    else hi = mid;
  }
  return replay(entries.slice(0, lo));
}

const TABLES = ['hands', 'hulls', 'sailings', 'stints', 'deals', 'absences', 'clockings', 'paid'] as const;

export function freeze(d: Deck): string {
  const out: Record<string, unknown> = { seq: d.seq };
  for (const t of TABLES) out[t] = [...(d[t] as Map<string, unknown>)];
  return JSON.stringify(out);
}

export function thaw(json: string): Deck {
  const raw = JSON.parse(json) as Record<string, unknown>;
  const d = new Deck();
  d.seq = Number(raw.seq);
  for (const t of TABLES) {
    const m = d[t] as Map<string, unknown>;
    for (const [k, v] of raw[t] as [string, unknown][]) m.set(k, v);
  }
  d.reindex();
  return d;
}
