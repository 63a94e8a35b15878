import { lacks } from '../crew/tickets.ts';
import { inPeak } from '../crew/leave.ts';
import type { Deck } from '../dom/deck.ts';
import type { Evt, Hand, Slot, Stint } from '../dom/types.ts';
import { lcg, shuffle } from '../kit/bits.ts';
import type { Span } from '../kit/span.ts';
import { hits, total } from '../kit/span.ts';
import type { Day } from '../kit/time.ts';
import { atWall, DAY, dowOf, hopDay, HOUR, mondayOf, WEEK } from '../kit/time.ts';
import { canTake, HSC_RULE, MLC } from './rest.ts';
import { wearyScore } from './weary.ts';

export interface Weights {
  weary: number;
  even: number;
  rank: number;
  trip: number;
  over: number;
  weekend: number;
  single: number;
}

export const W: Weights = { weary: 1.2, even: 0.6, rank: 18, trip: 25, over: 0.08, weekend: 9, single: 7 };

const WEARY_STOP = 82;

interface Job {
  st: Stint;
  ix: number;
  sl: Slot;
  cands: Hand[];
}

export interface FillOut {
  evts: Evt[];
  open: { stintId: string; ix: number; why: string }[];
  cost: number;
}

export class Filler {
  private deck: Deck;
  private w: Weights;
  private rnd: () => number;
  private held = new Map<string, Stint[]>();
  private seat = new Map<string, string>();

  constructor(deck: Deck, seed = 7, w: Weights = W) {
    this.deck = deck;
    this.w = w;
    this.rnd = lcg(seed);
  }

  private key(st: Stint, ix: number): string {
    return `${st.id}/${ix}`;
  }

  private load(h: Hand, near: Span): Span[] {
    const wide = { a: near.a - 2 * WEEK, b: near.b + WEEK };
    const out = this.deck.workOf(h.id, wide);
    for (const st of this.held.get(h.id) ?? []) {
      const s = { a: st.on, b: st.off };
      if (hits(s, wide)) out.push(s);
    }
    return out;
  }

  whyNot(h: Hand, st: Stint, sl: Slot): string | null {
    const duty = { a: st.on, b: st.off };
    if (h.rank !== sl.rank && !h.alsoAs.includes(sl.rank)) return 'rank';
    if (h.contract.since > st.day || (h.left && h.left < st.day)) return 'not employed';
    if (h.contract.ends && h.contract.ends < st.day) return 'contract over';
    if (this.deck.awayDuring(h.id, duty)) return 'away';
    if (lacks(this.deck, h, st, sl).length) return 'ticket';
    const work = this.load(h, duty);
    if (work.some((s) => hits(s, duty))) return 'busy';
    const hull = this.deck.hull(st.hullId);
    if (!canTake(work, duty, hull.hsc ? HSC_RULE : MLC)) return 'rest';
    if (this.feud(h, st)) return 'feud';
    return wearyScore(work, duty) >= WEARY_STOP ? 'weary' : null;
  }

  private feud(h: Hand, st: Stint): boolean {
    for (let i = 0; i < st.slots.length; i++) {
      const id = this.seat.get(this.key(st, i)) ?? st.slots[i].handId;
      if (!id || id === h.id) continue;
      if (h.avoid.includes(id) || this.deck.hand(id).avoid.includes(h.id)) return true;
    }
    return false;
  }

  price(h: Hand, st: Stint, sl: Slot): number {
    const duty = { a: st.on, b: st.off };
    const work = this.load(h, duty);
    const monday = mondayOf(st.day);
    const wk = { a: atWall(monday, '00:00'), b: atWall(hopDay(monday, 7), '00:00') };
    const inWk = work.filter((s) => hits(s, wk));
    const mins = total(inWk) + (st.off - st.on);
    let c = wearyScore(work, duty) * this.w.weary;
    if (h.rank !== sl.rank) c += this.w.rank;
    if (mins > h.contract.weekMin) c += (mins - h.contract.weekMin) * this.w.over;
    else c -= ((h.contract.weekMin - mins) / HOUR) * this.w.even;
    if (h.base !== st.fromPort) c += this.w.trip;
    if (h.contract.form === 'zero') c += inPeak(st.day) ? 5 : 15;
    const dow = dowOf(st.day);
    if (dow === 0 || dow === 6) c += this.w.weekend * this.weekendsWorked(work, duty.a);
    const beside = work.some((s) => Math.abs(s.a - duty.a) < 1.5 * DAY);
    if (!beside) c += this.w.single;
    return c;
  }

