import type { Day, Min } from '../kit/time.ts';
import { atWall, dowOf, hopDay, p2 } from '../kit/time.ts';
import type { Span } from '../kit/span.ts';

export interface Feast {
  day: Day;
  name: string;
  big: boolean;
  fromHm: string;
}

const perYear = new Map<number, Map<Day, Feast>>();
const localDays = new Map<string, { md: string; name: string }[]>([
  ['NORD', [{ md: '06-23', name: 'Island Eve' }]],
  ['SKAR', [{ md: '08-10', name: 'Harbour Day' }]],
]);

export function paschal(y: number): Day {
  const a = y % 19;
  const b = Math.floor(y / 100);
  const c = y % 100;
  const d = Math.floor(b / 4);
  const e = b % 4;
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = Math.floor(c / 4);
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const mo = Math.floor((h + l - 7 * m + 114) / 31);
  const da = ((h + l - 7 * m + 114) % 31) + 1;
  return `${y}-${p2(mo)}-${p2(da)}`;
}

function build(y: number): Map<Day, Feast> {
  const e = paschal(y);
  const rows: [Day, string, boolean, string][] = [
    [`${y}-01-01`, 'New Year', true, '00:00'],
    [hopDay(e, -3), 'Maundy Thursday', false, '00:00'],
    [hopDay(e, -2), 'Good Friday', true, '00:00'],
    [e, 'Easter Sunday', true, '00:00'],
    [hopDay(e, 1), 'Easter Monday', false, '00:00'],
    [hopDay(e, 39), 'Ascension', false, '00:00'],
    [hopDay(e, 49), 'Whit Sunday', true, '00:00'],
    [hopDay(e, 50), 'Whit Monday', false, '00:00'],
    [`${y}-05-01`, 'Labour Day', false, '12:00'],
    [`${y}-06-05`, 'Constitution Day', false, '12:00'],
    [`${y}-12-24`, 'Christmas Eve', true, '14:00'],
    [`${y}-12-25`, 'Christmas Day', true, '00:00'],
    [`${y}-12-26`, 'Boxing Day', true, '00:00'],
    [`${y}-12-31`, 'New Year Eve', false, '18:00'],
  ];
  const out = new Map<Day, Feast>();
  for (const [day, name, big, fromHm] of rows) {
    const was = out.get(day);
    if (was && was.fromHm <= fromHm) continue;
    out.set(day, { day, name, big, fromHm });
  }
  return out;
}

export function feastOn(day: Day, base?: string): Feast | undefined {
  const y = Number(day.slice(0, 4));
  let yr = perYear.get(y);
  if (!yr) perYear.set(y, (yr = build(y)));
  const hit = yr.get(day);
  if (hit) return hit;
  const loc = base ? localDays.get(base)?.find((l) => l.md === day.slice(5)) : undefined;
  return loc ? { day, name: loc.name, big: false, fromHm: '00:00' } : undefined;
}

export function feastSpan(f: Feast): Span {
  const a: Min = atWall(f.day, f.fromHm);
  const b: Min = atWall(hopDay(f.day, 1), '00:00');
  return { a, b };
}

export function bankDay(day: Day): boolean {
  const dow = dowOf(day);
  if (dow === 0 || dow === 6) return false;
  const f = feastOn(day);
  return !f || f.fromHm !== '00:00';
}

export function backToBankDay(day: Day, n = 0): Day {
  let d = day;
  let left = n;
  for (;;) {
    if (bankDay(d)) {
      if (left === 0) return d;
      left--;
    }
    d = hopDay(d, -1);
  }
}
