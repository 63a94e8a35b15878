import { feastOn } from '../dom/feasts.ts';
import type { Hull, Sailing } from '../dom/types.ts';
import { FerryErr } from '../kit/bits.ts';
import type { Day, Min } from '../kit/time.ts';
import { atWall, daysIn, dowOf, HOUR } from '../kit/time.ts';
import type { TideBook } from '../tide/harm.ts';

export interface Pattern {
  code: string;
  hullId: string;
  from: string;
  to: string;
  runMin: number;
  dows: string;
  start: Day;
  end: Day;
  feastMode: 'asSunday' | 'skip' | 'run' | 'only';
  dep?: string;
  hw?: { port: string; off: number; between: [string, string] };
  pax: number;
  except?: Day[];
}

export function runsOn(p: Pattern, day: Day): boolean {
  if (day < p.start || day > p.end || p.except?.includes(day)) return false;
  const f = feastOn(day, p.from);
  const full = f !== undefined && f.fromHm === '00:00';
  if (p.feastMode === 'only') return full;
  if (full && p.feastMode === 'skip') return false;
  const dow = full && p.feastMode === 'asSunday' ? 0 : dowOf(day);
  const iso = dow === 0 ? 7 : dow;
  return p.dows.includes(String(iso));
}

export function depsOn(p: Pattern, day: Day, tides: TideBook): Min[] {
  if (p.dep) return [atWall(day, p.dep)];
  if (!p.hw) throw new FerryErr('bad_input', `pattern ${p.code} has neither clock nor tide`);
  const lo = atWall(day, p.hw.between[0]);
  const hi = atWall(day, p.hw.between[1]);
  const out: Min[] = [];
  for (const x of tides.turns(p.hw.port, lo - 7 * HOUR, hi + 7 * HOUR)) {
    if (!x.hw) continue;
    const t = Math.round((x.at + p.hw.off) / 5) * 5;
    if (t >= lo && t <= hi) out.push(t);
  }
  return out;
}

export function sailId(p: Pattern, day: Day, n: number): string {
  return `sl_${p.code.toLowerCase()}_${day.replaceAll('-', '')}${n ? `_${n}` : ''}`;
}

export function unroll(p: Pattern, a: Day, b: Day, tides: TideBook): Sailing[] {
  const out: Sailing[] = [];
  const from = a > p.start ? a : p.start;
  const to = b < p.end ? b : p.end;
  if (from > to) return out;
  for (const day of daysIn(from, to)) {
    if (!runsOn(p, day)) continue;
    depsOn(p, day, tides).forEach((dep, n) => {
      out.push({
        id: sailId(p, day, n),
        pat: p.code,
        hullId: p.hullId,
        from: p.from,
        to: p.to,
        dep,
        arr: dep + p.runMin,
        plannedDep: dep,
        pax: p.pax,
        tidal: p.hw !== undefined,
        state: 'posted',
      });
    });
  }
  return out;
}

export function vetPattern(p: Pattern, hulls: Map<string, Hull>): string[] {
  const bad: string[] = [];
  if (!/^[A-Z]{2,4}\d{1,3}$/.test(p.code)) bad.push('code must look like NS12');
  if (!hulls.has(p.hullId)) bad.push(`hull ${p.hullId} is not listed`);
  if (!/^[1-7]+$/.test(p.dows) && p.feastMode !== 'only') bad.push('dows must be digits 1-7');
  if (p.start > p.end) bad.push('season ends before it starts');
  if (p.runMin < 5 || p.runMin > 600) bad.push('crossing time out of range');
  if (!p.dep === !p.hw) bad.push('give either dep or hw, not both');
  if (p.dep && !/^([01]\d|2[0-3]):[0-5]\d$/.test(p.dep)) bad.push('dep is not a clock time');
  const hull = hulls.get(p.hullId);
  if (hull) {
    const cap = Math.max(...hull.manning.map((m) => m.upTo));
    if (p.pax > cap) bad.push(`pax ${p.pax} above certificate ${cap}`);
  }
  return bad;
}

export function diffPlan(was: Sailing[], will: Sailing[], now: Min): { add: Sailing[]; drop: Sailing[]; move: Sailing[] } {
  const old = new Map(was.map((s) => [s.id, s]));
  const add: Sailing[] = [];
  const move: Sailing[] = [];
  for (const s of will) {
    const o = old.get(s.id);
    old.delete(s.id);
    if (s.dep <= now) continue;
    if (!o) add.push(s);
    else if (o.state === 'posted' && (o.dep !== s.dep || o.arr !== s.arr)) move.push(s);
  }
  const drop = [...old.values()].filter((o) => o.dep > now && o.state !== 'scrubbed');
  return { add, drop, move };
}
