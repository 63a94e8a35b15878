import type { Deck } from '../dom/deck.ts';
import type { Evt, Snag, Stint, SwapDeal } from '../dom/types.ts';
import { FerryErr, mkId, must } from '../kit/bits.ts';
import type { Min } from '../kit/time.ts';
import { DAY, HOUR, monthEdges } from '../kit/time.ts';
import { lacks } from '../crew/tickets.ts';
import { worsens } from './snags.ts';

const CUTOFF = 12 * HOUR;
const LIVE_MAX = 3;
const PER_MONTH = 6;

function seatIx(st: Stint, handId: string): number {
  const ix = st.slots.findIndex((s) => s.handId === handId);
  if (ix < 0) throw new FerryErr('stale', 'that duty is no longer yours');
  return ix;
}

export function offer(deck: Deck, giverId: string, stintId: string, now: Min, openTo: string[] = []): Evt[] {
  const st = deck.stint(stintId);
  const ix = seatIx(st, giverId);
  if (st.state !== 'posted') throw new FerryErr('stale', 'duty has not been posted yet');
  if (st.on - now < CUTOFF) throw new FerryErr('locked', 'too close to departure');
  if (st.slots[ix].pinned) throw new FerryErr('locked', 'planner has pinned this duty');
  const mine = [...deck.deals.values()].filter((d) => d.giverId === giverId);
  const live = mine.filter((d) => d.state === 'open' || d.state === 'matched');
  if (live.some((d) => d.giveStint === stintId)) throw new FerryErr('clash', 'already on offer');
  if (live.length >= LIVE_MAX) throw new FerryErr('too_many', `at most ${LIVE_MAX} offers at a time`);
  const { first, last } = monthEdges(st.day.slice(0, 7));
  const granted = mine.filter((d) => {
    if (d.state !== 'granted') return false;
    const s = deck.stints.get(d.giveStint);
    return s !== undefined && s.day >= first && s.day <= last;
  });
  if (granted.length >= PER_MONTH) throw new FerryErr('too_many', 'monthly limit of exchanges used');
  for (const id of openTo) deck.hand(id);
  const deal: SwapDeal = {
    id: mkId('sw'),
    giverId,
    giveStint: stintId,
    openTo,
    askedAt: now,
    lapses: Math.min(st.on - CUTOFF, now + 5 * DAY),
    state: 'open',
  };
  return [{ t: 'swap.offered', deal }];
}

function swapMoves(deck: Deck, d: SwapDeal): { stintId: string; ix: number; handId: string | null }[] {
  const give = deck.stint(d.giveStint);
  const taker = must(d.takerId, 'taker');
  const moves = [{ stintId: give.id, ix: seatIx(give, d.giverId), handId: taker as string | null }];
  if (d.backStint) {
    const back = deck.stint(d.backStint);
    moves.push({ stintId: back.id, ix: seatIx(back, taker), handId: d.giverId });
  }
  return moves;
}

export function takeUp(deck: Deck, dealId: string, takerId: string, now: Min, backStint?: string): Evt[] {
  const d = must(deck.deals.get(dealId), `swap ${dealId}`);
  if (d.state !== 'open') throw new FerryErr('stale', `offer is ${d.state}`);
  if (now >= d.lapses) throw new FerryErr('stale', 'offer has run out');
  if (takerId === d.giverId) throw new FerryErr('bad_input', 'cannot take your own duty');
  if (d.openTo.length && !d.openTo.includes(takerId)) throw new FerryErr('forbidden', 'offer is not open to you');
  const give = deck.stint(d.giveStint);
  const sl = give.slots[seatIx(give, d.giverId)];
  const h = deck.hand(takerId);
  if (h.rank !== sl.rank && !h.alsoAs.includes(sl.rank)) throw new FerryErr('clash', 'rank does not fit');
  const gaps = lacks(deck, h, give, sl);
  if (gaps.length) throw new FerryErr('clash', `papers missing: ${gaps.map((g) => g.kind).join(', ')}`);
  const out: Evt[] = [{ t: 'swap.matched', id: dealId, takerId, backStint }];
  const probe: SwapDeal = { ...d, takerId, backStint };
  const fresh = worsens(deck, swapMoves(deck, probe), now);
  if (fresh.some((f) => f.sev === 3)) {
    throw new FerryErr('clash', 'breaks the rules', { snags: fresh.map((f) => f.msg) });
  }
  if (selfService(deck, probe, fresh, now)) out.push(...settle(deck, probe, 'auto'));
  return out;
}

