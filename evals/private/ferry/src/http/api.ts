import type { App } from '../app.ts';
import { need, notOwn, selfOr, trimHand } from '../auth/grants.ts';
import { cures, toEvts } from '../bill/mend.ts';
import { allSnags } from '../bill/snags.ts';
import { offer, rule, takeUp, withdraw } from '../bill/swap.ts';
import { wearyScore } from '../bill/weary.ts';
import { askLeave, balance, reportSick, ruleAbsence } from '../crew/leave.ts';
import { fileTkt, pullTkt } from '../crew/tickets.ts';
import type { Actor, AbsKind, FillSrc, Rank, SnagKind, Stint, Tkt, TktKind } from '../dom/types.ts';
import { FerryErr, must } from '../kit/bits.ts';
import type { Day } from '../kit/time.ts';
import { atWall, dayGap, dayOf, hopDay, isDay, WEEK } from '../kit/time.ts';
import { scrub } from '../sail/board.ts';
import type { Pattern } from '../sail/pattern.ts';
import { lockMonth, payday, slip, stopper, toCsv, toFixed } from '../wage/dump.ts';
import { payFor } from '../wage/tally.ts';
import type { Req, Router } from './router.ts';
import { int, Raw, str } from './router.ts';

const ABS: AbsKind[] = ['leave', 'sick', 'course', 'family'];

function range(q: URLSearchParams | Record<string, unknown>, max: number): [Day, Day] {
  const get = (k: string): unknown => (q instanceof URLSearchParams ? q.get(k) : q[k]);
  const a = get('from');
  const b = get('to');
  if (!isDay(a) || !isDay(b) || b < a) throw new FerryErr('bad_input', 'from and to must be days in order');
  if (dayGap(a, b) > max) throw new FerryErr('bad_input', `at most ${max} days at once`);
  return [a, b];
}

function portOf(app: App, st: Stint): string {
  return app.deck.hull(st.hullId).home;
}

function viewStint(app: App, who: Actor, st: Stint): Record<string, unknown> {
  const slots = st.slots.map((s) => ({ rank: s.rank, pinned: s.pinned, hand: s.handId ? trimHand(who, app.deck, s.handId).name : null, id: s.handId }));
  return { id: st.id, hull: st.hullId, day: st.day, on: st.on, off: st.off, legs: st.sailingIds, state: st.state, slots };
}

export function billRoutes(app: App, r: Router): void {
  r.on('GET', '/bill', (x) => {
    need(x.who, 'bill.read');
    const [a, b] = range(x.q, 62);
    const planner = x.who.roles.includes('planner');
    const rows = app.deck.stintsBetween(a, b).filter((s) => planner || s.state === 'posted');
    return { seq: app.deck.seq, stints: rows.map((s) => viewStint(app, x.who, s)) };
  });
  r.on('POST', '/bill/draft', (x) => {
    need(x.who, 'bill.edit');
    const [a, b] = range(x.body, 35);
    return app.draftWeek(x.who.sub, a, b, int({ seed: x.body.seed ?? 7 }, 'seed', 1, 1e6));
  });
  r.on('POST', '/bill/post', (x) => {
    need(x.who, 'bill.post');
    const [a, b] = range(x.body, 35);
    return app.post(x.who.sub, a, b, x.body.force === true);
  });
  r.on('GET', '/bill/snags', (x) => {
    need(x.who, 'bill.edit');
    const [a, b] = range(x.q, 62);
    const kind = x.q.get('kind') as SnagKind | null;
    return allSnags(app.deck, a, b, app.now()).filter((s) => !kind || s.kind === kind);
  });
  r.on('POST', '/bill/mend', (x) => {
    need(x.who, 'bill.edit');
    const [a, b] = range(x.body, 14);
    return app.mend(x.who.sub, a, b);
  });
  r.on('GET', '/stints/:id/cures/:ix', (x) => {
    const st = app.deck.stint(x.p.id);
    need(x.who, 'bill.edit', portOf(app, st));
    return cures(app.deck, pickSnag(app, st, Number(x.p.ix)), app.now());
  });
  r.on('POST', '/stints/:id/cures/:ix', (x) => {
    const st = app.deck.stint(x.p.id);
    need(x.who, 'bill.edit', portOf(app, st));
    const list = cures(app.deck, pickSnag(app, st, Number(x.p.ix)), app.now());
    const c = must(list[int(x.body, 'pick', 0, 20)], 'remedy');
    return app.commit(x.who.sub, toEvts(app.deck, c), { expect: x.ifSeq }).length;
  });
  r.on('PUT', '/stints/:id/slots/:ix', (x) => putSlot(app, x));
}

function pickSnag(app: App, st: Stint, ix: number): ReturnType<typeof allSnags>[number] {
  const all = allSnags(app.deck, st.day, st.day, app.now()).filter((s) => s.stintId === st.id && s.ix === ix);
  return must(all[0], 'problem on that post');
}

