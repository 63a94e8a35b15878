import type { Deck } from '../dom/deck.ts';
import { backToBankDay } from '../dom/feasts.ts';
import type { Evt, PayLine } from '../dom/types.ts';
import { canon, FerryErr, heap, kr, mulDiv, sha } from '../kit/bits.ts';
import type { Day, Min } from '../kit/time.ts';
import { dayOf, monthEdges } from '../kit/time.ts';
import { arrears, wholeFleet } from './tally.ts';

const ACCT: Record<string, string> = {
  ...{ BAS: '2210', GAR: '2211', CMIN: '2212', SICK: '2290', MEAL: '2710' },
  ...{ N20: '2231', SA: '2232', SU: '2233', HD: '2234', HX: '2235' },
  ...{ O5: '2241', O1: '2242', SPL: '2251', SHN: '2252' },
};

export function acctOf(code: string): string {
  const stem = code.split('~')[0];
  const a = ACCT[stem];
  if (!a) throw new FerryErr('bad_input', `no ledger account for ${code}`);
  return code.includes('~') ? `${a}9` : a;
}

function quote(x: string): string {
  return /[;"\r\n]/.test(x) ? `"${x.replaceAll('"', '""')}"` : x;
}

function defang(x: string): string {
  return /^[=+\-@\t]/.test(x) && !/^-?\d/.test(x) ? `'${x}` : x;
}

export function toCsv(deck: Deck, lines: PayLine[]): string {
  const rows = [['hand', 'name', 'code', 'account', 'date', 'hours', 'amount', 'cc']];
  for (const l of lines) {
    const h = deck.hand(l.handId);
    const hours = (l.mins / 60).toFixed(2).replace('.', ',');
    rows.push([l.handId, h.name, l.code, acctOf(l.code), l.day, hours, kr(l.cents), l.cc]);
  }
  return `\uFEFF${rows.map((r) => r.map((c) => quote(defang(c))).join(';')).join('\r\n')}\r\n`;
}

function padR(x: string, n: number): string {
  const flat = x.normalize('NFC').replace(/[^\x20-\x7eæøåÆØÅ]/g, '?');
  return flat.length > n ? flat.slice(0, n) : flat.padEnd(n);
}

function padN(x: number, n: number): string {
  const s = String(Math.abs(Math.round(x)));
  if (s.length > n - 1) throw new FerryErr('bad_input', `amount ${x} does not fit the bank file`);
  return `${s.padStart(n - 1, '0')}${x < 0 ? '-' : '+'}`;
}

export function toFixed(deck: Deck, period: string, lines: PayLine[], valueDay: Day): string {
  const out: string[] = [];
  out.push(`H1${padR('SKERRYLINE', 12)}${period.replace('-', '')}${valueDay.replaceAll('-', '')}${padR('', 26)}`);
  let sum = 0;
  let count = 0;
  for (const [id, own] of heap(lines, (l) => l.handId)) {
    const byCode = new Map<string, { mins: number; cents: number }>();
    for (const l of own) {
      const a = acctOf(l.code);
      const b = byCode.get(a) ?? { mins: 0, cents: 0 };
      b.mins += l.mins;
      b.cents += l.cents;
      byCode.set(a, b);
    }
    for (const [a, b] of [...byCode].sort((p, q) => (p[0] < q[0] ? -1 : 1))) {
      if (b.cents === 0 && b.mins === 0) continue;
      out.push(`D1${padR(id, 18)}${padR(a, 6)}${padN(mulDiv(b.mins, 100, 60), 9)}${padN(b.cents, 12)}${padR(deck.hand(id).costCentre, 7)}`);
      sum += b.cents;
      count++;
    }
  }
  out.push(`T9${padN(count, 8)}${padN(sum, 14)}${checkDigits(out)}${padR('', 26)}`);
  return `${out.join('\r\n')}\r\n`;
}

function checkDigits(rows: string[]): string {
  let acc = 0;
  rows.forEach((r, i) => {
    for (let k = 0; k < r.length; k++) acc = (acc + r.charCodeAt(k) * ((i % 7) + 1) * ((k % 11) + 1)) % 9973;
  });
  return String(acc).padStart(4, '0');
}

export function payday(period: string): Day {
  return backToBankDay(monthEdges(period).last, 0);
}

export function stopper(deck: Deck, period: string, now: Min): string[] {
  const { first, last } = monthEdges(period);
  const out: string[] = [];
  if (dayOf(now) <= last) out.push('month is not over');
  if (deck.paid.has(period)) out.push('month is already locked');
  for (const st of deck.stintsBetween(first, last)) {
    if (st.state === 'draft') out.push(`duty ${st.id} was never posted`);
    for (const sl of st.slots) {
      if (!sl.handId) continue;
      const c = deck.clockings.get(`${st.id}/${sl.handId}`);
      if (c && c.off - c.on > 16 * 60) out.push(`${sl.handId} clocked ${Math.round((c.off - c.on) / 60)} hours on ${st.day}`);
    }
  }
  for (const ab of deck.absences.values()) {
    if (ab.state === 'asked' && ab.from <= last && ab.to >= first) out.push(`absence ${ab.id} undecided`);
  }
  return out;
}

export function lockMonth(deck: Deck, period: string, now: Min, force: boolean): { evts: Evt[]; lines: PayLine[] } {
  const why = stopper(deck, period, now);
  const hard = why.filter((w) => w.startsWith('month'));
  if (hard.length || (why.length && !force)) throw new FerryErr('locked', 'cannot close the month', { why });
  const lines = [...wholeFleet(deck, period), ...arrears(deck, period, 3)];
  const digest = sha(canon(lines));
  return { evts: [{ t: 'pay.locked', period, digest, lines }], lines };
}

export function slip(deck: Deck, handId: string, lines: PayLine[]): { code: string; hours: string; amount: string }[] {
  deck.hand(handId);
  const own = heap(
    lines.filter((l) => l.handId === handId),
    (l) => l.code,
  );
  const out: { code: string; hours: string; amount: string }[] = [];
  for (const [code, ls] of own) {
    const mins = ls.reduce((p, l) => p + l.mins, 0);
    const cents = ls.reduce((p, l) => p + l.cents, 0);
    out.push({ code, hours: (mins / 60).toFixed(2), amount: kr(cents) });
  }
  const sum = lines.filter((l) => l.handId === handId).reduce((p, l) => p + l.cents, 0);
  out.push({ code: 'SUM', hours: '', amount: kr(sum) });
  return out;
}
