export type Min = number;
export type Day = string;

export interface Wall {
  y: number;
  mo: number;
  d: number;
  hh: number;
  mm: number;
  dow: number;
}

export const HOUR = 60;
export const DAY = 24 * HOUR;
export const WEEK = 7 * DAY;

const ZONE = process.env.FERRY_TZ ?? 'Europe/Copenhagen';
const DOWS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const clockFmt = new Intl.DateTimeFormat('en-GB', {
  timeZone: ZONE,
  hourCycle: 'h23',
  weekday: 'short',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
});

const wallCache = new Map<Min, Wall>();

export function wallAt(t: Min): Wall {
  const hit = wallCache.get(t);
  if (hit) return hit;
  const bag: Record<string, string> = {};
  for (const p of clockFmt.formatToParts(new Date(t * 60000))) bag[p.type] = p.value;
  const w: Wall = {
    y: Number(bag.year),
    mo: Number(bag.month),
    d: Number(bag.day),
    hh: Number(bag.hour),
    mm: Number(bag.minute),
    dow: DOWS.indexOf(bag.weekday),
  };
  if (wallCache.size > 20000) wallCache.clear();
  wallCache.set(t, w);
  return w;
}

function asIfUtc(w: Wall): Min {
  return Date.UTC(w.y, w.mo - 1, w.d, w.hh, w.mm) / 60000;
}

export function skew(t: Min): number {
  return asIfUtc(wallAt(t)) - t;
}

export function atWall(day: Day, hm: string): Min {
  const [y, mo, d] = day.split('-').map(Number);
  const [hh, mm] = hm.split(':').map(Number);
  const naive = Date.UTC(y, mo - 1, d, hh, mm) / 60000;
  const early = naive - skew(naive - DAY);
  const late = naive - skew(naive + DAY);
  if (early === late) return early;
  const earlyFits = early + skew(early) === naive;
  const lateFits = late + skew(late) === naive;
  if (earlyFits && lateFits) return Math.min(early, late);
  if (earlyFits) return early;
  if (lateFits) return late;
  return Math.max(early, late);
}

export function p2(n: number): string {
  return String(n).padStart(2, '0');
}

export function dayOf(t: Min): Day {
  const w = wallAt(t);
  return `${w.y}-${p2(w.mo)}-${p2(w.d)}`;
}

export function hm(t: Min): string {
  const w = wallAt(t);
  return `${p2(w.hh)}:${p2(w.mm)}`;
}

export function hopDay(day: Day, n: number): Day {
  const ms = Date.parse(`${day}T00:00:00Z`) + n * DAY * 60000;
  return new Date(ms).toISOString().slice(0, 10);
}

export function dayGap(a: Day, b: Day): number {
  return Math.round((Date.parse(`${b}T00:00:00Z`) - Date.parse(`${a}T00:00:00Z`)) / (DAY * 60000));
}

export function dowOf(day: Day): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay();
}

export function* daysIn(a: Day, b: Day): Generator<Day> {
  for (let d = a; d <= b; d = hopDay(d, 1)) yield d;
}

export function monthEdges(period: string): { first: Day; last: Day } {
  const m = /^(\d{4})-(\d{2})$/.exec(period);
  if (!m) throw new RangeError(`bad period ${period}`);
  const y = Number(m[1]);
  const mo = Number(m[2]);
  const last = new Date(Date.UTC(y, mo, 0)).getUTCDate();
  return { first: `${period}-01`, last: `${period}-${p2(last)}` };
}

export function mondayOf(day: Day): Day {
  return hopDay(day, -((dowOf(day) + 6) % 7));
}

export function isDay(s: unknown): s is Day {
  return typeof s === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(s) && !Number.isNaN(Date.parse(`${s}T00:00:00Z`));
}

export function nowMin(): Min {
  return Math.floor(Date.now() / 60000);
}

export function hrs(m: number): string {
  const sign = m < 0 ? '-' : '';
  const x = Math.abs(Math.round(m));
  return `${sign}${Math.floor(x / 60)}h${p2(x % 60)}`;
}
