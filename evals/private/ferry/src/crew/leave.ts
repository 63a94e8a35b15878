import type { Deck } from '../dom/deck.ts';
import { feastOn } from '../dom/feasts.ts';
import type { AbsKind, Absence, Evt, Hand, Rank } from '../dom/types.ts';
import { FerryErr, mkId } from '../kit/bits.ts';
import type { Day, Min } from '../kit/time.ts';
import { dayGap, dayOf, daysIn, dowOf, hopDay, isDay } from '../kit/time.ts';

const ACCRUE_PER_MONTH = 2.08;
const CARRY_MAX = 5;
const FLOOR_SHARE: Partial<Record<Rank, number>> = { MSTR: 0.7, CENG: 0.7, MATE: 0.6 };
const DEFAULT_FLOOR = 0.5;
const PEAKS: [string, string][] = [
  ['06-25', '08-12'],
  ['12-20', '12-31'],
];

export function costDays(h: Hand, from: Day, to: Day): number {
  let n = 0;
  for (const d of daysIn(from, to)) {
    const f = feastOn(d, h.base);
    if (f && f.fromHm === '00:00') continue;
    if (dowOf(d) === 0) continue;
    n += 1;
  }
  return n;
}

function holYear(day: Day): { a: Day; b: Day } {
  const y = Number(day.slice(0, 4));
  const start = day.slice(5) >= '09-01' ? y : y - 1;
  return { a: `${start}-09-01`, b: `${start + 1}-08-31` };
}

export function balance(deck: Deck, handId: string, on: Day): { earned: number; used: number; carried: number; left: number } {
  const h = deck.hand(handId);
  const yr = holYear(on);
  const prev = holYear(hopDay(yr.a, -1));
  const earnedIn = (a: Day, b: Day): number => {
    const from = h.contract.since > a ? h.contract.since : a;
    if (from > b) return 0;
    const months = (dayGap(from, b) + 1) / 30.4375;
    return Math.min(25, months * ACCRUE_PER_MONTH);
  };
  const usedIn = (a: Day, b: Day): number => {
    let n = 0;
    for (const ab of deck.absences.values()) {
      if (ab.handId !== handId || ab.kind !== 'leave' || ab.state !== 'ok') continue;
      const f = ab.from > a ? ab.from : a;
      const t = ab.to < b ? ab.to : b;
      if (f <= t) n += costDays(h, f, t);
    }
    return n;
  };
  const carried = Math.max(0, Math.min(CARRY_MAX, earnedIn(prev.a, prev.b) - usedIn(prev.a, prev.b)));
  const earned = earnedIn(yr.a, on < yr.b ? on : yr.b);
  const used = usedIn(yr.a, yr.b);
  return { earned, used, carried, left: earned + carried - used };
}

export function inPeak(day: Day): boolean {
  const md = day.slice(5);
  return PEAKS.some(([a, b]) => md >= a && md <= b);
}

export function thinDays(deck: Deck, h: Hand, from: Day, to: Day): Day[] {
  const out: Day[] = [];
  const floor = FLOOR_SHARE[h.rank] ?? DEFAULT_FLOOR;
  for (const d of daysIn(from, to)) {
    const pool = deck.onBooks(d).filter((x) => x.rank === h.rank && x.base === h.base);
    if (pool.length < 2) continue;
    const here = pool.filter((x) => x.id !== h.id && !deck.awayOn(x.id, d)).length;
    const need = Math.ceil(pool.length * (inPeak(d) ? Math.min(0.9, floor + 0.15) : floor));
    if (here < need) out.push(d);
  }
  return out;
}

