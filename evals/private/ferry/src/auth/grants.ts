import type { Deck } from '../dom/deck.ts';
import type { Actor, Role } from '../dom/types.ts';
import { FerryErr } from '../kit/bits.ts';

export type Verb =
  | 'bill.read'
  | 'bill.edit'
  | 'bill.post'
  | 'sail.edit'
  | 'crew.read'
  | 'crew.edit'
  | 'leave.rule'
  | 'swap.rule'
  | 'pay.read'
  | 'pay.lock'
  | 'log.read'
  | 'self';

const BOOK: Record<Role, string[]> = {
  hand: ['self', 'bill.read'],
  master: ['self', 'bill.read', 'crew.read', 'sail.edit@port'],
  planner: ['self', 'bill.*@port', 'sail.*@port', 'crew.read', 'leave.rule@port', 'swap.rule@port'],
  payroll: ['self', 'pay.*', 'crew.read', 'bill.read'],
  admin: ['*', '!pay.lock'],
};

function fits(pat: string, verb: Verb): boolean {
  if (pat === '*') return true;
  if (pat.endsWith('.*')) return verb.startsWith(pat.slice(0, -1));
  return pat === verb;
}

export function may(who: Actor, verb: Verb, port?: string): boolean {
  let yes = false;
  for (const role of who.roles) {
    for (const g of BOOK[role] ?? []) {
      const deny = g.startsWith('!');
      const [pat, scope] = (deny ? g.slice(1) : g).split('@');
      if (!fits(pat, verb)) continue;
      if (scope === 'port' && port !== undefined && !who.ports.includes(port) && !who.ports.includes('*')) continue;
      if (deny && !who.roles.some((r) => r !== role && BOOK[r].some((x) => fits(x.split('@')[0], verb)))) return false;
      if (!deny) yes = true;
    }
  }
  return yes;
}

export function need(who: Actor, verb: Verb, port?: string): void {
  if (!may(who, verb, port)) throw new FerryErr('forbidden', `${verb} not allowed${port ? ` at ${port}` : ''}`);
}

export function selfOr(who: Actor, handId: string, verb: Verb, deck: Deck): void {
  if (who.sub === handId && may(who, 'self')) return;
  need(who, verb, deck.hand(handId).base);
}

export function notOwn(who: Actor, parties: (string | undefined)[]): void {
  if (parties.includes(who.sub)) throw new FerryErr('forbidden', 'somebody else has to decide on this one');
}

export function trimHand(who: Actor, deck: Deck, handId: string): Record<string, unknown> {
  const h = deck.hand(handId);
  const pub: Record<string, unknown> = { id: h.id, name: h.name, rank: h.rank, base: h.base };
  const own = who.sub === handId;
  if (own || may(who, 'crew.read', h.base)) {
    pub.tkts = h.tkts.map((t) => (own || may(who, 'crew.edit', h.base) ? t : { kind: t.kind, until: t.until, pulled: !!t.pulled }));
    pub.phone = h.phone;
    pub.mail = h.mail;
  }
  if (own || may(who, 'pay.read')) pub.contract = h.contract;
  if (may(who, 'crew.edit', h.base)) pub.avoid = h.avoid;
  return pub;
}
