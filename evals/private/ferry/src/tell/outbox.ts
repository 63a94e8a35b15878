import type { Deck } from '../dom/deck.ts';
import type { Hand } from '../dom/types.ts';
import type { Min } from '../kit/time.ts';
import { atWall, dayOf, hopDay, wallAt } from '../kit/time.ts';
import type { Note } from './phrases.ts';

export interface Parcel {
  to: string;
  keys: string[];
  text: string;
  rush: boolean;
  due: Min;
  tries: number;
  goodUntil?: Min;
}

export type Carrier = (via: 'sms' | 'mail', addr: string, text: string) => Promise<void>;

const BACKOFF = [1, 3, 10, 30, 120];
const HUSH_FROM = 21;
const HUSH_TO = 7;
const LINGER = 5;

export class Outbox {
  private q: Parcel[] = [];
  private seen = new Map<string, Min>();
  private carry: Carrier;
  dropped: Parcel[] = [];

  constructor(carry: Carrier) {
    this.carry = carry;
  }

  add(deck: Deck, n: Note, now: Min): void {
    if (this.seen.has(`${n.to}|${n.key}`)) return;
    this.seen.set(`${n.to}|${n.key}`, now);
    const due = n.rush ? now : this.polite(deck, n.to, now + LINGER);
    const pal = this.q.find((p) => p.to === n.to && !p.rush && !n.rush && p.tries === 0 && p.text.length < 600);
    if (pal) {
      pal.text += `\n${n.text}`;
      pal.keys.push(n.key);
      pal.goodUntil = pal.goodUntil && n.goodUntil ? Math.max(pal.goodUntil, n.goodUntil) : undefined;
      return;
    }
    this.q.push({ to: n.to, keys: [n.key], text: n.text, rush: n.rush, due, tries: 0, goodUntil: n.goodUntil });
  }

  private polite(deck: Deck, handId: string, t: Min): Min {
    for (const st of deck.stintsOf(handId, { a: t, b: t + 1 })) if (st.off - t < 14 * 60) return t;
    const w = wallAt(t);
    if (w.hh >= HUSH_FROM) return atWall(hopDay(dayOf(t), 1), `0${HUSH_TO}:00`);
    if (w.hh < HUSH_TO) return atWall(dayOf(t), `0${HUSH_TO}:00`);
    return t;
  }

  private route(h: Hand, p: Parcel): { via: 'sms' | 'mail'; addr: string }[] {
    const mail = { via: 'mail' as const, addr: h.mail };
    if (!h.phone) return [mail];
    const sms = { via: 'sms' as const, addr: h.phone };
    if (p.rush) return p.tries >= 2 ? [sms, mail] : [sms];
    return p.text.length > 320 || p.tries >= 3 ? [mail] : [sms];
  }

  async flush(deck: Deck, now: Min): Promise<{ sent: number; failed: number }> {
    const batch = this.q.filter((p) => p.due <= now);
    this.q = this.q.filter((p) => p.due > now);
    let sent = 0;
    let failed = 0;
    for (const p of batch) {
      const h = deck.hands.get(p.to);
      if (!h || h.left !== undefined && h.left < dayOf(now) || (p.goodUntil !== undefined && p.goodUntil < now)) {
        this.dropped.push(p);
        continue;
      }
      const legs = this.route(h, p);
      const res = await Promise.allSettled(legs.map((l) => this.carry(l.via, l.addr, p.text)));
      if (res.some((r) => r.status === 'fulfilled')) sent++;
      else {
        failed++;
        this.requeue(p, now);
      }
    }
    for (const [k, t] of this.seen) if (now - t > 7 * 24 * 60) this.seen.delete(k);
    return { sent, failed };
  }

  private requeue(p: Parcel, now: Min): void {
    const wait = BACKOFF[p.tries];
    p.tries++;
    if (wait === undefined) {
      this.dropped.push(p);
      if (this.dropped.length > 200) this.dropped.shift();
      return;
    }
    p.due = now + wait;
    this.q.push(p);
  }

  backlog(): number {
    return this.q.length;
  }
}
