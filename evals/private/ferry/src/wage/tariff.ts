import { FerryErr, mulDiv } from '../kit/bits.ts';
import type { Day } from '../kit/time.ts';
import { dayGap } from '../kit/time.ts';
import type { Hand, Rank } from '../dom/types.ts';

export interface Premium {
  code: string;
  pct?: number;
  flat?: number;
  stack: boolean;
}

export interface Tariff {
  from: Day;
  hourly: Record<number, number[]>;
  actingPct: number;
  night: Premium;
  sat: Premium;
  sun: Premium;
  feast: Premium;
  bigFeast: Premium;
  ot1: Premium;
  ot2: Premium;
  splitCents: number;
  mealCents: number;
  shortCents: number;
  calloutMin: number;
  pensionPct: number;
}

const BOOK: Tariff[] = [
  {
    from: '2023-03-01',
    hourly: {
      1: [14250, 14600, 14980, 15320],
      2: [15890, 16240, 16700, 17180],
      3: [18120, 18640, 19200, 19850],
      4: [21400, 22150, 22900, 23750],
      5: [24800, 25700, 26650, 27600],
    },
    actingPct: 8,
    night: { code: 'N20', pct: 25, stack: true },
    sat: { code: 'SA', flat: 2650, stack: false },
    sun: { code: 'SU', pct: 40, stack: false },
    feast: { code: 'HD', pct: 75, stack: false },
    bigFeast: { code: 'HX', pct: 100, stack: false },
    ot1: { code: 'O5', pct: 50, stack: true },
    ot2: { code: 'O1', pct: 100, stack: true },
    splitCents: 9500,
    mealCents: 8700,
    shortCents: 22500,
    calloutMin: 240,
    pensionPct: 12,
  },
];

BOOK.push(uplift(BOOK[0], '2024-03-01', 350, { mealCents: 9100 }));
BOOK.push(uplift(BOOK[1], '2025-03-01', 300, { shortCents: 25000, night: { code: 'N20', pct: 28, stack: true } }));

export function uplift(base: Tariff, from: Day, bp: number, patch: Partial<Tariff> = {}): Tariff {
  const hourly: Record<number, number[]> = {};
  for (const [g, steps] of Object.entries(base.hourly)) {
    hourly[Number(g)] = steps.map((c) => Math.ceil(mulDiv(c, 10000 + bp, 10000) / 5) * 5);
  }
  const sat = { ...base.sat, flat: base.sat.flat === undefined ? undefined : mulDiv(base.sat.flat, 10000 + bp, 10000) };
  return { ...base, from, hourly, sat, splitCents: mulDiv(base.splitCents, 10000 + bp, 10000), ...patch };
}

export function tariffOn(day: Day): Tariff {
  let best: Tariff | undefined;
  for (const t of BOOK) if (t.from <= day && (!best || t.from > best.from)) best = t;
  if (!best) throw new FerryErr('bad_input', `no wage agreement covers ${day}`);
  return best;
}

export function stepOn(h: Hand, day: Day): number {
  const yrs = Math.floor(dayGap(h.contract.since, day) / 365.25);
  const earned = yrs >= 7 ? 3 : yrs >= 4 ? 2 : yrs >= 2 ? 1 : 0;
  return Math.max(h.contract.step, earned);
}

export function rateFor(h: Hand, day: Day, as: Rank): number {
  const t = tariffOn(day);
  const row = t.hourly[h.contract.grade];
  if (!row) throw new FerryErr('bad_input', `grade ${h.contract.grade} has no pay scale`);
  const base = row[Math.min(stepOn(h, day), row.length - 1)];
  if (as === h.rank || !ranksAbove(as, h.rank)) return base;
  return mulDiv(base, 100 + t.actingPct, 100);
}

const LADDER: Rank[][] = [
  ['OS', 'AB', 'MATE', 'MSTR'],
  ['AB', 'SENG', 'CENG'],
];

function ranksAbove(p: Rank, q: Rank): boolean {
  for (const l of LADDER) {
    const i = l.indexOf(p);
    const j = l.indexOf(q);
    if (i >= 0 && j >= 0) return i > j;
  }
  return false;
}

export function premiumCents(p: Premium, rate: number, mins: number): number {
  if (p.flat !== undefined) return mulDiv(p.flat, mins, 60);
  return mulDiv(rate * (p.pct ?? 0), mins, 6000);
}
