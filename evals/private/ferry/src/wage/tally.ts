import type { Deck } from '../dom/deck.ts';
import type { Hand, PayLine, Rank, Stint } from '../dom/types.ts';
import { mulDiv } from '../kit/bits.ts';
import type { Span } from '../kit/span.ts';
import { holes, lenOf } from '../kit/span.ts';
import type { Day } from '../kit/time.ts';
import { DAY, dayOf, daysIn, HOUR, hopDay, mondayOf, monthEdges } from '../kit/time.ts';
import { sickRun } from '../crew/leave.ts';
import { dropTail, premiumsOf, roundClock, shave, unpaidBreak } from './slice.ts';
import { premiumCents, rateFor, tariffOn } from './tariff.ts';

const OT1_WEEK = 3 * HOUR;
const SHORT_NOTICE = 4 * DAY;
const MEAL_AFTER = 10 * HOUR;

interface Worked {
  st: Stint;
  as: Rank;
  span: Span;
  lull: number;
  cc: string;
  called: boolean;
  late: boolean;
}

export function workedBy(deck: Deck, h: Hand, first: Day, last: Day): Worked[] {
  const out: Worked[] = [];
  for (const st of deck.stintsOf(h.id)) {
    if (st.day < first || st.day > last) continue;
    const sl = st.slots.find((s) => s.handId === h.id);
    if (!sl) continue;
    const c = deck.clockings.get(`${st.id}/${h.id}`);
    const span = c ? roundClock(c.on, c.off, st.on, st.off) : { a: st.on, b: st.off };
    if (lenOf(span) === 0) continue;
    const late = st.postedAt !== undefined && sl.putAt !== undefined && sl.putAt > st.postedAt;
    out.push({
      st,
      as: sl.rank,
      span,
      lull: unpaidBreak(span, lulls(deck, st)),
      cc: h.costCentre || st.hullId,
      called: sl.src === 'callout',
      late: late && sl.src !== 'swap' && st.on - (sl.putAt ?? 0) < SHORT_NOTICE,
    });
  }
  return out;
}

function lulls(deck: Deck, st: Stint): Span[] {
  const busy: Span[] = [];
  for (const id of st.sailingIds) {
    const s = deck.sailings.get(id);
    if (s && s.state !== 'scrubbed') busy.push({ a: s.dep - 15, b: s.arr + 15 });
  }
  return holes(busy, { a: st.on + 30, b: Math.max(st.on + 30, st.off - 20) });
}

export function payFor(deck: Deck, h: Hand, period: string): PayLine[] {
  const { first, last } = monthEdges(period);
  const lines: PayLine[] = [];
  const lead = mondayOf(first);
  const all = workedBy(deck, h, lead, last);
  let wk = '';
  let soFar = 0;
  let today = '';
  for (const w of all) {
    const monday = mondayOf(w.st.day);
    if (monday !== wk) {
      wk = monday;
      soFar = 0;
    }
    const net = lenOf(w.span) - w.lull;
    const over = Math.max(0, soFar + net - Math.max(soFar, h.contract.weekMin));
    const already = Math.max(0, soFar - h.contract.weekMin);
    soFar += net;
    if (w.st.day < first) continue;
    lines.push(...stintLines(h, w));
    if (over > 0) lines.push(...overtimeLines(h, w, over, already));
    lines.push(...extras(h, w, today === w.st.day));
    today = w.st.day;
  }
  lines.push(...sickLines(deck, h, first, last));
  lines.push(...guarantee(deck, h, lines, first, last));
  return merge(lines);
}

function stintLines(h: Hand, w: Worked): PayLine[] {
  const out: PayLine[] = [];
  for (const x of dropTail(shave(w.span, h.base), w.lull)) {
    const t = tariffOn(x.day);
    const rate = rateFor(h, x.day, w.as);
    out.push({ handId: h.id, code: 'BAS', day: x.day, mins: x.mins, cents: mulDiv(rate, x.mins, 60), cc: w.cc });
    for (const p of premiumsOf(x, t)) {
      out.push({ handId: h.id, code: p.code, day: x.day, mins: x.mins, cents: premiumCents(p, rate, x.mins), cc: w.cc });
    }
  }
  return out;
}

function overtimeLines(h: Hand, w: Worked, over: number, already: number): PayLine[] {
  const t = tariffOn(w.st.day);
  if (h.contract.form === 'zero' && already + over <= 5 * HOUR) return [];
  const rate = rateFor(h, w.st.day, w.as);
  const low = Math.max(0, Math.min(over, OT1_WEEK - already));
  const high = over - low;
  const out: PayLine[] = [];
  const row = (code: string, mins: number, cents: number): PayLine => ({ handId: h.id, code, day: w.st.day, mins, cents, cc: w.cc });
  if (low > 0) out.push(row(t.ot1.code, low, premiumCents(t.ot1, rate, low)));
  if (high > 0) out.push(row(t.ot2.code, high, premiumCents(t.ot2, rate, high)));
  return out;
}

