import type { Deck } from '../dom/deck.ts';
import type { Evt, Snag, Stint } from '../dom/types.ts';
import type { Min } from '../kit/time.ts';
import { DAY } from '../kit/time.ts';
import { Filler } from './fill.ts';
import { snagsOn, worsens } from './snags.ts';

export interface Cure {
  kind: 'replace' | 'exchange' | 'vacate';
  moves: { stintId: string; ix: number; handId: string | null }[];
  cost: number;
  note: string;
}

const UPSET = 12;

function sting(xs: Snag[]): number {
  let n = 0;
  for (const s of xs) n += s.sev === 3 ? 100 : s.sev === 2 ? 30 : 6;
  return n;
}

function noticeFee(st: Stint, now: Min): number {
  const left = st.on - now;
  if (st.state !== 'posted') return 0;
  if (left < DAY) return 60;
  if (left < 4 * DAY) return 30;
  return UPSET;
}

export function cures(deck: Deck, sn: Snag, now: Min): Cure[] {
  const st = deck.stint(sn.stintId);
  const sl = st.slots[sn.ix];
  if (!sl || sl.pinned || st.on <= now) return [];
  const out: Cure[] = [...byOthers(deck, st, sn.ix, now)];
  if (sl.handId) {
    out.push(...byExchange(deck, st, sn.ix, now));
    if (sn.sev === 3) {
      out.push({
        kind: 'vacate',
        moves: [{ stintId: st.id, ix: sn.ix, handId: null }],
        cost: 90 + noticeFee(st, now),
        note: 'leave the post open',
      });
    }
  }
  return out.sort((p, q) => p.cost - q.cost).slice(0, 8);
}

function byOthers(deck: Deck, st: Stint, ix: number, now: Min): Cure[] {
  const sl = st.slots[ix];
  const filler = new Filler(deck);
  const out: Cure[] = [];
  for (const h of deck.onBooks(st.day, sl.rank)) {
    if (h.id === sl.handId || filler.whyNot(h, st, sl)) continue;
    const moves = [{ stintId: st.id, ix, handId: h.id }];
    const cost = filler.price(h, st, sl) * 0.5 + sting(worsens(deck, moves, now)) + noticeFee(st, now);
    out.push({ kind: 'replace', moves, cost, note: `${h.name} takes it` });
  }
  return out;
}

function byExchange(deck: Deck, st: Stint, ix: number, now: Min): Cure[] {
  const sl = st.slots[ix];
  const mine = sl.handId as string;
  const out: Cure[] = [];
  const near = [...deck.stints.values()].filter(
    (o) => o.id !== st.id && o.state !== 'void' && o.on > now && Math.abs(o.on - st.on) <= 3 * DAY,
  );
  for (const o of near) {
    o.slots.forEach((os, oix) => {
      if (!os.handId || os.pinned || os.handId === mine || os.rank !== sl.rank) return;
      const moves = [
        { stintId: st.id, ix, handId: os.handId },
        { stintId: o.id, ix: oix, handId: mine },
      ];
      const fresh = worsens(deck, moves, now);
      if (fresh.some((f) => f.sev === 3)) return;
      const cost = 20 + sting(fresh) + noticeFee(st, now) + noticeFee(o, now);
      out.push({ kind: 'exchange', moves, cost, note: `trade with ${deck.hand(os.handId).name}` });
    });
  }
  return out.sort((p, q) => p.cost - q.cost).slice(0, 3);
}

export function toEvts(deck: Deck, c: Cure): Evt[] {
  const out: Evt[] = [];
  for (const m of c.moves) {
    if (deck.slot(m.stintId, m.ix).handId) out.push({ t: 'slot.cleared', stintId: m.stintId, ix: m.ix, why: c.note });
  }
  for (const m of c.moves) {
    if (m.handId) out.push({ t: 'slot.put', stintId: m.stintId, ix: m.ix, handId: m.handId, src: 'mend' });
  }
  return out;
}

export function mendAll(deck: Deck, snags: Snag[], now: Min, limit = 25): { evts: Evt[]; fixed: Snag[]; stuck: Snag[] } {
  const evts: Evt[] = [];
  const fixed: Snag[] = [];
  const stuck: Snag[] = [];
  const undo: { stintId: string; ix: number; handId: string | null }[] = [];
  const bad = snags.filter((s) => s.sev >= 2);
  for (const sn of bad.slice(0, limit)) {
    const st = deck.stint(sn.stintId);
    const still = snagsOn(deck, st, now).some((x) => x.kind === sn.kind && x.ix === sn.ix);
    if (!still) {
      fixed.push(sn);
      continue;
    }
    const best = cures(deck, sn, now)[0];
    if (!best || (best.kind === 'vacate' && sn.kind !== 'tkt' && sn.kind !== 'away')) {
      stuck.push(sn);
      continue;
    }
    evts.push(...toEvts(deck, best));
    for (const m of best.moves) {
      undo.unshift({ stintId: m.stintId, ix: m.ix, handId: deck.slot(m.stintId, m.ix).handId });
      deck.seat(m.stintId, m.ix, m.handId);
    }
    fixed.push(sn);
  }
  for (const u of undo) deck.seat(u.stintId, u.ix, u.handId);
  stuck.push(...bad.slice(limit));
  return { evts, fixed, stuck };
}
