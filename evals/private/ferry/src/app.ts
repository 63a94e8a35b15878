import { Filler } from './bill/fill.ts';
import { mendAll } from './bill/mend.ts';
import { allSnags } from './bill/snags.ts';
import { cutDay, postWeek, recut } from './bill/stints.ts';
import { sweepDeals } from './bill/swap.ts';
import { owesPapers } from './crew/leave.ts';
import { nudgesFor } from './crew/tickets.ts';
import type { Deck } from './dom/deck.ts';
import type { Clocking, Entry, Evt, Snag } from './dom/types.ts';
import { FerryErr } from './kit/bits.ts';
import type { Day, Min } from './kit/time.ts';
import { atWall, dayOf, daysIn, hopDay, HOUR, nowMin } from './kit/time.ts';
import { apply, asOf } from './log/fold.ts';
import { Journal } from './log/journal.ts';
import { ripple, stretchStints, tideSweep } from './sail/board.ts';
import type { Pattern } from './sail/pattern.ts';
import { diffPlan, unroll, vetPattern } from './sail/pattern.ts';
import { notesFor, say } from './tell/phrases.ts';
import type { Carrier } from './tell/outbox.ts';
import { Outbox } from './tell/outbox.ts';
import { Gatekeeper } from './tide/gate.ts';
import { TideBook } from './tide/harm.ts';

const SYS = 'sys';
const PRE = 40;
const POST = 20;

export class App {
  readonly deck: Deck;
  readonly log: Journal;
  readonly tides = new TideBook();
  readonly gk = new Gatekeeper(this.tides);
  readonly out: Outbox;
  pats: Pattern[] = [];
  private once = new Map<string, { seq: number; at: Min }>();
  private lastDaily = '';
  private clock: () => Min;

  constructor(dir: string | null, carry: Carrier, clock: () => Min = nowMin) {
    this.log = new Journal(dir);
    this.deck = this.log.boot();
    this.out = new Outbox(carry);
    this.clock = clock;
  }

  now(): Min {
    return this.clock();
  }

  commit(who: string, evts: Evt[], opt: { expect?: number; once?: string } = {}): Entry[] {
    if (opt.once) {
      const was = this.once.get(opt.once);
      if (was) return this.log.entries.slice(was.seq, was.seq + 1);
    }
    if (!evts.length) return [];
    const at = this.now();
    const start = this.log.entries.length;
    const fresh = this.log.append(who, evts, at, opt.expect);
    const emptied = new Map<string, string>();
    const last = new Map<string, Entry>();
    for (const e of fresh) {
      this.remember(e.ev, emptied);
      apply(this.deck, e.ev, e.at);
      this.deck.seq = e.seq;
      const k = e.ev.t === 'slot.put' ? `${e.ev.stintId}/${e.ev.ix}` : `#${e.seq}`;
      last.set(k, e);
    }
    for (const e of last.values()) for (const n of notesFor(this.deck, e, emptied)) this.out.add(this.deck, n, at);
    if (opt.once) this.once.set(opt.once, { seq: start, at });
    this.log.publish(fresh);
    return fresh;
  }

  private remember(ev: Evt, into: Map<string, string>): void {
    if (ev.t === 'slot.cleared') {
      const id = this.deck.slot(ev.stintId, ev.ix).handId;
      if (id) into.set(`${ev.stintId}/${ev.ix}`, id);
    } else if (ev.t === 'stint.void') {
      this.deck.stint(ev.id).slots.forEach((s, ix) => {
        if (s.handId) into.set(`${ev.id}/${ix}`, s.handId);
      });
    }
  }

  loadPlan(who: string, pats: Pattern[], a: Day, b: Day): { added: number; moved: number; cut: number } {
    const bad = pats.flatMap((p) => vetPattern(p, this.deck.hulls).map((m) => `${p.code}: ${m}`));
    if (bad.length) throw new FerryErr('bad_input', 'timetable has errors', { bad });
    const will = pats.flatMap((p) => unroll(p, a, b, this.tides));
    const codes = new Set(pats.map((p) => p.code));
    const t0 = atWall(a, '00:00');
    const t1 = atWall(hopDay(b, 1), '00:00');
    const was = [...this.deck.sailings.values()].filter((s) => codes.has(s.pat) && s.plannedDep >= t0 && s.plannedDep < t1);
    const d = diffPlan(was, will, this.now());
    const evts: Evt[] = [
      ...d.add.map((sailing): Evt => ({ t: 'sail.posted', sailing })),
      ...d.move.map((s): Evt => ({ t: 'sail.shifted', id: s.id, dep: s.dep, arr: s.arr, why: 'new timetable' })),
      ...d.drop.map((s): Evt => ({ t: 'sail.scrubbed', id: s.id, why: 'not in timetable' })),
    ];
    this.commit(who, evts);
    this.pats = [...this.pats.filter((p) => !codes.has(p.code)), ...pats];
    return { added: d.add.length, moved: d.move.length, cut: d.drop.length };
  }