function putSlot(app: App, x: Req): unknown {
  const st = app.deck.stint(x.p.id);
  const ix = Number(x.p.ix);
  const sl = app.deck.slot(st.id, ix);
  need(x.who, 'bill.edit', portOf(app, st));
  if (st.on <= app.now()) throw new FerryErr('locked', 'duty has begun');
  const handId = x.body.hand === null ? null : str(x.body, 'hand');
  if (handId) app.deck.hand(handId);
  const was = sl.handId;
  const src: FillSrc = x.body.called === true ? 'callout' : 'planner';
  if (was === handId) return { seq: app.deck.seq };
  app.commit(
    x.who.sub,
    [
      ...(was ? [{ t: 'slot.cleared' as const, stintId: st.id, ix, why: 'planner' }] : []),
      ...(handId ? [{ t: 'slot.put' as const, stintId: st.id, ix, handId, src }] : []),
      ...(handId && x.body.pin === true ? [{ t: 'slot.pinned' as const, stintId: st.id, ix, on: true }] : []),
    ],
    { expect: x.ifSeq },
  );
  const left = allSnags(app.deck, st.day, st.day, app.now()).filter((s) => s.stintId === st.id);
  return { seq: app.deck.seq, snags: left };
}

export function crewRoutes(app: App, r: Router): void {
  const { deck } = app;
  r.on('GET', '/hands', (x) => {
    need(x.who, 'crew.read');
    const rank = (x.q.get('rank') ?? undefined) as Rank | undefined;
    const found = deck.find({ text: x.q.get('q') ?? '', rank, base: x.q.get('base') ?? undefined, day: dayOf(app.now()) });
    return found.slice(0, 50).map((h) => trimHand(x.who, deck, h.id));
  });
  r.on('GET', '/hands/:id/strain', (x) => {
    selfOr(x.who, x.p.id, 'bill.edit', deck);
    const now = app.now();
    return deck.stintsOf(x.p.id, { a: now, b: now + 2 * WEEK }).map((st) => {
      const duty = { a: st.on, b: st.off };
      const before = deck.workOf(x.p.id, { a: st.on - 2 * WEEK, b: st.on }, st.id);
      return { stint: st.id, day: st.day, score: wearyScore(before, duty) };
    });
  });
  r.on('POST', '/hands/:id/tkts', (x) => {
    need(x.who, 'crew.edit', deck.hand(x.p.id).base);
    const scope = Array.isArray(x.body.scope) ? x.body.scope.map(String) : undefined;
    const t: Tkt = { no: str(x.body, 'no', 40), kind: str(x.body, 'kind') as TktKind, from: str(x.body, 'from'), until: str(x.body, 'until'), scope };
    app.commit(x.who.sub, fileTkt(deck, x.p.id, t));
  });
  r.on('DELETE', '/hands/:id/tkts/:no', (x) => {
    need(x.who, 'crew.edit', deck.hand(x.p.id).base);
    return app.commit(x.who.sub, pullTkt(deck, x.p.id, x.p.no, str(x.body, 'why'), dayOf(app.now()))).length;
  });
  r.on('GET', '/hands/:id/leave', (x) => {
    selfOr(x.who, x.p.id, 'leave.rule', deck);
    return balance(deck, x.p.id, dayOf(app.now()));
  });
  r.on('POST', '/hands/:id/leave', (x) => {
    selfOr(x.who, x.p.id, 'leave.rule', deck);
    const kind = str(x.body, 'kind') as AbsKind;
    if (!ABS.includes(kind)) throw new FerryErr('bad_input', `kind is one of ${ABS.join(', ')}`);
    const evts =
      kind === 'sick'
        ? reportSick(deck, x.p.id, str(x.body, 'from'), app.now(), int({ n: x.body.days ?? 1 }, 'n', 1, 30))
        : askLeave(deck, x.p.id, kind, str(x.body, 'from'), str(x.body, 'to'), app.now());
    app.commit(x.who.sub, evts);
  });
  r.on('POST', '/absences/:id/ruling', (x) => {
    const ab = must(deck.absences.get(x.p.id), 'absence');
    need(x.who, 'leave.rule', deck.hand(ab.handId).base);
    notOwn(x.who, [ab.handId]);
    app.commit(x.who.sub, ruleAbsence(deck, ab.id, x.body.ok === true, x.body.why as string | undefined, app.now()));
  });
  r.on('POST', '/swaps', (x) => {
    need(x.who, 'self');
    const openTo = Array.isArray(x.body.openTo) ? x.body.openTo.map(String) : [];
    app.commit(x.who.sub, offer(deck, x.who.sub, str(x.body, 'stint'), app.now(), openTo));
  });
  r.on('POST', '/swaps/:id/take', (x) => {
    need(x.who, 'self');
    const back = x.body.back === undefined ? undefined : str(x.body, 'back');
    app.commit(x.who.sub, takeUp(deck, x.p.id, x.who.sub, app.now(), back), { expect: x.ifSeq });
    return deck.deals.get(x.p.id);
  });
  r.on('POST', '/swaps/:id/ruling', (x) => {
    const d = must(deck.deals.get(x.p.id), 'swap');
    need(x.who, 'swap.rule', portOf(app, deck.stint(d.giveStint)));
    notOwn(x.who, [d.giverId, d.takerId]);
    app.commit(x.who.sub, rule(deck, d.id, x.body.ok === true, app.now(), x.body.why as string | undefined));
  });
  r.on('DELETE', '/swaps/:id', (x) => {
    app.commit(x.who.sub, withdraw(deck, x.p.id, x.who.sub));
  });
  r.on('POST', '/clock', (x) => {
    need(x.who, 'self');
    app.clockIn(x.who.sub, { stintId: str(x.body, 'stint'), handId: x.who.sub, on: int(x.body, 'on', 0, 1e9), off: int(x.body, 'off', 0, 1e9) });
  });
}