function extras(h: Hand, w: Worked, secondToday: boolean): PayLine[] {
  const t = tariffOn(w.st.day);
  const out: PayLine[] = [];
  const row = (code: string, mins: number, cents: number): void => {
    out.push({ handId: h.id, code, day: w.st.day, mins, cents, cc: w.cc });
  };
  const len = lenOf(w.span);
  if (w.called && len < t.calloutMin) {
    const gap = t.calloutMin - len;
    row('CMIN', gap, mulDiv(rateFor(h, w.st.day, w.as), gap, 60));
  }
  if (secondToday) row('SPL', 0, t.splitCents);
  if (w.late) row('SHN', 0, t.shortCents);
  if (len >= MEAL_AFTER) row('MEAL', 0, t.mealCents);
  return out;
}

function sickLines(deck: Deck, h: Hand, first: Day, last: Day): PayLine[] {
  const out: PayLine[] = [];
  if (h.contract.form === 'zero') return out;
  for (const d of daysIn(first, last)) {
    if (deck.awayOn(h.id, d)?.kind !== 'sick') continue;
    const run = sickRun(deck, h.id, d);
    if (!run || run.len === 1) continue;
    const unproven = run.len > 7 && !run.papers;
    if (unproven) continue;
    const mins = Math.round(h.contract.weekMin / 7);
    const full = mulDiv(rateFor(h, d, h.rank), mins, 60);
    const pct = run.len > 30 ? 80 : 100;
    out.push({ handId: h.id, code: 'SICK', day: d, mins, cents: mulDiv(full, pct, 100), cc: h.costCentre });
  }
  return out;
}

function guarantee(deck: Deck, h: Hand, lines: PayLine[], first: Day, last: Day): PayLine[] {
  if (h.contract.form === 'zero') return [];
  let due = 0;
  for (const d of daysIn(first, last)) {
    if (d < h.contract.since || (h.left && d > h.left) || (h.contract.ends && d > h.contract.ends)) continue;
    const ab = deck.awayOn(h.id, d);
    if (ab && ab.kind !== 'sick') continue;
    due += h.contract.weekMin / 7;
  }
  let had = 0;
  for (const l of lines) if (l.code === 'BAS' || l.code === 'SICK' || l.code === 'CMIN') had += l.mins;
  const gap = Math.floor(due) - had;
  if (gap < 15) return [];
  return [{ handId: h.id, code: 'GAR', day: last, mins: gap, cents: mulDiv(rateFor(h, last, h.rank), gap, 60), cc: h.costCentre }];
}

function merge(lines: PayLine[]): PayLine[] {
  const at = new Map<string, PayLine>();
  for (const l of lines) {
    const k = `${l.handId}|${l.code}|${l.day}|${l.cc}`;
    const was = at.get(k);
    if (!was) at.set(k, { ...l });
    else {
      was.mins += l.mins;
      was.cents += l.cents;
    }
  }
  return [...at.values()].sort((p, q) => (p.day < q.day ? -1 : p.day > q.day ? 1 : p.code < q.code ? -1 : 1));
}

export function wholeFleet(deck: Deck, period: string): PayLine[] {
  const { first, last } = monthEdges(period);
  const out: PayLine[] = [];
  for (const h of [...deck.hands.values()].sort((p, q) => (p.id < q.id ? -1 : 1))) {
    if (h.contract.since > last || (h.left && h.left < first)) continue;
    out.push(...payFor(deck, h, period));
  }
  return out;
}

export function arrears(deck: Deck, period: string, months: number): PayLine[] {
  const out: PayLine[] = [];
  let edge = monthEdges(period).first;
  for (let i = 0; i < months; i++) {
    const prev = dayOf(Date.parse(`${hopDay(edge, -1)}T12:00:00Z`) / 60000).slice(0, 7);
    edge = monthEdges(prev).first;
    const paid = deck.paid.get(prev);
    if (!paid) continue;
    const diff = new Map<string, PayLine>();
    const fold = (l: PayLine, sign: 1 | -1): void => {
      const k = `${l.handId}|${l.code}`;
      const d = diff.get(k) ?? { ...l, code: `${l.code}~${prev}`, day: edge, mins: 0, cents: 0 };
      d.mins += sign * l.mins;
      d.cents += sign * l.cents;
      diff.set(k, d);
    };
    for (const l of wholeFleet(deck, prev)) fold(l, 1);
    for (const l of paid.lines) if (!l.code.includes('~')) fold(l, -1);
    out.push(...[...diff.values()].filter((d) => d.cents !== 0));
  }
  return out;
}