export function askLeave(deck: Deck, handId: string, kind: AbsKind, from: Day, to: Day, now: Min, note?: string): Evt[] {
  if (!isDay(from) || !isDay(to) || to < from) throw new FerryErr('bad_input', 'dates are the wrong way round');
  const h = deck.hand(handId);
  const today = dayOf(now);
  for (const ab of deck.absences.values()) {
    if (ab.handId === handId && ab.state !== 'no' && ab.state !== 'cancelled' && ab.from <= to && from <= ab.to) {
      throw new FerryErr('clash', `overlaps ${ab.kind} ${ab.from}..${ab.to}`);
    }
  }
  const abs: Absence = { id: mkId('ab'), handId, kind, from, to, state: 'asked', askedAt: now, note };
  if (kind !== 'leave') return [{ t: 'abs.asked', abs }];
  if (dayGap(today, from) < 14) throw new FerryErr('bad_input', 'fourteen days of notice are required');
  const need = costDays(h, from, to);
  const b = balance(deck, handId, from);
  if (b.left + 0.005 < need) throw new FerryErr('clash', `needs ${need} days, has ${b.left.toFixed(1)}`, { need, ...b });
  const thin = thinDays(deck, h, from, to);
  const out: Evt[] = [{ t: 'abs.asked', abs }];
  const booked = deck.stintsOf(handId).some((s) => s.day >= from && s.day <= to && s.state === 'posted');
  if (!thin.length && !booked && need <= 3) out.push({ t: 'abs.ruled', id: abs.id, state: 'ok', why: 'auto' });
  return out;
}

export function ruleAbsence(deck: Deck, id: string, ok: boolean, why: string | undefined, now: Min): Evt[] {
  const ab = deck.absences.get(id);
  if (!ab) throw new FerryErr('no_such', `absence ${id}`);
  if (ab.state !== 'asked') throw new FerryErr('stale', `already ${ab.state}`);
  const out: Evt[] = [{ t: 'abs.ruled', id, state: ok ? 'ok' : 'no', why }];
  if (ok) out.push(...freeUp(deck, ab, now));
  return out;
}

function freeUp(deck: Deck, ab: Absence, now: Min): Evt[] {
  const out: Evt[] = [];
  for (const st of deck.stintsOf(ab.handId)) {
    if (st.off <= now) continue;
    if (dayOf(st.off - 1) < ab.from || st.day > ab.to) continue;
    st.slots.forEach((sl, ix) => {
      if (sl.handId === ab.handId) out.push({ t: 'slot.cleared', stintId: st.id, ix, why: ab.kind });
    });
  }
  return out;
}

export function reportSick(deck: Deck, handId: string, day: Day, now: Min, days = 1): Evt[] {
  deck.hand(handId);
  const prior = [...deck.absences.values()].find(
    (a) => a.handId === handId && a.kind === 'sick' && a.state === 'ok' && a.to >= hopDay(day, -1) && a.from <= day,
  );
  const from = prior ? hopDay(prior.to, 1) : day;
  const to = hopDay(day, days - 1);
  if (prior && prior.to >= to) return [];
  const abs: Absence = { id: mkId('ab'), handId, kind: 'sick', from, to, state: 'ok', askedAt: now };
  return [{ t: 'abs.asked', abs }, ...freeUp(deck, abs, now)];
}

export function sickRun(deck: Deck, handId: string, on: Day): { from: Day; len: number; papers: boolean } | null {
  const mine = [...deck.absences.values()]
    .filter((a) => a.handId === handId && a.kind === 'sick' && a.state === 'ok')
    .sort((p, q) => (p.from < q.from ? 1 : -1));
  let from: Day | null = null;
  let papers = false;
  let edge = on;
  for (const a of mine) {
    if (a.from > on) continue;
    if (a.to < hopDay(edge, -1)) break;
    from = a.from;
    edge = a.from;
    papers = papers || a.doctor === true;
  }
  return from ? { from, len: dayGap(from, on) + 1, papers } : null;
}

export function owesPapers(deck: Deck, today: Day): string[] {
  const out: string[] = [];
  for (const h of deck.onBooks(today)) {
    const run = sickRun(deck, h.id, today);
    if (run && run.len > 3 && !run.papers) out.push(h.id);
  }
  return out;
}