export function deskRoutes(app: App, r: Router): void {
  const { deck } = app;
  r.on('POST', '/plan', (x) => {
    need(x.who, 'sail.edit');
    const [a, b] = range(x.body, 120);
    if (!Array.isArray(x.body.patterns)) throw new FerryErr('bad_input', 'patterns must be a list');
    return app.loadPlan(x.who.sub, x.body.patterns as Pattern[], a, b);
  });
  r.on('POST', '/plan/water', (x) => {
    need(x.who, 'sail.edit');
    const [a, b] = range(x.body, 35);
    return { changed: app.water(x.who.sub, a, b) };
  });
  r.on('POST', '/sailings/:id/delay', (x) => {
    const s = must(deck.sailings.get(x.p.id), 'sailing');
    need(x.who, 'sail.edit', deck.hull(s.hullId).home);
    return app.delay(x.who.sub, s.id, s.dep + int(x.body, 'minutes', -30, 600), str(x.body, 'why'));
  });
  r.on('DELETE', '/sailings/:id', (x) => {
    const s = must(deck.sailings.get(x.p.id), 'sailing');
    need(x.who, 'sail.edit', deck.hull(s.hullId).home);
    return app.commit(x.who.sub, scrub(deck, s.id, str(x.body, 'why'), app.now())).length;
  });
  r.on('GET', '/tides/:port', (x) => {
    const day = x.q.get('day') ?? dayOf(app.now());
    if (!isDay(day) || !app.tides.has(x.p.port)) throw new FerryErr('no_such', 'no tide data');
    return app.tides.turns(x.p.port, atWall(day, '00:00'), atWall(hopDay(day, 1), '00:00'));
  });
  r.on('GET', '/pay/:period/slip/:id', (x) => {
    selfOr(x.who, x.p.id, 'pay.read', deck);
    const lines = deck.paid.get(x.p.period)?.lines ?? payFor(deck, deck.hand(x.p.id), x.p.period);
    return slip(deck, x.p.id, lines);
  });
  r.on('POST', '/pay/:period/lock', (x) => {
    need(x.who, 'pay.lock');
    const got = lockMonth(deck, x.p.period, app.now(), x.body.force === true);
    app.commit(x.who.sub, got.evts, { once: `lock:${x.p.period}` });
    return { lines: got.lines.length, payday: payday(x.p.period) };
  });
  r.on('GET', '/pay/:period/export', (x) => {
    need(x.who, 'pay.read');
    const done = deck.paid.get(x.p.period);
    if (!done) throw new FerryErr('locked', 'close the month first', { why: stopper(deck, x.p.period, app.now()) });
    if (x.q.get('as') === 'bank') {
      return new Raw('text/plain', toFixed(deck, x.p.period, done.lines, payday(x.p.period)), `pay-${x.p.period}.txt`);
    }
    return new Raw('text/csv', toCsv(deck, done.lines), `pay-${x.p.period}.csv`);
  });
  r.on('GET', '/log', async (x) => {
    need(x.who, 'log.read');
    const after = int({ after: x.q.get('after') ?? '0' }, 'after', 0, 1e9);
    const wait = int({ wait: x.q.get('wait') ?? '0' }, 'wait', 0, 30);
    return app.log.waitPast(after, wait * 1000);
  });
  r.on('GET', '/log/search', (x) => {
    need(x.who, 'log.read');
    const types = x.q.get('types')?.split(',');
    return app.log.history({ hand: x.q.get('hand') ?? undefined, stint: x.q.get('stint') ?? undefined, types, limit: 200 });
  });
  r.on('GET', '/past/:at/bill', (x) => {
    need(x.who, 'log.read');
    const [a, b] = range(x.q, 14);
    return app.past(Number(x.p.at)).stintsBetween(a, b);
  });
}