  private weekendsWorked(work: Span[], at: number): number {
    const seen = new Set<number>();
    for (const s of work) {
      if (s.a < at - 4 * WEEK || s.a > at) continue;
      const d = new Date(s.a * 60000).getUTCDay();
      if (d === 0 || d === 6) seen.add(Math.floor((s.a + 4 * DAY) / WEEK));
    }
    return seen.size;
  }

  private give(job: Job, h: Hand): void {
    this.seat.set(this.key(job.st, job.ix), h.id);
    const l = this.held.get(h.id) ?? [];
    l.push(job.st);
    this.held.set(h.id, l);
  }

  private take(job: Job): Hand | null {
    const k = this.key(job.st, job.ix);
    const id = this.seat.get(k);
    if (!id) return null;
    this.seat.delete(k);
    const l = this.held.get(id) ?? [];
    const i = l.indexOf(job.st);
    if (i >= 0) l.splice(i, 1);
    return this.deck.hand(id);
  }

  private jobs(a: Day, b: Day): Job[] {
    const out: Job[] = [];
    for (const st of this.deck.stintsBetween(a, b)) {
      st.slots.forEach((sl, ix) => {
        if (sl.handId || sl.pinned) return;
        const pool = this.deck.onBooks(st.day, sl.rank);
        out.push({ st, ix, sl, cands: pool.filter((h) => this.whyNot(h, st, sl) === null) });
      });
    }
    return out.sort((p, q) => p.cands.length - q.cands.length || p.st.on - q.st.on);
  }

  run(a: Day, b: Day, rounds = 60): FillOut {
    const jobs = this.jobs(a, b);
    for (const job of jobs) this.seatBest(job);
    for (const job of jobs) if (!this.seat.has(this.key(job.st, job.ix))) this.chain(job, jobs);
    const filled = jobs.filter((j) => this.seat.has(this.key(j.st, j.ix)));
    for (let r = 0; r < rounds && filled.length > 1; r++) this.nudge(filled);
    const out: FillOut = { evts: [], open: [], cost: 0 };
    for (const j of jobs) {
      const id = this.seat.get(this.key(j.st, j.ix));
      if (!id) {
        out.open.push({ stintId: j.st.id, ix: j.ix, why: this.blame(j) });
        continue;
      }
      out.evts.push({ t: 'slot.put', stintId: j.st.id, ix: j.ix, handId: id, src: 'solver' });
      out.cost += this.price(this.deck.hand(id), j.st, j.sl);
    }
    return out;
  }

  private seatBest(job: Job): boolean {
    let best: Hand | null = null;
    let low = Infinity;
    for (const h of job.cands) {
      if (this.whyNot(h, job.st, job.sl)) continue;
      const c = this.price(h, job.st, job.sl);
      if (c < low) {
        low = c;
        best = h;
      }
    }
    if (best) this.give(job, best);
    return best !== null;
  }

  private chain(job: Job, all: Job[]): boolean {
    for (const h of shuffle(job.cands, this.rnd)) {
      const blockers = all.filter(
        (j) => this.seat.get(this.key(j.st, j.ix)) === h.id && Math.abs(j.st.on - job.st.on) < 2 * DAY,
      );
      for (const bl of blockers) {
        this.take(bl);
        if (this.whyNot(h, job.st, job.sl) === null) {
          this.give(job, h);
          if (this.seatBest(bl)) return true;
          this.take(job);
        }
        this.give(bl, h);
      }
    }
    return false;
  }

  private nudge(filled: Job[]): void {
    const p = filled[Math.floor(this.rnd() * filled.length)];
    const q = filled[Math.floor(this.rnd() * filled.length)];
    if (p === q || p.st === q.st || p.sl.rank !== q.sl.rank) return;
    const hp = this.take(p);
    const hq = this.take(q);
    if (!hp || !hq) return;
    const was = this.price(hp, p.st, p.sl) + this.price(hq, q.st, q.sl);
    const fits = this.whyNot(hq, p.st, p.sl) === null && this.whyNot(hp, q.st, q.sl) === null;
    if (fits && this.price(hq, p.st, p.sl) + this.price(hp, q.st, q.sl) < was - 1) {
      this.give(p, hq);
      this.give(q, hp);
    } else {
      this.give(p, hp);
      this.give(q, hq);
    }
  }

  private blame(job: Job): string {
    const tally = new Map<string, number>();
    for (const h of this.deck.onBooks(job.st.day, job.sl.rank)) {
      const y = this.whyNot(h, job.st, job.sl) ?? 'outbid';
      tally.set(y, (tally.get(y) ?? 0) + 1);
    }
    if (!tally.size) return 'nobody of that rank';
    return [...tally]
      .sort((p, q) => q[1] - p[1])
      .map(([k, n]) => `${k}×${n}`)
      .join(' ');
  }
}
