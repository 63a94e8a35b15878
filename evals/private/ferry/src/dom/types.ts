import type { Day, Min } from '../kit/time.ts';

export type Rank = 'MSTR' | 'MATE' | 'CENG' | 'SENG' | 'AB' | 'OS' | 'PURS';
export type TktKind = 'COC_D' | 'COC_E' | 'BST' | 'CROWD' | 'MED' | 'GMDSS' | 'PEC' | 'HSC';
export type PortCode = string;

export interface Tkt {
  no: string;
  kind: TktKind;
  from: Day;
  until: Day;
  scope?: string[];
  pulled?: string;
}

export interface Contract {
  form: 'fixed' | 'season' | 'zero';
  weekMin: number;
  grade: number;
  step: number;
  since: Day;
  ends?: Day;
}

export interface Hand {
  id: string;
  name: string;
  rank: Rank;
  alsoAs: Rank[];
  base: PortCode;
  tkts: Tkt[];
  contract: Contract;
  mail: string;
  phone?: string;
  lang: 'en' | 'da';
  avoid: string[];
  calloutMin: number;
  left?: Day;
  costCentre: string;
}

export interface Berth {
  rank: Rank;
  need: TktKind[];
}

export interface Hull {
  id: string;
  name: string;
  draftCm: number;
  hsc: boolean;
  home: PortCode;
  turnMin: number;
  manning: { upTo: number; berths: Berth[] }[];
}

export interface Sailing {
  id: string;
  pat: string;
  hullId: string;
  from: PortCode;
  to: PortCode;
  dep: Min;
  arr: Min;
  plannedDep: Min;
  pax: number;
  tidal: boolean;
  state: 'posted' | 'shifted' | 'scrubbed' | 'sailed';
  why?: string;
}

export interface Slot {
  rank: Rank;
  need: TktKind[];
  handId: string | null;
  pinned: boolean;
  src?: FillSrc;
  putAt?: Min;
}

export type FillSrc = 'solver' | 'planner' | 'swap' | 'callout' | 'mend';

export interface Stint {
  id: string;
  hullId: string;
  day: Day;
  on: Min;
  off: Min;
  fromPort: PortCode;
  toPort: PortCode;
  sailingIds: string[];
  slots: Slot[];
  state: 'draft' | 'posted' | 'void';
  postedAt?: Min;
}

export interface Clocking {
  stintId: string;
  handId: string;
  on: Min;
  off: Min;
}

export interface SwapDeal {
  id: string;
  giverId: string;
  giveStint: string;
  takerId?: string;
  backStint?: string;
  openTo: string[];
  askedAt: Min;
  lapses: Min;
  state: 'open' | 'matched' | 'granted' | 'refused' | 'lapsed' | 'withdrawn';
  why?: string;
}

export type AbsKind = 'leave' | 'sick' | 'course' | 'family';

export interface Absence {
  id: string;
  handId: string;
  kind: AbsKind;
  from: Day;
  to: Day;
  state: 'asked' | 'ok' | 'no' | 'cancelled';
  note?: string;
  doctor?: boolean;
  askedAt: Min;
}

export type Evt =
  | { t: 'hand.on'; hand: Hand }
  | { t: 'hand.off'; handId: string; last: Day }
  | { t: 'hand.moved'; handId: string; base: PortCode }
  | { t: 'tkt.filed'; handId: string; tkt: Tkt }
  | { t: 'tkt.pulled'; handId: string; no: string; why: string }
  | { t: 'hull.listed'; hull: Hull }
  | { t: 'sail.posted'; sailing: Sailing }
  | { t: 'sail.shifted'; id: string; dep: Min; arr: Min; why: string }
  | { t: 'sail.scrubbed'; id: string; why: string }
  | { t: 'stint.cut'; stint: Stint }
  | { t: 'stint.posted'; id: string }
  | { t: 'stint.stretched'; id: string; on: Min; off: Min }
  | { t: 'stint.void'; id: string; why: string }
  | { t: 'slot.put'; stintId: string; ix: number; handId: string; src: FillSrc }
  | { t: 'slot.cleared'; stintId: string; ix: number; why: string }
  | { t: 'slot.pinned'; stintId: string; ix: number; on: boolean }
  | { t: 'swap.offered'; deal: SwapDeal }
  | { t: 'swap.matched'; id: string; takerId: string; backStint?: string }
  | { t: 'swap.ended'; id: string; state: SwapDeal['state']; why?: string }
  | { t: 'abs.asked'; abs: Absence }
  | { t: 'abs.ruled'; id: string; state: Absence['state']; why?: string }
  | { t: 'abs.doctor'; id: string }
  | { t: 'clocked'; c: Clocking }
  | { t: 'pay.locked'; period: string; digest: string; lines: PayLine[] };

export interface Entry {
  seq: number;
  at: Min;
  who: string;
  ev: Evt;
  prev: string;
  hash: string;
}

export interface PayLine {
  handId: string;
  code: string;
  day: Day;
  mins: number;
  cents: number;
  cc: string;
}

export type SnagKind = 'double' | 'rest' | 'tkt' | 'away' | 'gap' | 'weary' | 'feud' | 'stranded' | 'rank' | 'hours';

export interface Snag {
  kind: SnagKind;
  sev: 1 | 2 | 3;
  stintId: string;
  ix: number;
  handId?: string;
  other?: string;
  msg: string;
}

export type Role = 'hand' | 'master' | 'planner' | 'payroll' | 'admin';

export interface Actor {
  sub: string;
  roles: Role[];
  ports: PortCode[];
}
