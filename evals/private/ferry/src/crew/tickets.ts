import type { Deck } from '../dom/deck.ts';
import type { Evt, Hand, Hull, Slot, Stint, Tkt, TktKind } from '../dom/types.ts';
import { FerryErr } from '../kit/bits.ts';
import type { Day } from '../kit/time.ts';
import { dayGap, dayOf, hopDay, isDay } from '../kit/time.ts';

const LIFE_Y: Record<TktKind, number> = { COC_D: 5, COC_E: 5, BST: 5, CROWD: 5, MED: 2, GMDSS: 5, PEC: 1, HSC: 2 };
const NUDGE_AT = [180, 90, 30, 14, 7, 1];
const GRACE: Partial<Record<TktKind, number>> = { MED: 90 };

export interface TktGap {
  kind: TktKind;
  cause: 'none' | 'expired' | 'pulled' | 'scope' | 'notyet';
  until?: Day;
}

export function liveTkt(h: Hand, kind: TktKind, day: Day, scope?: string): Tkt | undefined {
  let best: Tkt | undefined;
  for (const t of h.tkts) {
    if (t.kind !== kind || t.pulled) continue;
    if (t.from > day || t.until < day) continue;
    if (scope && t.scope && !t.scope.includes(scope)) continue;
    if (!best || t.until > best.until) best = t;
  }
  return best;
}

export function gapFor(h: Hand, kind: TktKind, day: Day, scope?: string): TktGap | null {
  if (liveTkt(h, kind, day, scope)) return null;
  const all = h.tkts.filter((t) => t.kind === kind);
  if (!all.length) return { kind, cause: 'none' };
  if (scope && liveTkt(h, kind, day)) return { kind, cause: 'scope' };
  const good = all.filter((t) => !t.pulled);
  if (!good.length) return { kind, cause: 'pulled' };
  const latest = good.reduce((p, t) => (t.until > p.until ? t : p));
  if (latest.from > day) return { kind, cause: 'notyet' };
  return { kind, cause: 'expired', until: latest.until };
}

export function atSeaGrace(h: Hand, gap: TktGap, st: Stint): boolean {
  if (gap.cause !== 'expired' || !gap.until) return false;
  const allow = GRACE[gap.kind];
  if (!allow) return false;
  const startDay = dayOf(st.on);
  if (gap.until >= startDay) return dayGap(gap.until, dayOf(st.off)) <= allow;
  return false;
}

export function lacks(deck: Deck, h: Hand, st: Stint, sl: Slot): TktGap[] {
  const hull = deck.hull(st.hullId);
  const end = dayOf(st.off);
  const out: TktGap[] = [];
  for (const kind of wantedTkts(hull, sl)) {
    const scopes = kind === 'PEC' ? portsTouched(deck, st) : kind === 'HSC' ? [hull.id] : [undefined];
    for (const sc of scopes) {
      const g = gapFor(h, kind, end, sc);
      if (g && !atSeaGrace(h, g, st)) {
        out.push(g);
        break;
      }
    }
  }
  return out;
}

export function wantedTkts(hull: Hull, sl: Slot): TktKind[] {
  const set = new Set<TktKind>(sl.need);
  set.add('BST');
  set.add('MED');
  if (sl.rank === 'MSTR' || sl.rank === 'MATE') set.add('COC_D');
  if (sl.rank === 'CENG' || sl.rank === 'SENG') set.add('COC_E');
  if (hull.hsc && sl.rank !== 'OS' && sl.rank !== 'PURS') set.add('HSC');
  return [...set];
}

function portsTouched(deck: Deck, st: Stint): string[] {
  const out = new Set<string>();
  for (const id of st.sailingIds) {
    const s = deck.sailings.get(id);
    if (s && s.state !== 'scrubbed') {
      out.add(s.from);
      out.add(s.to);
    }
  }
  return [...out];
}

export function fileTkt(deck: Deck, handId: string, t: Tkt): Evt[] {
  const h = deck.hand(handId);
  if (!isDay(t.from) || !isDay(t.until) || t.until <= t.from) throw new FerryErr('bad_input', 'validity dates are wrong');
  const cap = hopDay(t.from, Math.round(LIFE_Y[t.kind] * 365.25) + 1);
  if (t.until > cap) throw new FerryErr('bad_input', `${t.kind} cannot run past ${cap}`);
  for (const o of deck.hands.values()) {
    const dup = o.tkts.find((x) => x.no === t.no && x.kind === t.kind);
    if (dup && o.id !== h.id) throw new FerryErr('clash', `number ${t.no} belongs to someone else`);
    if (dup && !dup.pulled && dup.until >= t.until) throw new FerryErr('clash', `number ${t.no} already filed`);
  }
  return [{ t: 'tkt.filed', handId, tkt: { ...t, pulled: undefined } }];
}

export function pullTkt(deck: Deck, handId: string, no: string, why: string, today: Day): Evt[] {
  const h = deck.hand(handId);
  const tk = h.tkts.find((x) => x.no === no && !x.pulled);
  if (!tk) throw new FerryErr('no_such', `no live ticket ${no}`);
  const out: Evt[] = [{ t: 'tkt.pulled', handId, no, why }];
  const spare = h.tkts.some((x) => x !== tk && x.kind === tk.kind && !x.pulled && x.until >= today);
  if (spare) return out;
  for (const st of deck.stintsOf(handId)) {
    if (st.day < today) continue;
    st.slots.forEach((sl, ix) => {
      if (sl.handId !== handId) return;
      if (wantedTkts(deck.hull(st.hullId), sl).includes(tk.kind)) {
        out.push({ t: 'slot.cleared', stintId: st.id, ix, why: `${tk.kind} withdrawn` });
      }
    });
  }
  return out;
}

export interface Nudge {
  handId: string;
  tkt: Tkt;
  daysLeft: number;
  tier: number;
}

export function nudgesFor(deck: Deck, today: Day): Nudge[] {
  const out: Nudge[] = [];
  for (const h of deck.onBooks(today)) {
    const newest = new Map<TktKind, Tkt>();
    for (const t of h.tkts) {
      if (t.pulled) continue;
      const was = newest.get(t.kind);
      if (!was || t.until > was.until) newest.set(t.kind, t);
    }
    for (const t of newest.values()) {
      const left = dayGap(today, t.until);
      const tier = NUDGE_AT.indexOf(left);
      if (tier >= 0) out.push({ handId: h.id, tkt: t, daysLeft: left, tier });
    }
  }
  return out.sort((p, q) => p.daysLeft - q.daysLeft);
}
