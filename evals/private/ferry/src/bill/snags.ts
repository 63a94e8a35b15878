import { lacks } from '../crew/tickets.ts';
import type { Deck } from '../dom/deck.ts';
import type { Hand, Slot, Snag, SnagKind, Stint } from '../dom/types.ts';
import type { Day, Min } from '../kit/time.ts';
import { hm, HOUR, hrs, mondayOf, WEEK } from '../kit/time.ts';
import { HSC_RULE, lapses, MLC, sayLapse } from './rest.ts';
import { wearyScore } from './weary.ts';

const WEARY_WARN = 68;
const WEARY_BAD = 82;
const HOP_MIN = 90;
const WEEK_CAP = 72 * HOUR;

type Probe = (deck: Deck, st: Stint, ix: number, sl: Slot, h: Hand) => Snag[];

function snag(kind: SnagKind, sev: 1 | 2 | 3, st: Stint, ix: number, h: Hand | null, msg: string, other?: string): Snag {
  return { kind, sev, stintId: st.id, ix, handId: h?.id, other, msg };
}

const twice: Probe = (deck, st, ix, _sl, h) => {
  const out: Snag[] = [];
  const mine = { a: st.on, b: st.off };
  for (const o of deck.stintsOf(h.id, mine)) {
    if (o.id === st.id) continue;
    if (o.on < st.on || (o.on === st.on && o.id < st.id)) {
      out.push(snag('double', 3, st, ix, h, `also aboard ${deck.hull(o.hullId).name} until ${hm(o.off)}`, o.id));
    }
  }
  if (st.slots.findIndex((s) => s.handId === h.id) < ix) out.push(snag('double', 3, st, ix, h, 'holds two posts at once', st.id));
  return out;
};

const tired: Probe = (deck, st, ix, _sl, h) => {
  const duty = { a: st.on, b: st.off };
  const work = deck.workOf(h.id, { a: st.on - 2 * WEEK, b: st.off + WEEK }, st.id);
  const before = work.filter((s) => s.b <= duty.a);
  const score = wearyScore(before, duty);
  if (score >= WEARY_BAD) return [snag('weary', 3, st, ix, h, `strain ${score}`)];
  if (score >= WEARY_WARN) return [snag('weary', 1, st, ix, h, `strain ${score}`)];
  return [];
};

const unrested: Probe = (deck, st, ix, _sl, h) => {
  const rule = deck.hull(st.hullId).hsc ? HSC_RULE : MLC;
  const duty = { a: st.on, b: st.off };
  const work = deck.workOf(h.id, { a: st.on - WEEK, b: st.off + WEEK });
  return lapses(work, rule, duty)
    .filter((l) => l.at >= duty.a && l.at <= duty.b + 24 * HOUR)
    .slice(0, 2)
    .map((l) => snag('rest', l.rule === 'per7d' ? 2 : 3, st, ix, h, sayLapse(l)));
};

const papers: Probe = (deck, st, ix, sl, h) =>
  lacks(deck, h, st, sl).map((g) => {
    const tail = g.until ? ` (${g.until})` : '';
    return snag('tkt', g.cause === 'scope' ? 2 : 3, st, ix, h, `${g.kind} ${g.cause}${tail}`);
  });

const absent: Probe = (deck, st, ix, _sl, h) => {
  const ab = deck.awayDuring(h.id, { a: st.on, b: st.off });
  return ab ? [snag('away', 3, st, ix, h, `${ab.kind} until ${ab.to}`, ab.id)] : [];
};

const misfit: Probe = (_deck, st, ix, sl, h) =>
  h.rank === sl.rank || h.alsoAs.includes(sl.rank) ? [] : [snag('rank', 3, st, ix, h, `${h.rank} in a ${sl.rank} post`)];

const feuding: Probe = (deck, st, ix, _sl, h) =>
  deck
    .mates(st.id, h.id)
    .filter((m) => h.avoid.includes(m.id) || (m.avoid.includes(h.id) && !h.avoid.includes(m.id)))
    .filter((m) => m.id > h.id)
    .map((m) => snag('feud', 1, st, ix, h, `kept apart from ${m.name}`, m.id));

const stranded: Probe = (deck, st, ix, _sl, h) => {
  const last = deck.lastPort(h.id, st.on);
  if (!last || last.port === st.fromPort) return [];
  const gap = st.on - last.at;
  if (gap >= 10 * HOUR && h.base === st.fromPort) return [];
  if (gap < HOP_MIN) return [snag('stranded', 3, st, ix, h, `${hrs(gap)} to get from ${last.port}`)];
  return gap < 4 * HOUR ? [snag('stranded', 2, st, ix, h, `must travel from ${last.port}`)] : [];
};

const tooMuch: Probe = (deck, st, ix, _sl, h) => {
  const monday = mondayOf(st.day);
  let sum = 0;
  for (const o of deck.stintsOf(h.id)) {
    if (mondayOf(o.day) === monday && o.on <= st.on) sum += o.off - o.on;
  }
  if (sum <= WEEK_CAP || sum - (st.off - st.on) > WEEK_CAP) return [];
  return [snag('hours', 2, st, ix, h, `${hrs(sum)} in the week`)];
};

const PROBES: Probe[] = [twice, papers, absent, misfit, unrested, tired, feuding, stranded, tooMuch];

export function snagsOn(deck: Deck, st: Stint, now: Min): Snag[] {
  const out: Snag[] = [];
  if (st.state === 'void' || st.off < now) return out;
  st.slots.forEach((sl, ix) => {
    if (!sl.handId) {
      const close = st.on - now < 72 * HOUR;
      out.push(snag('gap', close ? 3 : st.state === 'posted' ? 2 : 1, st, ix, null, `${sl.rank} unfilled`));
      return;
    }
    const h = deck.hand(sl.handId);
    for (const p of PROBES) out.push(...p(deck, st, ix, sl, h));
  });
  return out;
}

export function allSnags(deck: Deck, a: Day, b: Day, now: Min): Snag[] {
  const out: Snag[] = [];
  for (const st of deck.stintsBetween(a, b)) out.push(...snagsOn(deck, st, now));
  return out.sort((p, q) => q.sev - p.sev || deck.stint(p.stintId).on - deck.stint(q.stintId).on);
}

export function trial<T>(deck: Deck, moves: { stintId: string; ix: number; handId: string | null }[], fn: () => T): T {
  const undo: { stintId: string; ix: number; handId: string | null }[] = [];
  try {
    for (const m of moves) {
      undo.unshift({ stintId: m.stintId, ix: m.ix, handId: deck.slot(m.stintId, m.ix).handId });
      deck.seat(m.stintId, m.ix, m.handId);
    }
    return fn();
  } finally {
    for (const u of undo) deck.seat(u.stintId, u.ix, u.handId);
  }
}

export function worsens(deck: Deck, moves: { stintId: string; ix: number; handId: string | null }[], now: Min): Snag[] {
  const ids = new Set(moves.map((m) => m.stintId));
  for (const m of moves) {
    const who = [m.handId, deck.slot(m.stintId, m.ix).handId];
    for (const id of who) if (id) for (const st of deck.stintsOf(id)) if (st.off > now) ids.add(st.id);
  }
  const sig = (s: Snag): string => `${s.kind}|${s.stintId}|${s.handId ?? ''}|${s.sev}`;
  const scan = (): Snag[] => [...ids].flatMap((id) => snagsOn(deck, deck.stint(id), now));
  const before = new Set(scan().map(sig));
  return trial(deck, moves, scan).filter((s) => !before.has(sig(s)));
}