function selfService(deck: Deck, d: SwapDeal, fresh: Snag[], now: Min): boolean {
  if (fresh.length) return false;
  const give = deck.stint(d.giveStint);
  if (give.on - now < 48 * HOUR) return false;
  const p = deck.hand(d.giverId);
  const q = deck.hand(must(d.takerId, 'taker'));
  if (p.rank !== q.rank || Math.abs(p.contract.grade - q.contract.grade) > 1) return false;
  return !d.backStint || deck.stint(d.backStint).on - now >= 48 * HOUR;
}

function settle(deck: Deck, d: SwapDeal, why: string): Evt[] {
  const out: Evt[] = [];
  const moves = swapMoves(deck, d);
  for (const m of moves) out.push({ t: 'slot.cleared', stintId: m.stintId, ix: m.ix, why: `swap ${d.id}` });
  for (const m of moves) {
    if (m.handId) out.push({ t: 'slot.put', stintId: m.stintId, ix: m.ix, handId: m.handId, src: 'swap' });
  }
  out.push({ t: 'swap.ended', id: d.id, state: 'granted', why });
  for (const o of deck.deals.values()) {
    if (o.id === d.id || (o.state !== 'open' && o.state !== 'matched')) continue;
    if (moves.some((m) => m.stintId === o.giveStint && (o.giverId === d.giverId || o.giverId === d.takerId))) {
      out.push({ t: 'swap.ended', id: o.id, state: 'lapsed', why: 'duty changed hands' });
    }
  }
  return out;
}

export function rule(deck: Deck, dealId: string, ok: boolean, now: Min, why?: string): Evt[] {
  const d = must(deck.deals.get(dealId), `swap ${dealId}`);
  if (d.state !== 'matched') throw new FerryErr('stale', `offer is ${d.state}`);
  if (!ok) return [{ t: 'swap.ended', id: d.id, state: 'refused', why }];
  const fresh = worsens(deck, swapMoves(deck, d), now).filter((s) => s.sev === 3);
  if (fresh.length) throw new FerryErr('clash', 'no longer lawful', { snags: fresh.map((f) => f.msg) });
  return settle(deck, d, why ?? 'approved');
}

export function withdraw(deck: Deck, dealId: string, byId: string): Evt[] {
  const d = must(deck.deals.get(dealId), `swap ${dealId}`);
  if (d.state === 'open' && d.giverId === byId) return [{ t: 'swap.ended', id: d.id, state: 'withdrawn' }];
  if (d.state === 'matched' && (d.giverId === byId || d.takerId === byId)) {
    return [{ t: 'swap.ended', id: d.id, state: 'withdrawn', why: `backed out by ${byId}` }];
  }
  throw new FerryErr('forbidden', 'nothing for you to withdraw');
}

export function sweepDeals(deck: Deck, now: Min): Evt[] {
  const out: Evt[] = [];
  for (const d of deck.deals.values()) {
    if (d.state !== 'open' && d.state !== 'matched') continue;
    const st = deck.stints.get(d.giveStint);
    const gone = !st || st.state === 'void' || !st.slots.some((s) => s.handId === d.giverId);
    if (gone) out.push({ t: 'swap.ended', id: d.id, state: 'lapsed', why: 'duty gone' });
    else if (now >= d.lapses) out.push({ t: 'swap.ended', id: d.id, state: 'lapsed', why: 'time ran out' });
  }
  return out;
}