  water(who: string, a: Day, b: Day): number {
    const evts = tideSweep(this.deck, this.gk, atWall(a, '00:00'), atWall(hopDay(b, 1), '00:00'));
    this.commit(who, evts);
    const moved = new Map<string, { dep: Min; arr: Min }>();
    for (const e of evts) {
      if (e.t === 'sail.shifted') moved.set(e.id, { dep: e.dep, arr: e.arr });
      if (e.t === 'sail.scrubbed') moved.set(e.id, { dep: 0, arr: 0 });
    }
    this.commit(who, stretchStints(this.deck, moved, PRE, POST));
    return evts.length;
  }

  delay(who: string, sailingId: string, dep: Min, why: string): { scrubbed: string[]; snags: Snag[] } {
    const r = ripple(this.deck, sailingId, dep, why);
    this.commit(who, r.evts);
    const moved = new Map(r.shifted);
    for (const id of r.scrubbed) moved.set(id, { dep: 0, arr: 0 });
    const ext = stretchStints(this.deck, moved, PRE, POST);
    this.commit(who, ext);
    const days = [...moved.keys()].map((id) => dayOf(this.deck.sailings.get(id)?.plannedDep ?? dep)).sort();
    return { scrubbed: r.scrubbed, snags: allSnags(this.deck, days[0], days[days.length - 1], this.now()) };
  }

  draftWeek(who: string, a: Day, b: Day, seed: number): { cut: number; filled: number; open: unknown[] } {
    let cut = 0;
    for (const day of daysIn(a, b)) {
      for (const hull of this.deck.hulls.values()) {
        const have = this.deck.stintsBetween(day, day).filter((s) => s.hullId === hull.id);
        if (have.some((s) => s.state === 'posted')) continue;
        const evts = have.length
          ? recut(this.deck, hull.id, day)
          : cutDay(this.deck, hull.id, day).map((stint): Evt => ({ t: 'stint.cut', stint }));
        cut += evts.length;
        this.commit(who, evts);
      }
    }
    const got = new Filler(this.deck, seed).run(a, b);
    this.commit(who, got.evts);
    return { cut, filled: got.evts.length, open: got.open };
  }

  mend(who: string, a: Day, b: Day): { fixed: number; stuck: Snag[] } {
    const r = mendAll(this.deck, allSnags(this.deck, a, b, this.now()), this.now());
    this.commit(who, r.evts);
    return { fixed: r.fixed.length, stuck: r.stuck };
  }

  post(who: string, a: Day, b: Day, force: boolean): { posted: number; holes: string[] } {
    const r = postWeek(this.deck, a, b, this.now());
    const bad = allSnags(this.deck, a, b, this.now()).filter((s) => s.sev === 3 && s.kind !== 'gap');
    if (bad.length && !force) throw new FerryErr('clash', 'roster has unlawful duties', { snags: bad.slice(0, 20) });
    this.commit(who, r.evts);
    return { posted: r.evts.length, holes: r.holes };
  }

  clockIn(who: string, c: Clocking): void {
    const st = this.deck.stint(c.stintId);
    if (!st.slots.some((s) => s.handId === c.handId)) throw new FerryErr('forbidden', 'not aboard for that duty');
    if (c.off <= c.on || c.off > this.now() + 5) throw new FerryErr('bad_input', 'times cannot be right');
    if (Math.abs(c.on - st.on) > 4 * HOUR) throw new FerryErr('bad_input', 'too far from the planned start');
    if (this.deck.paid.has(st.day.slice(0, 7))) {
      if (who === c.handId) throw new FerryErr('locked', 'month is closed, ask payroll');
    }
    this.commit(who, [{ t: 'clocked', c }]);
  }

  async tick(): Promise<void> {
    const now = this.now();
    this.commit(SYS, sweepDeals(this.deck, now));
    const today = dayOf(now);
    if (today !== this.lastDaily) {
      this.lastDaily = today;
      this.daily(today, now);
    }
    await this.out.flush(this.deck, now);
  }

  private daily(today: Day, now: Min): void {
    for (const n of nudgesFor(this.deck, today)) {
      const vars = { kind: n.tkt.kind, n: String(n.daysLeft), until: n.tkt.until };
      const text = say('tkt', this.deck.hand(n.handId).lang, vars);
      this.out.add(this.deck, { to: n.handId, key: `tkt:${n.tkt.no}:${n.tier}`, text, rush: false }, now);
    }
    for (const id of owesPapers(this.deck, today)) {
      this.out.add(this.deck, { to: id, key: `papers:${today}`, text: 'A doctor note is due.', rush: false }, now);
    }
    for (const [k, v] of this.once) if (now - v.at > 48 * HOUR) this.once.delete(k);
    this.log.checkpoint(this.deck);
  }

  past(at: Min): Deck {
    return asOf(this.log.entries, at);
  }
}
