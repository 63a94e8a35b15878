import type { Deck } from '../dom/deck.ts';
import type { Entry, Hand, Stint } from '../dom/types.ts';
import { hm } from '../kit/time.ts';

export interface Note {
  to: string;
  key: string;
  text: string;
  rush: boolean;
  goodUntil?: number;
}

const TXT: Record<string, { en: string; da: string }> = {
  given: { en: 'New duty {day} {on}-{off} on {hull}.', da: 'Ny vagt {day} {on}-{off} på {hull}.' },
  taken: { en: 'Your duty {day} {on} on {hull} was removed: {why}.', da: 'Din vagt {day} {on} på {hull} er fjernet: {why}.' },
  moved: { en: 'Duty {day} on {hull} now runs {on}-{off}.', da: 'Vagten {day} på {hull} er nu {on}-{off}.' },
  dropped: { en: 'Duty {day} on {hull} is cancelled: {why}.', da: 'Vagten {day} på {hull} er aflyst: {why}.' },
  swap: { en: 'Your exchange offer is now {state}.', da: 'Dit byttetilbud er nu {state}.' },
  leave: { en: 'Your {kind} {from} to {to} was answered: {state}.', da: 'Dit fravær ({kind}) {from} til {to} er besvaret: {state}.' },
  tkt: { en: '{kind} runs out in {n} days ({until}).', da: '{kind} udløber om {n} dage ({until}).' },
};

export function say(key: string, lang: Hand['lang'], vars: Record<string, string>): string {
  const t = TXT[key];
  if (!t) return key;
  return t[lang].replace(/\{(\w+)\}/g, (_, k: string) => vars[k] ?? '?');
}

export function dutyVars(deck: Deck, st: Stint): Record<string, string> {
  return { day: st.day, on: hm(st.on), off: hm(st.off), hull: deck.hulls.get(st.hullId)?.name ?? st.hullId };
}

export function notesFor(deck: Deck, e: Entry, emptied: Map<string, string>): Note[] {
  const out: Note[] = [];
  const push = (to: string, key: string, vars: Record<string, string>, rush: boolean, goodUntil?: number): void => {
    const h = deck.hands.get(to);
    if (h && e.who !== to) out.push({ to, key: `${key}:${e.seq}`, text: say(key, h.lang, vars), rush, goodUntil });
  };
  const ev = e.ev;
  if (ev.t === 'slot.put' || ev.t === 'slot.cleared') {
    const st = deck.stint(ev.stintId);
    if (st.state === 'draft') return out;
    const rush = st.on - e.at < 24 * 60;
    if (ev.t === 'slot.put') push(ev.handId, 'given', dutyVars(deck, st), rush, st.off);
    else {
      const was = emptied.get(`${ev.stintId}/${ev.ix}`);
      if (was) push(was, 'taken', { ...dutyVars(deck, st), why: ev.why }, rush, st.off);
    }
  } else if (ev.t === 'stint.posted' || ev.t === 'stint.stretched') {
    const st = deck.stint(ev.id);
    if (st.state === 'draft') return out;
    const key = ev.t === 'stint.posted' ? 'given' : 'moved';
    for (const sl of st.slots) if (sl.handId) push(sl.handId, key, dutyVars(deck, st), st.on - e.at < 24 * 60, st.off);
  } else if (ev.t === 'stint.void') {
    const st = deck.stint(ev.id);
    st.slots.forEach((_, ix) => {
      const was = emptied.get(`${ev.id}/${ix}`);
      if (was) push(was, 'dropped', { ...dutyVars(deck, st), why: ev.why }, st.on - e.at < 24 * 60, st.off);
    });
  } else if (ev.t === 'swap.ended') {
    const d = deck.deals.get(ev.id);
    for (const id of [d?.giverId, d?.takerId]) if (id) push(id, 'swap', { state: ev.state }, false);
  } else if (ev.t === 'abs.ruled') {
    const ab = deck.absences.get(ev.id);
    if (ab) push(ab.handId, 'leave', { kind: ab.kind, from: ab.from, to: ab.to, state: ev.state }, false);
  }
  return out;
}
